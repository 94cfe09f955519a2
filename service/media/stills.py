"""Find the frames that show a fault: the one at its time, and calm views before and after a change.

Times are stream time in seconds; pictures are BGR, `image_hw3`. Knows nothing of rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from av.video.frame import VideoFrame
from numpy.typing import NDArray

from thirdcard.service.media.clips import ClipError, ClipSpan, FilmFacts, decode_span
from thirdcard.vision.frames import as_bgr

Image = NDArray[np.uint8]
Crop = Callable[[Image], Image]

CANDIDATE_STEP_S = 0.2
COMPARED_SIZE_WH_PX = (64, 64)
JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A frame and its time."""

    t: float
    image_hw3: Image


def still_at(video: Path, t: float, *, tolerance_s: float = 1.0, film: FilmFacts | None = None) -> Still | None:
    """The last frame at or before `t`, else the first after it; None where the video has none that near.

    Frames of a damaged stretch are not used. `film` says which film of the file is meant, and how to read it.
    """
    near = ClipSpan(from_s=t - tolerance_s, to_s=t + tolerance_s)
    found: tuple[float, VideoFrame] | None = None
    for frame_t, frame in decode_span(video, near, key_by_s=t, film=film):
        if frame_t > t + 1e-6 and found is not None:
            break
        found = frame_t, frame
        if frame_t > t:
            break
    return None if found is None else Still(t=found[0], image_hw3=as_bgr(found[1]))


def sample_span(
    video: Path, span: ClipSpan, crop: Crop, *, step_s: float = CANDIDATE_STEP_S, film: FilmFacts | None = None
) -> list[Image]:
    """What `crop` keeps of a stretch's frames, at most one every `step_s`; whole frames would need too much memory."""
    samples: list[Image] = []
    last_t = -math.inf
    for t, frame in decode_span(video, span, film=film):
        if t - last_t >= step_s - 1e-6:
            last_t = t
            samples.append(crop(as_bgr(frame)).copy())
    return samples


def calmest(pictures: Sequence[Image]) -> Image | None:
    """The picture that differs least from its neighbours: nothing moves there and no hand covers it."""
    views = [_small(picture) for picture in pictures]
    if not pictures or any(view is None for view in views):
        return None
    if len(pictures) < 3:
        return pictures[len(pictures) // 2]
    shown = np.stack([view for view in views if view is not None])
    steps = np.abs(np.diff(shown, axis=0)).mean(axis=(1, 2))
    unrest = np.concatenate(([steps[0] * 2], steps[:-1] + steps[1:], [steps[-1] * 2]))
    return pictures[int(np.argmin(unrest))]


def save_picture(path: Path, image_hw3: Image) -> None:
    """Write a JPEG; raises ClipError where it cannot be encoded or written."""
    done, data = cv2.imencode(".jpg", image_hw3, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ClipError(f"{path}: the picture could not be encoded")
    path.write_bytes(data.tobytes())


def _small(image_hw3: Image) -> NDArray[np.float32] | None:
    if image_hw3.size == 0:
        return None
    gray = cv2.cvtColor(image_hw3, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(gray, COMPARED_SIZE_WH_PX, interpolation=cv2.INTER_AREA), dtype=np.float32)
