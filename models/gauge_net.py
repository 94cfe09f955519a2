"""The gauge's network: from a stack's crop to the displacement of its top disc.

Input: (N, 3, 128, 80) float32, 0..1, RGB; it is normalised inside. Output: (N, 6) as `vision.gauge.COLUMNS` says, in
pixels of the crop. Needs torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

from vision.gauge import COLUMNS, DISC_PX, HEIGHT_PX, WIDTH_PX

WIDTHS = (16, 32, 48)
POINTS = 16
"""Places that the network learns to find: the foot's centre, the top disc's, and others that it chooses."""
SHARPNESS = 4.0


class GaugeNet(nn.Module):  # type: ignore[misc]
    """Three stages of halved size, the means of learned maps as places, then a correction read from all places."""

    def __init__(self) -> None:
        super().__init__()
        narrow, middle, wide = WIDTHS
        self.body = nn.Sequential(
            _convolution(3, narrow, stride=2),
            _convolution(narrow, middle, stride=2),
            _convolution(middle, wide, stride=2),
            _Residual(wide),
            _Residual(wide),
        )
        self.maps = nn.Conv2d(wide, POINTS, 1)
        self.read = nn.Sequential(nn.Linear(2 * POINTS + wide, 64), nn.ReLU(inplace=True), nn.Linear(64, len(COLUMNS)))
        height, width = HEIGHT_PX // 8, WIDTH_PX // 8
        y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        places = torch.stack([(x + 0.5) * 8 - WIDTH_PX / 2, (y + 0.5) * 8 - HEIGHT_PX / 2]) / DISC_PX
        self.places: torch.Tensor
        self.scale: torch.Tensor
        self.register_buffer("places", places.reshape(2, -1).T.contiguous(), persistent=False)
        self.register_buffer("scale", torch.tensor([DISC_PX, 1.0] + [DISC_PX] * 4), persistent=False)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        features = self.body((crops - 0.45) * 4.0).float()
        with torch.autocast(crops.device.type, enabled=False):  # places must not be rounded
            weights = torch.softmax(self.maps(features).flatten(2) * SHARPNESS, dim=2)
            found = weights @ self.places
            told = self.read(torch.cat([found.flatten(1), features.mean(dim=(2, 3))], dim=1)) * 0.3
            foot, top = found[:, 0] + told[:, 2:4], found[:, 1] + told[:, 4:6]
            displacement = foot[:, 1:] - top[:, 1:] + told[:, :1]
            answer: torch.Tensor = torch.cat([displacement, told[:, 1:2], foot, top], dim=1) * self.scale
            return answer


class _Residual(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width, stride=1)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(self.first(features)))


def _convolution(before: int, after: int, *, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True)
    )
