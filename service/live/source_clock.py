"""Tell when the frames of a live source were filmed, from when they arrive.

A source that is opened hands over what it has kept meanwhile, all at once; later a network delays now this frame, now
that one. So the frame that came most promptly says when the stream began. Times are moments in UTC and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.vision.frames import whole_ticks_s

FORGET = 0.001
"""Of each second: what was most prompt is forgotten so fast, since the source's clock may be slower than ours."""
JUMP = timedelta(seconds=10)
"""A frame so late is not late: the source has set its clock."""
HELD_S = 0.02
"""So far a frame's stream time may be from its moment: half the time between two frames at 25 a second."""


@dataclass(slots=True)
class SourceClock:
    """One opened source."""

    began: datetime
    """The moment of its t = 0, as far as is known; at first that of its opening."""
    _last_t: float = 0.0

    def moment(self, t: float, arrived: datetime) -> datetime:
        """When a frame was filmed; never later than it arrived."""
        prompt = arrived - timedelta(seconds=t)
        slack = timedelta(seconds=FORGET * max(t - self._last_t, 0.0))
        self.began = prompt if prompt - self.began > JUMP else min(self.began + slack, prompt)
        self._last_t = t
        return self.began + timedelta(seconds=t)


@dataclass(slots=True)
class StreamTime:
    """A table's stream time for its source's frames: their own time, and what lies before it.

    What lies before is held as long as it fits. So the time between two frames is that of the film, to the last bit,
    and a watch finds live what it finds in the film.
    """

    pass_began: datetime | None = None
    """When the source was opened whose frames come; None before the first."""
    _before_s: float | None = None

    def of(self, frame_t: float, moment_t: float) -> float:
        """The stream time of a frame, in whole ticks.

        Args:
            frame_t: The source's own time.
            moment_t: The stream time of the moment at which it was filmed, as the clock of the machine has it.
        """
        found_s = moment_t - frame_t
        if self._before_s is None or abs(found_s - self._before_s) > HELD_S:
            self._before_s = whole_ticks_s(found_s)
        return self._before_s + frame_t
