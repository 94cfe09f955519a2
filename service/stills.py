"""Find the frames that show a fault: the one at its moment, and calm views before and after a change.

Times are stream time in seconds; pictures are BGR, `image_hw3`. Knows nothing of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from service.clips import ClipError, ClipSpan, decode_span

Image = NDArray[np.uint8]
Crop = Callable[[Image], Image]

CANDIDATE_STEP_S = 0.2
COMPARED_SIZE_WH_PX = (64, 64)
JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A frame and its moment."""

    t: float
    image_hw3: Image


def still_at(video: Path, t: float, *, tolerance_s: float = 1.0) -> Still | None:
    """The last frame at or before `t`, else the first after it; None where the video has none that near."""
    found: Still | None = None
    for frame_t, frame in decode_span(video, ClipSpan(from_s=t - tolerance_s, to_s=t + tolerance_s)):
        if frame_t > t + 1e-6 and found is not None:
            break
        found = Still(t=frame_t, image_hw3=np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8))
        if frame_t > t:
            break
    return found


def sample_span(video: Path, span: ClipSpan, *, step_s: float = CANDIDATE_STEP_S) -> list[Still]:
    """Frames of a stretch, at most one every `step_s`."""
    samples: list[Still] = []
    for t, frame in decode_span(video, span):
        if not samples or t - samples[-1].t >= step_s - 1e-6:
            samples.append(Still(t=t, image_hw3=np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)))
    return samples


def calmest(stills: Iterable[Still], crop: Crop) -> Still | None:
    """The frame whose crop differs least from its neighbours': nothing moves there and no hand is over it."""
    stills = tuple(stills)
    views = [_small(crop(still.image_hw3)) for still in stills]
    if not stills or any(view is None for view in views):
        return None
    if len(stills) < 3:
        return stills[len(stills) // 2]
    shown = np.stack([view for view in views if view is not None])
    steps = np.abs(np.diff(shown, axis=0)).mean(axis=(1, 2))
    unrest = np.concatenate(([steps[0] * 2], steps[:-1] + steps[1:], [steps[-1] * 2]))
    return stills[int(np.argmin(unrest))]


def save_picture(path: Path, image_hw3: Image) -> None:
    """Write a JPEG; raises ClipError where the folder does not take it."""
    done, data = cv2.imencode(".jpg", image_hw3, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ClipError(f"{path}: the picture could not be encoded")
    path.write_bytes(data.tobytes())


def _small(image_hw3: Image) -> NDArray[np.float32] | None:
    if image_hw3.size == 0:
        return None
    gray = cv2.cvtColor(image_hw3, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(gray, COMPARED_SIZE_WH_PX, interpolation=cv2.INTER_AREA), dtype=np.float32)
