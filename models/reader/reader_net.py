"""The readers' network: a small residual CNN from an RGB crop to logits.

Input: (N, 3, 112, 80) float32, 0..1, RGB, or another size; it is normalised inside. Needs torch, so nothing at run time
imports it.
"""

from __future__ import annotations

import torch
from torch import nn

WIDTHS = (24, 48, 80, 112)
BLOCKS = (0, 2, 2, 2)


class ReaderNet(nn.Module):  # type: ignore[misc]
    """Four stages, each at half the size, then a learned weighting of the remaining cells, then the classes.

    Args:
        classes: Number of logits.
        places: Rows and columns of the last stage: a sixteenth of the crop's height and width.
    """

    def __init__(self, classes: int = 54, places: tuple[int, int] = (7, 5)) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for width, blocks in zip(WIDTHS, BLOCKS, strict=True):
            layers += [convolution(before, width, stride=2), nn.ReLU(inplace=True)]
            layers += [Residual(width) for _ in range(blocks)]
            before = width
        self.body = nn.Sequential(*layers)
        self.neck = nn.Sequential(
            nn.Conv2d(before, 192, 1, bias=False),
            nn.BatchNorm2d(192),
            nn.ReLU(inplace=True),
            nn.Conv2d(192, 192, places, groups=192, bias=False),
            nn.BatchNorm2d(192),
        )
        self.head = nn.Linear(192, classes)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        features = self.neck(self.body((crops - 0.45) * 4.0))
        logits: torch.Tensor = self.head(features.flatten(1))
        return logits


class Residual(nn.Module):  # type: ignore[misc]
    """Two convolutions with a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = convolution(width, width, stride=1)
        self.second = convolution(width, width, stride=1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(torch.relu(self.first(features))))


def convolution(before: int, after: int, *, stride: int) -> nn.Sequential:
    """Return a 3 x 3 convolution with batch norm."""
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after))
