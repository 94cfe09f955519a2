"""Small films whose frames can be distinguished: each shows its number as a bright column over noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Frame

RATE_HZ, GROUP, SIZE_WH_PX = 10, 10, (192, 64)


def write(
    path: Path,
    ticks: Iterable[int] = range(60),
    *,
    form: str | None = None,
    size_wh_px: tuple[int, int] = SIZE_WH_PX,
    b_frames: int = 0,
    prepare: Callable[[av.VideoStream], None] | None = None,
) -> Path:
    """Write a film whose frames are shown at the given tenths of a second, with a key frame each second."""
    rng = np.random.default_rng(0)
    options = {"g": str(GROUP), "bf": str(b_frames), "sc_threshold": "0", "crf": "20", "preset": "veryfast"}
    with av.open(str(path), "w", format=form) as container:
        stream = container.add_stream("libx264", rate=RATE_HZ, options=options)
        stream.width, stream.height, stream.pix_fmt = *size_wh_px, "yuv420p"
        stream.codec_context.time_base = Fraction(1, RATE_HZ)
        if prepare is not None:
            prepare(stream)
        for number, tick in enumerate(ticks):
            frame = av.VideoFrame.from_ndarray(picture(number, rng, size_wh_px), format="bgr24")
            frame.pts = tick
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def picture(number: int, rng: np.random.Generator, size_wh_px: tuple[int, int] = SIZE_WH_PX) -> NDArray[np.uint8]:
    """(H, W, 3) uint8: a column of 3 pixels of 192 for each number."""
    width, height = size_wh_px
    image = rng.integers(0, 60, (height, width, 3), dtype=np.uint8)
    left, right = number * 3 * width // SIZE_WH_PX[0], (number + 1) * 3 * width // SIZE_WH_PX[0]
    image[:, left:right] = 230
    return image


def number_of(frame: Frame) -> int:
    """The number shown in a frame."""
    columns = frame.luma.astype(float).mean(axis=0)
    bright = np.flatnonzero(columns > 130)
    middle = (bright.mean() + 0.5) * SIZE_WH_PX[0] / frame.size_wh_px[0]
    return round((float(middle) - 1.5) / 3)
