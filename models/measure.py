"""Measures exported backbones on a rendered dataset, independently of `edge`.

    python measure.py DATA [NAME ...] [--models DIR]

Prints a Markdown table with a row per backbone. The exported file is run for everything but the
attacks, which need the gradients of the weights that train.py leaves beside it.
"""

import argparse
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from PIL import Image

from recipes import RECIPES
from train import MEAN, STD, attacked, load, logits

COLUMNS = "clean fgsm pgd corrupted edge silhouette sketch stylized rendition focus shape decided"
RADIUS, STEP = 8 / 255, 2 / 255
BATCH = 64


def scores(session, images: torch.Tensor) -> np.ndarray:
    inputs = ((images.float() / 255 - MEAN) / STD).numpy()
    batches = (inputs[i : i + BATCH] for i in range(0, len(inputs), BATCH))
    return np.concatenate([session.run(None, {"image": batch})[0] for batch in batches])


def accuracy(session, folder: Path) -> float:
    """Top-1 accuracy, decided between the classes that occur, which are the first of all."""
    images, labels = load(folder)
    found = scores(session, images)[:, : int(labels.max()) + 1]
    return float((found.argmax(1) == labels.numpy()).mean())


def shape_bias(session, folder: Path) -> tuple[float, float]:
    """Shape among shape and texture decisions, and the share of images decided for either."""
    classes = sorted(p.name for p in folder.iterdir())
    files = sorted(folder.glob("*/*.png"))
    images = torch.from_numpy(np.stack([np.asarray(Image.open(p)) for p in files]))
    decided = [classes[i] for i in scores(session, images.permute(0, 3, 1, 2)).argmax(1)]
    shape = sum(word == path.parent.name for word, path in zip(decided, files))
    textures = (path.stem.split("-")[-1].rstrip("0123456789") for path in files)
    texture = sum(word == other for word, other in zip(decided, textures))
    return shape / max(shape + texture, 1), (shape + texture) / len(files)


def under_attack(name: str, models: Path, folder: Path) -> list[float]:
    """Accuracy under FGSM and 10-step PGD in pixel space; unknown without the weights."""
    weights = models / f"{name}.pt"
    if not weights.exists():
        return [float("nan")] * 2
    torch.manual_seed(0)
    network = RECIPES[name].network()
    network.load_state_dict(torch.load(weights))
    network.eval()
    images, labels = load(folder)
    pixels = (images.float() / 255).requires_grad_()
    (gradient,) = torch.autograd.grad(F.cross_entropy(logits(network, pixels), labels), pixels)
    pixels = pixels.detach()
    fast = (pixels + RADIUS * gradient.sign()).clamp(0, 1)
    strong = attacked(network, pixels, labels, RADIUS, 10, STEP)
    with torch.no_grad():
        found = [logits(network, images).argmax(1) for images in (fast, strong)]
    return [(choice == labels).float().mean().item() for choice in found]


def measured(name: str, models: Path, data: Path) -> list[float]:
    """The values of `COLUMNS`."""
    session = onnxruntime.InferenceSession(models / f"{name}.onnx")
    of = lambda folder: accuracy(session, data / folder)
    clean = of("imagenet/val")
    corrupted = [accuracy(session, folder) for folder in data.glob("imagenet-c/*/*")]
    shifted = [of(f"modelvshuman/{s}") for s in ("edge", "silhouette", "sketch", "stylized")]
    gap = of("bg_challenge/mixed_same/val") - of("bg_challenge/mixed_rand/val")
    return [
        clean,
        *under_attack(name, models, data / "imagenet/val"),
        float(np.mean(corrupted)),
        *shifted,
        of("imagenet-r"),
        1 - gap / clean,
        *shape_bias(session, data / "modelvshuman/cue-conflict"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="recipes; default: all")
    parser.add_argument("--models", type=Path, default=Path(__file__).parent)
    arguments = parser.parse_args()
    print("| backbone |", " | ".join(COLUMNS.split()), "|")
    print("|---" * (1 + len(COLUMNS.split())) + "|")
    for name in arguments.names or RECIPES:
        row = measured(name, arguments.models, arguments.data)
        print(f"| {name} |", " | ".join(f"{v:.3f}" for v in row), "|", flush=True)


if __name__ == "__main__":
    main()
