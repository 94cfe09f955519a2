"""Know how a camera hangs: notice that it was moved, and fit it anew as soon as it hangs still.

Seconds of stream time, layout millimetres.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.health.calibration_drift import CameraFit
from thirdcard.vision.health.print_blocks import BlockMask
from thirdcard.vision.health.print_refit import Refit, refit
from thirdcard.vision.observations import CameraRefitted

FIT_EVERY_S = 0.25
"""The careful measure of a shift is slow; four times within the second that confirms a fault is enough."""
TRY_EVERY_S = 0.3
"""A fit takes about a fifth of a second; meanwhile nothing is looked at anyway."""
STEADY_MM = 1.0
"""Two fits in turn that agree to this over the whole cloth are of a camera that hangs still: of a hundred bumps they
agreed to 0.4 mm (`tests/endurance/bumps.py`)."""
SURE_MM = 1.0
"""A fit that may be off by more anywhere on the cloth, in one case of ten, is not used without a person."""
FAR_MM = 250.0
"""Nor is one after which the cloth lies farther from where it lay: cameras that are bumped move by a hand's breadth
at most; one that was hung elsewhere is for a person to look at."""
GRID = 7
"""The cloth is compared at so many places along each side."""


class CameraPlace:
    """How one camera hangs: the calibration that holds now, and how the print looked when the first one held."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        """Takes the calibration that holds at first, and the cloth's size."""
        self.size_mm = size_mm
        self._first = calibration
        self._then: Image | None = None
        """The picture for which the first calibration holds."""
        self._is_offered = False
        """Whether a fit that a person should look at was reported since the camera was moved."""
        self._tried: tuple[float, Refit | None] = (-np.inf, None)
        self._hold(calibration)

    def _hold(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._fit = CameraFit(calibration, self.size_mm)
        self._missed: tuple[float, float | None] = (-np.inf, None)
        """When the calibration was last compared with the picture, and by how many mm it missed."""

    def remember(self, luma: Image) -> None:
        """The calibration holds for this picture, (H, W) uint8; one that was fitted needs none."""
        if self.calibration is self._first:
            self._then = luma.copy()

    def missed_mm(self, then: Image, now: Image, blocks: BlockMask, t: float) -> float | None:
        """By how much the calibration misses the cloth, measured now and then; None where that is unknown.

        Args:
            then: (H, W) uint8, the small grey picture from when the calibration held.
            now: one of the same size.
            blocks: (9, 12) blocks that have print.
            t: of `now`.
        """
        if t - self._missed[0] >= FIT_EVERY_S:
            self._missed = (t, self._fit.offset_mm(then, now, blocks))
        return self._missed[1]

    def stay(self) -> None:
        """The camera is not moved: what was tried is forgotten."""
        self._tried, self._is_offered = (-np.inf, None), False

    def pause(self) -> None:
        """The camera was moved, and this picture does not show where to."""
        self._tried = (self._tried[0], None)

    def refit(self, luma: Image, t: float) -> CameraRefitted | None:
        """Take in a picture of the moved camera; gives a fit once two in turn agree.

        A fit that is sure enough is used from now on; any other is returned once, for a person to look at.
        """
        tried_t, before = self._tried
        if self._then is None or t - tried_t < TRY_EVERY_S:
            return None
        found = refit(self._then, luma, self._first, self.size_mm)
        self._tried = (t, found)
        if before is None or found is None:
            return None
        calibration = found.fit.calibration
        if self._apart_mm(before.fit.calibration, calibration) > STEADY_MM:
            return None
        within_mm = float(np.max(found.fit.uncertainty.radius_mm(self._places())))
        told = CameraRefitted(
            t=t,
            calibration=calibration,
            moved_mm=self._apart_mm(self.calibration, calibration),
            within_mm=within_mm,
            is_used=found.moved_mm <= FAR_MM and within_mm <= SURE_MM,
        )
        if told.is_used:
            self._hold(calibration)
            return told
        was_offered, self._is_offered = self._is_offered, True
        return None if was_offered else told

    def _apart_mm(self, one: Calibration, other: Calibration) -> float:
        """By how much two calibrations differ where they differ most."""
        places = self._places()
        seen_px = one.image_from_layout(places)
        inside = np.isfinite(seen_px).all(axis=1)
        gone = other.layout_from_image(seen_px[inside]) - places[inside]
        return float(np.nan_to_num(np.linalg.norm(gone, axis=1), nan=np.inf).max(initial=0.0))

    def _places(self) -> NDArray[np.float64]:
        x, y = (np.linspace(0.0, side, GRID) for side in self.size_mm)
        return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
