"""An alert: the referee's report of one fault, and its form outside the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from thirdcard.rules.game.cards import Card, format_card, parse_card
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.rules.log.events import Bet, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One fault on the table; the evidence is added by the service."""

    t: float
    """When the fault happened, seconds of stream time."""
    round: int
    code: str
    severity: Severity
    rulebook: str
    rule: str | None
    seat: int | None = None
    bet: Bet | None = None
    area: str | None = None
    hand: Side | None = None
    cards: tuple[Card, ...] = ()
    amount: int | None = None
    message: str
    remedy: Remedy
    confidence: float = 1.0
    """0 to 1, from the readings that the verdict rests on."""
    noticed_at: float | None = None
    """Stream time in seconds at which it became known, where later than `t`."""

    def __deepcopy__(self, _memo: object) -> Self:
        """Itself: an alert is immutable."""
        return self

    def is_same_as(self, other: Alert) -> bool:
        """Whether both report the same fault, whatever their confidence and time of notice."""
        return replace(self, confidence=0.0, noticed_at=None) == replace(other, confidence=0.0, noticed_at=None)


def format_alert(alert: Alert) -> dict[str, Any]:
    """The alert as a mapping in the format of the contract, without evidence."""
    mapping: dict[str, Any] = {
        "t": alert.t,
        "round": alert.round,
        "code": alert.code,
        "severity": str(alert.severity),
        "rulebook": alert.rulebook,
        "rule": alert.rule,
        "seat": alert.seat,
        "bet": None if alert.bet is None else str(alert.bet),
        "area": alert.area,
        "hand": None if alert.hand is None else str(alert.hand),
        "cards": [format_card(card) for card in alert.cards],
        "amount": alert.amount,
        "message": alert.message,
        "remedy": {"action": alert.remedy.action, "rule": alert.remedy.rule, "text": alert.remedy.text},
        "confidence": alert.confidence,
    }
    if alert.noticed_at is not None:
        mapping["noticed_at"] = alert.noticed_at
    return mapping


def parse_alert(mapping: Mapping[str, Any]) -> Alert:
    """The alert from a mapping that `format_alert` wrote; other keys are ignored."""
    bet, hand, remedy = mapping["bet"], mapping["hand"], mapping["remedy"]
    return Alert(
        t=mapping["t"],
        round=mapping["round"],
        code=mapping["code"],
        severity=Severity(mapping["severity"]),
        rulebook=mapping["rulebook"],
        rule=mapping["rule"],
        seat=mapping["seat"],
        bet=None if bet is None else Bet(bet),
        area=mapping["area"],
        hand=None if hand is None else Side(hand),
        cards=tuple(parse_card(text) for text in mapping["cards"]),
        amount=mapping["amount"],
        message=mapping["message"],
        remedy=Remedy(remedy["action"], remedy["rule"], remedy["text"]),
        confidence=mapping["confidence"],
        noticed_at=mapping.get("noticed_at"),
    )
