"""Say which findings are sure enough to be told to people."""

from __future__ import annotations

from thirdcard.rules.findings.alerts import Alert

LEAST_CONFIDENCE = 0.6
"""What is less sure than this is not alleged: a person would look twice for nothing."""
FACES_DECIDE = frozenset(
    {"misdeal.third_card_missing", "misdeal.third_card_not_due", "misdeal.wrong_result", "exposed_card.excess"}
)
LEAST_OF_FACES = 0.95
"""What a misread card alone may make a fault is alleged from here on: below, every twentieth would be a false one."""


def is_alleged(alert: Alert) -> bool:
    """Whether a finding is sure enough to be told."""
    return alert.confidence >= (LEAST_OF_FACES if alert.code in FACES_DECIDE else LEAST_CONFIDENCE)
