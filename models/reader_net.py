"""The reader's network: a small residual CNN from an RGB crop to 54 logits.

Input: (N, 3, 112, 80) float32, 0..1, RGB; it is normalised inside. Needs torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

WIDTHS = (24, 48, 80, 112)
BLOCKS = (0, 2, 2, 2)


class ReaderNet(nn.Module):  # type: ignore[misc]
    """Four stages of halved size, then a learned weighting of the 7 x 5 places, then the classes."""

    def __init__(self, classes: int = 54) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for width, blocks in zip(WIDTHS, BLOCKS, strict=True):
            layers += [_convolution(before, width, stride=2), nn.ReLU(inplace=True)]
            layers += [_Residual(width) for _ in range(blocks)]
            before = width
        self.body = nn.Sequential(*layers)
        self.neck = nn.Sequential(
            nn.Conv2d(before, 192, 1, bias=False),
            nn.BatchNorm2d(192),
            nn.ReLU(inplace=True),
            nn.Conv2d(192, 192, (7, 5), groups=192, bias=False),
            nn.BatchNorm2d(192),
        )
        self.head = nn.Linear(192, classes)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        features = self.neck(self.body((crops - 0.45) * 4.0))
        logits: torch.Tensor = self.head(features.flatten(1))
        return logits


class _Residual(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width, stride=1)
        self.second = _convolution(width, width, stride=1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(torch.relu(self.first(features))))


def _convolution(before: int, after: int, *, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after))
