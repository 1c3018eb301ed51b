"""Reductions, softmax, norms."""

import numpy as np
from export import Fed, W

LARGE = np.float32([[1e3, 999.0, -1e3], [-90.0, -91.0, -200.0], [0.0, -0.0, 0.0]])
SETS = [[0], [1], [2], [3], [2, 3], [1, 2], [0, 1], [0, 3], [1, 2, 3], [0, 1, 2, 3], [-1], [-2, -1], [1, 3]]


def add(family):
    one, case = family.one, family.case
    for operator in ["ReduceMean", "ReduceSum"]:
        for axes in SETS:
            for keepdims in [0, 1]:
                name = f"{operator.lower()}_{'_'.join(map(str, axes))}_{keepdims}".replace("-", "m")
                if operator == "ReduceSum":
                    one(name, operator, (2, 3, 5, 4), axes, opset=13, keepdims=keepdims)
                else:
                    one(name, operator, (2, 3, 5, 4), opset=13, axes=axes, keepdims=keepdims)
    for operator in ["Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"]:
        operator = f"Reduce{operator}"
        x = (
            Fed(np.exp(np.random.default_rng(1).standard_normal((2, 3, 5))))
            if operator == "ReduceLogSum"
            else (2, 3, 5)
        )
        for name, axes in [("last", [2]), ("middle", [1]), ("first", [0]), ("two", [0, 2]), ("all", [0, 1, 2])]:
            one(f"{operator.lower()}_{name}", operator, x, opset=13, axes=axes)
        one(f"{operator.lower()}_dropped", operator, x, opset=13, axes=[1], keepdims=0)
        one(f"{operator.lower()}_18", operator, x, [1], opset=18)
    for operator in ["ReduceMean", "ReduceMax", "ReduceSum"]:
        low = operator.lower()
        one(f"{low}_11", operator, (2, 3, 4), opset=11, axes=[-1])
        one(f"{low}_no_axes", operator, (2, 3, 4), opset=11)
        one(f"{low}_no_axes_18", operator, (2, 3, 4), opset=18)
        one(f"{low}_no_axes_dropped", operator, (2, 3, 4), opset=11, keepdims=0)
        one(f"{low}_18_two", operator, (2, 3, 4), [0, -1], opset=18, keepdims=0)
        one(f"{low}_of_one", operator, (2, 3, 1), **({"opset": 18}), keepdims=0)
        one(f"{low}_last_one", operator, (2, 5, 1, 1), opset=11, axes=[1])
        one(f"{low}_rank_1", operator, (7,), opset=11, axes=[0])
        one(f"{low}_rank_5", operator, (2, 3, 1, 4, 2), opset=11, axes=[1, 3])
        one(f"{low}_noop", operator, (2, 3), np.zeros(0, np.int64), opset=18, noop_with_empty_axes=1, moved=True)
        one(f"{low}_none_given", operator, (2, 3), np.zeros(0, np.int64), opset=18)
    case(
        "share_of_all",
        lambda g: (lambda x: g.op("Div", x, g.op("ReduceSum", g.op("Abs", x), keepdims=0)))(g.x(2, 3, 5)),
        13,
    )
    one("reduce_log_sum_exp_large", "ReduceLogSumExp", Fed(LARGE), opset=13, axes=[1])
    one("reduce_l2_large", "ReduceL2", Fed(LARGE * 1e-3), opset=13, axes=[1])
    one("reduce_max_below", "ReduceMax", Fed(-5 - np.random.default_rng(0).random((2, 7))), opset=13, axes=[1])
    one("reduce_mean_long", "ReduceMean", (2, 1000), opset=13, axes=[1])
    for operator in ["ArgMax", "ArgMin"]:
        one(operator.lower(), operator, (2, 3, 5), opset=13, floats=True, axis=1)
        one(
            f"{operator.lower()}_ties",
            operator,
            Fed([1.0, 3.0, 3.0, 1.0]),
            opset=13,
            floats=True,
            axis=0,
            select_last_index=1,
        )
    case("top_2", lambda g: (lambda v: [v[0], g.floats(v[1])])(g.op("TopK", g.x(2, 7), g.c([2]), outputs=2)))
    for name, axis, attributes in [
        ("0", 0, {}),
        ("1", 1, {}),
        ("last", -1, {}),
        ("exclusive", 1, {"exclusive": 1}),
        ("reverse", 1, {"reverse": 1}),
        ("both", 1, {"exclusive": 1, "reverse": 1}),
    ]:
        one(f"cum_sum_{name}", "CumSum", (2, 5, 3), np.int64(axis), opset=14, **attributes)

    for operator in ["Softmax", "LogSoftmax"]:
        low = operator.lower()
        for axis in [0, 1, 2, -1, -2]:
            name = f"{axis}".replace("-", "m")
            for opset in [11, 13, 17]:
                one(f"{low}_{opset}_{name}", operator, (2, 3, 5), opset=opset, axis=axis)
            one(f"{low}_13_{name}_4", operator, (2, 3, 4, 5), opset=13, axis=axis)
        one(f"{low}_11_default", operator, (2, 3, 5), opset=11)
        one(f"{low}_13_default", operator, (2, 3, 5), opset=13)
        one(f"{low}_scores", operator, (2, 10), opset=13, axis=1)
        one(f"{low}_many", operator, (1, 1001), opset=13, axis=1)
        one(f"{low}_large", operator, Fed(LARGE), opset=13)
        one(f"{low}_one", operator, (2, 3, 1), opset=13)
        one(f"{low}_rank_1", operator, (7,), opset=13, axis=0)
        one(f"{low}_rank_5", operator, (1, 2, 3, 2, 5), opset=13, axis=2)
    one("hardmax", "Hardmax", (2, 5), opset=13)

    norms(one, case)


def norms(one, case):
    def batch_norm(name, shape, opset, **attributes):
        channels = shape[1]
        variance = np.random.default_rng(2).uniform(0.2, 2, channels).astype(np.float32)
        one(
            f"batch_norm_{name}",
            "BatchNormalization",
            shape,
            W(channels),
            W(channels),
            W(channels),
            variance,
            opset=opset,
            **attributes,
        )

    batch_norm("4", (2, 3, 4, 5), 15)
    batch_norm("4_odd", (1, 5, 3, 3), 9, epsilon=1e-3)
    batch_norm("4_opset_7", (1, 3, 3, 3), 7)
    batch_norm("14", (1, 3, 3, 3), 14, momentum=0.8)
    batch_norm("3", (2, 3, 5), 15)
    batch_norm("2", (2, 6), 15)
    batch_norm("5", (1, 3, 2, 2, 3), 15)

    def after(conv_first):
        def build(g):
            variance = np.random.default_rng(2).uniform(0.2, 2, 4).astype(np.float32)
            x, w, b = g.x(1, 4, 5, 5), g.w(4, 4, 3, 3), g.w(4)
            y = g.op("Conv", x, w, b, pads=[1] * 4) if conv_first else x
            y = g.op("BatchNormalization", y, g.w(4), g.w(4), g.w(4), g.c(variance))
            return g.op("Relu", y) if conv_first else g.op("Conv", g.op("Relu", y), w, b, pads=[1] * 4)

        return build

    case("batch_norm_after_conv", after(True))
    case("batch_norm_before_conv", after(False))

    one("layer_norm", "LayerNormalization", (2, 3, 8), W(8), W(8), axis=-1)
    one("layer_norm_odd", "LayerNormalization", (2, 3, 7), W(7), W(7), axis=-1, epsilon=1e-6)
    one("layer_norm_no_bias", "LayerNormalization", (2, 3, 7), W(7), axis=-1)
    one("layer_norm_axis_1", "LayerNormalization", (2, 3, 4, 5), W(3, 4, 5), W(3, 4, 5), axis=1)
    one("layer_norm_axis_2", "LayerNormalization", (2, 3, 4, 5), W(4, 5), W(4, 5), axis=2)
    one("layer_norm_row", "LayerNormalization", (2, 7), W(7), W(7))
    one("layer_norm_far", "LayerNormalization", Fed(10 + np.random.default_rng(0).random((2, 16))), W(16), W(16))

    def by_hand(g, axes=(-1,), shape=(2, 3, 7), square=None, root=False):
        x = g.x(*shape)
        centred = g.op("Sub", x, g.op("ReduceMean", x, axes=list(axes)))
        power = g.op("Mul", centred, centred) if square == "mul" else g.op("Pow", centred, g.c(2.0))
        variance = g.op("Add", g.op("ReduceMean", power, axes=list(axes)), g.c(1e-5))
        deviation = g.op("Sqrt", variance)
        if root:
            scaled = g.op("Mul", centred, g.op("Reciprocal", deviation))
        else:
            scaled = g.op("Div", centred, deviation)
        shape = (shape[1], 1, 1) if axes == (1,) else (shape[-1],)
        return g.op("Add", g.op("Mul", scaled, g.w(*shape)), g.w(*shape))

    case("layer_norm_by_hand", by_hand, 13)
    case("layer_norm_by_hand_product", lambda g: by_hand(g, square="mul"), 13)
    case("layer_norm_by_hand_reciprocal", lambda g: by_hand(g, root=True), 13)
    case("layer_norm_by_hand_channels", lambda g: by_hand(g, (1,), (2, 6, 3, 5)), 13)

    def rms(g):
        x = g.x(2, 3, 7)
        mean = g.op("ReduceMean", g.op("Pow", x, g.c(2.0)), axes=[-1])
        return g.op("Mul", g.op("Mul", x, g.op("Reciprocal", g.op("Sqrt", g.op("Add", mean, g.c(1e-6))))), g.w(7))

    case("rms_norm_by_hand", rms, 13)
    one("rms_norm", "RMSNormalization", (2, 3, 7), W(7), opset=23)
    one("rms_norm_axis_1", "RMSNormalization", (2, 3, 4), W(3, 4), opset=23, axis=1)
    one("instance_norm", "InstanceNormalization", (2, 3, 4, 5), W(3), W(3), opset=6 + 1)
    one("instance_norm_1d", "InstanceNormalization", (2, 3, 5), W(3), W(3), epsilon=1e-3)
    one("group_norm_18", "GroupNormalization", (2, 6, 3, 5), W(3), W(3), opset=18, num_groups=3)
    one("group_norm_21", "GroupNormalization", (2, 6, 3, 5), W(6), W(6), opset=21, num_groups=3)
    one("group_norm_21_all", "GroupNormalization", (2, 4, 3), W(4), W(4), opset=21, num_groups=1)

    def grouped(g):
        x = g.op("Reshape", g.x(2, 6, 3, 5), g.c([0, 3, -1]))
        y = g.op("InstanceNormalization", x, g.c([1.0] * 3), g.c([0.0] * 3))
        y = g.op("Reshape", y, g.c([2, 6, 3, 5]))
        return g.op("Add", g.op("Mul", y, g.w(6, 1, 1)), g.w(6, 1, 1))

    case("group_norm_by_hand", grouped)
    for size in [1, 3, 5]:  # onnxruntime knows no even size.
        one(f"lrn_{size}", "LRN", (2, 7, 3, 2), size=size, alpha=0.3, beta=0.75, bias=1.5)
    one("lrn_defaults", "LRN", (1, 6, 2, 3), size=5)
    one("lrn_beta_half", "LRN", (1, 6, 2, 3), size=5, alpha=0.5, beta=0.5)
    for p in [1, 2]:
        one(f"lp_normalization_{p}", "LpNormalization", (2, 3, 5), opset=7, p=p, axis=1)
    one("lp_normalization_last", "LpNormalization", (2, 3, 5), opset=7)
    one("mean_variance", "MeanVarianceNormalization", (2, 3, 4, 5), opset=13)
    one("mean_variance_last", "MeanVarianceNormalization", (2, 3, 4, 5), opset=13, axes=[3])
    case(
        "l2_normalized",
        lambda g: (lambda x: g.op("Div", x, g.op("Clip", g.op("ReduceL2", x, axes=[1], keepdims=1), g.c(1e-12))))(
            g.x(2, 7)
        ),
        13,
    )
