"""Trains the demonstration backbones on rendered images and exports them as ONNX with cards.

    python train.py DATA [NAME ...] [--out DIR] [--threads N]

DATA is a folder written by `edge demo --write` with training images. Without names all recipes
are trained. See README.md for the exact commands.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from recipes import RECIPES, Recipe

MEAN, STD = 0.5, 0.25
BATCH = 128


def load(folder: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Images as uint8 (n, 3, 64, 64) and class indices, from a folder of class folders."""
    classes = sorted(p for p in folder.iterdir() if p.is_dir())
    files = [(p, y) for y, c in enumerate(classes) for p in sorted(c.iterdir())]
    images = np.stack([np.asarray(Image.open(p).convert("RGB")) for p, _ in files])
    labels = torch.tensor([y for _, y in files])
    return torch.from_numpy(images).permute(0, 3, 1, 2).contiguous(), labels


def logits(network, pixels: torch.Tensor) -> torch.Tensor:
    """Scores for pixels in [0, 1]; the normalisation is part of the attacked function."""
    return network((pixels - MEAN) / STD)


def moved(pixels: torch.Tensor) -> torch.Tensor:
    """Mirrors every image with probability 1/2 and shifts it by up to 5 pixels."""
    n = len(pixels)
    mirror = torch.rand(n) < 0.5
    pixels = torch.where(mirror[:, None, None, None], pixels.flip(3), pixels)
    pixels = F.pad(pixels, (5, 5, 5, 5), mode="reflect")
    corners = torch.randint(0, 11, (n, 2)).tolist()
    return torch.stack([image[:, y : y + 64, x : x + 64] for image, (y, x) in zip(pixels, corners)])


def degraded(pixels: torch.Tensor) -> torch.Tensor:
    """Lowers the contrast, blurs and adds noise, each to a random degree per image."""
    n = len(pixels)
    random = lambda low, high: low + (high - low) * torch.rand(n, 1, 1, 1)
    mean = pixels.mean((1, 2, 3), keepdim=True)
    pixels = mean + (pixels - mean) * random(0.3, 1.1) + random(-0.2, 0.3)
    soft = F.avg_pool2d(F.pad(pixels, (2, 2, 2, 2), mode="reflect"), 5, 1)
    pixels = torch.lerp(pixels, soft, (random(-1.0, 1.0)).clamp(min=0))
    return (pixels + random(-0.15, 0.15).clamp(min=0) * torch.randn_like(pixels)).clamp(0, 1)


def attacked(network, pixels, labels, radius: float, steps: int, step: float) -> torch.Tensor:
    """Projected gradient ascent from a random start within an L-infinity ball."""
    found = (pixels + torch.empty_like(pixels).uniform_(-radius, radius)).clamp(0, 1)
    for _ in range(steps):
        found = found.detach().requires_grad_()
        loss = F.cross_entropy(logits(network, found), labels)
        (gradient,) = torch.autograd.grad(loss, found)
        found = found.detach() + step * gradient.sign()
        found = torch.clamp(found, pixels - radius, pixels + radius).clamp(0, 1)
    return found.detach()


def train(recipe: Recipe, out: Path, images: torch.Tensor, labels: torch.Tensor) -> torch.nn.Module:
    """Trains one backbone; the seed fixes its weights, order and augmentation."""
    torch.manual_seed(0)
    # Channels last is the fast layout of convolutions on CPUs.
    network = recipe.network().to(memory_format=torch.channels_last)
    if recipe.start:
        network.load_state_dict(torch.load(out / f"{recipe.start}.pt"))
    steps = recipe.epochs * (len(images) // BATCH)
    optimiser = torch.optim.AdamW(network.parameters(), weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, total_steps=steps)
    began = time.time()
    for epoch in range(recipe.epochs):
        # The radius grows over the first third, or training does not start.
        radius = recipe.radius * min(1.0, 3 * epoch / recipe.epochs)
        right = seen = 0
        for chosen in torch.randperm(len(images)).split(BATCH)[: len(images) // BATCH]:
            pixels, targets = moved(images[chosen].float() / 255), labels[chosen]
            if recipe.degrade:
                pixels = degraded(pixels)
            if radius > 0:
                network.eval()
                pixels = attacked(network, pixels, targets, radius, 1, 1.25 * radius)
            network.train()
            scores = logits(network, pixels.contiguous(memory_format=torch.channels_last))
            optimiser.zero_grad()
            F.cross_entropy(scores, targets).backward()
            optimiser.step()
            schedule.step()
            right += (scores.argmax(1) == targets).sum().item()
            seen += len(targets)
        print(f"  epoch {epoch + 1}: {right / seen:.4f}, {time.time() - began:.0f} s", flush=True)
    return network.eval()


def export(network: torch.nn.Module, path: Path) -> None:
    """One self-contained float32 file, opset 17, batch size open; BatchNorm is folded."""
    torch.onnx.export(
        network.to(memory_format=torch.contiguous_format),
        torch.zeros(1, 3, 64, 64),
        str(path),
        input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


def card(recipe: Recipe, network: torch.nn.Module) -> str:
    """The model card; parameters exclude BatchNorm's running statistics."""
    parameters = sum(p.numel() for p in network.parameters())
    return f"""name = "{recipe.title}"
label_set = "edge-demo"
parameters = {parameters}
output = "logits"

[preprocessing]
resize = "none"
crop = 64
interpolation = "bilinear"
mean = [{MEAN}, {MEAN}, {MEAN}]
std = [{STD}, {STD}, {STD}]
channels = "rgb"

[grouping]
architecture = "{recipe.architecture}"
pretraining_data = "edge-demo"
training = "{recipe.training}"
paper = "{recipe.paper}"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help="recipes; default: all")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.use_deterministic_algorithms(True)
    loaded = {}
    for name in arguments.names or RECIPES:
        recipe = RECIPES[name]
        print(name, flush=True)
        if recipe.images not in loaded:
            loaded[recipe.images] = load(arguments.data / recipe.images)
        network = train(recipe, arguments.out, *loaded[recipe.images])
        export(network, arguments.out / f"{name}.onnx")
        (arguments.out / f"{name}.toml").write_text(card(recipe, network))
        torch.save(network.state_dict(), arguments.out / f"{name}.pt")


if __name__ == "__main__":
    main()
