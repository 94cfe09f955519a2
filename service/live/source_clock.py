"""Tell when the frames of a live source were filmed, from when they arrive.

A source that is opened hands over what it has kept meanwhile, all at once; later a network delays now this frame, now
that one. So the frame that came most promptly says when the stream began. Times are moments in UTC and seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

FORGET = 0.001
"""Of each second: what was most prompt is forgotten so fast, since the source's clock may be slower than ours."""
JUMP = timedelta(seconds=10)
"""A frame so late is not late: the source has set its clock."""


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
