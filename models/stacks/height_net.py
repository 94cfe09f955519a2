"""The gauge's network: from a stack's crop to the displacement of its top disc.

Input: (N, 3, 128, 80) float32, 0..1, RGB; it is normalised inside. Output: (N, 6) in the order of
`thirdcard.vision.inference.stack_height.COLUMNS`, in px of the crop. Needs torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

from thirdcard.vision.inference.stack_height import COLUMNS, DISC_PX, HEIGHT_PX, WIDTH_PX

FIRST, NARROW, MIDDLE, WIDE = 16, 32, 48, 64
CELL_PX = 8
GRID_HW = (HEIGHT_PX // CELL_PX, WIDTH_PX // CELL_PX)
POINTS = 8
"""Number of points that the network locates: the foot's centre, the top disc's, and others of its own choice."""


class GaugeNet(nn.Module):  # type: ignore[misc]
    """Three stages, each at half the resolution, maps whose means are points, then a correction from all points."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _convolution(3, FIRST, kernel=7, stride=2),
            _convolution(FIRST, NARROW, stride=2),
            _convolution(NARROW, MIDDLE),
            _Residual(MIDDLE),
            _convolution(MIDDLE, WIDE, stride=2),
            _Residual(WIDE),
            _Residual(WIDE),
        )
        self.maps = nn.Conv2d(WIDE, POINTS, 1)
        self.read = nn.Sequential(nn.Linear(2 * POINTS + WIDE, 96), nn.ReLU(inplace=True), nn.Linear(96, len(COLUMNS)))
        y, x = torch.meshgrid(torch.arange(GRID_HW[0]), torch.arange(GRID_HW[1]), indexing="ij")
        places = torch.stack([(x + 0.5) * CELL_PX - WIDTH_PX / 2, (y + 0.5) * CELL_PX - HEIGHT_PX / 2]) / DISC_PX
        self.places: torch.Tensor
        self.scale: torch.Tensor
        self.register_buffer("places", places.reshape(2, -1).T.contiguous(), persistent=False)
        self.register_buffer("scale", torch.tensor([DISC_PX, 1.0] + [DISC_PX] * 4), persistent=False)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        return self.look(crops)[0]

    def look(self, crops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the output, (N, 6), and the log probability maps of the foot and the top, (N, 2, cells)."""
        features = self.body((crops - 0.45) * 4.0).float()
        with torch.autocast(crops.device.type, enabled=False):  # coordinates must not be rounded
            maps = torch.log_softmax(self.maps(features).flatten(2), dim=2)
            found = maps.exp() @ self.places
            told = self.read(torch.cat([found.flatten(1), features.mean(dim=(2, 3))], dim=1)) * 0.1
            foot, top = found[:, 0] + told[:, 2:4], found[:, 1] + told[:, 4:6]
            displacement = foot[:, 1:] - top[:, 1:] + told[:, :1]
            answer = torch.cat([displacement, told[:, 1:2] * 10.0, foot, top], dim=1) * self.scale
            return answer, maps[:, :2]


class _Residual(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        wide = nn.Conv2d(width, width, 3, padding=2, dilation=2, bias=False)
        self.second = nn.Sequential(wide, nn.BatchNorm2d(width))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(self.first(features)))


def _convolution(before: int, after: int, *, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(before, after, kernel, stride, (kernel - 1) // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(after), nn.ReLU(inplace=True))
