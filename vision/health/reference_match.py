"""Compare the picture of the table with how it looked when the calibration was valid: which print is still visible?

Every block of the cloth that has print is compared separately, so an arm hides only the blocks under it, and a change
of the light hides none. A block that looks different for long and is still is relearned: furniture was moved.
Brightness is in grey levels, 0 to 255; distances are millimetres on the cloth, durations seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.health.print_blocks import (
    COLUMNS,
    ROWS,
    BlockGrid,
    BlockMask,
    BlockPicture,
    Levels,
    PerBlock,
    block_levels,
    block_means,
    block_picture,
    spread,
)

LEAST_DEVIATION = 2.5
"""A block whose levels vary less has no print to compare."""
ALIKE = 0.5
"""Correlation from which a block counts as unchanged."""
SURE_ALIKE = 0.3
"""Blocks with a lower correlation are not used to measure a small shift."""
STILL_ALIKE = 0.9
"""Correlation of a block with itself at the last look from which it is still: noise lowers it a little, a hand more.
Chosen by hand."""
ADOPT_S = 6.0
"""Seconds after which a block that looks different and stays the same is relearned."""
ADOPT_LOOK_S = 0.9
"""Interval in seconds of that check: six consecutive looks must show the same before a block is relearned."""
LEAST_BLOCKS = 8
"""With fewer blocks that have print, nothing is reported about the print."""
EVEN_OUT = 0.003
"""Regularisation: keeps blocks with slopes in one direction only from reporting a shift in the other."""
WASHED_LEVEL = 249.0
"""Mean level from which a block is white. Nearly 255, where pixels saturate: noise and compression leave a white
block just below. Chosen by hand."""
WASHED_DEVIATION = 4.0
"""Largest deviation of such a block: one that is bright and even shows pure white. Chosen by hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintLook:
    """What one picture shows of the print."""

    seen: BlockMask
    """(9, 12) blocks that look unchanged."""
    hidden_share: float
    """Share of the blocks with print that do not; 0 where too few have print."""
    washed_share: float
    """Share of the cloth's blocks that have become pure white."""
    brightest: float
    """The 95th percentile of the cloth's levels."""
    shifts_mm: NDArray[np.float64]
    """(9, 12, 2) approximate shift of each block's print in mm, right and down on the cloth; valid for small shifts
    only. NaN where it is unknown."""

    @property
    def shift_mm(self) -> float:
        """The upper quartile of the blocks' shifts, in mm; 0 where none is known."""
        lengths = np.hypot(self.shifts_mm[..., 0], self.shifts_mm[..., 1])
        known = lengths[np.isfinite(lengths)]
        return _upper(known, 0.75) if known.size else 0.0


@dataclass(slots=True)
class _Remembered:
    """How the blocks looked: normalised by mean and deviation, with the slopes of that."""

    even: Levels
    slopes: tuple[Levels, Levels]
    """To the right and down."""
    mean: PerBlock
    has_print: BlockMask
    slope_means: tuple[PerBlock, PerBlock]
    matches: tuple[PerBlock, PerBlock]
    """Mean of slope times normalised level."""
    solvers: NDArray[np.float64]
    """(9, 12, 2, 2) inverse of the mean products of the slopes."""


class PrintMemory:
    """How the cloth looked, block by block."""

    def __init__(self, grid: BlockGrid) -> None:
        self._grid = grid
        self._kept: _Remembered | None = None
        self._adopt_looked: tuple[float, BlockPicture] | None = None
        self._strange_since_t: NDArray[np.float64] = np.full((ROWS, COLUMNS), np.inf)
        self.small: Image | None = None
        """(H, W) uint8 the small grey reference picture; None before the first."""

    @property
    def has_print(self) -> BlockMask:
        """(9, 12) blocks of the cloth that can be compared."""
        return np.zeros((ROWS, COLUMNS), bool) if self._kept is None else self._kept.has_print

    def look(self, grey: Image) -> PrintLook:
        """Compare a picture with the reference; the first becomes the reference.

        Args:
            grey: (H, W) uint8, the whole view scaled down.
        """
        picture = block_picture(block_levels(grey))
        if self._kept is None:
            self._take_in(grey, picture, self._grid.on_cloth)
        kept, cloth = self._kept, self._grid.on_cloth
        assert kept is not None, "just taken in"
        alike = picture.means_with(kept.even, np.zeros_like(kept.mean))
        seen = kept.has_print & (alike >= ALIKE)
        count = int(kept.has_print.sum())
        washed = (picture.mean >= WASHED_LEVEL) & (picture.deviation < WASHED_DEVIATION) & (kept.mean < WASHED_LEVEL)
        bright = (picture.mean + picture.deviation)[cloth]
        return PrintLook(
            seen=seen,
            hidden_share=1.0 - float(seen.sum()) / count if count >= LEAST_BLOCKS else 0.0,
            washed_share=float((washed & cloth).sum() / max(int(cloth.sum()), 1)),
            brightest=_upper(bright, 0.95) if bright.size else 255.0,
            shifts_mm=self._shifts_mm(kept, picture, kept.has_print & (alike >= SURE_ALIKE)),
        )

    def forget(self) -> None:
        """Take the next picture as the reference instead."""
        self._kept, self.small, self._adopt_looked = None, None, None

    def adopt(self, grey: Image, t: float) -> BlockMask:
        """Relearn the blocks that have looked different for long and are still; return these, (9, 12).

        To be called while the picture seems good; it checks about once a second.
        """
        due: BlockMask = np.zeros((ROWS, COLUMNS), bool)
        if self._kept is None or (self._adopt_looked is not None and t - self._adopt_looked[0] < ADOPT_LOOK_S):
            return due
        picture = block_picture(block_levels(grey))
        alike = picture.means_with(self._kept.even, np.zeros_like(self._kept.mean))
        strange = self._grid.on_cloth & (picture.deviation >= LEAST_DEVIATION)
        strange &= (alike < ALIKE) | ~self._kept.has_print
        if self._adopt_looked is not None:
            last = self._adopt_looked[1]
            strange &= picture.means_with(last.levels, last.mean) / last.deviation >= STILL_ALIKE
        self._adopt_looked = (t, picture)
        self._strange_since_t = np.where(strange, np.minimum(self._strange_since_t, t), np.inf)
        due = t - self._strange_since_t >= ADOPT_S
        if due.any():
            self._take_in(grey, picture, due)
        return due

    def _take_in(self, grey: Image, picture: BlockPicture, due: BlockMask) -> None:
        """Store the `due` blocks as they look now."""
        now = _remembered(picture, self._grid.on_cloth & (picture.deviation >= LEAST_DEVIATION))
        if self._kept is None or self.small is None:
            self._kept, self.small = now, grey.copy()
            return
        fine = spread(due.astype(np.float32)) > 0
        height, width = grey.shape
        wide = cv2.resize(fine.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST) > 0
        self.small = np.where(wide, grey, self.small).astype(np.uint8)
        self._kept = _mixed(self._kept, now, due, fine)

    def _shifts_mm(self, kept: _Remembered, picture: BlockPicture, blocks: BlockMask) -> NDArray[np.float64]:
        """Return the shifts of these blocks, (9, 12, 2) mm; NaN for the others, and for all where there are too few.

        The shift s of each block is fitted by least squares: now(x) = before(x) - slope(x) s.
        """
        if int(blocks.sum()) < LEAST_BLOCKS:
            return np.full((ROWS, COLUMNS, 2), np.nan)
        gone = [kept.matches[i] - picture.means_with(kept.slopes[i], kept.slope_means[i]) for i in (0, 1)]
        shift_px = np.einsum("ijkl,ijl->ijk", kept.solvers, np.stack(gone, axis=-1))
        shift_mm = np.einsum("ijkl,ijl->ijk", self._grid.mm_per_px, shift_px)
        return np.where(blocks[..., None], shift_mm, np.nan)


def _upper(values: NDArray[np.floating], share: float) -> float:
    """Return a quantile without interpolation, faster than `np.quantile`."""
    i = int(share * (len(values) - 1))
    return float(np.partition(values, i)[i])


def _remembered(picture: BlockPicture, has_print: BlockMask) -> _Remembered:
    even = (picture.levels - spread(picture.mean)) / spread(picture.deviation)
    right, down = (
        np.asarray(cv2.Sobel(picture.levels, cv2.CV_32F, dx, dy, ksize=3, scale=0.125), np.float32)
        / spread(picture.deviation)
        for dx, dy in ((1, 0), (0, 1))
    )
    crossed = block_means(right * down)
    squares = np.stack(
        [np.stack([block_means(right * right), crossed], -1), np.stack([crossed, block_means(down * down)], -1)], -2
    )
    return _Remembered(
        even=even,
        slopes=(right, down),
        mean=picture.mean,
        has_print=has_print,
        slope_means=(block_means(right), block_means(down)),
        matches=(block_means(right * even), block_means(down * even)),
        solvers=np.asarray(np.linalg.inv(squares.astype(np.float64) + EVEN_OUT * np.eye(2)), np.float64),
    )


def _mixed(old: _Remembered, new: _Remembered, due: BlockMask, fine: NDArray[np.bool_]) -> _Remembered:
    """Return `new` in the blocks that are due, and `old` in the others."""

    def of(one: Levels, other: Levels) -> Levels:
        return np.asarray(np.where(fine if one.shape == fine.shape else due, other, one), np.float32)

    return _Remembered(
        even=of(old.even, new.even),
        slopes=(of(old.slopes[0], new.slopes[0]), of(old.slopes[1], new.slopes[1])),
        mean=of(old.mean, new.mean),
        has_print=np.where(due, new.has_print, old.has_print),
        slope_means=(of(old.slope_means[0], new.slope_means[0]), of(old.slope_means[1], new.slope_means[1])),
        matches=(of(old.matches[0], new.matches[0]), of(old.matches[1], new.matches[1])),
        solvers=np.where(due[:, :, None, None], new.solvers, old.solvers),
    )
