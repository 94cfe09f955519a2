"""The comparer's network: from crops of a stack before and after to the probabilities of what happened to it.

Input: (N, 9, 112, 64) float32, 0..1: RGB before, after, and after at the place to which the stack was pushed; it is
normalised inside. Output: (N, 4) logits in the order of `thirdcard.vision.inference.stack_change.FATES`. Needs torch,
so nothing at run time imports it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from thirdcard.vision.inference.stack_change import FATES, HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.stack_height import DISC_PX

FIRST, NARROW, MIDDLE, WIDE, POINTS = 16, 32, 48, 72, 8
CELL_PX = 8
GRID_HW = (HEIGHT_PX // CELL_PX, WIDTH_PX // CELL_PX)
CHANGE_UNIT_PX = 4.0


class ComparerNet(nn.Module):  # type: ignore[misc]
    """Two stages per crop, then their differences and sum, then means, maxima and positions of features."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Sequential(
            _convolution(3, FIRST, kernel=7, stride=2),
            _convolution(FIRST, NARROW, stride=2),
        )
        self.join = nn.Sequential(_convolution(3 * NARROW + 2, MIDDLE), _Residual(MIDDLE, dilation=1))
        self.body = nn.Sequential(
            _convolution(MIDDLE, WIDE, stride=2), _Residual(WIDE, dilation=1), _Residual(WIDE, dilation=2)
        )
        self.maps = nn.Conv2d(WIDE, POINTS, 1)
        self.read = nn.Sequential(nn.Linear(2 * WIDE + 2 * POINTS, 96), nn.ReLU(inplace=True))
        self.tell = nn.Linear(96, len(FATES) + 1)
        y, x = torch.meshgrid(torch.arange(GRID_HW[0]), torch.arange(GRID_HW[1]), indexing="ij")
        places = torch.stack([(x + 0.5) * CELL_PX - WIDTH_PX / 2, (y + 0.5) * CELL_PX - HEIGHT_PX / 2]) / DISC_PX
        fine = nn.functional.interpolate(places[None], scale_factor=2, mode="bilinear", align_corners=False)
        self.places: torch.Tensor
        self.fine: torch.Tensor
        self.register_buffer("places", places.reshape(2, -1).T.contiguous(), persistent=False)
        self.register_buffer("fine", fine, persistent=False)

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        return self.told(pairs)[0]

    def told(self, pairs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits, and how many px the top disc moved outward relative to the foot, (N,)."""
        pairs = (pairs - 0.45) * 4.0
        before, after, moved = (self.look(pairs[:, k : k + 3]) for k in (0, 3, 6))
        places = torch.zeros_like(before[:, :2]) + self.fine.to(before.dtype)  # one for each pair, also once exported
        seen = torch.cat([after - before, moved - before, after + before, places], dim=1)
        features = self.body(self.join(seen)).float()
        with torch.autocast(pairs.device.type, enabled=False):
            weights = torch.softmax(self.maps(features).flatten(2), dim=2)
            found = (weights @ self.places).flatten(1)
            row = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3)) * 0.3, found], dim=1)
            answer = self.tell(self.read(row))
            return answer[:, : len(FATES)], answer[:, len(FATES)] * CHANGE_UNIT_PX


class Ensemble(nn.Module):  # type: ignore[misc]
    """Several networks whose log probabilities are averaged; this reduces the errors of each one."""

    def __init__(self, networks: Sequence[ComparerNet]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, pairs: torch.Tensor) -> torch.Tensor:
        """Return log probabilities (N, 4) in the order of FATES; they are not normalised to sum to 1."""
        return torch.stack([torch.log_softmax(network(pairs), dim=1) for network in self.networks]).mean(dim=0)


class _Residual(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, *, dilation: int) -> None:
        super().__init__()
        self.first = _convolution(width, width)
        second = nn.Conv2d(width, width, 3, padding=dilation, dilation=dilation, bias=False)
        self.second = nn.Sequential(second, nn.BatchNorm2d(width))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.relu(features + self.second(self.first(features)))


def _convolution(before: int, after: int, *, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    layer = nn.Conv2d(before, after, kernel, stride, (kernel - 1) // 2, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(after), nn.ReLU(inplace=True))
