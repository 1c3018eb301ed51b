"""Functions of one element."""

import numpy as np
from export import Fed, W
from onnx import TensorProto

ODD = (1, 3, 5, 7)
# Signs of zero, halves that round to even, kinks, and what overflows in exponentials.
AWKWARD = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1.0, -1.0, 3.0, -3.0, 6.0, 1e-7, -1e-7]
LARGE = [20.0, -20.0, 60.0, -60.0, 88.0, -88.0, 90.0, -90.0, 110.0, -110.0]
HUGE = [1e3, -1e3, 1e5, -1e5, 1e20, -1e20]
# Operator, attributes, opset.
ANYWHERE = [
    ("Relu", {}, 14),
    ("Sigmoid", {}, 13),
    ("Tanh", {}, 13),
    ("Exp", {}, 13),
    ("Abs", {}, 13),
    ("Neg", {}, 13),
    ("Floor", {}, 13),
    ("Ceil", {}, 13),
    ("Round", {}, 11),
    ("Sign", {}, 13),
    ("Erf", {}, 13),
    ("Softplus", {}, 11),
    ("Softsign", {}, 11),
    ("HardSwish", {}, 14),
    ("HardSigmoid", {}, 11),
    ("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}, 11),
    ("Elu", {}, 11),
    ("Elu", {"alpha": 0.3}, 11),
    ("Selu", {}, 11),
    ("Selu", {"alpha": 1.5, "gamma": 1.2}, 11),
    ("Celu", {}, 12),
    ("Celu", {"alpha": 2.0}, 12),
    ("LeakyRelu", {}, 11),
    ("LeakyRelu", {"alpha": 0.2}, 16),
    ("LeakyRelu", {"alpha": 1.5}, 16),
    ("LeakyRelu", {"alpha": -0.5}, 16),
    ("ThresholdedRelu", {}, 11),
    ("ThresholdedRelu", {"alpha": 0.5}, 11),
    ("Shrink", {"lambd": 0.5, "bias": 0.25}, 11),
    ("Mish", {}, 18),
    ("Gelu", {}, 20),
    ("Gelu", {"approximate": "tanh"}, 20),
]


def named(operator, attributes):
    return "_".join([operator.lower(), *(f"{v:.2g}" if isinstance(v, float) else str(v) for v in attributes.values())])


def add(family):
    one, case = family.one, family.case
    for operator, attributes, opset in ANYWHERE:
        name = named(operator, attributes)
        one(name, operator, ODD, opset=opset, **attributes)
        one(f"{name}_awkward", operator, Fed(AWKWARD), opset=opset, **attributes)
        one(f"{name}_large", operator, Fed(LARGE), opset=opset, **attributes)
        # The tanh in it may miss -1 by a rounding error, which the input then multiplies.
        if "approximate" not in attributes:
            one(f"{name}_huge", operator, Fed(HUGE), opset=opset, **attributes)
    positive = np.exp(np.random.default_rng(0).standard_normal(ODD))
    for operator in ["Log", "Sqrt", "Reciprocal"]:
        one(operator.lower(), operator, Fed(positive), opset=13)
        one(f"{operator.lower()}_zeros", operator, Fed([0.0, -0.0, 1e-30, 1e30, 1.0]), opset=13)
    one("log_negative", "Log", Fed([-1.0, 1.0, 2.0]), opset=13)
    small = np.random.default_rng(0).uniform(-0.9, 0.9, ODD)
    for operator in ["Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Atanh"]:
        one(operator.lower(), operator, Fed(small), opset=13)
    one("acosh", "Acosh", Fed(1 + positive), opset=13)
    one("sin_wide", "Sin", Fed([10.0, -10.0, 100.0, -100.0, 0.0]), opset=13)
    for rank, shape in enumerate([(), (7,), (3, 5), (2, 3, 5), (2, 3, 1, 5), (2, 1, 3, 2, 3)]):
        one(f"sigmoid_rank_{rank}", "Sigmoid", shape)
        one(f"gelu_rank_{rank}", "Gelu", shape, opset=20)
    one("relu_6", "Relu", ODD, opset=6)
    one("relu_wide", "Relu", (1, 3, 17, 19))

    # Clip, in every form.
    one("clip_6", "Clip", ODD, opset=6, min=-0.5, max=0.25)
    one("clip_6_min", "Clip", ODD, opset=6, min=-0.5)
    one("clip_6_max", "Clip", ODD, opset=6, max=0.25)
    one("clip_6_none", "Clip", ODD, opset=6, moved=True)
    for opset in [11, 12, 13]:
        one(f"clip_{opset}", "Clip", ODD, np.float32(-0.5), np.float32(0.25), opset=opset)
        one(f"clip_{opset}_min", "Clip", ODD, np.float32(-0.5), opset=opset)
        one(f"clip_{opset}_max", "Clip", ODD, None, np.float32(0.25), opset=opset)
        one(f"clip_{opset}_none", "Clip", ODD, opset=opset, moved=True)
    one("clip_relu6", "Clip", Fed([*AWKWARD, *LARGE]), np.float32(0), np.float32(6))
    one("clip_relu6_odd", "Clip", (2, 3, 5, 7), np.float32(0), np.float32(6))
    one("clip_fine", "Clip", ODD, np.float32(0.123456), np.float32(0.654321))
    one("clip_tiny", "Clip", ODD, np.float32(1e-7), np.float32(3.4e38))
    one("clip_infinite", "Clip", ODD, np.float32(0), np.float32(np.inf))
    one("clip_equal", "Clip", ODD, np.float32(0.5), np.float32(0.5))
    one("clip_changing_bounds", "Clip", ODD, Fed(-0.5), Fed(0.25))

    # PRelu: the slope's shapes.
    for name, slope in [
        ("number", ()),
        ("one", (1,)),
        ("channel", (3, 1, 1)),
        ("channel_4", (1, 3, 1, 1)),
        ("row", (7,)),
        ("full", (2, 3, 5, 7)),
    ]:
        one(f"prelu_{name}", "PRelu", (2, 3, 5, 7), W(*slope), opset=16)
    one("prelu_7", "PRelu", (2, 3, 5), W(3, 1), opset=7)
    one("prelu_changing", "PRelu", (2, 3, 5, 7), (3, 1, 1), opset=9)
    one("prelu_awkward", "PRelu", Fed([*AWKWARD, *LARGE]), W(1), opset=16)

    # Powers: exponents, signs of the base, types.
    for exponent in [0.0, 1.0, 2.0, 3.0, 5.0, 0.5, -1.0, -2.0, -0.5, 1 / 3, 2.5, 0.75]:
        base = (2, 3, 5) if exponent == int(exponent) else Fed(positive)
        one(f"pow_{exponent:.2g}", "Pow", base, np.float32(exponent), opset=13, moved=exponent == 1)
    one("pow_2_opset_7", "Pow", (2, 3, 5), np.float32(2), opset=7)
    one("pow_whole_exponent", "Pow", (2, 3, 5), np.int64(2), opset=13)
    one("pow_of_2", "Pow", np.float32(2), (2, 3, 5), opset=13)
    one("pow_of_constants", "Pow", np.float32([0.5, 1.5, 3]), (2, 1), opset=13)
    one("pow_by_constants", "Pow", (2, 3), np.float32([1, 2, 3]), opset=13)
    one("pow_by_fractions", "Pow", Fed(positive[0, 0]), np.float32(np.linspace(-2, 2, 7)), opset=13)
    one("pow_both", "Pow", Fed(positive), (7,), opset=13)
    one("pow_2_awkward", "Pow", Fed([*AWKWARD, *LARGE]), np.float32(2), opset=13)
    one("pow_0.3_of_zeros", "Pow", Fed([0.0, -0.0, 4.0, -4.0]), np.float32(0.3), opset=13)
    one("pow_-0.3_of_zeros", "Pow", Fed([0.0, 4.0, -4.0]), np.float32(-0.3), opset=13)
    one("pow_half_of_zeros", "Pow", Fed([0.0, -0.0, 4.0]), np.float32(0.5), opset=13)

    # Casts, there and back.
    wide = Fed([*AWKWARD, 3.7, -3.7, 100.9, -100.9])
    for kind in ["INT64", "INT32", "BOOL", "FLOAT16", "DOUBLE", "INT8", "UINT8"]:
        values = Fed([0.0, 0.5, 1.5, 3.7, 100.9]) if kind == "UINT8" else wide
        case(
            f"cast_{kind.lower()}",
            lambda g, k=kind, v=values: g.floats(
                g.op("Cast", g.op("Abs" if k == "UINT8" else "Neg", g.feed(v.values)), to=getattr(TensorProto, k))
            ),
        )
    case("cast_float", lambda g: g.op("Neg", g.floats(g.x(2, 3))))

    for name, opset, attributes in [("7", 7, {"ratio": 0.3}), ("10", 10, {}), ("12", 12, {}), ("13", 13, {})]:
        one(f"dropout_{name}", "Dropout", ODD, opset=opset, moved=True, **attributes)
    one("dropout_13_ratio", "Dropout", ODD, np.float32(0.4), np.bool_(False), opset=13, moved=True)
    for opset in [7, 13, 16]:
        one(f"identity_{opset}", "Identity", ODD, opset=opset, moved=True)
    case("identities", lambda g: g.op("Identity", g.op("Identity", g.op("Abs", g.op("Identity", g.x(2, 3))))))
    case("shared", lambda g: (lambda y: [g.op("Relu", y), g.op("Add", y, g.op("Exp", y))])(g.op("Neg", g.x(2, 3))))
