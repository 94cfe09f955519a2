"""A decoded frame with its stream time, and the mark that no frames follow for a while.

Colours are converted on demand: most frames are examined only through `luma`, which costs nothing. Scalers are kept,
one per thread and size, since setting one up costs as much as converting a picture.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from av import VideoFrame
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

_kept = threading.local()

TICK_S = 2.0**-20
"""Stream times of frames are multiples of this, about a microsecond."""


def whole_ticks_s(seconds: float) -> float:
    """Return the moment nearest to `seconds` that is a multiple of `TICK_S`.

    Sums and differences of such moments are exact in floats. So the time between two frames is the same, to the last
    bit, whenever the clock began. Otherwise a span of three frames would sometimes be longer than a threshold of 0.3 s
    and sometimes shorter, and two runs over one video would differ.
    """
    return round(seconds / TICK_S) * TICK_S


def as_bgr(decoded: VideoFrame) -> NDArray[np.uint8]:
    """Return a decoded picture in its own size, (H, W, 3) uint8, BGR."""
    whole = _scaler(None).reformat(decoded, format="bgr24", threads=1)
    return np.asarray(whole.to_ndarray(), np.uint8)


def as_small_bgr(decoded: VideoFrame, size_wh_px: tuple[int, int]) -> NDArray[np.uint8]:
    """Return a decoded picture scaled down by averaging, (height, width, 3) uint8, BGR."""
    width, height = size_wh_px
    scaler = _scaler(size_wh_px)
    small = scaler.reformat(decoded, width=width, height=height, format="bgr24", interpolation="AREA", threads=1)
    return np.asarray(small.to_ndarray(), np.uint8)


def _scaler(size_wh_px: tuple[int, int] | None) -> VideoReformatter:
    scalers: dict[tuple[int, int] | None, VideoReformatter] = _kept.__dict__.setdefault("scalers", {})
    return scalers.setdefault(size_wh_px, VideoReformatter())


Image = NDArray[np.uint8]


class SightFault(StrEnum):
    """Why a video shows nothing for a while."""

    DAMAGED = "damaged"
    """The pictures cannot be decoded, or refer to some that cannot."""
    GAP = "gap"
    """There are none."""
    CLOCK = "clock"
    """The time at which they were filmed is unknown."""
    SIZE = "size"
    """They have another size than the calibration."""
    NO_PICTURE = "no_picture"
    """The source delivers none."""


@dataclass(frozen=True, slots=True)
class SightLost:
    """From `t` (stream time in seconds) until the next frame nothing is seen."""

    t: float
    fault: SightFault


_LUMA_FIRST_FORMATS = frozenset(
    {"yuv420p", "yuvj420p", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "nv12", "nv21", "gray"}
)


class Frame:
    """A picture with its number and stream time. The arrays are read-only."""

    __slots__ = ("_decoded", "_image", "_luma", "index", "size_wh_px", "t")

    def __init__(self, index: int, t: float, image_hw3: Image) -> None:
        """Make a frame of a BGR picture.

        Args:
            index: Number of the frame in its video, from 0.
            t: Stream time in seconds since the video's first frame.
            image_hw3: (H, W, 3) uint8, BGR.

        Raises:
            ValueError: If the picture has another shape or type.
        """
        if image_hw3.ndim != 3 or image_hw3.shape[2] != 3 or image_hw3.dtype != np.uint8:
            raise ValueError(f"image_hw3: shape = {image_hw3.shape}, {image_hw3.dtype}; must be (H, W, 3) uint8")
        self.index = index
        self.t = t
        self.size_wh_px = (image_hw3.shape[1], image_hw3.shape[0])
        self._decoded: VideoFrame | None = None
        self._image: Image | None = _read_only(image_hw3)
        self._luma: Image | None = None

    @classmethod
    def from_decoded(cls, index: int, t: float, decoded: VideoFrame) -> Frame:
        """Wrap a decoder's frame without copying or converting it."""
        frame = cls.__new__(cls)
        frame.index = index
        frame.t = t
        frame.size_wh_px = (decoded.width, decoded.height)
        frame._decoded = decoded
        frame._image = None
        frame._luma = None
        return frame

    def at(self, t: float) -> Frame:
        """Return the same picture at another stream time, in seconds."""
        twin = Frame.__new__(Frame)
        twin.index, twin.t, twin.size_wh_px = self.index, t, self.size_wh_px
        twin._decoded, twin._image, twin._luma = self._decoded, self._image, self._luma
        return twin

    @property
    def image(self) -> Image:
        """(H, W, 3) uint8, BGR, read-only; converted at the first use and kept."""
        if self._image is None:
            assert self._decoded is not None
            self._image = _read_only(as_bgr(self._decoded))
        return self._image

    @property
    def luma(self) -> Image:
        """(H, W) uint8 brightness, read-only; a view of the decoder's own plane where its format allows."""
        if self._luma is None:
            self._luma = _read_only(self._make_luma())
        return self._luma

    def small(self, size_wh_px: tuple[int, int]) -> Image:
        """Return the whole picture scaled down, (height, width, 3) uint8, BGR, without converting it in full size."""
        if self._decoded is None:
            assert self._image is not None
            return np.asarray(cv2.resize(self._image, size_wh_px, interpolation=cv2.INTER_AREA), np.uint8)
        return as_small_bgr(self._decoded, size_wh_px)

    def _make_luma(self) -> Image:
        if self._decoded is None:
            assert self._image is not None
            blue, green, red = (self._image[:, :, i].astype(np.uint16) for i in range(3))
            return ((29 * blue + 150 * green + 77 * red) >> 8).astype(np.uint8)
        if self._decoded.format.name in _LUMA_FIRST_FORMATS:
            plane = self._decoded.planes[0]
            rows: Image = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
            return rows[: plane.height, : plane.width]
        return np.asarray(self._decoded.to_ndarray(format="gray"), np.uint8)


def _read_only(image: Image) -> Image:
    view = image.view()
    view.flags.writeable = False
    return view
