"""Measure by how many millimetres the calibration misses the cloth, from how the print moved in the picture.

Compares the small picture with one from when the calibration was valid, block by block, by phase correlation, and fits
one affine map to the shifts of most blocks; where blocks find no match, it uses corners. Slow: to be called only when a
quick check finds movement.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.health.print_blocks import BlockMask, middles_px

PATCH_PX = 64
"""Side of a compared patch, in pixels of the small picture."""
LEAST_RESPONSE = 0.12
"""A correlation peak with a smaller share of the energy is ignored."""
LEAST_BLOCKS = 8
"""Least number of blocks, of 108, that must match and agree: three determine an affine map, more must confirm it.
Chosen by hand."""
AGREE_PX = 0.6
"""Blocks within this many small pixels of the map agree with it."""
LEAST_AGREEING = 0.5
"""Share of the matched blocks that must agree with the map: a majority, so that no second map is as likely."""
LEAST_SURE = 0.25
"""Share of the blocks with print that must match; with fewer, corners are used. Chosen by hand."""
LEAST_SPAN = 0.3
"""Agreeing places must span at least this share of the picture's width and height: the rest is extrapolated."""
WHOLE_RESPONSE = 0.06
"""LEAST_RESPONSE for the whole picture, half as strict: its shift only says where each block is looked for, and from
a wrong place blocks find no match. Chosen by hand."""
FEATURES = 600
"""Number of corners looked for in the small picture. More take longer, fewer leave too few pairs. Chosen by hand."""
LEAST_FEATURES = 24
"""Pairs of corners that must agree: two determine the map, more must confirm it. Chosen by hand."""
FEATURE_AGREE_PX = 1.5
"""Corners within this many small pixels of the map agree with it. Looser than AGREE_PX: corners are located to about
a pixel, shifts of blocks to a fraction of one."""

Affine = NDArray[np.float64]
"""(2, 3): map from where a thing was in the small picture to where it is."""


class CameraFit:
    """The calibration of one camera, and points of the cloth at which it is checked."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        x, y = (np.linspace(0.1, 0.9, 5) * side for side in size_mm)
        self._points_mm = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        self._points_px = calibration.image_from_layout(self._points_mm)
        self._calibration = calibration

    def offset_mm(self, then: Image, now: Image, blocks: BlockMask) -> float | None:
        """Return by how many mm the calibration misses the cloth at most; None where that is unknown.

        Args:
            then: (H, W) uint8, the small grey picture from when the calibration was valid.
            now: One of the same size.
            blocks: (9, 12) blocks that have print.
        """
        affine = picture_map(then, now, blocks)
        return None if affine is None else self._missed_mm(affine, (then.shape[1], then.shape[0]))

    def _missed_mm(self, affine: Affine, size_wh_px: tuple[int, int]) -> float:
        """Return the largest distance in mm between points of the cloth and where the calibration places them."""
        scale = np.asarray(self._calibration.image_size_wh_px) / np.asarray(size_wh_px)
        inside = np.isfinite(self._points_px).all(axis=1)
        small = (self._points_px[inside] + 0.5) / scale - 0.5
        moved = small @ affine[:, :2].T + affine[:, 2]
        seen_at_mm = self._calibration.layout_from_image((moved + 0.5) * scale - 0.5)
        return float(np.nan_to_num(np.linalg.norm(seen_at_mm - self._points_mm[inside], axis=1), nan=1e4).max())


def picture_map(then: Image, now: Image, blocks: BlockMask) -> Affine | None:
    """Return the map from where the print was in a small grey picture to where it is now; None where it is unknown.

    Args:
        then: (H, W) uint8.
        now: One of the same size.
        blocks: (9, 12) blocks that have print.
    """
    size = (then.shape[1], then.shape[0])
    affine = _map_by_blocks(then.astype(np.float32), now.astype(np.float32), middles_px(size)[blocks])
    return _map_by_features(then, now) if affine is None else affine


def _map_by_blocks(then: NDArray[np.float32], now: NDArray[np.float32], places: NDArray[np.float64]) -> Affine | None:
    """Return the map that most blocks agree on; None where too few match or agree."""
    shifts, responses = _shifts_px(then, now, places, _whole_shift_px(then, now))
    sure = responses >= LEAST_RESPONSE
    if int(sure.sum()) < max(LEAST_BLOCKS, LEAST_SURE * len(places)):
        return None
    found, agree = cv2.estimateAffine2D(
        places[sure], places[sure] + shifts[sure], method=cv2.RANSAC, ransacReprojThreshold=AGREE_PX
    )
    if found is None or int(agree.sum()) < max(LEAST_BLOCKS, LEAST_AGREEING * int(sure.sum())):
        return None
    return np.asarray(found, np.float64) if _spans(places[sure][agree.ravel() > 0], then) else None


def _map_by_features(then: Image, now: Image) -> Affine | None:
    """Return the map of a camera that was turned or zoomed far, from matching corners; None where too few agree."""
    finder = cv2.ORB.create(FEATURES, edgeThreshold=12, patchSize=24)
    (first, before), (second, after) = (finder.detectAndCompute(image, None) for image in (then, now))
    if not first or not second:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(before, after)
    if len(pairs) < LEAST_FEATURES:
        return None
    places = np.array([first[pair.queryIdx].pt for pair in pairs])
    found_at = np.array([second[pair.trainIdx].pt for pair in pairs])
    found, agree = cv2.estimateAffinePartial2D(
        places, found_at, method=cv2.RANSAC, ransacReprojThreshold=FEATURE_AGREE_PX
    )
    if found is None or int(agree.sum()) < LEAST_FEATURES:
        return None
    return np.asarray(found, np.float64) if _spans(places[agree.ravel() > 0], then) else None


def _spans(places: NDArray[np.float64], picture: NDArray[np.generic]) -> bool:
    """Whether places span enough of a picture to show how the whole of it moved."""
    height, width = picture.shape[:2]
    return bool((np.ptp(places, axis=0) >= LEAST_SPAN * np.array([width, height])).all())


def _whole_shift_px(then: NDArray[np.float32], now: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return how far the whole picture moved, (2,) px; zero where that is not clear."""
    window = cv2.createHanningWindow((then.shape[1], then.shape[0]), cv2.CV_32F)
    shift, response = cv2.phaseCorrelate(_edged(then), _edged(now), window)
    return np.asarray(shift, np.float64) if response >= WHOLE_RESPONSE else np.zeros(2)


def _shifts_px(
    then: NDArray[np.float32], now: NDArray[np.float32], places: NDArray[np.float64], whole: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far the picture moved at each place, (N, 2) px, and how clear that is, (N,)."""
    side = (PATCH_PX, PATCH_PX)
    window = cv2.createHanningWindow(side, cv2.CV_32F)
    shifts, responses = np.zeros((len(places), 2)), np.zeros(len(places))
    step = np.round(whole)
    for i, place in enumerate(places):
        before = cv2.getRectSubPix(then, side, place.tolist())
        after = cv2.getRectSubPix(now, side, (place + step).tolist())
        shift, responses[i] = cv2.phaseCorrelate(before, after, window)
        shifts[i] = np.asarray(shift) + step
    return shifts, responses


def _edged(levels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the picture without its slow changes of brightness."""
    return levels - cv2.blur(levels, (15, 15))
