"""Write frames as a surveillance recorder does: H.264, no B frames, a key frame every second or two."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Protocol

import av
import numpy as np
from numpy.typing import NDArray

from thirdcard.datasets.script.errors import RecordingWriteError


class Encoding(Protocol):
    """The settings of a recorder."""

    @property
    def fps(self) -> int | Fraction:
        """Frames per second."""

    @property
    def mbit_s(self) -> float:
        """Megabits per second."""

    @property
    def key_frame_s(self) -> float:
        """Time between two key frames, in seconds."""


def write_video(
    path: Path, video: Encoding, frames_hw3: Iterable[NDArray[np.uint8]], size_wh_px: tuple[int, int]
) -> int:
    """Encode frames in order; return how many there were.

    Args:
        path: The video file.
        video: The settings.
        frames_hw3: (H, W, 3) uint8 BGR each.
        size_wh_px: Width and height of the frames.

    Raises:
        RecordingWriteError: The file cannot be written.
    """
    rate = int(video.mbit_s * 1e6)
    options = {
        "preset": "veryfast",
        "bf": "0",
        "g": str(max(1, round(video.key_frame_s * video.fps))),
        "maxrate": str(int(1.5 * rate)),
        "bufsize": str(2 * rate),
        "threads": "1",
    }
    count = 0
    try:
        with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=video.fps, options=options)
            stream.width, stream.height = size_wh_px
            stream.pix_fmt = "yuv420p"
            stream.bit_rate = rate
            stream.time_base = Fraction(1, video.fps)
            for image in frames_hw3:
                frame = av.VideoFrame.from_ndarray(image, format="bgr24")
                frame.pts = count
                frame.time_base = Fraction(1, video.fps)
                container.mux(stream.encode(frame))
                count += 1
            container.mux(stream.encode(None))
    except (av.FFmpegError, OSError) as error:
        raise RecordingWriteError(f"{path.name}: {error}; must be a file that can be written") from error
    return count
