"""Compress pictures as a recorder does: H.264 as surveillance recorders encode it, JPEG, or nothing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import av
import cv2
import numpy as np

from thirdcard.vision.frames import Image

KEY_FRAMES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """One recorder's compression."""

    crf: int | None = None
    """Constant rate factor of H.264: 18 is hardly visible, 38 is very coarse."""
    jpeg: int | None = None
    """JPEG quality for single pictures; used only if `crf` is None."""

    def recorded(self, images: Sequence[Image]) -> list[Image]:
        """Return consecutive pictures as a recording shows them."""
        if self.crf is not None:
            return _h264(images, self.crf)
        return [_jpeg(image, self.jpeg) for image in images] if self.jpeg is not None else list(images)


def random_recorder(rng: np.random.Generator) -> Recorder:
    """Draw a recorder: most encode H.264, lightly or heavily."""
    kind = rng.random()
    if kind < 0.7:
        return Recorder(crf=int(rng.integers(19, 37)))
    return Recorder(jpeg=int(rng.integers(40, 94))) if kind < 0.88 else Recorder()


def _jpeg(image: Image, quality: int) -> Image:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8) if done else image


def _h264(images: Sequence[Image], crf: int) -> list[Image]:
    """Encode pictures without B frames and decode them; returns as many as came."""
    options = {"preset": "veryfast", "bf": "0", "g": str(KEY_FRAMES), "crf": str(crf), "threads": "1"}
    file = io.BytesIO()
    with av.open(file, "w", format="matroska") as container:
        stream = container.add_stream("libx264", rate=10, options=options)
        stream.width, stream.height = images[0].shape[1], images[0].shape[0]
        stream.pix_fmt = "yuv420p"
        for k, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image, format="bgr24")
            frame.pts = k
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    file.seek(0)
    with av.open(file, "r") as source:
        found = [np.asarray(frame.to_ndarray(format="bgr24"), np.uint8) for frame in source.decode(video=0)]
    assert len(found) == len(images), "a recorder drops no frame of its own"
    return found
