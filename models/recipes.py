"""What is trained how: one entry per bundled backbone."""

from dataclasses import dataclass
from typing import Callable

from torch import nn

import networks


@dataclass(frozen=True)
class Recipe:
    """One backbone: its network, its training and what its card says."""

    title: str
    architecture: str
    training: str
    paper: str
    network: Callable[[], nn.Module]
    epochs: int = 18
    rate: float = 4e-3
    # Folder of training images below the data root.
    images: str = "train"
    # The trained recipe whose weights this one starts from; empty: random weights.
    start: str = ""
    # L-infinity radius of adversarial training in pixel units; 0: ordinary training.
    radius: float = 0.0
    # Noise, blur, contrast and brightness changes of the training images.
    degrade: bool = False


RECIPES = {
    "plain-small": Recipe(
        "Plain CNN, small", "CNN", "supervised", "LeCun et al., 1998",
        lambda: networks.plain(16, 32, 48, 64),
    ),
    "plain-wide": Recipe(
        "Plain CNN, wide", "CNN", "supervised", "LeCun et al., 1998",
        lambda: networks.plain(24, 48, 80, 128),
    ),
    "residual": Recipe(
        "Residual CNN", "CNN", "supervised", "He et al., 2016",
        lambda: networks.residual(16, 24, 48, 80),
    ),
    "depthwise": Recipe(
        "Depthwise CNN", "CNN", "supervised", "Howard et al., 2017",
        lambda: networks.depthwise(24, 48, 48, 96, 96, 128),
    ),
    "patch-transformer": Recipe(
        "Patch transformer", "transformer", "supervised", "Dosovitskiy et al., 2021",
        networks.PatchTransformer, epochs=30, rate=2e-3,
    ),
    "adversarial": Recipe(
        "Wide CNN, adversarially trained", "CNN", "adversarial", "Wong et al., 2020",
        lambda: networks.plain(24, 48, 80, 128), start="plain-wide",
        epochs=12, rate=2e-3, radius=6 / 255,
    ),
    "randomised": Recipe(
        "Wide CNN, randomised cues", "CNN", "randomised texture and background",
        "Geirhos et al., 2019",
        lambda: networks.plain(24, 48, 80, 128), start="plain-wide", images="train-randomised",
    ),
    "degraded": Recipe(
        "Residual CNN, degraded images", "CNN", "noise, blur and contrast augmentation",
        "Rusak et al., 2020",
        lambda: networks.residual(16, 24, 48, 80), degrade=True,
    ),
}
