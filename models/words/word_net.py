"""The network that reads a printed word: from a crop to the scores of its labels.

Input: (N, 3, 48, 96) float32, 0..1, as `thirdcard.vision.inference.cloth_words` makes it. Output: (N, labels). In
training it also learns which letters stand there: that teaches it more from each crop than one of four labels. Needs
torch, so nothing at run time imports it.
"""

from __future__ import annotations

import torch
from torch import nn

STEPS = ((24, 5, 2), (40, 3, 2), (72, 3, 2))
"""Channels, side and stride of the first layers; the last ones are at an eighth of the crop's size."""
LINE = (3, 7)
"""Height and width in eighths of what one wide layer sees: words run along the crop's rows."""
WIDE_LAYERS, NARROW = 2, 20
"""Wide layers, and their inner channels."""
LAST = 96


class WordNet(nn.Module):  # type: ignore[misc]
    """Convolutions, then wide ones that see whole words, then means and peaks."""

    def __init__(self, labels: int, letters: int) -> None:
        super().__init__()
        widths = [3, *(width for width, _, _ in STEPS)]
        self.letters = nn.Sequential(
            *(
                _layer(before, width, (side, side), stride)
                for before, (width, side, stride) in zip(widths, STEPS, strict=False)
            )
        )
        self.words = nn.ModuleList([_wide(widths[-1]) for _ in range(WIDE_LAYERS)])
        self.last = _layer(widths[-1], LAST, (1, 1))
        self.read = nn.Linear(2 * LAST, labels)
        self.spell = nn.Linear(2 * LAST, letters)

    def forward(self, crops: torch.Tensor) -> torch.Tensor:
        return self.read(self.features(crops))

    def features(self, crops: torch.Tensor) -> torch.Tensor:
        """Return what is known of each crop, (N, 2 * LAST): `read` makes labels of it, `spell` its letters."""
        features = self.letters(2.0 * crops - 1.0)
        for layer in self.words:
            features = features + layer(features)
        features = self.last(features)
        return torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)


def _layer(before: int, after: int, size: tuple[int, int], stride: int = 1) -> nn.Sequential:
    padding = (size[0] // 2, size[1] // 2)
    convolution = nn.Conv2d(before, after, size, stride=stride, padding=padding, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(after), nn.ReLU(inplace=True))


def _wide(channels: int) -> nn.Sequential:
    return nn.Sequential(_layer(channels, NARROW, (1, 1)), _layer(NARROW, channels, LINE))
