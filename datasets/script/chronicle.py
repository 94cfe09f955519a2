"""What is written beside the video: the true table log, the reports of devices, and the alerts due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from thirdcard.rules.game.cards import Card, format_card
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import Event, format_event

TIME_DIGITS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DueAlert:
    """An alert that a perfect observer raises."""

    t: float
    round: int
    code: str
    seat: int | None = None
    bet: str | None = None
    area: str | None = None
    hand: Side | None = None
    cards: tuple[Card, ...] = ()
    amount: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleratedReading:
    """A verdict that the rulebook leaves open.

    An alert of that code and seat within the time does not count as false.
    """

    code: str
    """An alert's code; `payout.*` stands for any code that begins so."""
    round: int
    start: float
    end: float
    seat: int | None = None


@dataclass(slots=True)
class Chronicle:
    """Everything that happened, in any order until it is sorted."""

    devices: Sequence[str]
    events: list[Event] = field(default_factory=list)
    signals: list[Event] = field(default_factory=list)
    alerts: list[DueAlert] = field(default_factory=list)
    tolerances: list[ToleratedReading] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    """When each round began, in seconds; used for stills."""

    def add(self, event: Event) -> None:
        """Add an event; if a device reports it, the report is kept too."""
        event = replace(event, t=round(event.t, TIME_DIGITS))
        if event.type in self.devices:
            event = replace(event, source=Source.SIGNAL)
            self.signals.append(event)
        self.events.append(event)

    def raise_alert(self, alert: DueAlert) -> None:
        """Add an alert that is due."""
        self.alerts.append(replace(alert, t=round(alert.t, TIME_DIGITS)))

    def tolerate(self, tolerance: ToleratedReading) -> None:
        """Add a verdict that the rulebook leaves open."""
        start, end = round(tolerance.start, TIME_DIGITS), round(tolerance.end, TIME_DIGITS)
        self.tolerances.append(replace(tolerance, start=start, end=end))

    def truth(self) -> list[dict[str, Any]]:
        """Return the lines of the true table log, in order of time."""
        return [format_event(event) for event in sorted(self.events, key=_moment)]

    def reported(self) -> list[dict[str, Any]]:
        """Return the lines of `signals.jsonl`."""
        return [format_event(event) for event in sorted(self.signals, key=_moment)]

    def due(self, rulebook: str) -> list[dict[str, object]]:
        """Return the lines of `alerts.jsonl`, without what only the referee adds."""
        return [
            {
                "t": alert.t,
                "round": alert.round,
                "code": alert.code,
                "rulebook": rulebook,
                "seat": alert.seat,
                "bet": alert.bet,
                "area": alert.area,
                "hand": None if alert.hand is None else str(alert.hand),
                "cards": [format_card(card) for card in alert.cards],
                "amount": alert.amount,
            }
            for alert in sorted(self.alerts, key=lambda alert: alert.t)
        ]

    def tolerated(self, rulebook: str) -> list[dict[str, object]]:
        """Return the lines of `tolerated.jsonl`."""
        return [
            {
                "t": line.start,
                "round": line.round,
                "code": line.code,
                "rulebook": rulebook,
                "seat": line.seat,
                "from": line.start,
                "to": line.end,
            }
            for line in self.tolerances
        ]


def _moment(event: Event) -> float:
    return event.t
