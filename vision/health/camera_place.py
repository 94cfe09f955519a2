"""Detect that a camera was moved, and refit it as soon as it is still.

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
"""Interval in seconds of the careful measure, which is slow; four times within the second that confirms a fault is
enough."""
TRY_EVERY_S = 0.3
"""Interval in seconds between fits. A fit takes about a fifth of a second, and is made only when something moved."""
STEADY_MM = 1.0
"""Two consecutive fits that agree to this over the whole cloth show a camera that is still: after a hundred bumps
they agreed to 0.4 mm (`tests/endurance/bumps.py`)."""
SURE_MM = 1.0
"""A fit whose error anywhere on the cloth exceeds this in one case of ten is not used without a person."""
FAR_MM = 250.0
"""Nor is one after which the cloth lies farther from where it lay: cameras that are bumped move by a hand's breadth
at most; one that was mounted elsewhere is for a person to check."""
GRID = 7
"""Number of places along each side of the cloth at which calibrations are compared."""


class CameraPlace:
    """The place of one camera: its present calibration, and the picture for which the first one was valid."""

    def __init__(self, calibration: Calibration, size_mm: tuple[float, float]) -> None:
        """Take the first calibration and the cloth's width and height in mm."""
        self.size_mm = size_mm
        self._first = calibration
        self._then: Image | None = None
        """The picture for which the first calibration is valid."""
        self._is_offered = False
        """Whether a fit that a person should check was reported since the camera was moved."""
        self._tried_t = -np.inf
        self._before: Refit | None = None
        self._found: Refit | None = None
        """The last two fits in a row."""
        self._hold(calibration)

    def _hold(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self._fit = CameraFit(calibration, self.size_mm)
        self._missed: tuple[float, float | None] = (-np.inf, None)
        """When the calibration was last compared with the picture, and by how many mm it missed."""

    def remember(self, luma: Image) -> None:
        """Set the picture, (H, W) uint8, for which the first calibration is valid; ignored once a fit is used."""
        if self.calibration is self._first:
            self._then = luma.copy()

    def missed_mm(self, then: Image, now: Image, blocks: BlockMask, t: float) -> float | None:
        """Return by how many mm the calibration misses the cloth, measured at intervals; None where that is unknown.

        Args:
            then: (H, W) uint8, the small grey picture from when the calibration was valid.
            now: One of the same size.
            blocks: (9, 12) blocks that have print.
            t: Stream time of `now`.
        """
        if t - self._missed[0] >= FIT_EVERY_S:
            self._missed = (t, self._fit.offset_mm(then, now, blocks))
        return self._missed[1]

    def stay(self) -> None:
        """Note that the camera is in place: forget earlier attempts to fit it."""
        self._tried_t, self._before, self._found, self._is_offered = -np.inf, None, None, False

    def pause(self) -> None:
        """Note that the camera was moved and this picture does not show where to."""
        self._before = self._found = None

    def refit(self, luma: Image, t: float) -> CameraRefitted | None:
        """Take a picture of the moved camera; return a fit once two consecutive ones agree.

        A fit that is accurate enough is used from now on; any other is returned once, for a person to check.
        """
        found = self._try(luma, t)
        if found is None or self._before is None or not self._is_steady(self._before, found):
            return None
        calibration = found.fit.calibration
        within_mm = self._within_mm(found)
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

    def surely_missed_mm(self, luma: Image, t: float) -> float | None:
        """Return by how many mm at least the calibration misses the cloth, by fits; None until two in a row agree.

        Far more exact than `missed_mm`, and slower.
        """
        found = self._try(luma, t)
        if found is None or self._before is None or not self._is_steady(self._before, found):
            return None
        return self._apart_mm(self.calibration, found.fit.calibration) - self._within_mm(found)

    def _try(self, luma: Image, t: float) -> Refit | None:
        """Fit the camera of this picture, or return the last fit if that is recent; None where none is found."""
        if self._then is not None and t - self._tried_t >= TRY_EVERY_S:
            self._before, self._found = self._found, refit(self._then, luma, self._first, self.size_mm)
            self._tried_t = t
        return self._found

    def _is_steady(self, before: Refit, found: Refit) -> bool:
        return self._apart_mm(before.fit.calibration, found.fit.calibration) <= STEADY_MM

    def _within_mm(self, found: Refit) -> float:
        """Return the error that a fit exceeds in one case of ten where it is worst on the cloth, in mm."""
        return float(np.max(found.fit.uncertainty.radius_mm(self._places())))

    def _apart_mm(self, one: Calibration, other: Calibration) -> float:
        """Return the largest difference of two calibrations on the cloth, in mm."""
        places = self._places()
        seen_px = one.image_from_layout(places)
        inside = np.isfinite(seen_px).all(axis=1)
        gone = other.layout_from_image(seen_px[inside]) - places[inside]
        return float(np.nan_to_num(np.linalg.norm(gone, axis=1), nan=np.inf).max(initial=0.0))

    def _places(self) -> NDArray[np.float64]:
        x, y = (np.linspace(0.0, side, GRID) for side in self.size_mm)
        return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
