"""Small ONNX graphs, one operator or block each, with what onnxruntime makes of them.

usage: export.py [FAMILY ...]      from any folder; writes golden/FAMILY.bin beside this file
Packages: onnx onnxruntime numpy; last run with onnx 1.23.2, onnxruntime 1.32.0, numpy 2.4.6.

A family is a module in cases/. Its file is a row of protobuf messages, each behind its length as a
varint ("length-delimited"). For each case: the ModelProto, whose graph has the case's name and which
takes and returns f32 only; a TensorProto per input; a TensorProto per output, by onnxruntime with
all optimisations off. The numbers depend on a case's name alone, so cases can be added and taken out.

The family of whole networks (backbones) leaves weights and inputs out: the tests make them
as it does.

onnx's own reference implementation runs all other cases too. Where it makes something else, the script
names the case and stops, unless DISAGREEMENTS says why onnxruntime is the one to follow.
"""

import fnmatch
import importlib
import pathlib
import sys
import zlib

import numpy as np
import onnxruntime
from google.protobuf.internal.encoder import _VarintBytes as varint
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = pathlib.Path(__file__).parent
FAMILIES = sorted(path.stem for path in (HERE / "cases").glob("*.py") if path.stem != "__init__")
# Names of cases, with * for any rest; what the reference implementation does, where each time the
# operator's text or PyTorch agrees with onnxruntime.
DISAGREEMENTS = {
    "softmax_11_*": "normalises one axis, which came with opset 13; before, all from that one on",
    "logsoftmax_11_*": "the same",
    "logsoftmax_large": "takes the logarithm of probabilities that are 0 by then",
    "batch_norm_4_odd": "mixes the statistics of the input in, as in training",
    "lrn_*": "sums another window",
    "lp_normalization_1": "divides by the sum of the numbers, not of their sizes",
    "resize_*align_corners*": "divides by the length times the scale, the text by the length of the result",
    "deconv_depthwise": "mixes channels",
    "max_pool_same_lower": "has fewer windows than the length over the stride, rounded up",
    "max_pool_and_places": "counts places from another start",
    "globalmaxpool_*d": "returns another shape",
}


class Graph:
    """A graph under construction; every method returns the name of what it adds."""

    def __init__(self, name, opset):
        self.name, self.opset = name, opset
        self.random = np.random.default_rng(zlib.crc32(name.encode()))
        self.nodes, self.constants, self.inputs = [], [], []

    def numbers(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def x(self, *shape):
        """An input of random numbers."""
        return self.feed(self.numbers(*shape))

    def feed(self, values):
        """An input of these numbers."""
        self.inputs.append(np.asarray(values, np.float32))
        return f"x{len(self.inputs) - 1}"

    def w(self, *shape):
        """A constant of random numbers."""
        return self.c(self.numbers(*shape))

    def c(self, values):
        """A constant: floats as f32, whole numbers as i64, arrays as they are."""
        if not isinstance(values, np.ndarray):
            values = np.asarray(values)
            values = values.astype({"f": np.float32, "i": np.int64}.get(values.dtype.kind, values.dtype))
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def op(self, operator, *inputs, outputs=1, **attributes):
        """An operator's output, or a list of them."""
        place = len(self.nodes)
        names = [f"v{place}_{index}" for index in range(outputs)]
        node = helper.make_node(operator, list(inputs), names, name=f"{operator}_{place}", **attributes)
        self.nodes.append(node)
        return names[0] if outputs == 1 else names

    def floats(self, value):
        return self.op("Cast", value, to=TensorProto.FLOAT)

    def model(self, outputs):
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [
                helper.make_tensor_value_info(f"x{index}", TensorProto.FLOAT, values.shape)
                for index, values in enumerate(self.inputs)
            ],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            self.constants,
        )
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, producer_name="", ir_version=8)


class Family:
    """The cases of one module, which calls these."""

    def __init__(self, name):
        self.name, self.cases = name, {}
        # Whether weights and inputs are left out, which the tests then make.
        self.hollow = False

    def case(self, name, build, opset=17):
        """A graph whose output, or list of outputs, `build` makes of a `Graph`."""
        assert name not in self.cases, name
        graph = Graph(name, opset)
        outputs = build(graph)
        model = graph.model([outputs] if isinstance(outputs, str) else outputs)
        self.cases[name] = model, graph.inputs

    def one(self, name, operator, *inputs, opset=17, outputs=1, moved=False, floats=False, **attributes):
        """One operator.

        Of the inputs, a tuple is the shape of a random input, an `Fed` an input, None one left out,
        anything else a constant. `moved` puts a Neg in front, for operators that compute nothing;
        `floats` casts the output.
        """

        def build(g):
            names = []
            for value in inputs:
                if value is None:
                    name = ""
                elif isinstance(value, tuple):
                    name = g.x(*value)
                elif isinstance(value, W):
                    name = g.w(*value.shape)
                elif isinstance(value, Fed):
                    name = g.feed(value.values)
                else:
                    name = g.c(value)
                names.append(name)
            if moved:
                names[0] = g.op("Neg", names[0])
            made = g.op(operator, *names, outputs=outputs, **attributes)
            return g.floats(made) if floats else made

        self.case(name, build, opset)


class W:
    """A constant of random numbers."""

    def __init__(self, *shape):
        self.shape = shape


class Fed:
    """An input of given numbers."""

    def __init__(self, *values):
        self.values = np.asarray(values[0] if len(values) == 1 else values, np.float32)


def run(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
    return session.run(None, {f"x{index}": values for index, values in enumerate(inputs)})


def disagreement(model, inputs, outputs):
    """What onnx's reference implementation says otherwise; None where it agrees or fails."""
    try:
        with np.errstate(all="ignore"):
            feeds = {f"x{index}": values for index, values in enumerate(inputs)}
            others = ReferenceEvaluator(model).run(None, feeds)
    except Exception:  # It lacks some operators and forms, and fails in many ways.
        return None
    for output, other in zip(outputs, others, strict=True):
        other = np.asarray(other)
        if output.shape != other.shape:
            return f"{output.shape} against {other.shape}"
        size = np.abs(output[np.isfinite(output)]).max(initial=1e-6)
        if not np.allclose(output, other, rtol=1e-5, atol=1e-5 * size, equal_nan=True):
            return f"off by {np.nanmax(np.abs(output - other)) / size:.1e}"
    return None


def delimited(message):
    encoded = message.SerializeToString()
    return varint(len(encoded)) + encoded


def hollow_out(tensors):
    for tensor in tensors:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.ClearField("raw_data")


def write(family):
    file, unexplained = b"", []
    for name, (model, inputs) in family.cases.items():
        try:
            outputs = run(model, inputs)
        except Exception as error:
            raise SystemExit(f"{family.name}: {name}: {error}") from error
        assert all(output.dtype == np.float32 for output in outputs), name
        for info, output in zip(model.graph.output, outputs, strict=True):
            info.CopyFrom(helper.make_tensor_value_info(info.name, TensorProto.FLOAT, output.shape))
        gap = None if family.hollow else disagreement(model, inputs, outputs)
        if gap and not any(fnmatch.fnmatch(name, pattern) for pattern in DISAGREEMENTS):
            unexplained.append(f"{family.name}: {name}: {gap}")
        tensors = [numpy_helper.from_array(np.asarray(values)) for values in [*inputs, *outputs]]
        if family.hollow:
            hollow_out([*model.graph.initializer, *tensors[: len(inputs)]])
        file += b"".join(map(delimited, [model, *tensors]))
    path = HERE / "golden" / f"{family.name}.bin"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(file)
    print(f"{family.name}: {len(family.cases)} cases, {len(file)} bytes", file=sys.stderr)
    return unexplained


def main():
    sys.path.insert(0, str(HERE))
    # The families import from here.
    sys.modules["export"] = sys.modules["__main__"]
    unexplained = []
    for name in sys.argv[1:] or FAMILIES:
        family = Family(name)
        importlib.import_module(f"cases.{name}").add(family)
        unexplained += write(family)
    if unexplained:
        raise SystemExit("\n".join(["onnx's reference implementation disagrees:", *unexplained]))


if __name__ == "__main__":
    main()
