"""Store where a live table's camera is, so that a restarted table notices if it was moved meanwhile.

Stored are a picture that its calibration belongs to, and the refit since it was moved, with pictures for people.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

import cv2
import numpy as np
from sqlalchemy.exc import SQLAlchemyError

from thirdcard.calibration.camera import Calibration
from thirdcard.service.config.place_folder import PICTURES, CameraFitFacts, PlaceFolder
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.camera import Shot
from thirdcard.service.media.overlay import draw_overlay
from thirdcard.service.media.stills import save_picture
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.setup.print_check import print_warning
from thirdcard.service.setup.print_words import swapped_print
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.watch.film_sight import refit_text
from thirdcard.service.watch.pipeline import TableWatch
from thirdcard.vision.frames import Image
from thirdcard.vision.observations import CameraRefitted

logger = logging.getLogger(__name__)

SETTLED_S = 5.0
"""Seconds after which a stream's picture is stable: decoders begin with grey or partial pictures for a second
or two."""


def placed(table: TableConfig, folder: PlaceFolder) -> tuple[TableConfig, Image | None]:
    """The table with its camera's latest calibration, and a picture, (H, W) uint8 grey, that it belongs to.

    None where none is stored: then the first picture of the watch takes its place.
    """
    calibration = folder.held(table)
    if calibration is None:
        return table, None
    moved = replace(table.cameras[0], calibration=calibration)
    reference = np.array(cv2.imread(str(folder.reference), cv2.IMREAD_GRAYSCALE))  # empty where the file is damaged
    is_whole = reference.shape[::-1] == tuple(calibration.image_size_wh_px)
    return replace(table, cameras=(moved, *table.cameras[1:])), reference.astype(np.uint8) if is_whole else None


@dataclass(slots=True)
class PlaceKeeper:
    """Stores where one table's camera is."""

    folder: PlaceFolder
    table: TableConfig
    """With the calibration at the start of the watch."""
    database: Database
    now: Callable[[], datetime]
    has_reference: bool
    hint: str | None = None
    """A warning for people about the camera."""
    _told: int = 0
    """The number of stored refits."""
    _first_t: float | None = None
    _is_compared: bool = False
    """Whether the print was compared with the layout."""

    def note(self, shot: Shot, watch: TableWatch) -> None:
        """Take a picture that was examined; a failing disk or database affects nothing else."""
        try:
            if len(watch.refits) > self._told:
                self._told = len(watch.refits)
                self._keep(watch.refits[-1], shot)
            elif not (self.has_reference and self._is_compared) and self._is_settled(shot, watch):
                self._compare(shot, watch)
                if not self.has_reference:
                    self._hold(shot.frame.luma, watch.camera.now)
        except OSError as error:
            logger.error("table %s: how its camera hangs cannot be kept: %s", self.table.id, error)

    def _compare(self, shot: Shot, watch: TableWatch) -> None:
        """Compare once whether the print lies where the layout says, and reads as it says."""
        if not self._is_compared:
            self._is_compared = True
            self.hint = self.hint or print_warning(shot.frame.image, watch.camera.now, self.table.layout)
            for swap in swapped_print(shot.frame.image, watch.camera.now, self.table.layout):
                watch.belief.doubt(swap.name)

    def _is_settled(self, shot: Shot, watch: TableWatch) -> bool:
        if self._first_t is None:
            self._first_t = shot.frame.t
        return shot.frame.t - self._first_t >= SETTLED_S and watch.is_idle and watch.observer.is_picture_good

    def _hold(self, luma: Image, calibration: Calibration) -> None:
        self.has_reference = True
        _, data = cv2.imencode(".png", luma)
        self.folder.hold(self.table, calibration, data.tobytes())

    def _keep(self, refitted: CameraRefitted, shot: Shot) -> None:
        """Store a refit, with what people need to judge it."""
        self.hint = refit_text(refitted)
        facts = CameraFitFacts(
            at=format_moment(shot.at),
            text=self.hint,
            moved_mm=round(refitted.moved_mm, 1),
            within_mm=round(refitted.within_mm, 2),
            is_used=refitted.is_used,
        )
        if refitted.is_used:
            self._hold(shot.frame.luma, refitted.calibration)
        self.folder.offer(self.table, refitted.calibration, facts)
        both = (self.table.cameras[0].calibration, refitted.calibration)
        for which, calibration in zip(PICTURES, both, strict=True):
            save_picture(self.folder.picture(which), draw_overlay(shot.frame.image, calibration, self.table.layout, ()))
        self._note(facts)

    def _note(self, facts: CameraFitFacts) -> None:
        told = {"moved_mm": facts.moved_mm, "within_mm": facts.within_mm, "is_used": facts.is_used}
        try:
            with self.database.writing() as session:
                audit.note(session, "system", "camera.refitted", f"table:{self.table.id}", at=self.now(), **told)
        except SQLAlchemyError as error:
            logger.error("table %s: the audit does not take that its camera was refitted: %s", self.table.id, error)
