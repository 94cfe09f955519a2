"""Date the frames of a live source, from when they arrive.

A newly opened source sends its buffer at once; later the network delays single frames. So the frame with the least
delay shows when the stream began. Times are UTC moments and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.vision.frames import whole_ticks_s

FORGET = 0.001
"""The rate at which the least delay is forgotten, per second, since the source's clock may be slower than ours."""
JUMP = timedelta(seconds=10)
"""A frame that seems so late is not: the source has set its clock."""
HELD_S = 0.02
"""The largest difference between a frame's stream time and its arrival: half the time between frames at 25 per
second."""


@dataclass(slots=True)
class SourceClock:
    """The clock of one opened source."""

    began: datetime
    """The time of its t = 0, as far as known; at first that of its opening."""
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
    """A table's stream time: the source's own time plus an offset.

    The offset is kept as long as it fits, so that the time between two frames is exactly the film's, and a live watch
    finds the same as a watch of the film.
    """

    pass_began: datetime | None = None
    """When the present source was opened; None before the first."""
    _before_s: float | None = None

    def of(self, frame_t: float, moment_t: float) -> float:
        """The stream time of a frame, in whole ticks.

        Args:
            frame_t: The source's own time.
            moment_t: The stream time at which it was filmed, by the machine's clock.
        """
        found_s = moment_t - frame_t
        if self._before_s is None or abs(found_s - self._before_s) > HELD_S:
            self._before_s = whole_ticks_s(found_s)
        return self._before_s + frame_t
