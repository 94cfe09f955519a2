"""Training samples for the index finder: drawn scenes with the map that the network should output.

A target is (9, H / 4, W / 4) float32: the heat (1 at the middle of a visible index), the weight of the heat (0 round an
index that may or may not count as visible), the weight of the other channels, then the network's other six channels as
listed in `thirdcard.vision.inference.index_finder`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thirdcard.models.index.index_scenes import IndexScene
from thirdcard.vision.inference.index_finder import CELL_PX, HEIGHTS_PX, UNIT_PX

CLEAR, HIDDEN = 0.72, 0.35
"""An index with a visible share above the first must be detected, one below the second must not."""
MOST_BLUR = 0.085
"""Blur as a share of the index's height above which it need not be detected."""
LEAST_WIDTH = 0.16
"""Width over height below which an index is seen from too far aslant."""
TARGETS = 9

Target = npt.NDArray[np.float32]


def target(scene: IndexScene) -> Target:
    """Return the target map of a scene, (9, H / 4, W / 4)."""
    side = scene.picture.shape[0] // CELL_PX
    made = np.zeros((TARGETS, side, side), np.float32)
    made[1] = 1.0
    rows, columns = np.mgrid[:side, :side].astype(np.float32) + 0.5
    verdicts = judge(scene)
    for i in np.argsort(verdicts):  # optional ones first, so that required ones overwrite them
        x, y = (scene.centres_px[i] + 0.5) / CELL_PX
        height = scene.sizes_px[i, 1] / CELL_PX
        away = np.hypot(columns - x, rows - y)
        if verdicts[i] == 0:
            made[1][away < 0.5 * height] = 0.0
        elif verdicts[i] == 1:
            _mark(made, scene, i, (x - columns, y - rows), height)
    return made


def judge(scene: IndexScene) -> npt.NDArray[np.int64]:
    """Return for each index 1 if it must be detected, 0 if it may be, -1 if it must not be: (N,)."""
    width, height = scene.sizes_px.T
    fits = (height >= HEIGHTS_PX[0]) & (height <= HEIGHTS_PX[1]) & (width > LEAST_WIDTH * height)
    sharp = scene.blur_px < MOST_BLUR * height
    hidden = (scene.shown < HIDDEN) | (height < 0.6 * HEIGHTS_PX[0]) | (height > 1.7 * HEIGHTS_PX[1])
    found = fits & sharp & (scene.shown >= CLEAR)
    return np.where(found, 1, np.where(hidden, -1, 0))


def half_turned(pictures: npt.NDArray[np.uint8], targets: Target) -> tuple[npt.NDArray[np.uint8], Target]:
    """Rotate a batch by 180 degrees: pictures (N, H, W, 3) and targets (N, 9, h, w)."""
    turned = targets[:, :, ::-1, ::-1].copy()
    turned[:, [3, 4, 7, 8]] *= -1
    return np.ascontiguousarray(pictures[:, ::-1, ::-1]), turned


def _mark(
    made: Target,
    scene: IndexScene,
    i: np.int64,
    offset: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]],
    height: float,
) -> None:
    sigma = 0.4 + 0.11 * height
    off = np.hypot(*offset)
    heat = np.exp(-0.5 * (off / sigma) ** 2)
    near = (heat > made[2]) & (heat > 0.3)
    heat[np.unravel_index(int(off.argmin()), off.shape)] = 1.0
    made[0] = np.maximum(made[0], heat)
    made[1][off < 0.5 * height] = 1.0
    told = (*offset, *np.log(scene.sizes_px[i] / UNIT_PX), *scene.ups[i])
    made[2][near] = heat[near]
    for channel, value in enumerate(told, start=3):
        made[channel][near] = value[near] if isinstance(value, np.ndarray) else value
