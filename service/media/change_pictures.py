"""Keep a small picture of every wager that changed: its area before and after, side by side.

A view of each area is kept while nothing covers it. Knows nothing of what changed. Seconds of stream time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import Layout
from thirdcard.service.media.overlay import area_box, area_outline
from thirdcard.service.media.stills import Image
from thirdcard.vision.frames import Frame

CHANGES_FOLDER = "changes"
MOST_FILES = 4000
"""The most files, about 40 MB; the oldest are deleted."""
MOST_READY = 100
"""The most pictures that wait to be taken; older ones are dropped."""
LOOK_S = 0.8
"""Seconds between two kept views; so the one before the last is older than the hand that comes."""
MARGIN_MM = 25.0
HIGHEST_PX = 180
QUALITY = 75
GAP_PX = 4


@dataclass(slots=True)
class ChangePictures:
    """The last views of all wagering areas of a table."""

    layout: Layout
    camera: CameraHistory
    are_kept: bool = True
    """Whether pictures are made at all."""
    _looks: dict[str, deque[Image]] = field(default_factory=dict)
    _looked_t: float = -LOOK_S
    _ready: dict[str, bytes] = field(default_factory=dict)
    _boxes: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    """By area: left, top, right and bottom of its views, in pixels."""
    _calibration: Calibration | None = None
    """The calibration that they were computed with."""

    def look(self, frame: Frame, calm: Collection[str]) -> None:
        """Keep a view of each calm area, now and then."""
        if not self.are_kept or frame.t - self._looked_t < LOOK_S:
            return
        self._looked_t = frame.t
        for area_id in calm:
            self._looks.setdefault(area_id, deque(maxlen=2)).append(self._crop(frame, area_id))

    def change(self, frame: Frame, area_id: str) -> str | None:
        """Make the picture of a changed and visible area; returns its name, or None where it cannot be made."""
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
        """Take a picture that was made, once; None where it was dropped."""
        return self._ready.pop(name, None)

    def _crop(self, frame: Frame, area_id: str) -> Image:
        calibration = self.camera.at(frame.t)
        if calibration is not self._calibration:
            self._calibration, self._boxes = calibration, {}
        if area_id not in self._boxes:
            polygon = area_outline(self.layout.area(area_id)).polygon_mm
            self._boxes[area_id] = area_box(frame.image.shape[:2], calibration, polygon, margin_mm=MARGIN_MM)
        x0, y0, x1, y1 = self._boxes[area_id]
        return np.ascontiguousarray(frame.image[y0:y1, x0:x1])


def side_by_side(before: Image, after: Image) -> Image:
    """Two pictures of equal size side by side, scaled down if higher than HIGHEST_PX."""
    both = np.hstack([before, np.full((before.shape[0], GAP_PX, 3), 255, np.uint8), after])
    scale = HIGHEST_PX / both.shape[0]
    if scale >= 1.0:
        return both
    size = (max(round(both.shape[1] * scale), 1), HIGHEST_PX)
    return np.asarray(cv2.resize(both, size, interpolation=cv2.INTER_AREA), np.uint8)


def write_picture(folder: Path, name: str, picture: bytes) -> None:
    """Write a picture, and delete the oldest where there are too many."""
    target = folder / name
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(picture)
    files = sorted(target.parent.glob("*.jpg"))
    for old in files[: max(len(files) - MOST_FILES, 0)]:
        old.unlink()
