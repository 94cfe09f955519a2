"""The stretch of video around a fault or a round: the only place that defines the length of clips."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from thirdcard.service.media.clips import ClipSpan

AFTER_NOTICE_S = 1.0
"""Seconds by which a clip extends beyond the moment in which the fault was noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertClip:
    """The length of a clip in seconds: before the fault, after it, and in total."""

    lead_s: float
    tail_s: float
    longest_s: float

    def span(self, t: float, *, noticed_at: float) -> ClipSpan:
        """The stretch from before the fault to after it, extended to when it was noticed if that is near enough.

        It may begin before the video does.
        """
        to_s = max(t + self.tail_s, min(noticed_at + AFTER_NOTICE_S, t - self.lead_s + self.longest_s))
        return ClipSpan(from_s=t - self.lead_s, to_s=to_s)

    def around(self, at: datetime, *, noticed_at: datetime) -> tuple[datetime, datetime]:
        """The clip's start and end as UTC times."""
        span = self.span(0.0, noticed_at=(noticed_at - at).total_seconds())
        return at + timedelta(seconds=span.from_s), at + timedelta(seconds=span.to_s)


RECORDED_CLIP = AlertClip(lead_s=5.0, tail_s=5.0, longest_s=40.0)
"""For a recording, from which more can be cut later."""
LIVE_CLIP = AlertClip(lead_s=8.0, tail_s=6.0, longest_s=45.0)
"""For a live table: longer, since its ring is overwritten and only the clip remains."""

ROUND_LEAD, ROUND_TAIL = timedelta(seconds=3), timedelta(seconds=3)
"""Margins around a round, from its opening to its close."""
LONGEST_ROUND = timedelta(minutes=10)
"""Of a longer round the end is shown, with the result and the payments."""


def round_span(opened_at: datetime, closed_at: datetime) -> tuple[datetime, datetime]:
    """The stretch in which a round is shown, from and to."""
    to_at = closed_at + ROUND_TAIL
    return max(opened_at - ROUND_LEAD, to_at - LONGEST_ROUND), to_at
