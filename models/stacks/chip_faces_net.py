"""The chip face network: from a face beside one chip of the house to a score of how well that chip's colour matches.

Input: (N, 9, 12, 32) float32, 0..1, RGB, as made by `thirdcard.vision.inference.chip_faces.beside_chips`. Output: (N,
1). The last axis runs round the face, so its ends are joined. Needs torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

SHOWN = 18
WIDTHS = (32, 48, 64)
NEAR = 0.03


class ChipFacesNet(nn.Module):  # type: ignore[misc]
    """Three convolutions over rings and angles, then means and maxima."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = WIDTHS
        self.body = nn.ModuleList([_layer(SHOWN, first), _layer(first, second), _layer(second, third)])
        self.read = nn.Sequential(nn.Linear(2 * third, 48), nn.ReLU(inplace=True), nn.Linear(48, 1))

    def forward(self, shown: torch.Tensor) -> torch.Tensor:
        own, this, other = shown[:, :3], shown[:, 3:6], shown[:, 6:]
        rings = torch.linspace(0, 1, shown.shape[2], device=shown.device)[None, None, :, None]
        off, off_other = own - this, own - other
        places = torch.zeros_like(own[:, :1]) + rings
        near = (torch.exp(-each.square().sum(dim=1, keepdim=True) / NEAR) for each in (off, off_other))
        features = torch.cat([own, off, off.abs(), off_other, this, places, *near], dim=1)
        for k, layer in enumerate(self.body):
            features = layer(torch.cat([features[..., -1:], features, features[..., :1]], dim=3))
            if k < len(self.body) - 1:
                features = nn.functional.max_pool2d(features, 2 if k else (1, 2))
        row = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        return self.read(row)


def _layer(before: int, after: int) -> nn.Sequential:
    """Return a convolution for input that is already padded along the angles."""
    convolution = nn.Conv2d(before, after, 3, padding=(1, 0), bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(after), nn.ReLU(inplace=True))
