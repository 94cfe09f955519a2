"""Write the newest picture of a table, with the readings drawn into it.

A picture is replaced atomically: readers see the old one or the new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.camera import Shot
from thirdcard.service.live.camera_place import PlaceKeeper
from thirdcard.service.live.wall_camera import WallCamera
from thirdcard.service.media.overlay import Image, card_outlines, draw_overlay
from thirdcard.service.media.overlay_memory import hand_outlines
from thirdcard.service.watch.pipeline import TableWatch

EVERY = timedelta(seconds=0.2)
WIDTH_PX = 960
JPEG_QUALITY = 75
SAME_SHAPE = 0.02
"""A smaller stream whose aspect ratio differs by more shows another view: nothing is drawn into it."""


@dataclass(slots=True)
class PictureWriter:
    """Writes one table's pictures to `path`."""

    path: Path
    table: TableConfig
    wall: WallCamera | None = None
    """The camera's smaller stream; None: pictures are those of the watched one."""
    place: PlaceKeeper | None = None
    """Stores where the camera is; None where nothing does."""
    disk_fault: str | None = None
    """Why the newest picture could not be written; the previous one stays."""
    _last_at: datetime | None = field(default=None)
    _calibration: Calibration = field(init=False)

    def __post_init__(self) -> None:
        self._calibration = self.table.cameras[0].calibration

    def look(self) -> None:
        """Note that somebody views the pictures."""
        if self.wall is not None:
            self.wall.look()

    def close(self) -> None:
        """Close the smaller stream."""
        if self.wall is not None:
            self.wall.stop()

    def offer(self, shot: Shot, watch: TableWatch | None) -> None:
        """Write the picture with the watch's readings, unless the last one is recent."""
        if self.place is not None and watch is not None:
            self.place.note(shot, watch)
        if self._last_at is not None and shot.at - self._last_at < EVERY:
            return
        self._last_at = shot.at
        if watch is not None:
            self._calibration = watch.camera.now
        calibration = self._calibration
        hands = () if watch is None else hand_outlines(self.table.layout, watch.state)
        outlines = () if watch is None else (*card_outlines(watch.cards), *hands)
        smaller = None if self.wall is None else self.wall.picture()
        image = shot.frame.image if smaller is None else _enlarged(smaller.image, calibration.image_size_wh_px)
        is_same_view = image.shape[1::-1] == tuple(calibration.image_size_wh_px)
        drawn = draw_overlay(image, calibration, self.table.layout, outlines) if is_same_view else image
        height = round(drawn.shape[0] * WIDTH_PX / drawn.shape[1])
        small = cv2.resize(drawn, (WIDTH_PX, height), interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", np.asarray(small, np.uint8), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if done:
            self._put(data.tobytes())

    def _put(self, jpeg: bytes) -> None:
        fresh = self.path.with_suffix(".new")
        try:
            fresh.write_bytes(jpeg)
            fresh.replace(self.path)
            self.disk_fault = None
        except OSError as error:
            self.disk_fault = error.strerror or str(error)


def _enlarged(image_hw3: Image, size_wh_px: tuple[int, int]) -> Image:
    """A picture of the smaller stream, enlarged to the calibrated size; unchanged where its shape differs."""
    (width, height), wanted = image_hw3.shape[1::-1], size_wh_px[0] / size_wh_px[1]
    if abs(width / height / wanted - 1.0) > SAME_SHAPE:
        return image_hw3
    return np.asarray(cv2.resize(image_hw3, size_wh_px, interpolation=cv2.INTER_LINEAR), np.uint8)
