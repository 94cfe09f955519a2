"""Say which stretch of video is cut around a fault or a round: the only place that knows how long clips are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.service.media.clips import ClipSpan

AFTER_NOTICE_S = 1.0
"""So long a clip goes on after the moment in which the fault showed itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertClip:
    """How much is shown around a fault: in seconds before it, after it, and in all."""

    lead_s: float
    tail_s: float
    longest_s: float

    def span(self, t: float, *, noticed_at: float) -> ClipSpan:
        """From before the fault to after it, and on to where it showed itself when that is not too far away.

        It may begin before the video does.
        """
        to_s = max(t + self.tail_s, min(noticed_at + AFTER_NOTICE_S, t - self.lead_s + self.longest_s))
        return ClipSpan(from_s=t - self.lead_s, to_s=to_s)

    def around(self, at: datetime, *, noticed_at: datetime) -> tuple[datetime, datetime]:
        """The same of moments: from when to when."""
        span = self.span(0.0, noticed_at=(noticed_at - at).total_seconds())
        return at + timedelta(seconds=span.from_s), at + timedelta(seconds=span.to_s)


RECORDED_CLIP = AlertClip(lead_s=5.0, tail_s=5.0, longest_s=40.0)
"""Of a recording, which stays: who wants to see more can have it cut."""
LIVE_CLIP = AlertClip(lead_s=8.0, tail_s=6.0, longest_s=45.0)
"""Of a table watched live. Its ring is overwritten, so the clip is all that will be left of it: it shows more."""

ROUND_LEAD, ROUND_TAIL = timedelta(seconds=3), timedelta(seconds=3)
"""A round is shown from its opening to its close: both are known, and little is needed before and after."""
LONGEST_ROUND = timedelta(minutes=10)
"""Of a longer round the end is shown: it holds the result and what was paid."""


def round_span(opened_at: datetime, closed_at: datetime) -> tuple[datetime, datetime]:
    """From when to when a round is shown."""
    to_at = closed_at + ROUND_TAIL
    return max(opened_at - ROUND_LEAD, to_at - LONGEST_ROUND), to_at
