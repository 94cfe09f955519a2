"""Say what becomes of a finding: an alert for the room, an entry of the review list, or nothing.

A finding's weight in the belief is brought to how often such findings were right on drawn recordings (Platt, 1999), and
the line from which it is an alert is set by how many false ones an hour of clean play may bring. Both stand in
`sureness.yaml`.
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
REVIEW_LINE = 0.05
"""What is less likely than one in twenty is not worth a look: most of a review list would be nothing."""
OF_CAMERAS = "camera."
EXTREME = 1e-4
"""No look is surer than this of anything: fitted confidences go no further."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """What was fitted."""

    families: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By code or its part before the dot the slope and the offset in logits."""
    false_per_hour: tuple[tuple[float, float], ...] = ()
    """Lines, rising, each with the false alerts an hour of clean play brings from it on."""

    def calibrated(self, alert: Alert) -> float:
        """How often findings like this are right."""
        slope, offset = self.families.get(alert.code, self.families.get(alert.code.partition(".")[0], (1.0, 0.0)))
        share = min(max(alert.confidence, EXTREME), 1.0 - EXTREME)
        return 1.0 / (1.0 + exp(-(slope * log(share / (1.0 - share)) + offset)))

    def line_for(self, false_per_hour: float) -> float:
        """From which confidence on alerts bring no more false ones an hour than that; the last where all bring more."""
        for line, rate in self.false_per_hour:
            if rate <= false_per_hour:
                return line
        return self.false_per_hour[-1][0] if self.false_per_hour else UNSEEN


@cache
def shipped_sureness() -> Sureness:
    """That of `sureness.yaml`."""
    written = yaml.safe_load(SURENESS.read_text(encoding="utf-8"))
    families = {code: (one["slope"], one["offset"]) for code, one in written["families"].items()}
    return Sureness(families, tuple((row["line"], row["rate"]) for row in written["false_per_hour"]))


@dataclass(frozen=True, slots=True)
class AlertPolicy:
    """What a house wants to hear of a table."""

    false_per_table_hour: float = 0.05
    codes: Mapping[str, float] = field(default_factory=dict)
    """The same for single codes."""
    severities: Mapping[str, float] = field(default_factory=dict)
    """The same for severities, where the code has no rate of its own."""
    fault_rates: Mapping[str, float] = field(default_factory=dict)
    """How often faults happen at the house's tables, a round; as shipped where it does not say."""
    sureness: Sureness = field(default_factory=shipped_sureness)

    def telling_of(self, alert: Alert) -> Telling:
        """What becomes of a finding whose confidence is calibrated."""
        rate = self.codes.get(alert.code, self.severities.get(str(alert.severity), self.false_per_table_hour))
        if alert.confidence >= self.sureness.line_for(rate):
            return Telling.ALERT
        return Telling.REVIEW if alert.confidence >= REVIEW_LINE else Telling.NOTHING


def belief_of(referee: Referee, policy: AlertPolicy) -> Belief:
    """The belief about a referee's table.

    In a log without camera confidences every finding is an alert. Where too few frames came to judge by, none is,
    whatever its confidence: what happened between two frames is not known.
    """

    def telling(alert: Alert) -> Telling:
        told = policy.telling_of(alert) if belief.sight.is_seen else Telling.ALERT
        is_kept_back = belief.sight.is_seldom_seen and not alert.code.startswith(OF_CAMERAS)
        return Telling.REVIEW if is_kept_back and told is Telling.ALERT else told

    priors = shipped_priors().with_rates(policy.fault_rates)
    belief = Belief(referee, telling, policy.sureness.calibrated, priors)
    return belief


def is_likely(alert: Alert) -> bool:
    """Whether a fault is likelier than not in its own account: there the hand after it is played as it orders."""
    return alert.confidence >= UNSEEN
