"""Shared parts of the training of the stack networks: rows of drawn worlds, shifts, mirroring and light.

Shifts, mirroring and colour order are applied where batches are made; lighting is changed on the training device. Needs
torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from thirdcard.models.world_files import WorldFolder

_CHANNELS = np.array([[2, 1, 0]] * 5 + [[0, 1, 2], [1, 2, 0], [0, 2, 1]])
"""Orders of the colour channels of a BGR picture; most give RGB."""
_POOL = 4
"""Number of batches of noise that are kept."""

Light = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
"""Gains, offsets and noise strengths, (N, channels or 1, 1, 1) each, for pictures of 0 to 255."""


def rows_in_turn(folder: WorldFolder, rng: np.random.Generator, count: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield `count` rows of a folder at a time, in random order and without end; new files are read in between."""
    while True:
        order = rng.permutation(folder.look())
        for start in range(0, max(len(order) - count, 0) + 1, count):
            yield order[start : start + count]


@dataclass(frozen=True, slots=True, eq=False)
class Variation:
    """The augmentation of each of some crops."""

    shifts_px: npt.NDArray[np.int64]
    """(N, 2): start of the crop within its margin, x and y."""
    channels: npt.NDArray[np.int64]
    """(N, 3): order of the colour channels."""
    is_mirrored: npt.NDArray[np.bool_]

    @staticmethod
    def draw(rng: np.random.Generator, count: int, margin_px: int) -> Variation:
        """Draw any shift within the margin, mirroring for half of the crops, and permuted colours for some."""
        return Variation(
            rng.integers(0, 2 * margin_px + 1, (count, 2)),
            _CHANNELS[rng.integers(len(_CHANNELS), size=count)],
            rng.random(count) < 0.5,
        )

    def of(self, row: int, look: npt.NDArray[np.uint8], size_wh_px: tuple[int, int]) -> npt.NDArray[np.uint8]:
        """Return one crop, (height + 2 margin, width + 2 margin, 3) BGR, augmented: (height, width, 3)."""
        (x, y), (width, height) = self.shifts_px[row], size_wh_px
        cut = look[y : y + height, x : x + width]
        return (cut[:, ::-1] if self.is_mirrored[row] else cut)[:, :, self.channels[row]]


class Relight:
    """Changes the lighting of pictures and adds noise; the noise is reused for a while."""

    _RENEWED_EVERY = 400

    def __init__(self, draw: Callable[[np.random.Generator, int], Light], seed: int) -> None:
        self._draw, self._rng = draw, np.random.default_rng([seed, 1])
        self._noise = torch.empty(0)
        self._used = 0

    def relit(self, pictures: torch.Tensor) -> torch.Tensor:
        """Convert (N, height, width, channels) uint8 to (N, channels, height, width), 0 to 1, with other lighting."""
        images = pictures.permute(0, 3, 1, 2).float()
        count, device = len(images), images.device
        if self._noise.shape[1:] != images.shape[1:] or len(self._noise) < _POOL * count or self._is_worn():
            wanted = (_POOL * count, *images.shape[1:])
            self._noise = torch.randn(wanted).to(device, memory_format=torch.channels_last)
            self._used = 0
        self._used += 1
        light = self._draw(self._rng, count)
        gain, offset, strength = (torch.from_numpy(each).float().to(device) for each in light)
        first = int(self._rng.integers(len(self._noise) - count + 1))
        noise = self._noise[first : first + count]
        return images.mul_(gain).add_(offset).addcmul_(noise, strength).clamp_(0, 1)

    def _is_worn(self) -> bool:
        return self._used >= self._RENEWED_EVERY
