"""Decide whether a finding becomes an alert, a doubtful finding, or nothing.

A finding's weight is calibrated by how often such findings were true in drawn recordings (Platt, 1999). The alert
threshold follows from the number of false alerts that an hour of clean play may bring. Both are in `sureness.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import exp, log
from pathlib import Path

import yaml

from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.belief.priors import shipped_priors
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import UNSEEN
from thirdcard.rules.referee import Referee

SURENESS = Path(__file__).with_name("sureness.yaml")
OF_CAMERAS = "camera."
EXTREME = 1e-4
"""The lowest doubt: no calibrated confidence is more extreme."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """The fitted calibration."""

    families: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By code or the part before its dot: slope and offset in logits."""
    false_per_hour: tuple[tuple[float, float], ...] = ()
    """Pairs of a threshold, rising, and the false alerts per hour of clean play at it."""

    def calibrated(self, alert: Alert) -> float:
        """The calibrated confidence of the alert."""
        slope, offset = self.families.get(alert.code, self.families.get(alert.code.partition(".")[0], (1.0, 0.0)))
        share = min(max(alert.confidence, EXTREME), 1.0 - EXTREME)
        return 1.0 / (1.0 + exp(-(slope * log(share / (1.0 - share)) + offset)))

    def line_for(self, false_per_hour: float) -> float:
        """The lowest threshold with at most that many false alerts per hour; the highest one where all have more."""
        for line, rate in self.false_per_hour:
            if rate <= false_per_hour:
                return line
        return self.false_per_hour[-1][0] if self.false_per_hour else UNSEEN


@cache
def shipped_sureness() -> Sureness:
    """The calibration of `sureness.yaml`."""
    written = yaml.safe_load(SURENESS.read_text(encoding="utf-8"))
    families = {code: (one["slope"], one["offset"]) for code, one in written["families"].items()}
    return Sureness(families, tuple((row["line"], row["rate"]) for row in written["false_per_hour"]))


@dataclass(frozen=True, slots=True)
class AlertPolicy:
    """The alerts that a house wants from a table, as rates of false alerts per hour."""

    false_per_table_hour: float = 0.05
    codes: Mapping[str, float] = field(default_factory=dict)
    """Rates for single codes."""
    severities: Mapping[str, float] = field(default_factory=dict)
    """Rates for severities, where the code has none of its own."""
    fault_rates: Mapping[str, float] = field(default_factory=dict)
    """The house's own rates of faults per round; the shipped ones where it gives none."""
    sureness: Sureness = field(default_factory=shipped_sureness)
    review_from: float = 0.05
    """The lowest confidence of a doubtful finding: below one in twenty, most of the list would be false."""

    def telling_of(self, alert: Alert) -> Telling:
        """Where a finding with calibrated confidence goes."""
        rate = self.codes.get(alert.code, self.severities.get(str(alert.severity), self.false_per_table_hour))
        if alert.confidence >= self.sureness.line_for(rate):
            return Telling.ALERT
        return Telling.REVIEW if alert.confidence >= self.review_from else Telling.NOTHING


def belief_of(referee: Referee, policy: AlertPolicy) -> Belief:
    """The belief for a referee's table.

    In a log without camera confidences every finding is an alert. Where too few frames came to judge by, none is,
    whatever its confidence: what happened between two frames is unknown.
    """

    def telling(alert: Alert) -> Telling:
        told = policy.telling_of(alert) if belief.sight.is_seen else Telling.ALERT
        is_kept_back = belief.sight.is_seldom_seen and not alert.code.startswith(OF_CAMERAS)
        return Telling.REVIEW if is_kept_back and told is Telling.ALERT else told

    priors = shipped_priors().with_rates(policy.fault_rates)
    belief = Belief(referee, telling, policy.sureness.calibrated, priors)
    return belief


def is_likely(alert: Alert) -> bool:
    """Whether a fault is likelier than not in its own hypothesis: then its remedy applies to the next hand there."""
    return alert.confidence >= UNSEEN
