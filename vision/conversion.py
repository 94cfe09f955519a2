"""Convert decoded pictures to BGR with scalers that are kept: to set one up costs as much as to convert a picture.

Each thread has its own, one for each size asked for. One thread scales: pictures are small, tables run side by side.
"""

from __future__ import annotations

import threading

import numpy as np
from av import VideoFrame
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

_kept = threading.local()


def as_bgr(decoded: VideoFrame) -> NDArray[np.uint8]:
    """(H, W, 3) uint8, BGR: the picture in its own size."""
    whole = _scaler(None).reformat(decoded, format="bgr24", threads=1)
    return np.asarray(whole.to_ndarray(), np.uint8)


def as_small_bgr(decoded: VideoFrame, size_wh_px: tuple[int, int]) -> NDArray[np.uint8]:
    """(height, width, 3) uint8, BGR: each pixel is the mean of those that it stands for."""
    width, height = size_wh_px
    scaler = _scaler(size_wh_px)
    small = scaler.reformat(decoded, width=width, height=height, format="bgr24", interpolation="AREA", threads=1)
    return np.asarray(small.to_ndarray(), np.uint8)


def _scaler(size_wh_px: tuple[int, int] | None) -> VideoReformatter:
    scalers: dict[tuple[int, int] | None, VideoReformatter] = _kept.__dict__.setdefault("scalers", {})
    return scalers.setdefault(size_wh_px, VideoReformatter())
