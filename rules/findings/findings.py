"""One fault as a judge found it, and the alert that the rulebook makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Bet, Severity, Side
from thirdcard.rules.rulebook.options import Rules

UNDETERMINED = "undetermined"
"""The fact that a fault is certain, but not its consequence, since some cards were not read."""

SEVERITIES = {
    "exposed_card.first_card": Severity.MEDIUM,
    "exposed_card.face_up_deal": Severity.MEDIUM,
    "misdeal.simultaneous": Severity.MEDIUM,
    "misdeal.wrong_result": Severity.CRITICAL,
    "misdeal.foreign_card": Severity.CRITICAL,
    "procedure.no_call": Severity.LOW,
    "procedure.burn": Severity.LOW,
    "procedure.void_hand_wagered": Severity.MEDIUM,
    "procedure.sequence": Severity.LOW,
    "procedure.burn_shown": Severity.MEDIUM,
    "procedure.cut_depth": Severity.LOW,
    "procedure.last_hand_unannounced": Severity.LOW,
    "procedure.card_replaced": Severity.MEDIUM,
    "procedure.both_hands_out": Severity.MEDIUM,
    "procedure.wrong_handler": Severity.MEDIUM,
    "procedure.face_down_deal": Severity.LOW,
    "procedure.early_third_card": Severity.MEDIUM,
    "wager.not_offered": Severity.MEDIUM,
    "limit.below_minimum": Severity.LOW,
    "limit.above_maximum": Severity.MEDIUM,
    "limit.differential": Severity.MEDIUM,
    "camera.obstructed": Severity.MEDIUM,
}
"""Severity by code; codes that are not listed are high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault before the rulebook is applied to it."""

    code: str
    t: float
    key: tuple[object, ...]
    """Identifies the fault within a round, so that it is reported once."""
    message: str
    facts: frozenset[str] = frozenset()
    """The situation, for the choice among the rulebook's cases."""
    source_rule: str | None = None
    """The rule that decided, such as one of the table of play."""
    hand: Side | None = None
    seat: int | None = None
    bet: Bet | None = None
    area: str | None = None
    cards: tuple[Card, ...] = ()
    amount: int | None = None
    severity: Severity | None = None
    confidence: float = 1.0
    round: int | None = None
    """The number of the round in which it happened; None: the last that began."""


def alert_of(finding: Finding, rules: Rules, *, round_number: int, now: float) -> Alert | None:
    """The alert with its rule and remedy; None where this rulebook has no rule against it.

    Args:
        finding: The fault.
        rules: The rulebook and the house's options.
        round_number: The last round that began.
        now: When it became known, seconds of stream time.
    """
    case = rules.fault(finding.code, finding.facts)
    if case is None:
        return None
    return Alert(
        t=finding.t,
        round=round_number if finding.round is None else finding.round,
        code=finding.code,
        severity=finding.severity or SEVERITIES.get(finding.code, Severity.HIGH),
        rulebook=rules.rulebook.id,
        rule=finding.source_rule if case.rule_source else case.rule,
        seat=finding.seat,
        bet=finding.bet,
        area=finding.area,
        hand=finding.hand,
        cards=finding.cards,
        amount=finding.amount,
        message=finding.message,
        remedy=case.remedy,
        confidence=round(finding.confidence, 6),
        noticed_at=now if now > finding.t else None,
    )


def name_of(word: Side | Bet) -> str:
    """The name of a hand or bet in messages, such as `Banker pair`."""
    return str(word).replace("_", " ").capitalize()
