"""The index finder's network: from a picture to a map of where corner indices are and how they are oriented.

Input: (N, 3, H, W) float32, 0..1, RGB, H and W multiples of 16. Output: (N, 7, H / 4, W / 4); the channels are listed
in `thirdcard.vision.inference.index_finder`. Needs torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

from thirdcard.models.reader.reader_net import Residual, convolution

WIDTHS = (16, 24, 48, 80)
CHANNELS = 7


class IndexFinderNet(nn.Module):  # type: ignore[misc]
    """An hourglass network: down to a sixteenth of the size, then up to a quarter of it."""

    def __init__(self) -> None:
        super().__init__()
        first, quarter, eighth, sixteenth = WIDTHS
        self.to_quarter = nn.Sequential(_stage(3, first, stride=2), _stage(first, quarter, stride=2), Residual(quarter))
        self.to_eighth = nn.Sequential(_stage(quarter, eighth, stride=2), Residual(eighth), Residual(eighth))
        self.to_sixteenth = nn.Sequential(
            _stage(eighth, sixteenth, stride=2), Residual(sixteenth), Residual(sixteenth), Residual(sixteenth)
        )
        self.from_sixteenth = nn.Sequential(nn.Conv2d(sixteenth, eighth, 1, bias=False), nn.BatchNorm2d(eighth))
        self.at_eighth = Residual(eighth)
        self.from_eighth = nn.Sequential(nn.Conv2d(eighth, quarter, 1, bias=False), nn.BatchNorm2d(quarter))
        self.at_quarter = nn.Sequential(nn.ReLU(inplace=True), _stage(quarter, 40, stride=1))
        self.head = nn.Conv2d(40, CHANNELS, 1)
        self.head.bias.data[0] = -4.0

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        quarter = self.to_quarter((pictures - 0.45) * 4.0)
        eighth = self.to_eighth(quarter)
        low = self.from_sixteenth(self.to_sixteenth(eighth))
        middle = self.at_eighth(torch.relu(eighth + _doubled(low)))
        told: torch.Tensor = self.head(self.at_quarter(quarter + _doubled(self.from_eighth(middle))))
        return told


def _stage(before: int, after: int, *, stride: int) -> nn.Sequential:
    return nn.Sequential(*convolution(before, after, stride=stride), nn.ReLU(inplace=True))


def _doubled(features: torch.Tensor) -> torch.Tensor:
    return nn.functional.interpolate(features, scale_factor=2.0, mode="nearest")
