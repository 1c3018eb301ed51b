"""Whole networks of torchvision and timm at 64 pixels, two images at once. Images and
weights are drawn from a generator that the tests have too, and are not stored.

Packages beside those of export.py: torch torchvision timm; last run with torch 2.15.
"""

import io

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

NETWORKS = ["squeezenet1_1", "mobilenet_v3_small", "shufflenet_v2_x0_5", "mnasnet0_5", "resnet18"]
SIDE = 64
# Seed of the images; that of weights is their place in the graph.
IMAGES = 1 << 32


def add(family):
    import timm
    import torch
    import torchvision

    family.hollow = True
    networks = {name: getattr(torchvision.models, name)(weights=None) for name in NETWORKS}
    networks["vit_tiny"] = timm.create_model("vit_tiny_patch16_224", img_size=SIDE)
    images = drawn(IMAGES, (2, 3, SIDE, SIDE), np.float32(2))
    for name, network in networks.items():
        file = io.BytesIO()
        names = {"input_names": ["x0"], "output_names": ["scores"]}
        torch.onnx.export(network.eval(), torch.from_numpy(images), file, opset_version=17, dynamo=False, **names)
        model = onnx.load_from_string(file.getvalue())
        model.graph.name = name
        model.producer_name = model.producer_version = ""
        del model.graph.value_info[:]
        for node in model.graph.node:
            node.doc_string = ""
        for place, tensor in enumerate(model.graph.initializer):
            if tensor.data_type == TensorProto.FLOAT:
                filled = numpy_helper.from_array(weights(place, tuple(tensor.dims)), tensor.name)
                tensor.CopyFrom(filled)
        family.cases[name] = model, [images]


def weights(seed, shape):
    """Within He's bound of layers with a Relu, √(6 / inputs of a neuron); ±0.1 of one axis."""
    bound = np.sqrt(np.float32(6 / np.prod(shape[1:]))) if len(shape) > 1 else np.float32(0.1)
    return drawn(seed, shape, bound)


def drawn(seed, shape, bound):
    """Uniform numbers within a bound."""
    draws = split_mix(seed, int(np.prod(shape))) >> np.uint64(40)
    units = draws.astype(np.float32) / np.float32(1 << 23) - np.float32(1)
    return (units * bound).reshape(shape)


def split_mix(seed, count):
    """SplitMix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
