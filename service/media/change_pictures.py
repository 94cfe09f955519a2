"""Keep a small picture of every wager that changed: its area before and after, side by side.

A look at each area is kept while nothing lies over it. Knows nothing of what changed. Seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import Layout
from thirdcard.service.media.overlay import area_outline, crop_area
from thirdcard.service.media.stills import Image
from thirdcard.vision.frames import Frame

CHANGES_FOLDER = "changes"
MOST_FILES = 4000
"""The oldest go when there are more: about 40 MB."""
MOST_READY = 100
"""So many pictures wait to be taken; older ones are given up."""
LOOK_S = 0.8
"""Between two looks that are kept; the one before the last is surely older than the hand that comes."""
MARGIN_MM = 25.0
HIGHEST_PX = 180
QUALITY = 75
GAP_PX = 4


@dataclass(slots=True)
class ChangePictures:
    """The last looks at all areas for wagers of a table."""

    layout: Layout
    camera: CameraHistory
    are_kept: bool = True
    """Whether anybody keeps them; else none are made."""
    _looks: dict[str, deque[Image]] = field(default_factory=dict)
    _looked_t: float = -LOOK_S
    _ready: dict[str, bytes] = field(default_factory=dict)

    def look(self, frame: Frame, calm: Collection[str]) -> None:
        """Keep a look at each of the areas that are calm, now and then."""
        if not self.are_kept or frame.t - self._looked_t < LOOK_S:
            return
        self._looked_t = frame.t
        for area_id in calm:
            self._looks.setdefault(area_id, deque(maxlen=2)).append(self._crop(frame, area_id))

    def change(self, frame: Frame, area_id: str) -> str | None:
        """Make the picture of an area that changed and is in plain sight; gives its name, None where none can be."""
        if not self.are_kept:
            return None
        looks = self._looks.pop(area_id, None)
        now = self._crop(frame, area_id)
        if not looks or not now.size or looks[0].shape != now.shape:
            return None
        done, data = cv2.imencode(".jpg", side_by_side(looks[0], now), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        name = f"{CHANGES_FOLDER}/{frame.t:09.2f}-{area_id}.jpg"
        if not done:
            return None
        self._ready[name] = data.tobytes()
        while len(self._ready) > MOST_READY:
            del self._ready[next(iter(self._ready))]
        return name

    def take(self, name: str) -> bytes | None:
        """A picture that was made, once; None where it was given up."""
        return self._ready.pop(name, None)

    def _crop(self, frame: Frame, area_id: str) -> Image:
        polygon = area_outline(self.layout.area(area_id)).polygon_mm
        return crop_area(frame.image, self.camera.at(frame.t), polygon, margin_mm=MARGIN_MM)


def side_by_side(before: Image, after: Image) -> Image:
    """Two pictures of one size beside each other, made smaller where they are higher than HIGHEST_PX."""
    both = np.hstack([before, np.full((before.shape[0], GAP_PX, 3), 255, np.uint8), after])
    scale = HIGHEST_PX / both.shape[0]
    if scale >= 1.0:
        return both
    size = (max(round(both.shape[1] * scale), 1), HIGHEST_PX)
    return np.asarray(cv2.resize(both, size, interpolation=cv2.INTER_AREA), np.uint8)


def write_picture(folder: Path, name: str, picture: bytes) -> None:
    """Write a picture and take the oldest away where there are too many."""
    target = folder / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(picture)
    files = sorted(target.parent.glob("*.jpg"))
    for old in files[: max(len(files) - MOST_FILES, 0)]:
        old.unlink()
