"""Blocks that networks are made of, as exporters write them."""

import math

import numpy as np
from onnx import TensorProto

END = np.iinfo(np.int64).max


def linear(g, x, inputs, outputs):
    return g.op("Add", g.op("MatMul", x, g.w(inputs, outputs)), g.w(outputs))


def attention(batch, tokens, width, heads, mask=None):
    def build(g):
        x, each = g.x(batch, tokens, width), width // heads
        qkv = g.op("Reshape", linear(g, x, width, 3 * width), g.c([batch, tokens, 3, heads, each]))
        qkv = g.op("Transpose", qkv, perm=[2, 0, 3, 1, 4])
        q, k, v = (g.op("Gather", qkv, g.c(index), axis=0) for index in range(3))
        scores = g.op("MatMul", g.op("Mul", q, g.c(1 / math.sqrt(each))), g.op("Transpose", k, perm=[0, 1, 3, 2]))
        if mask is not None:
            scores = g.op("Add", scores, g.c(mask))
        found = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        found = g.op("Reshape", g.op("Transpose", found, perm=[0, 2, 1, 3]), g.c([batch, tokens, width]))
        return g.op("Add", x, linear(g, found, width, width))

    return build


def layer_norm(g, x, width):
    return g.op("LayerNormalization", x, g.w(width), g.w(width), axis=-1)


def gelu(g, x):
    erf = g.op("Erf", g.op("Div", x, g.c(math.sqrt(2))))
    return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.c(1.0))), g.c(0.5))


def hard_sigmoid(g, x):
    return g.op("Div", g.op("Clip", g.op("Add", x, g.c(3.0)), g.c(0.0), g.c(6.0)), g.c(6.0))


def batch_norm(g, x, channels):
    variance = np.random.default_rng(0).uniform(0.5, 1.5, channels).astype(np.float32)
    return g.op("BatchNormalization", x, g.w(channels), g.w(channels), g.w(channels), g.c(variance))


def squeeze_and_excite(g, x, channels):
    pooled = g.op("ReduceMean", x, axes=[2, 3], keepdims=1)
    inner = g.op("Relu", g.op("Conv", pooled, g.w(3, channels, 1, 1), g.w(3)))
    return g.op("Mul", x, g.op("Sigmoid", g.op("Conv", inner, g.w(channels, 3, 1, 1), g.w(channels))))


def inverted_residual(batch):
    def build(g):
        x = g.x(batch, 5, 6, 7)
        y = g.op("Clip", batch_norm(g, g.op("Conv", x, g.w(10, 5, 1, 1)), 10), g.c(0.0), g.c(6.0))
        y = batch_norm(g, g.op("Conv", y, g.w(10, 1, 3, 3), group=10, pads=[1] * 4), 10)
        y = squeeze_and_excite(g, g.op("HardSwish", y), 10)
        return g.op("Add", x, batch_norm(g, g.op("Conv", y, g.w(5, 10, 1, 1)), 5))

    return build


def windows(shift):
    """Swin: windows of 2×3 of an image, shifted, and back."""

    def build(g):
        x = g.op("Neg", g.x(2, 4, 6, 5))

        def roll(x, by):
            for axis in (1, 2):
                parts = [g.op("Slice", x, g.c([by]), g.c([END]), g.c([axis]))]
                parts.append(g.op("Slice", x, g.c([0]), g.c([by]), g.c([axis])))
                x = g.op("Concat", *parts, axis=axis)
            return x

        y = roll(x, shift) if shift else x
        y = g.op("Transpose", g.op("Reshape", y, g.c([2, 2, 2, 2, 3, 5])), perm=[0, 1, 3, 2, 4, 5])
        y = g.op("Softmax", linear(g, g.op("Reshape", y, g.c([-1, 6, 5])), 5, 5), axis=1)
        y = g.op("Transpose", g.op("Reshape", y, g.c([2, 2, 2, 2, 3, 5])), perm=[0, 1, 3, 2, 4, 5])
        y = g.op("Reshape", y, g.c([2, 4, 6, 5]))
        return g.op("Add", x, roll(y, -shift) if shift else y)

    return build


def shuffle(g):
    x = g.op("Relu", g.x(2, 6, 3, 5))
    first, second = g.op("Split", x, outputs=2, axis=1)
    second = g.op("Conv", second, g.w(3, 3, 1, 1), g.w(3))
    y = g.op("Reshape", g.op("Concat", first, second, axis=1), g.c([2, 2, 3, 3, 5]))
    return g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3, 4]), g.c([2, -1, 3, 5]))


def convnext(g):
    x = g.x(1, 6, 7, 5)
    y = g.op("Conv", x, g.w(6, 1, 7, 7), g.w(6), group=6, pads=[3] * 4)
    y = layer_norm(g, g.op("Transpose", y, perm=[0, 2, 3, 1]), 6)
    y = linear(g, gelu(g, linear(g, y, 6, 12)), 12, 6)
    y = g.op("Transpose", g.op("Mul", y, g.w(6)), perm=[0, 3, 1, 2])
    return g.op("Add", x, y)


def fire(g):
    x = g.op("Relu", g.op("Conv", g.x(2, 6, 5, 5), g.w(3, 6, 1, 1), g.w(3)))
    a = g.op("Relu", g.op("Conv", x, g.w(4, 3, 1, 1), g.w(4)))
    b = g.op("Relu", g.op("Conv", x, g.w(4, 3, 3, 3), g.w(4), pads=[1] * 4))
    return g.op("Concat", a, b, axis=1)


def dense(g):
    parts = [g.x(2, 3, 4, 4)]
    for layer in range(3):
        x = g.op("Concat", *parts, axis=1) if layer else parts[0]
        channels = 3 + 2 * layer
        x = g.op("Relu", batch_norm(g, x, channels))
        parts.append(g.op("Conv", x, g.w(2, channels, 3, 3), pads=[1] * 4))
    return g.op("Concat", *parts, axis=1)


def mixer(g):
    x = g.x(2, 5, 6)
    y = g.op("Transpose", layer_norm(g, x, 6), perm=[0, 2, 1])
    y = g.op("Transpose", linear(g, gelu(g, linear(g, y, 5, 8)), 8, 5), perm=[0, 2, 1])
    return g.op("Add", x, y)


def patches(g):
    y = g.op("Conv", g.x(2, 3, 8, 8), g.w(6, 3, 4, 4), g.w(6), strides=[4, 4])
    shape = g.op("Concat", g.op("Slice", g.op("Shape", y), g.c([0]), g.c([2])), g.c([-1]), axis=0)
    y = g.op("Transpose", g.op("Reshape", y, shape), perm=[0, 2, 1])
    batch = g.op("Slice", g.op("Shape", y), g.c([0]), g.c([1]))
    token = g.op("Expand", g.w(1, 1, 6), g.op("Concat", batch, g.c([1, 1]), axis=0))
    return g.op("Add", g.op("Concat", token, y, axis=1), g.w(1, 5, 6))


def head(g):
    y = g.op("Conv", g.x(2, 6, 5, 3), g.w(8, 6, 1, 1), g.w(8))
    y = g.op("Flatten", g.op("GlobalAveragePool", g.op("Relu", y)))
    return g.op("Softmax", g.op("Gemm", y, g.w(10, 8), g.w(10), transB=1), axis=1)


def normalised(g):
    """Preprocessing in the graph: channels last, mean and deviation."""
    x = g.op("Transpose", g.op("Div", g.x(2, 4, 5, 3), g.c(255.0)), perm=[0, 3, 1, 2])
    x = g.op(
        "Div",
        g.op("Sub", x, g.c(np.float32([0.485, 0.456, 0.406]).reshape(3, 1, 1))),
        g.c(np.float32([0.229, 0.224, 0.225]).reshape(3, 1, 1)),
    )
    return g.op("Conv", x, g.w(4, 3, 3, 3), g.w(4), strides=[2, 2], pads=[1] * 4)


def positions(g):
    """Relative positions: a table of biases, gathered and added to scores."""
    table = g.op("Gather", g.w(9, 2), g.c(np.random.default_rng(0).integers(0, 9, 16)), axis=0)
    bias = g.op("Transpose", g.op("Reshape", table, g.c([4, 4, 2])), perm=[2, 0, 1])
    return g.op("Softmax", g.op("Add", g.x(2, 2, 4, 4), g.op("Unsqueeze", bias, g.c([0]))), axis=-1)


def mobile_attention(g):
    """Linear attention with a sum over tokens, as LeViT and EfficientViT have it."""
    q, k, v = (g.op("Relu", g.x(1, 2, 5, 4)) for _ in range(3))
    summed = g.op("MatMul", g.op("Transpose", k, perm=[0, 1, 3, 2]), v)
    weight = g.op("MatMul", q, g.op("Transpose", g.op("ReduceSum", k, g.c([2])), perm=[0, 1, 3, 2]))
    return g.op("Div", g.op("MatMul", q, summed), g.op("Add", weight, g.c(1e-6)))


def ternary(g):
    """A mask from values, cast and multiplied."""
    x = g.x(2, 3, 5)
    mask = g.op("Cast", g.op("Greater", g.op("Abs", x), g.c(0.5)), to=TensorProto.FLOAT)
    return g.op("Mul", x, mask)


def add(family):
    case = family.case
    mask = np.triu(np.full((5, 5), -1e9, np.float32), 1)
    case("attention", attention(1, 5, 6, 2))
    case("attention_batch", attention(3, 5, 6, 2))
    case("attention_mask", attention(2, 5, 6, 3, mask), 13)
    case("attention_mask_infinite", attention(1, 5, 6, 3, np.triu(np.full((5, 5), -np.inf, np.float32), 1)), 13)
    case("inverted_residual", inverted_residual(1), 14)
    case("inverted_residual_batch", inverted_residual(3), 14)
    case("squeeze_and_excite", lambda g: squeeze_and_excite(g, g.x(2, 7, 3, 5), 7), 13)
    case("windows", windows(0), 13)
    case("windows_shifted", windows(1), 13)
    case("channel_shuffle", shuffle, 13)
    case("gelu_by_hand", lambda g: gelu(g, g.x(2, 3, 7)), 13)
    case("quick_gelu", lambda g: (lambda x: g.op("Mul", x, g.op("Sigmoid", g.op("Mul", x, g.c(1.702)))))(g.x(2, 7)))
    case("silu", lambda g: (lambda x: g.op("Mul", x, g.op("Sigmoid", x)))(g.x(2, 7, 3)))
    case("mish_by_hand", lambda g: (lambda x: g.op("Mul", x, g.op("Tanh", g.op("Softplus", x))))(g.x(2, 7, 3)))
    case("hard_swish_by_hand", lambda g: (lambda x: g.op("Mul", x, hard_sigmoid(g, x)))(g.x(2, 7, 3)), 13)
    case("hard_sigmoid_by_hand", lambda g: hard_sigmoid(g, g.x(2, 7, 3)), 13)
    case(
        "residual",
        lambda g: (lambda x: g.op("Relu", g.op("Add", x, g.op("Conv", x, g.w(3, 3, 3, 3), pads=[1] * 4))))(
            g.op("Relu", g.x(2, 3, 5, 5))
        ),
    )
    for build in [convnext, fire, dense, mixer, patches, head, normalised, positions, mobile_attention, ternary]:
        case(build.__name__, build)
