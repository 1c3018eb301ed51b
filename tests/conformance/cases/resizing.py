"""Resize and Upsample."""

import itertools

import numpy as np

COORDINATES = ["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"]


def add(family):
    one = family.one

    def resize(name, shape=(1, 2, 4, 5), scales=None, sizes=None, opset=13, **attributes):
        scales = np.float32(scales) if scales is not None else None
        rest = [scales] if sizes is None else [None, sizes]
        roi = np.zeros(0, np.float32) if opset < 13 else None
        one(f"resize_{name}", "Resize", shape, roi, *rest, opset=opset, moved=True, **attributes)

    roundings = ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]
    for coordinates, rounding in itertools.product(COORDINATES, roundings):
        more = {"coordinate_transformation_mode": coordinates, "nearest_mode": rounding}
        resize(f"nearest_{coordinates}_{rounding}", scales=[1, 1, 2, 1.5], **more)
    for mode, coordinates in itertools.product(["linear", "cubic"], COORDINATES):
        more = {"mode": mode, "coordinate_transformation_mode": coordinates}
        resize(f"{mode}_{coordinates}", scales=[1, 1, 2, 1.5], **more)
        resize(f"{mode}_{coordinates}_sizes", sizes=[1, 2, 7, 3], **more)
        resize(f"{mode}_{coordinates}_down", shape=(2, 1, 6, 8), scales=[1, 1, 0.5, 0.4], **more)
    resize("default_2", scales=[1, 1, 2, 2])
    resize("default_batch", shape=(2, 3, 3, 3), scales=[1, 1, 2, 2])
    resize("nearest_sizes", sizes=[1, 2, 8, 7])
    resize(
        "nearest_sizes_asymmetric_floor",
        sizes=[1, 2, 8, 7],
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    resize("nearest_down", shape=(1, 2, 8, 9), scales=[1, 1, 0.5, 0.5])
    resize("nearest_down_sizes", shape=(1, 2, 9, 7), sizes=[1, 2, 4, 3])
    resize("linear_to_one", sizes=[1, 2, 1, 1], mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    resize("linear_align_to_one", sizes=[1, 2, 1, 5], mode="linear", coordinate_transformation_mode="align_corners")
    resize("linear_same", sizes=[1, 2, 4, 5], mode="linear")
    resize("cubic_coefficient", scales=[1, 1, 2, 2], mode="cubic", cubic_coeff_a=-0.5)
    resize("cubic_excluding_outside", scales=[1, 1, 2, 2], mode="cubic", exclude_outside=1)
    resize(
        "cubic_align_corners_excluding_outside",
        scales=[1, 1, 2, 1.5],
        mode="cubic",
        exclude_outside=1,
        coordinate_transformation_mode="align_corners",
    )
    resize("linear_1d", shape=(1, 2, 5), scales=[1, 1, 2], mode="linear")
    resize("nearest_1d", shape=(1, 2, 5), scales=[1, 1, 2])
    resize("opset_11", scales=[1, 1, 2, 2], opset=11, mode="linear")
    resize("opset_18", scales=[1, 1, 2, 2], opset=18, mode="linear")
    resize(
        "opset_19_half_pixel_symmetric",
        scales=[1, 1, 2, 1.3],
        opset=19,
        mode="linear",
        coordinate_transformation_mode="half_pixel_symmetric",
    )
    resize("opset_18_antialias", shape=(1, 2, 8, 8), scales=[1, 1, 0.5, 0.5], opset=18, mode="linear", antialias=1)
    resize("opset_18_axes", scales=[2, 2], opset=18, axes=[2, 3], mode="linear")
    resize("opset_18_axes_sizes", sizes=[6, 7], opset=18, axes=[2, 3])
    resize("opset_18_not_larger", sizes=[6, 7], opset=18, axes=[2, 3], keep_aspect_ratio_policy="not_larger")
    one("resize_opset_10", "Resize", (1, 2, 3, 4), np.float32([1, 1, 2, 2]), opset=10, moved=True)
    one("resize_opset_10_linear", "Resize", (1, 2, 3, 4), np.float32([1, 1, 2, 2]), opset=10, moved=True, mode="linear")
    # Which element is nearest where sizes shrink, opset 10 does not say: onnxruntime rounds up, PyTorch down.
    one("resize_opset_10_3", "Resize", (1, 2, 4, 3), np.float32([1, 1, 3, 2.5]), opset=10, moved=True)
    one(
        "resize_roi",
        "Resize",
        (1, 2, 4, 4),
        np.zeros(0, np.float32),
        np.float32([1, 1, 2, 2]),
        opset=11,
        moved=True,
        mode="linear",
    )
    one(
        "resize_crop",
        "Resize",
        (1, 2, 4, 4),
        np.float32([0, 0, 0.2, 0.2, 1, 1, 0.8, 0.8]),
        None,
        [1, 2, 3, 3],
        opset=13,
        moved=True,
        mode="linear",
        coordinate_transformation_mode="tf_crop_and_resize",
    )
    one("upsample_9", "Upsample", (1, 2, 3, 4), np.float32([1, 1, 2, 3]), opset=9, moved=True)
    one("upsample_9_linear", "Upsample", (1, 2, 3, 4), np.float32([1, 1, 2, 2]), opset=9, moved=True, mode="linear")
    one("upsample_7", "Upsample", (1, 2, 3, 4), opset=7, moved=True, scales=[1.0, 1.0, 2.0, 2.0])
    family.case("grid_sample", lambda g: g.op("GridSample", g.x(1, 2, 4, 4), g.op("Tanh", g.w(1, 3, 3, 2))), 16)
