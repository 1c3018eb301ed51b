"""Windows that move: convolutions, transposed ones, pooling."""

import numpy as np
from export import Fed, W

# Name: shape of the input, of the kernel, attributes.
CONVOLUTIONS = {
    "3x3": ((2, 3, 7, 7), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}),
    "3x3_unpadded": ((1, 3, 7, 6), (4, 3, 3, 3), {}),
    "3x3_stride_2": ((2, 3, 7, 8), (4, 3, 3, 3), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "3x3_strides_1_2": ((1, 3, 7, 8), (4, 3, 3, 3), {"strides": [1, 2], "pads": [1, 1, 1, 1]}),
    "3x3_asymmetric": ((1, 3, 6, 7), (4, 3, 3, 3), {"strides": [2, 2], "pads": [0, 0, 1, 1]}),
    "3x3_four_pads": ((1, 2, 6, 7), (3, 2, 3, 3), {"pads": [2, 0, 1, 3]}),
    "3x3_dilated": ((2, 3, 9, 8), (4, 3, 3, 3), {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "3x3_dilated_1_3": ((1, 3, 5, 9), (4, 3, 3, 3), {"dilations": [1, 3]}),
    "3x3_groups": ((2, 6, 5, 5), (9, 2, 3, 3), {"group": 3, "pads": [1, 1, 1, 1]}),
    "3x3_depthwise": ((2, 5, 6, 7), (5, 1, 3, 3), {"group": 5, "pads": [1, 1, 1, 1]}),
    "3x3_depthwise_multiplier": ((1, 3, 6, 5), (6, 1, 3, 3), {"group": 3, "pads": [1, 1, 1, 1]}),
    "3x3_depthwise_stride_2": ((2, 4, 7, 7), (4, 1, 3, 3), {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "3x3_depthwise_dilated": ((1, 4, 9, 9), (4, 1, 3, 3), {"group": 4, "dilations": [2, 2], "pads": [2, 2, 2, 2]}),
    "5x5_depthwise": ((1, 4, 9, 7), (4, 1, 5, 5), {"group": 4, "pads": [2, 2, 2, 2]}),
    "7x7_stride_4": ((1, 3, 15, 13), (4, 3, 7, 7), {"strides": [4, 4], "pads": [3, 3, 3, 3]}),
    "1x5": ((1, 2, 4, 9), (3, 2, 1, 5), {"pads": [0, 2, 0, 2]}),
    "3x1": ((1, 2, 6, 5), (3, 2, 3, 1), {"pads": [1, 0, 1, 0]}),
    "2x2": ((1, 3, 6, 5), (4, 3, 2, 2), {}),
    "1x1_12": ((1, 12, 5, 5), (8, 12, 1, 1), {}),
    "1x1_16": ((2, 16, 3, 5), (8, 16, 1, 1), {}),
    "1x1_5": ((2, 5, 3, 3), (7, 5, 1, 1), {}),
    "1x1_stride_2": ((1, 16, 7, 6), (8, 16, 1, 1), {"strides": [2, 2]}),
    "1x1_padded": ((1, 16, 3, 3), (4, 16, 1, 1), {"pads": [1, 1, 1, 1]}),
    "1x1_groups": ((1, 32, 3, 3), (4, 16, 1, 1), {"group": 2}),
    "1x1_one_place": ((3, 16, 1, 1), (5, 16, 1, 1), {}),
    "patches": ((1, 3, 8, 8), (6, 3, 4, 4), {"strides": [4, 4]}),
    "stride_over_kernel": ((1, 3, 8, 9), (4, 3, 2, 2), {"strides": [3, 3]}),
    "kernel_of_all": ((2, 3, 4, 5), (6, 3, 4, 5), {}),
    "one_channel": ((1, 1, 5, 5), (1, 1, 3, 3), {"pads": [1, 1, 1, 1]}),
    "17_outputs": ((1, 4, 5, 5), (17, 4, 3, 3), {"pads": [1, 1, 1, 1]}),
    "1d": ((2, 3, 9), (4, 3, 3), {"pads": [1, 1]}),
    "1d_stride_2_dilated": ((1, 3, 13), (4, 3, 3), {"strides": [2], "dilations": [2]}),
    "1d_depthwise": ((2, 4, 9), (4, 1, 5), {"group": 4, "pads": [2, 2]}),
    "1d_1": ((2, 5, 7), (3, 5, 1), {}),
    "3d": ((1, 2, 4, 5, 3), (3, 2, 2, 3, 1), {}),
}
TRANSPOSED = {
    "2x2_stride_2": ((2, 3, 3, 4), (3, 5, 2, 2), {"strides": [2, 2]}),
    "3x3": ((1, 3, 4, 5), (3, 4, 3, 3), {}),
    "3x3_padded": ((1, 3, 4, 5), (3, 4, 3, 3), {"pads": [1, 1, 1, 1]}),
    "3x3_stride_2_output_padding": (
        (2, 3, 4, 5),
        (3, 4, 3, 3),
        {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]},
    ),
    "4x4_stride_2": ((1, 3, 4, 5), (3, 2, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "4x4_stride_3_asymmetric": ((1, 2, 3, 4), (2, 3, 4, 4), {"strides": [3, 2], "pads": [0, 1, 1, 2]}),
    "dilated": ((1, 2, 4, 4), (2, 3, 3, 3), {"dilations": [2, 2]}),
    "groups": ((1, 4, 3, 3), (4, 3, 3, 3), {"group": 2, "strides": [2, 2]}),
    "depthwise": ((1, 4, 3, 3), (4, 1, 2, 2), {"group": 4, "strides": [2, 2]}),
    "output_shape": ((1, 2, 3, 3), (2, 3, 3, 3), {"strides": [3, 2], "output_shape": [10, 8]}),
    "same_upper": ((1, 2, 3, 4), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    "same_lower": ((1, 2, 3, 4), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    "valid": ((1, 2, 3, 4), (2, 3, 3, 3), {"strides": [2, 2], "auto_pad": "VALID"}),
    "1d": ((2, 3, 5), (3, 4, 3), {"strides": [2]}),
    "1d_padded": ((1, 3, 5), (3, 4, 4), {"strides": [2], "pads": [1, 1]}),
    "stride_over_kernel": ((1, 2, 3, 3), (2, 3, 2, 2), {"strides": [3, 3]}),
}
POOLS = {
    "2x2": ((2, 3, 6, 4), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "2x2_odd": ((1, 3, 7, 5), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "2x2_ceil": ((2, 4, 7, 5), {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}),
    "3x3_padded": ((2, 6, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "3x3_padded_ceil": (
        (1, 4, 6, 8),
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1},
    ),
    "3x3_ceil": ((1, 4, 8, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "3x3_stride_1": ((1, 3, 5, 5), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    "3x2_asymmetric": ((1, 3, 6, 7), {"kernel_shape": [3, 2], "strides": [1, 2], "pads": [0, 1, 1, 0]}),
    "stride_over_kernel_ceil": ((1, 2, 7, 8), {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1}),
    "same_upper": ((1, 3, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    "same_lower": ((1, 3, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_LOWER"}),
    "same_lower_even": ((1, 3, 6, 6), {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"}),
    "valid": ((1, 3, 7, 6), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "VALID"}),
    "all": ((2, 3, 4, 5), {"kernel_shape": [4, 5]}),
    "one": ((1, 3, 4, 5), {"kernel_shape": [1, 1], "strides": [2, 2]}),
    "1d": ((2, 3, 9), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    "1d_ceil": ((2, 3, 8), {"kernel_shape": [3], "strides": [2], "ceil_mode": 1}),
    "3d": ((1, 2, 4, 5, 6), {"kernel_shape": [2, 2, 2], "strides": [2, 2, 2]}),
}


def add(family):
    one, case = family.one, family.case
    for name, (x, kernel, attributes) in CONVOLUTIONS.items():
        kernel_shape = {"kernel_shape": list(kernel[2:])}
        one(f"conv_{name}", "Conv", x, W(*kernel), W(kernel[0]), opset=11, **kernel_shape, **attributes)
        one(f"conv_{name}_no_bias", "Conv", x, W(*kernel), opset=11, **attributes)
    for mode in ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]:
        for name, x, kernel, attributes in [
            ("3x3", (1, 2, 5, 6), (3, 2, 3, 3), {}),
            ("3x3_stride_2", (1, 2, 7, 6), (3, 2, 3, 3), {"strides": [2, 2]}),
            ("2x4", (1, 2, 5, 6), (3, 2, 2, 4), {}),
            ("4x4_stride_3", (1, 2, 8, 7), (3, 2, 4, 4), {"strides": [3, 3]}),
            ("1d", (1, 2, 7), (3, 2, 4), {"strides": [2]}),
        ]:
            one(f"conv_{name}_{mode.lower()}", "Conv", x, W(*kernel), W(3), opset=11, auto_pad=mode, **attributes)
    one(
        "conv_3x3_dilated_valid",
        "Conv",
        (1, 2, 7, 6),
        W(3, 2, 3, 3),
        W(3),
        opset=11,
        auto_pad="VALID",
        dilations=[2, 2],
    )
    one("conv_opset_1", "Conv", (1, 2, 5, 5), W(3, 2, 3, 3), W(3), opset=7, pads=[1, 1, 1, 1])
    one("conv_changing_kernel", "Conv", (1, 2, 5, 5), (3, 2, 3, 3), W(3), opset=11)
    one("conv_changing_bias", "Conv", (1, 2, 5, 5), W(3, 2, 3, 3), (3,), opset=11)
    one("conv_changing_1x1", "Conv", (1, 4, 5, 5), (3, 4, 1, 1), opset=11)
    for function, attributes in [("Relu", {}), ("LeakyRelu", {"alpha": 0.3}), ("Sigmoid", {}), ("HardSwish", {})]:
        for name, kernel in [("3x3", (4, 3, 3, 3)), ("2x3", (4, 3, 2, 3)), ("1x1", (4, 3, 1, 1))]:
            case(
                f"conv_{name}_{function.lower()}",
                lambda g, f=function, k=kernel, a=attributes: g.op(
                    f, g.op("Conv", g.x(2, 3, 6, 5), g.w(*k), g.w(4)), **a
                ),
            )
    case(
        "conv_of_padded",
        lambda g: g.op(
            "Conv", g.op("Pad", g.x(1, 3, 6, 7), g.c([0, 0, 0, 1, 0, 0, 1, 0])), g.w(4, 3, 3, 3), g.w(4), strides=[2, 2]
        ),
    )
    case(
        "conv_twice",
        lambda g: g.op(
            "Conv",
            g.op("Relu", g.op("Conv", g.x(1, 3, 6, 7), g.w(5, 3, 3, 3), g.w(5), pads=[1] * 4)),
            g.w(4, 5, 1, 1),
            g.w(4),
        ),
    )

    for name, (x, kernel, attributes) in TRANSPOSED.items():
        outputs = kernel[1] * attributes.get("group", 1)
        one(f"deconv_{name}", "ConvTranspose", x, W(*kernel), W(outputs), opset=11, **attributes)
        one(f"deconv_{name}_no_bias", "ConvTranspose", x, W(*kernel), opset=11, **attributes)

    for name, (x, attributes) in POOLS.items():
        one(f"max_pool_{name}", "MaxPool", x, opset=12, **attributes)
        # Whether padding counts.
        for counted in [0, 1] if {"pads", "auto_pad", "ceil_mode"} & attributes.keys() else [0]:
            one(f"average_pool_{name}_{counted}", "AveragePool", x, opset=11, count_include_pad=counted, **attributes)
    one("max_pool_opset_8", "MaxPool", (1, 3, 6, 6), opset=8, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    one(
        "average_pool_opset_7",
        "AveragePool",
        (1, 3, 6, 6),
        opset=7,
        kernel_shape=[3, 3],
        strides=[2, 2],
        pads=[1, 1, 1, 1],
    )
    one(
        "average_pool_opset_22",
        "AveragePool",
        (1, 3, 6, 6),
        opset=22,
        kernel_shape=[3, 3],
        strides=[2, 2],
        pads=[1, 1, 1, 1],
    )
    one("max_pool_dilated", "MaxPool", (1, 3, 7, 8), opset=12, kernel_shape=[3, 2], dilations=[2, 3])
    one(
        "max_pool_dilated_ceil",
        "MaxPool",
        (1, 3, 8, 8),
        opset=12,
        kernel_shape=[3, 3],
        dilations=[2, 2],
        strides=[2, 2],
        ceil_mode=1,
    )
    one("average_pool_dilated", "AveragePool", (1, 3, 7, 8), opset=19, kernel_shape=[3, 2], dilations=[2, 3])
    below = Fed(-5 - np.random.default_rng(0).random((1, 3, 5, 5)))
    one("max_pool_below_zero", "MaxPool", below, opset=12, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    one("max_pool_far_below", "MaxPool", Fed(below.values * 1e30), opset=12, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    case(
        "max_pool_places",
        lambda g: [(lambda v: v[0])(g.op("MaxPool", g.x(1, 2, 5, 5), outputs=2, kernel_shape=[2, 2]))],
        12,
    )
    case(
        "max_pool_and_places",
        lambda g: (lambda v: [v[0], g.floats(v[1])])(g.op("MaxPool", g.x(1, 2, 5, 5), outputs=2, kernel_shape=[2, 2])),
        12,
    )
    for operator in ["GlobalAveragePool", "GlobalMaxPool"]:
        for name, shape in [
            ("", (2, 5, 3, 7)),
            ("_one_place", (1, 6, 1, 1)),
            ("_1d", (2, 3, 5)),
            ("_3d", (1, 2, 3, 2, 5)),
            ("_wide", (1, 3, 30, 31)),
        ]:
            one(f"{operator.lower()}{name}", operator, shape, opset=7)
    one("global_lp_pool", "GlobalLpPool", (2, 3, 4, 5), opset=7)
    one("global_lp_pool_3", "GlobalLpPool", (2, 3, 4, 5), opset=7, p=3)
    one("lp_pool", "LpPool", (1, 3, 4, 6), opset=11, kernel_shape=[2, 2], strides=[2, 2])
