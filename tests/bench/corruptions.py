"""Milliseconds per 224 x 224 image and corruption: edge against the package imagecorruptions.

usage: corruptions.py PHOTO [ROUNDS [MODEL.onnx DATA_ROOT]]
With a model and clean images, also the share of corrupting in an evaluation. One thread each, rounds interleaved, medians compared: read the ratios. Packages: imagecorruptions
numpy==1.26.4 scipy==1.11.4 scikit-image==0.21.0 opencv-python-headless==4.10.0.84 setuptools<81
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
warnings.simplefilter("ignore")

import cv2  # noqa: E402  (the thread counts come first)
import imagecorruptions  # noqa: E402
import numpy as np  # noqa: E402
from imagecorruptions import corruptions as package  # noqa: E402
from PIL import Image  # noqa: E402

RUNS = "3"
# Images of an evaluation, each shown clean and in 75 corrupted copies.
SHOWN = 8


def gaussian(image, *args, multichannel=False, **kwargs):
    """What the package calls, under the name the argument has today."""
    return ORIGINAL(image, *args, channel_axis=-1 if multichannel else None, **kwargs)


ORIGINAL = package.gaussian
package.gaussian = gaussian


def cropped(path):
    """Shorter side 256, then the central 224 x 224."""
    image = Image.open(path).convert("RGB")
    w, h = image.size
    size = (256, 256 * h // w) if w < h else (256 * w // h, 256)
    image = image.resize(size, Image.BILINEAR)
    left, top = (size[0] - 224) // 2, (size[1] - 224) // 2
    return np.asarray(image.crop((left, top, left + 224, top + 224)))


def edge_times(path):
    command = ["cargo", "bench", "--quiet", "--workspace", "--profile", "dev"]
    command += ["--bench", "corruptions", "--", RUNS, path]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return json.loads(lines[-1])


def package_time(image, name, severity):
    start = time.perf_counter()
    imagecorruptions.corrupt(image, severity=severity, corruption_name=name)
    return (time.perf_counter() - start) * 1e3


def evaluation_time(model, root):
    """Milliseconds of one thread per image shown, clean or corrupted; start-up left out."""
    with tempfile.TemporaryDirectory() as out:
        edge = ["cargo", "run", "--quiet", "--package", "edge", "--"]
        options = ["--threads", "1", "--images", str(SHOWN), "--dims", "acc,cor", "--out", out]
        subprocess.run([*edge, "eval", model, "--data", root, *options], check=True, capture_output=True)
        (result,) = [os.path.join(out, f) for f in os.listdir(out) if f.endswith(".quba")]
        shown = subprocess.run([*edge, "show", result, "--json"], check=True, capture_output=True)
        return json.loads(shown.stdout)["runs"][0]["wall_ms"] / (SHOWN * 76)


def row(name, ours, theirs):
    """A line of the table: times at severity 1 to 5, images per second, ratio."""
    mine, other = statistics.mean(ours), statistics.mean(theirs)
    times = [" ".join(f"{t:.{digits}f}" for t in ts) for ts, digits in ((ours, 1), (theirs, 0))]
    return f"| {name} | {times[0]} | {times[1]} | {1e3 / mine:.0f} | {1e3 / other:.0f} | {other / mine:.1f}× |"


def main():
    path = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    model, root = sys.argv[3:5] or (None, None)
    cv2.setNumThreads(1)
    image = cropped(path)
    scored = imagecorruptions.get_corruption_names("common")
    names = imagecorruptions.get_corruption_names("all")
    edge_rounds, evaluations = [], []
    cells = {(name, s): [] for name in names for s in range(1, 6)}
    for name, severity in cells:
        package_time(image, name, severity)
    for _ in range(rounds):
        edge_rounds.append(edge_times(path))
        if model:
            evaluations.append(evaluation_time(model, root))
        for (name, severity), times in cells.items():
            times.append(package_time(image, name, severity))
    ours = {n: [statistics.median(ts) for ts in zip(*(r[n] for r in edge_rounds))] for n in names}
    theirs = {n: [statistics.median(cells[n, s]) for s in range(1, 6)] for n in names}
    print(f"ms per image at severity 1 to 5, one thread, median of {rounds} interleaved rounds\n")
    print("| corruption | edge | imagecorruptions | edge images/s | package images/s | faster by |")
    print("|---|---|---|---:|---:|---:|")
    for name in names:
        print(row(name, ours[name], theirs[name]))
    mean = [statistics.mean(t for n in scored for t in times[n]) for times in (ours, theirs)]
    print(
        f"| mean of the 75 scored cells | {mean[0]:.2f} | {mean[1]:.1f} | {1e3 / mean[0]:.0f} "
        f"| {1e3 / mean[1]:.0f} | {mean[1] / mean[0]:.1f}× |"
    )
    for name in ("jpeg85", "crop"):
        print(f"\n{name}: {statistics.median(r[name] for r in edge_rounds):.2f} ms")
    if evaluations:
        whole = statistics.median(evaluations)
        share = 75 / 76 * mean[0] / whole
        print(f"\nevaluation: {whole:.1f} ms per image shown, {share:.1%} of it corrupting")


main()
