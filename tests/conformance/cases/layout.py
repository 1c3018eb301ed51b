"""Operators that move elements: order, shape, joining, picking, borders."""

import itertools

import numpy as np
from export import W

END = np.iinfo(np.int64).max


def add(family):
    one, case = family.one, family.case
    for rank, shape in [(2, (3, 5)), (3, (2, 3, 5))]:
        for perm in itertools.permutations(range(rank)):
            one(f"transpose_{''.join(map(str, perm))}", "Transpose", shape, moved=True, perm=list(perm))
    for perm in ["0231", "0312", "0132", "0213", "3210", "1032", "2013", "02143", "03142", "021354", "013524"]:
        shape = (2, 3, 4, 5, 2, 2)[: len(perm)]
        one(f"transpose_{perm}", "Transpose", shape, moved=True, perm=list(map(int, perm)))
    one("transpose_default", "Transpose", (2, 3, 5), moved=True)
    one("transpose_ones", "Transpose", (1, 3, 1, 5), moved=True, perm=[3, 0, 1, 2])
    one("transpose_of_input", "Transpose", (2, 3, 5), perm=[0, 2, 1])

    for name, to in [
        ("flat", [2, -1]),
        ("kept", [0, 0, -1]),
        ("one", [-1]),
        ("split", [0, 3, 2, 2, -1]),
        ("plain", [6, 20]),
    ]:
        one(f"reshape_{name}", "Reshape", (2, 6, 2, 5), to, opset=13, moved=True)
    one("reshape_5", "Reshape", (2, 6), [3, 4], opset=5 + 2, moved=True)
    one("reshape_14", "Reshape", (2, 6), [3, 4], opset=14, moved=True, allowzero=1)
    for axis in [0, 1, 2, 3, 4, -1]:
        one(f"flatten_{axis}".replace("-", "m"), "Flatten", (2, 3, 4, 5), opset=13, moved=True, axis=axis)
    one("flatten_9", "Flatten", (2, 3, 4, 5), opset=9, moved=True)
    one("squeeze_11", "Squeeze", (2, 1, 3, 1), opset=11, moved=True, axes=[1])
    one("squeeze_13", "Squeeze", (2, 1, 3, 1), [-1, 1], opset=13, moved=True)
    one("squeeze_all", "Squeeze", (2, 1, 3, 1), opset=13, moved=True)
    one("unsqueeze_11", "Unsqueeze", (2, 3), opset=11, moved=True, axes=[0, 3])
    one("unsqueeze_13", "Unsqueeze", (2, 3), [1, -1], opset=13, moved=True)
    one("unsqueeze_unsorted", "Unsqueeze", (2, 3), [3, 0], opset=13, moved=True)
    for name, shape, to in [
        ("row", (1, 5), [3, 5]),
        ("both", (3, 1), [2, 1, 4]),
        ("front", (3, 2), [2, 3, 2]),
        ("shorter", (2, 3, 1), [3, 4]),
        ("all", (1,), [2, 3]),
    ]:
        one(f"expand_{name}", "Expand", shape, to, opset=13, moved=True)
    one("tile", "Tile", (2, 3), [2, 3], opset=13, moved=True)
    one("tile_4", "Tile", (1, 3, 2, 2), [2, 1, 2, 3], opset=13, moved=True)
    for mode in ["DCR", "CRD"]:
        one(
            f"depth_to_space_{mode.lower()}",
            "DepthToSpace",
            (2, 12, 3, 2),
            opset=13,
            moved=True,
            blocksize=2,
            mode=mode,
        )
    one("depth_to_space_1", "DepthToSpace", (1, 18, 2, 3), opset=7, moved=True, blocksize=3)
    one("space_to_depth", "SpaceToDepth", (2, 3, 4, 6), opset=13, moved=True, blocksize=2)

    joins(one, case)
    picks(one, case)
    borders(one, case)
    shapes(one, case)


def joins(one, case):
    for axis, batch in itertools.product([0, 1, 2, 3, -1], [1, 2]):
        parts = [[batch, 3, 2, 4] for _ in range(3)]
        for more, part in enumerate(parts):
            part[axis] += more
        name = f"concat_{axis}_batch_{batch}".replace("-", "m")
        one(name, "Concat", *map(tuple, parts), opset=13, axis=axis)
    for count in [2, 6, 7, 8, 17, 40]:
        one(f"concat_of_{count}", "Concat", *[(2, 1 + i % 3, 2) for i in range(count)], opset=13, axis=1)
    one("concat_of_1", "Concat", (2, 3), opset=13, axis=0, moved=True)
    one("concat_11", "Concat", (2, 3), (2, 2), opset=11, axis=-1)
    one("concat_4", "Concat", (2, 3), (1, 3), opset=7, axis=0)
    one("concat_constant", "Concat", W(2, 1, 5), (2, 3, 5), opset=13, axis=1)
    one("concat_constants", "Concat", W(2, 1, 5), (2, 3, 5), W(2, 2, 5), opset=13, axis=1)
    case("concat_twice", lambda g: (lambda x: g.op("Concat", x, x, g.op("Relu", x), axis=1))(g.x(2, 3, 4)))
    case("class_token", lambda g: g.op("Concat", g.op("Expand", g.w(1, 1, 4), g.c([2, 1, 4])), g.x(2, 5, 4), axis=1))

    def split(shape, axis, count, sizes=None, opset=13, kept=None, **more):
        def build(g):
            x = g.op("Neg", g.x(*shape))
            if opset < 13:
                inputs, attributes = [x], {} if sizes is None else {"split": sizes}
            else:
                inputs, attributes = [x] if sizes is None else [x, g.c(sizes)], {}
            parts = g.op("Split", *inputs, outputs=count, axis=axis, **attributes, **more)
            return parts if kept is None else parts[kept]

        return build

    case("split_11", split((2, 6, 3), 1, 2, opset=11), 11)
    case("split_11_sizes", split((2, 6, 3), 1, 3, [1, 2, 3], opset=11), 11)
    case("split_2_last", split((2, 4), -1, 2, [3, 1], opset=7), 7)
    case("split_13", split((2, 6, 3), 1, 3), 13)
    case("split_13_sizes", split((2, 6, 3), 1, 2, [2, 4]), 13)
    case("split_13_first", split((4, 3), 0, 2, [1, 3]), 13)
    case("split_13_last", split((2, 3, 6), -1, 3), 13)
    case("split_18", split((2, 7, 3), 1, 3, opset=18, num_outputs=3), 18)
    case("split_18_equal", split((2, 6, 3), 1, 2, opset=18, num_outputs=2), 18)
    case("split_second", split((2, 6, 3), 1, 2, kept=1), 13)

    def chained(g):
        a, b = g.op("Split", g.op("Relu", g.x(2, 6, 3)), outputs=2, axis=1)
        return g.op("Mul", a, g.op("Sigmoid", b))

    case("split_mul", chained, 13)


def picks(one, case):
    for name, shape, starts, ends, axes, steps in [
        ("one", (2, 5, 3), [1], [3], [1], None),
        ("two", (3, 5, 4), [1, 0], [3, 3], [0, 2], [1, 1]),
        ("no_axes", (3, 5), [1, 2], [3, 4], None, None),
        ("negative", (2, 5, 3), [-3], [-1], [1], [1]),
        ("to_end", (2, 5, 3), [2], [END], [1], [1]),
        ("beyond", (2, 5, 3), [-20], [20], [1], [1]),
        ("negative_axis", (2, 5, 3), [1], [3], [-1], [1]),
        ("step_2", (2, 5, 7), [0], [END], [2], [2]),
        ("step_3", (2, 8, 2), [1], [8], [1], [3]),
        ("steps", (2, 7, 7), [1, 0], [7, 7], [1, 2], [2, 3]),
        ("backwards", (2, 5, 3), [-1], [-END], [1], [-1]),
        ("backwards_2", (2, 6, 3), [4], [0], [1], [-2]),
        ("backwards_part", (2, 6), [-2], [1], [1], [-1]),
        ("last_place", (2, 3, 5), [-1], [END], [2], [1]),
    ]:
        rest = [starts, ends, *([axes] if axes else []), *([steps] if steps else [])]
        one(f"slice_{name}", "Slice", shape, *rest, opset=13, moved=True)
    one("slice_opset_1", "Slice", (2, 5, 3), opset=9, moved=True, starts=[1], ends=[-1], axes=[1])
    one("slice_opset_10", "Slice", (2, 5, 3), [1], [9], [1], opset=10, moved=True)
    one("slice_int32", "Slice", (2, 5, 3), *(np.int32([v]) for v in (1, 4, 1, 2)), opset=11, moved=True)
    one("slice_of_input_batch", "Slice", (3, 2, 5), [0], [1], [0], opset=13)

    for axis in [0, 1, 2, -1]:
        name = f"gather_{axis}".replace("-", "m")
        one(name, "Gather", (4, 5, 6), np.int64([0, 3, 1, 1]), opset=13, moved=True, axis=axis)
        one(f"{name}_int32", "Gather", (4, 5, 6), np.int32([2, 0]), opset=13, moved=True, axis=axis)
        one(f"{name}_negative", "Gather", (4, 5, 6), np.int64([-1, 0, -3]), opset=13, moved=True, axis=axis)
        one(f"{name}_number", "Gather", (4, 5, 6), np.int64(2), opset=13, moved=True, axis=axis)
        one(f"{name}_table", "Gather", (4, 5, 6), np.int64([[0, 1, 2], [3, 2, -1]]), opset=13, moved=True, axis=axis)
    case("gather_changing", lambda g: g.op("Gather", g.w(5, 3), g.op("Cast", g.feed([0.0, 3.0, 4.0]), to=7)))
    one("gather_one_row", "Gather", (1, 7, 4), np.int64(0), opset=13, moved=True, axis=1)
    table = np.int64([[[0, 1], [1, 0], [2, 2]], [[-1, 0], [0, 0], [1, 1]]])
    one("gather_elements", "GatherElements", (2, 3, 2), table % 2, opset=13, moved=True, axis=0)
    one("gather_elements_1", "GatherElements", (2, 3, 2), table, opset=13, moved=True, axis=1)
    one("gather_nd", "GatherND", (2, 3, 4), np.int64([[0, 1], [1, 2]]), opset=13, moved=True)
    one("gather_nd_batch", "GatherND", (2, 3, 4), np.int64([[1], [2]]), opset=13, moved=True, batch_dims=1)
    one("scatter_nd", "ScatterND", (4, 3), np.int64([[1], [3]]), (2, 3), opset=16, moved=True)
    one("scatter_nd_constant", "ScatterND", (4, 3), np.int64([[1], [3]]), W(2, 3), opset=16, moved=True)
    one("scatter_nd_add", "ScatterND", (4, 3), np.int64([[1], [1]]), W(2, 3), opset=16, moved=True, reduction="add")
    one("scatter_elements", "ScatterElements", (2, 5), np.int64([[1, 3]]), (1, 2), opset=16, moved=True, axis=1)
    one("trilu", "Trilu", (2, 4, 5), opset=14, moved=True)
    one("trilu_lower", "Trilu", (2, 4, 5), np.int64(-1), opset=14, moved=True, upper=0)
    one("compress", "Compress", (3, 4), np.array([True, False, True]), opset=11, moved=True, axis=0)
    one("reverse_sequence", "ReverseSequence", (4, 2, 3), [2, 4], opset=10, moved=True)
    case("one_hot", lambda g: g.op("OneHot", g.op("Cast", g.feed([0.0, 3.0, 2.0]), to=7), g.c(4), g.c([0.0, 1.0])))

    def rolled(g, shape=(1, 4, 5, 3)):
        x = g.op("Neg", g.x(*shape))
        for axis, by in [(1, 1), (2, 2)]:
            front = g.op("Slice", x, g.c([by]), g.c([END]), g.c([axis]))
            back = g.op("Slice", x, g.c([0]), g.c([by]), g.c([axis]))
            x = g.op("Concat", front, back, axis=axis)
        return x

    case("roll", rolled, 13)
    case("roll_batch", lambda g: rolled(g, (2, 4, 5, 3)), 13)


def borders(one, case):
    sides = {
        "rows": [0, 0, 1, 0, 0, 0, 2, 0],
        "columns": [0, 0, 0, 1, 0, 0, 0, 2],
        "both": [0, 0, 1, 2, 0, 0, 2, 1],
        "channels": [0, 1, 0, 0, 0, 2, 0, 0],
        "batch": [1, 0, 0, 0, 0, 0, 0, 0],
        "all": [1] * 8,
    }
    for mode, (name, pads) in itertools.product(["constant", "reflect", "edge"], sides.items()):
        if mode == "reflect" and name in ("batch", "all"):
            continue
        one(f"pad_{mode}_{name}", "Pad", (2, 3, 4, 5), pads, opset=13, moved=True, mode=mode)
    one("pad_end_0", "Pad", (2, 3, 4, 3), [0, 0, 0, 0, 1, 0, 0, 0], opset=13, moved=True)
    one("pad_value", "Pad", (1, 2, 3, 4), sides["both"], np.float32(1.5), opset=13, moved=True)
    one("pad_infinite", "Pad", (1, 2, 3, 4), sides["both"], np.float32(-np.inf), opset=13, moved=True)
    one("pad_nothing", "Pad", (1, 2, 3), [0] * 6, opset=13, moved=True)
    one("pad_opset_2", "Pad", (1, 2, 3, 4), opset=7, moved=True, pads=sides["both"], value=0.5)
    one("pad_opset_11", "Pad", (1, 2, 3, 4), sides["both"], np.float32(0), opset=11, moved=True)
    one("pad_18_axes", "Pad", (1, 2, 3, 4), [1, 2, 0, 1], np.float32(0), [2, 3], opset=18, moved=True)
    one("pad_18_negative_axes", "Pad", (1, 2, 3, 4), [1, 0], np.float32(0), [-1], opset=18, moved=True)
    one("pad_wrap", "Pad", (1, 2, 3, 4), [0, 0, 1, 2, 0, 0, 2, 1], opset=19, moved=True, mode="wrap")
    one("pad_crop", "Pad", (1, 2, 5, 6), [0, 0, -1, -2, 0, 0, -1, 0], opset=13, moved=True)
    one("pad_and_crop", "Pad", (1, 2, 5, 6), [0, 0, -1, 2, 0, 0, 1, -2], opset=13, moved=True)
    one("pad_crop_edge", "Pad", (1, 2, 5, 6), [0, 0, -1, 2, 0, 0, 1, -2], opset=13, moved=True, mode="edge")
    one("pad_rank_2", "Pad", (3, 4), [0, 1, 0, 2], opset=13, moved=True)
    one("pad_of_input", "Pad", (1, 2, 3, 3), sides["both"], opset=13)


def shapes(one, case):
    """Chains that compute shapes, as exporters write them."""

    def flattened(g):
        x = g.op("Neg", g.x(2, 3, 4, 5))
        batch = g.op("Gather", g.op("Shape", x), g.c(0), axis=0)
        shape = g.op("Concat", g.op("Unsqueeze", batch, g.c([0])), g.c([-1]), axis=0)
        return g.op("Reshape", x, shape)

    def product(g):
        x = g.op("Neg", g.x(2, 3, 4, 5))
        shape = g.op("Shape", x)
        sides = g.op("ReduceProd", g.op("Slice", shape, g.c([2]), g.c([4])), axes=[0])
        return g.op("Reshape", x, g.op("Concat", g.op("Slice", shape, g.c([0]), g.c([2])), sides, axis=0))

    def divided(g):
        x = g.op("Neg", g.x(2, 6, 4))
        channels = g.op("Gather", g.op("Shape", x), g.c(1))
        half = g.op("Unsqueeze", g.op("Div", channels, g.c(2)), g.c([0]))
        return g.op("Slice", x, g.c([0]), half, g.c([1]))

    def expanded(g):
        x = g.op("Neg", g.x(2, 3, 4))
        ones = g.op("ConstantOfShape", g.op("Shape", x), value=one_number(1.5))
        return g.op("Mul", x, ones)

    def ranged(g):
        x = g.op("Neg", g.x(2, 5))
        length = g.op("Gather", g.op("Shape", x), g.c(1))
        return g.op("Add", x, g.floats(g.op("Range", g.c(0), length, g.c(1))))

    def chosen(g):
        x = g.op("Neg", g.x(2, 5))
        shape = g.op("Shape", x)
        wanted = g.c([-1, 5])
        shape = g.op("Where", g.op("Equal", wanted, g.c([-1, -1])), shape, wanted)
        return g.op("Expand", x, shape)

    def sized(g):
        x = g.op("Neg", g.x(2, 5))
        return g.op("Div", x, g.floats(g.op("Size", x)))

    def constants(g):
        x = g.x(2, 3)
        for attributes in [{"value_float": 1.5}, {"value_floats": [1.0, 2.0, 3.0]}]:
            x = g.op("Mul", x, g.op("Constant", **attributes))
        shape = g.op("Constant", value_ints=[3, 2])
        return g.op("Reshape", x, shape)

    for build in [flattened, product, divided, expanded, ranged, chosen, sized, constants]:
        case(f"shape_{build.__name__}", build, 13)
    case(
        "shape_15_part",
        lambda g: (lambda x: g.op("Reshape", x, g.op("Concat", g.op("Shape", x, end=1), g.c([-1]), axis=0)))(
            g.op("Neg", g.x(2, 3, 4))
        ),
        15,
    )
    case("eye_like", lambda g: (lambda x: g.op("MatMul", x, g.op("EyeLike", x)))(g.op("Neg", g.x(4, 4))), 13)


def one_number(value):
    from onnx import numpy_helper

    return numpy_helper.from_array(np.float32([value]))
