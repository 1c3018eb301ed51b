"""Peak memory of `edge eval` on a full-sized validation set: 50,000 tiny images in 1000 classes.

usage: memory.py EDGE_BINARY [--images N] [--cell-images N] [--models N] [--keep FOLDER]
  --images N       images of the clean set (50000)
  --cell-images N  images in each of the 75 corruption cells (0: none), hard links to the clean ones
  --models N       models evaluated together (1)
  --keep FOLDER    build there, use what is already there, and leave it
Python packages: numpy onnx. The images are tiny because memory depends on how many there are and on
the number of classes; what one image and one model need comes on top and is in bench.py's table.
"""
import argparse
import csv
import os
import struct
import subprocess
import tempfile
import time
import zlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = os.path.join(HERE, "../../shared/src/labels/imagenet.csv")
CORRUPTIONS = (
    "gaussian_noise shot_noise impulse_noise defocus_blur glass_blur motion_blur zoom_blur snow frost "
    "fog brightness contrast elastic_transform pixelate jpeg_compression"
).split()
SIDE = 8
CARD = """\
[preprocessing]
resize = "none"
crop = 8
"""


def wnids():
    with open(CLASSES, newline="") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return [row["wnid"] for row in rows]


def png(number):
    """An 8x8 RGB image whose pixels depend on `number`."""
    def chunk(kind, data):
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    pixels = numpy.random.default_rng(number).integers(0, 256, (SIDE, 3 * SIDE), dtype=numpy.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def name(number):
    return f"ILSVRC2012_val_{number + 1:08}.JPEG"


def write_clean(root, images):
    classes = wnids()
    for wnid in classes:
        os.makedirs(os.path.join(root, "imagenet/val", wnid))
    for number in range(images):
        path = os.path.join(root, "imagenet/val", classes[number % len(classes)], name(number))
        with open(path, "wb") as file:
            file.write(png(number))


def write_cells(root, images):
    classes = wnids()
    clean = os.path.join(root, "imagenet/val")
    for corruption in CORRUPTIONS:
        for severity in range(1, 6):
            cell = os.path.join(root, "imagenet-c", corruption, str(severity))
            for wnid in classes[:images]:
                os.makedirs(os.path.join(cell, wnid))
            for number in range(images):
                inner = os.path.join(classes[number % len(classes)], name(number))
                os.link(os.path.join(clean, inner), os.path.join(cell, inner))


def write_model(path, seed):
    """Mean colour to 1000 logits."""
    rng = numpy.random.default_rng(seed)
    weights = numpy_helper.from_array(rng.normal(size=(1000, 3)).astype("f"), "weights")
    bias = numpy_helper.from_array(rng.normal(size=1000).astype("f"), "bias")
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Gemm", ["flat", "weights", "bias"], ["logits"], transB=1),
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, SIDE, SIDE])
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 1000])
    graph = helper.make_graph(nodes, "tiny", [image], [logits], [weights, bias])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    with open(path.removesuffix(".onnx") + ".toml", "w") as card:
        card.write(CARD)


def report(what, command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{what}: peak {usage.ru_maxrss / 1024:.0f} MB, {seconds:.1f} s wall, {cpu:.1f} s CPU, exit {code}")


def measure(edge, root, arguments):
    if not os.path.isdir(os.path.join(root, "imagenet")):
        write_clean(root, arguments.images)
        write_cells(root, arguments.cell_images)
    models = [os.path.join(root, f"tiny{n}.onnx") for n in range(arguments.models)]
    for seed, model in enumerate(models):
        write_model(model, seed)
    report("edge data", [edge, "data", root])
    out = os.path.join(root, "out")
    report("edge eval", [edge, "eval", *models, "--data", root, "--out", out, "--fresh"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("edge")
    parser.add_argument("--images", type=int, default=50_000)
    parser.add_argument("--cell-images", type=int, default=0)
    parser.add_argument("--models", type=int, default=1)
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        measure(arguments.edge, arguments.keep, arguments)
        return
    with tempfile.TemporaryDirectory() as root:
        measure(arguments.edge, root, arguments)


main()
