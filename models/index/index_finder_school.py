"""Lessons for the index finder: drawn scenes with the map that the network is to tell.

A target is (9, H / 4, W / 4) float32: the heat (1 at the middle of an index that shows), how much the heat counts (0
round an index of which nobody could say whether it shows), how much the rest counts, then the network's other six
channels as `thirdcard.vision.inference.index_finder` lists them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thirdcard.models.index.index_scenes import IndexScene
from thirdcard.vision.inference.index_finder import CELL_PX, HEIGHTS_PX, UNIT_PX

CLEAR, HIDDEN = 0.72, 0.35
"""What shows more than the one is to be found, what shows less than the other is not."""
MOST_BLUR = 0.085
"""Blur over an index's height above which it need not be found."""
LEAST_WIDTH = 0.16
"""Width over height of an index that is seen too far aslant below it."""
TARGETS = 9

Target = npt.NDArray[np.float32]


def target(scene: IndexScene) -> Target:
    """(9, H / 4, W / 4) what the network is to say about a scene."""
    side = scene.picture.shape[0] // CELL_PX
    made = np.zeros((TARGETS, side, side), np.float32)
    made[1] = 1.0
    rows, columns = np.mgrid[:side, :side].astype(np.float32) + 0.5
    verdicts = judge(scene)
    for i in np.argsort(verdicts):  # what need not be found first, what is to be found over it
        x, y = (scene.centres_px[i] + 0.5) / CELL_PX
        height = scene.sizes_px[i, 1] / CELL_PX
        away = np.hypot(columns - x, rows - y)
        if verdicts[i] == 0:
            made[1][away < 0.5 * height] = 0.0
        elif verdicts[i] == 1:
            _mark(made, scene, i, (x - columns, y - rows), height)
    return made


def judge(scene: IndexScene) -> npt.NDArray[np.int64]:
    """(N,) for each index 1: to be found, 0: need not be, -1: not to be found."""
    width, height = scene.sizes_px.T
    fits = (height >= HEIGHTS_PX[0]) & (height <= HEIGHTS_PX[1]) & (width > LEAST_WIDTH * height)
    sharp = scene.blur_px < MOST_BLUR * height
    hidden = (scene.shown < HIDDEN) | (height < 0.6 * HEIGHTS_PX[0]) | (height > 1.7 * HEIGHTS_PX[1])
    found = fits & sharp & (scene.shown >= CLEAR)
    return np.where(found, 1, np.where(hidden, -1, 0))


def half_turned(pictures: npt.NDArray[np.uint8], targets: Target) -> tuple[npt.NDArray[np.uint8], Target]:
    """A batch turned by half a turn: pictures (N, H, W, 3) and targets (N, 9, h, w)."""
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
