"""Compares edge's gradients with PyTorch's over whole networks: agreement, and time in one run.

usage: backbones.py FOLDER [NAME ...] [--rounds N]
  FOLDER     what export.py made
  --rounds   how often the two are measured in turn, best of all (2)
Packages: those of export.py.

Prints a table in Markdown, where `1-cos` is one minus the cosine similarity with PyTorch's gradient
in f64, `signs` the share of equal signs where that gradient is above 1e-4 of its largest element,
and times are milliseconds for one image on one thread. Weights are constants for both. Exits with 1
if edge's test of these networks fails.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import time

import numpy as np
import torch

from export import forget_caches, forward, loss_gradient

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
COLUMNS = (
    "network | 1-cos | 1-cos, PyTorch f32 | signs | signs, PyTorch f32 | forward | gradient | gradient / forward "
    "| PyTorch forward | PyTorch forward+backward | gradient / PyTorch's"
).split(" | ")


def best(work, runs=3):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times[1:])


def edge(path):
    """What edge's test prints of one network, and whether it passed."""
    done = subprocess.run(
        "cargo test -q -p edge --lib table_of_networks -- --ignored --nocapture".split(),
        cwd=ROOT,
        env={**os.environ, "GRADIENT_REFERENCE": os.path.abspath(path)},
        capture_output=True,
        text=True,
    )
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return rows[0] if rows else {"error": done.stdout + done.stderr}, done.returncode == 0


def agreement(found, expected):
    found, expected = found.astype(np.float64).ravel(), expected.astype(np.float64).ravel()
    cosine = found @ expected / np.linalg.norm(found) / np.linalg.norm(expected)
    matter = np.abs(expected) > 1e-4 * np.abs(expected).max()
    return 1 - cosine, np.mean(np.sign(found[matter]) == np.sign(expected[matter]))


def pytorch(path, reference):
    """Milliseconds of the forward pass, and of both."""
    model = torch.load(f"{path}.pt", weights_only=False)
    forget_caches(model)
    x, label = torch.from_numpy(reference["x"]), int(reference["label"])
    with torch.no_grad():
        gap = (model(x) - torch.from_numpy(reference["logits"])).abs().max()
    if gap > 1e-4:
        raise SystemExit(f"{path}.pt is not the network of {path}.npz: logits differ by {gap:.2g}")
    return best(lambda: forward(model, x)), best(lambda: loss_gradient(model, x, label))


def row(path, rounds):
    """The cells of one network, and whether edge's test passed."""
    name = os.path.basename(path)
    reference = np.load(f"{path}.npz")
    measured, theirs, passed = [], [], True
    for _ in range(rounds):
        found, fine = edge(f"{path}.onnx")
        passed = passed and fine
        measured.append(found)
        theirs.append(pytorch(path, reference))
    angle, signs = agreement(reference["gradient_f32"], reference["gradient"])
    torch_forward, torch_both = (min(times) for times in zip(*theirs))
    if "error" in found:
        print(f"{name}: {found['error']}", file=sys.stderr)
        cells = ["-", angle, "-", signs, "-", "-", "-", torch_forward, torch_both, "-"]
    else:
        ours, both = (min(one[key] for one in measured) for key in ("forward_ms", "gradient_ms"))
        cells = [found["angle"], angle, found["signs"], signs, ours, both, both / ours, torch_forward, torch_both]
        cells.append(both / torch_both)
    formats = [".1e", ".1e", ".5f", ".5f", ".1f", ".1f", ".2f", ".1f", ".1f", ".2f"]
    return [name, *(cell if cell == "-" else format(cell, how) for cell, how in zip(cells, formats))], passed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    paths = sorted(path.removesuffix(".onnx") for path in glob.glob(os.path.join(options.folder, "*.onnx")))
    paths = [path for path in paths if os.path.basename(path) in options.names or not options.names]
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    failed = []
    for path in paths:
        cells, passed = row(path, options.rounds)
        print(f"| {' | '.join(cells)} |", flush=True)
        if not passed:
            failed.append(cells[0])
    if failed:
        raise SystemExit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
