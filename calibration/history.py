"""The calibrations of one camera in the course of a watch: it may be bumped and refitted."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from thirdcard.calibration.camera import Calibration


@dataclass(slots=True)
class CameraHistory:
    """One camera's calibrations, each valid from a moment on; seconds of stream time."""

    first: Calibration
    _times: list[float] = field(default_factory=list)
    _later: list[Calibration] = field(default_factory=list)

    @property
    def now(self) -> Calibration:
        """The calibration that is valid now."""
        return self._later[-1] if self._later else self.first

    def at(self, t: float) -> Calibration:
        """Return the calibration that was valid at `t`."""
        later = bisect_right(self._times, t)
        return self._later[later - 1] if later else self.first

    def change(self, t: float, calibration: Calibration) -> None:
        """Add a calibration that is valid from `t` on; `t` must be later than all before."""
        self._times.append(t)
        self._later.append(calibration)
