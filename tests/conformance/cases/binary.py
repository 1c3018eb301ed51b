"""Functions of two elements and more, comparisons and choices."""

import numpy as np
from export import Fed, W
from onnx import TensorProto

TIES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e-30, -1e-30, 1e30, -1e30, 3.0]
OTHERS = [-0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.25, 2e-30, -1e-30, 1e30, 1e30, -3.0]
SHAPES = {
    "same": ((2, 3, 5, 7), (2, 3, 5, 7)),
    "number": ((2, 3, 5), ()),
    "one": ((2, 3, 5), (1,)),
    "row": ((2, 3, 5), (5,)),
    "channel": ((2, 3, 5, 7), (3, 1, 1)),
    "channel_4": ((1, 3, 5, 7), (1, 3, 1, 1)),
    "image": ((2, 3, 5, 7), (2, 1, 5, 7)),
    "pooled": ((2, 3, 5, 7), (2, 3, 1, 1)),
    "both": ((2, 1, 5), (3, 1)),
    "outer": ((4, 1), (1, 3)),
    "rank_5": ((2, 1, 3, 1, 2), (2, 1, 3, 2)),
    "vector": ((7,), (7,)),
    "zero_rank": ((), ()),
}


def add(family):
    one, case = family.one, family.case
    for operator in ["Add", "Sub", "Mul", "Div"]:
        low = operator.lower()
        for name, (a, b) in SHAPES.items():
            if operator in ("Sub", "Div") or name in ("same", "channel", "both"):
                one(f"{low}_{name}", operator, a, b, opset=14)
                one(f"{low}_{name}_constant", operator, a, W(*b), opset=14)
                one(f"{low}_{name}_constant_first", operator, W(*b), a, opset=14)
        one(f"{low}_7", operator, (2, 3, 5), (5,), opset=7)
        case(f"{low}_twice", lambda g, o=operator: (lambda x: g.op(o, x, x))(g.x(3, 5)))
    one("div_zeros", "Div", Fed(1.0, -1.0, 0.5, 2.0), Fed(0.0, 0.0, -0.0, 4.0))
    one("mul_large", "Mul", Fed(1e30, -1e30, 1e-30, 1.0), Fed(1e30, 1e30, 1e-30, 3.0))
    one("add_large", "Add", Fed(3e38, -3e38, 3e38), Fed(3e38, -3e38, -3e38))
    one("mod", "Mod", Fed(5.5, -5.5, 7.0, -7.0), Fed(2.0, 2.0, -3.0, 3.5), opset=13, fmod=1)

    for operator in ["Max", "Min", "Sum", "Mean"]:
        low = operator.lower()
        one(f"{low}_1", operator, (2, 3), opset=13, moved=True)
        one(f"{low}_2", operator, (2, 3, 5), (2, 3, 5), opset=13)
        one(f"{low}_3", operator, (2, 3, 5), (3, 1), (5,), opset=13)
        one(f"{low}_4_opset_8", operator, *[(2, 3)] * 4, opset=8)
        one(f"{low}_constant", operator, (2, 3, 5), W(3, 1), opset=13)
        one(f"{low}_ties", operator, Fed(TIES), Fed(OTHERS), opset=13)
    one("max_number", "Max", (2, 3, 5), np.float32(0.3), opset=13)
    one("max_zero", "Max", (2, 3, 5), np.float32(0), opset=13)
    one("min_number", "Min", (2, 3, 5), np.float32(0.3), opset=13)
    one("max_large", "Max", Fed(1e30, -1e30, 1.0, -1.0), Fed(1.0, 1.0, 1e30, -1e30), opset=13)
    one("min_large", "Min", Fed(1e30, -1e30, 1.0, -1.0), Fed(1.0, 1.0, 1e30, -1e30), opset=13)
    case("max_min_clip", lambda g: g.op("Min", g.op("Max", g.x(2, 3, 5), g.c(0.0)), g.c(6.0)), 13)
    case("min_max_clip", lambda g: g.op("Max", g.op("Min", g.x(2, 3, 5), g.c(0.7)), g.c(-0.3)), 13)
    case("max_of_infinities", lambda g: g.op("Max", g.op("Log", g.feed([0.0, 1.0, 2.0])), g.x(3)), 13)
    case("min_of_infinities", lambda g: g.op("Min", g.op("Exp", g.feed([1e3, 1.0, 2.0])), g.x(3)), 13)

    comparisons = ["Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual"]
    for operator in comparisons:
        low = operator.lower()
        opset = 16 if operator.endswith("OrEqual") else 13
        one(f"{low}_ties", operator, Fed(TIES), Fed(OTHERS), opset=opset, floats=True)
        one(f"{low}_number", operator, (2, 3, 5), np.float32(0.1), opset=opset, floats=True)
        one(f"{low}_broadcast", operator, (2, 3, 1), (3, 5), opset=opset, floats=True)
    one("greater_9", "Greater", (2, 3), (3,), opset=9, floats=True)

    def logical(operator):
        def build(g):
            a, b = (g.op("Greater", g.x(2, 3, 5), g.c(0.0)) for _ in range(2))
            return g.floats(g.op(operator, a, b))

        return build

    for operator in ["And", "Or", "Xor"]:
        case(operator.lower(), logical(operator))
    case("equal_of_truths", logical("Equal"))
    case("not", lambda g: g.floats(g.op("Not", g.op("Less", g.x(2, 3, 5), g.c(0.0)))))

    def chosen(a, b, condition=None):
        def build(g):
            c = g.c(condition) if condition is not None else g.op("Greater", g.x(2, 3, 5), g.c(0.0))
            values = [g.x(*v) if isinstance(v, tuple) else g.c(v) for v in (a, b)]
            return g.op("Where", c, *values)

        return build

    mask = np.random.default_rng(0).random((3, 5)) > 0.4
    small, infinite = np.float32(-1e9), np.float32(-np.inf)
    case("where", chosen((2, 3, 5), (2, 3, 5)), 16)
    case("where_9", chosen((2, 3, 5), (5,)), 9)
    case("where_number", chosen((2, 3, 5), np.float32(0.5)))
    case("where_zero", chosen((2, 3, 5), np.float32(0)))
    case("where_zero_first", chosen(np.float32(0), (2, 3, 5)))
    case("where_numbers", chosen(np.float32(-2), np.float32(3)))
    case("where_broadcast", chosen((2, 1, 5), (3, 1)))
    case("where_mask", chosen((2, 3, 5), (2, 3, 5), mask))
    case("where_mask_below", chosen((2, 3, 5), small, mask))
    case(
        "where_mask_infinite", lambda g: g.op("Softmax", g.op("Where", g.c(mask), g.x(2, 3, 5), g.c(infinite)), axis=-1)
    )
    case(
        "where_mask_lowest",
        lambda g: g.op("Softmax", g.op("Where", g.c(mask), g.x(2, 3, 5), g.c(np.float32(-3.4028235e38))), axis=-1),
    )
    case(
        "add_mask_infinite",
        lambda g: g.op(
            "Softmax", g.op("Add", g.x(2, 3, 5), g.c(np.where(mask, 0, infinite).astype(np.float32))), axis=-1
        ),
    )

    def guarded(g):
        x = g.feed([-1.0, 0.0, 1.0, 2.0, 4.0])
        return g.op("Where", g.op("Greater", x, g.c(0.0)), g.op("Log", x), g.c(-5.0))

    case("where_not_finite_aside", guarded)

    def exponential(g):
        x = g.feed([-1.0, 0.0, 1.0, 1e3, 4.0])
        return g.op("Where", g.op("Greater", x, g.c(10.0)), x, g.op("Exp", x))

    case("where_infinite_aside", exponential)
    case("max_infinite", lambda g: g.op("Max", g.op("Exp", g.feed([1e3, 1.0, 2.0])), g.x(3)), 13)
    case("min_infinite", lambda g: g.op("Min", g.op("Log", g.feed([0.0, 1.0, 2.0])), g.x(3)), 13)
    lowest = np.where(mask, 0, -3.4028235e38).astype(np.float32)

    def shared(g):
        scores = g.op("Add", g.op("MatMul", g.x(2, 3, 4), g.w(4, 5)), g.c(lowest))
        return [g.op("Softmax", scores, axis=-1), g.op("ReduceMax", scores, axes=[-1]), g.op("Neg", scores)]

    case("shared_lowest", shared, 13)
    case(
        "where_constants_by_cast",
        lambda g: g.op("Where", g.op("Cast", g.feed([0.0, 1.0, -2.0, 0.5]), to=TensorProto.BOOL), g.x(4), g.x(4)),
    )
    case("where_mask_row", chosen((2, 3, 5), np.float32([1, 2, 3, 4, 5]), mask))
    case("where_mask_both", chosen(np.float32([[1], [2], [3]]), (2, 3, 5), mask))
    case("isnan", lambda g: g.floats(g.op("IsNaN", g.op("Log", g.feed([-1.0, 1.0, 2.0])))))
    case("isinf", lambda g: g.floats(g.op("IsInf", g.op("Log", g.feed([0.0, 1.0, 2.0])))))
