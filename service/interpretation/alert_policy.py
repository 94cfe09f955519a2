"""Say what becomes of a finding: an alert for the room, an entry of the review list, or nothing."""

from __future__ import annotations

from thirdcard.rules.belief.belief import Telling
from thirdcard.rules.findings.alerts import Alert

LINE = 0.6
REVIEW_LINE = 0.05
HOLDS = 0.5
"""In its own account a fault is taken for one, and the hand after it played as it orders, where it is likelier than not."""


def telling_of(alert: Alert) -> Telling:
    """What becomes of a finding, as sure as it is."""
    if alert.confidence >= LINE:
        return Telling.ALERT
    return Telling.REVIEW if alert.confidence >= REVIEW_LINE else Telling.NOTHING


def is_likely(alert: Alert) -> bool:
    """Whether a fault is likelier than not where its account holds."""
    return alert.confidence >= HOLDS
