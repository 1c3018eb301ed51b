"""Images per second and peak memory of `edge eval` against the Python pipelines, in one run.

usage: bench.py EDGE_BINARY MODEL.onnx DATA_ROOT [ROUNDS]
Rounds are interleaved and medians compared, because absolute times mean little on a shared
machine; read the ratios. A Python engine whose packages are missing is left out by name.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def measured(command):
    """Wall seconds and peak resident megabytes of one command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(errors.decode(errors="replace").strip().splitlines()[-1])
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def main():
    edge, model, root = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    threads = str(len(os.sched_getaffinity(0)))
    images = sum(len(files) for _, _, files in os.walk(root))
    out = tempfile.mkdtemp()
    python = [sys.executable, os.path.join(HERE, "pipeline.py")]
    commands = {
        "edge eval": [edge, "eval", model, "--data", root, "--out", out, "--fresh", "--threads", threads],
        "PIL + onnxruntime": [*python, "ort", model, root, threads],
        "PIL + PyTorch": [*python, "torch", model, root, threads],
    }
    results = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            try:
                results[name].append(measured(command))
            except RuntimeError as error:
                print(f"{name} left out: {error}", file=sys.stderr)
    base = statistics.median(wall for wall, _ in results["edge eval"])
    print(f"{images} images, {threads} threads, median of {rounds} interleaved rounds")
    print("| pipeline | images/s | edge is faster by | peak memory MB |")
    print("|---|---:|---:|---:|")
    for name, runs in results.items():
        if runs:
            wall = statistics.median(w for w, _ in runs)
            peak = max(m for _, m in runs)
            print(f"| {name} | {images / wall:.1f} | {wall / base:.2f}× | {peak:.0f} |")


main()
