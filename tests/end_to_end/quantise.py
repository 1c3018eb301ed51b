"""Makes quantised.onnx, a model without a gradient: models/plain-small.onnx in 8-bit integers.

usage: quantise.py
Packages: numpy onnx onnxruntime
"""
import os

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "..", "models", "plain-small.onnx")


class Noise(CalibrationDataReader):
    """Images as the model gets them, spread as normalised pixels are."""

    def __init__(self):
        random = np.random.default_rng(0)
        images = random.normal(0, 1, (16, 1, 3, 64, 64)).astype(np.float32)
        self.images = iter([{"image": image} for image in images])

    def get_next(self):
        return next(self.images, None)


quantize_static(MODEL, os.path.join(HERE, "quantised.onnx"), Noise(), quant_format=QuantFormat.QDQ)
