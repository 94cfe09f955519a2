"""Watch one table's signals in the picture: its lamps, and arms that sweep over some of its regions.

Knows where a lamp or a sweep is looked for, not what it means. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Frame
from thirdcard.vision.observations import LampChanged, LampCovered, RegionsSwept, StacksChanged
from thirdcard.vision.plane.change_gate import GridFrame, Mask, Polygons
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.signals.lamp import Lamp
from thirdcard.vision.signals.sweep_gesture import SweepWatch

LAMP_RIM_MM = 20.0
"""A hand within this many mm of a lamp counts as covering it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRegions:
    """Where signals are looked for: region names and polygons in mm."""

    size_mm: tuple[float, float]
    """Size of the cloth."""
    lamps: Polygons = field(default_factory=dict)
    sweeps: Polygons = field(default_factory=dict)
    """Regions over which a sweeping arm is reported."""


class TableSignals:
    """The signals of one table."""

    def __init__(self, regions: SignalRegions, grid: GridFrame, calibration: Calibration) -> None:
        self._sweeps = SweepWatch(regions.sweeps, grid, regions.size_mm)
        self._regions = regions
        self._lamps = [
            (
                Lamp(region=region, polygon_px=calibration.image_from_layout(polygon)),
                grid.mask_of(polygon, grow_mm=LAMP_RIM_MM),
            )
            for region, polygon in regions.lamps.items()
        ]
        """Each lamp, with the cells on it and near it."""

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the lamps did not."""
        for lamp, _ in self._lamps:
            lamp.moved(calibration.image_from_layout(self._regions.lamps[lamp.region]))

    def watch_lamps(self, frame: Frame, hands: Mask) -> list[LampChanged | LampCovered]:
        """Look at the lamps and return what is new; `hands` are the cells, (H, W), under a hand."""
        return [
            told
            for lamp, cells in self._lamps
            for told in lamp.update(frame.image, frame.t, is_under_hand=bool(hands[cells].any()))
        ]

    def watch_sweeps(
        self, cover: Cover, changes: Sequence[StacksChanged], *, calm_since_t: float | None
    ) -> list[RegionsSwept]:
        """Track the arms over the regions and return those that swept.

        Args:
            cover: What covers the cloth.
            changes: The changes of stacks that were reported at this look.
            calm_since_t: The earliest moment about which a change of stacks may still be reported; None for none.
        """
        touched = [change for change in changes if not change.was_print]
        return self._sweeps.update(cover, touched, calm_since_t=calm_since_t)

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        return self._sweeps.waiting_since_t()
