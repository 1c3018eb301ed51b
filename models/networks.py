"""The architectures of the demonstration backbones: 64x64 RGB in, 16 logits out.

Each stays below 250,000 parameters (1 MB as float32) and about 8 million multiply-accumulates.
"""

import torch
from torch import nn

CLASSES = 16


def conv(inputs, outputs, kernel=3, stride=1, groups=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


def head(features):
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(features, CLASSES))


def plain(*widths):
    """Strided 3x3 convolutions only."""
    stages = [conv(i, o, stride=2) for i, o in zip((3, *widths), widths)]
    return nn.Sequential(*stages, head(widths[-1]))


class Residual(nn.Module):
    """Two 3x3 convolutions beside a strided 1x1 shortcut."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.body = nn.Sequential(
            conv(inputs, outputs, stride=2),
            nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.shortcut = nn.Sequential(
            nn.Conv2d(inputs, outputs, 1, 2, bias=False), nn.BatchNorm2d(outputs)
        )

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def residual(*widths):
    blocks = [Residual(i, o) for i, o in zip(widths, widths[1:])]
    return nn.Sequential(conv(3, widths[0], stride=2), *blocks, head(widths[-1]))


def depthwise(*widths):
    """Depthwise 3x3 then pointwise 1x1 convolutions; every other one strided."""
    layers = [conv(3, widths[0], stride=2)]
    for index, (i, o) in enumerate(zip(widths, widths[1:])):
        layers += [conv(i, i, stride=2 - index % 2, groups=i), conv(i, o, kernel=1)]
    return nn.Sequential(*layers, head(widths[-1]))


class Attention(nn.Module):
    """Multi-head self-attention over (batch, tokens, width)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        split = self.qkv(x).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = ((q @ k.transpose(-2, -1)) * self.scale).softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class PatchTransformer(nn.Module):
    """Patches of 8x8 pixels as tokens; their mean is classified."""

    def __init__(self, width=64, depth=3, heads=4, patch=8, side=64):
        super().__init__()
        self.embed = nn.Conv2d(3, width, patch, patch)
        self.position = nn.Parameter(0.02 * torch.randn(1, (side // patch) ** 2, width))
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.embed(x).flatten(2).transpose(1, 2) + self.position
        return self.head(self.norm(self.blocks(x)).mean(1))
