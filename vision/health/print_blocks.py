"""Divide a small picture of the whole view into blocks, and locate the blocks that show the cloth.

Knows nothing of what is printed. Block pixels are those of the picture scaled down to `BLOCKS_WH_PX`. Arrays over
blocks are (9, 12), rows from the top.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image

ROWS, COLUMNS = 9, 12
"""Blocks down and across the picture. Larger blocks contain more print; with smaller ones an arm hides less cloth
that it does not cover. Chosen by hand."""
BLOCK_WH_PX = (20, 15)
BLOCKS_WH_PX = (COLUMNS * BLOCK_WH_PX[0], ROWS * BLOCK_WH_PX[1])
INNER_SHARE = 0.02
"""A block whose centre lies nearer to the cloth's edge than this share of the cloth's size does not count as cloth."""

Levels = NDArray[np.float32]
"""(135, 240) grey levels, 0 to 255, or slopes of them."""
PerBlock = NDArray[np.float32]
BlockMask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """Where the blocks of one camera's picture lie."""

    on_cloth: BlockMask
    """(9, 12) blocks whose centre shows the cloth."""
    mm_per_px: NDArray[np.float64]
    """(9, 12, 2, 2): by how many mm (row) the place on the cloth changes per block pixel right or down (column)."""


def block_grid(calibration: Calibration, size_mm: tuple[float, float]) -> BlockGrid:
    """Return the blocks of a calibrated camera over a cloth of this size, in mm."""
    width, height = calibration.image_size_wh_px
    right = np.array([width / BLOCKS_WH_PX[0], 0.0])
    down = np.array([0.0, height / BLOCKS_WH_PX[1]])
    middles = middles_px((width, height)).reshape(-1, 2)
    at, beside, below = (calibration.layout_from_image(middles + offset) for offset in (np.zeros(2), right, down))
    rim = INNER_SHARE * np.asarray(size_mm)
    inside = ((at > rim) & (at < np.asarray(size_mm) - rim)).all(axis=1)
    slope = np.nan_to_num(np.stack([beside - at, below - at], axis=-1))
    return BlockGrid(inside.reshape(ROWS, COLUMNS), slope.reshape(ROWS, COLUMNS, 2, 2))


def middles_px(size_wh_px: tuple[int, int]) -> NDArray[np.float64]:
    """Return the blocks' centres, (9, 12, 2) px, in a picture of this size."""
    x = (np.arange(COLUMNS) + 0.5) * size_wh_px[0] / COLUMNS - 0.5
    y = (np.arange(ROWS) + 0.5) * size_wh_px[1] / ROWS - 0.5
    return np.stack(np.meshgrid(x, y), axis=-1)


def block_levels(grey: Image) -> Levels:
    """Return a grey picture, (H, W) uint8, scaled down to block pixels."""
    return cv2.resize(grey, BLOCKS_WH_PX, interpolation=cv2.INTER_AREA).astype(np.float32)


def block_means(levels: Levels) -> PerBlock:
    """Return the mean of each block, (9, 12)."""
    return np.asarray(cv2.resize(levels, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA), np.float32)


def spread(per_block: PerBlock) -> Levels:
    """Return an array, (135, 240), with every block filled with its value."""
    filled = np.repeat(np.repeat(per_block, BLOCK_WH_PX[1], axis=0), BLOCK_WH_PX[0], axis=1)
    return np.asarray(filled, np.float32)


@dataclass(frozen=True, slots=True)
class BlockPicture:
    """A picture in block pixels, with the mean and the deviation of each block."""

    levels: Levels
    mean: PerBlock
    """(9, 12) grey levels."""
    deviation: PerBlock
    """(9, 12) grey levels, at least 0.001."""

    def means_with(self, pattern: Levels, pattern_mean: PerBlock) -> PerBlock:
        """Return the mean over each block of pattern (levels - mean) / deviation, (9, 12)."""
        products = block_means(np.asarray(cv2.multiply(self.levels, pattern), np.float32))
        return np.asarray((products - self.mean * pattern_mean) / self.deviation, np.float32)


def block_picture(levels: Levels) -> BlockPicture:
    """Compute the means and deviations of a picture in block pixels."""
    mean = block_means(levels)
    squares = block_means(np.asarray(cv2.multiply(levels, levels), np.float32))
    deviation = np.sqrt(np.maximum(squares - mean * mean, 1e-6))
    return BlockPicture(levels, mean, np.asarray(deviation, np.float32))
