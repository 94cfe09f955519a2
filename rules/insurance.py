"""Know when insurance is offered, and find insurance that could pay more than it insures.

Insurance is bet between cards: while the points of the open cards stand in the rulebook's table and until the next
card leaves the shoe. Money in the smallest unit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from rules.drawing import Drawing
from rules.events import CardDealt, Event, ResultAnnounced, WagerChanged
from rules.findings import Finding, name_of
from rules.options import Rules
from rules.round import INITIAL_CARDS, DealtCard, Round, Wager, confidence_of
from rules.rulebook_model import InsuranceRow, InsuranceRule, WindowStart
from rules.words import Bet, Side

INSURANCE = {Bet.INSURANCE_PLAYER: Side.PLAYER, Bet.INSURANCE_BANKER: Side.BANKER}
"""The insurance wagers and the hand that each insures."""
_CODE = "limit.above_maximum"


class Offer(StrEnum):
    """Whether insurance may be bet just now."""

    OPEN = "open"
    UNKNOWN = "unknown"
    """A card on which it depends was not read."""
    NOT_OFFERED = "not_offered"
    """The cards are not yet all open, or their points stand in no row."""
    CLOSED = "closed"
    """The next card has left the shoe."""


@dataclass(frozen=True, slots=True)
class Window:
    """What insurance is offered on a bet at a moment of the round."""

    offer: Offer
    since_t: float
    """From when on it is so, seconds."""
    row: InsuranceRow | None = None


def window_of(bet: Bet, running: Round, drawing: Drawing, rule: InsuranceRule) -> Window:
    """Whether that insurance may be bet as the cards lie now."""
    cards = sorted(running.cards.values(), key=lambda card: card.index)
    further = cards[INITIAL_CARDS:]
    if len(cards) < INITIAL_CARDS or any(card.shown_t is None for card in cards[:INITIAL_CARDS]):
        return Window(Offer.CLOSED, further[-1].t) if further else Window(Offer.NOT_OFFERED, running.opened_t)
    if not further:
        after, since_t = WindowStart.FOUR_CARDS, max(card.shown_t or card.t for card in cards)
    elif _is_open_third(further, drawing):
        after, since_t = WindowStart.PLAYER_THIRD, further[0].shown_t or further[0].t
    else:
        return Window(Offer.CLOSED, further[-1].t)
    points = {side: drawing.total(side) for side in Side}
    player, banker = points[Side.PLAYER], points[Side.BANKER]
    if player is None or banker is None or not drawing.can_judge:
        return Window(Offer.UNKNOWN, since_t)
    for row in rule.rows:
        if row.bet is bet and row.after is after and player in row.player and banker in row.banker:
            return Window(Offer.OPEN, since_t, row)
    return Window(Offer.NOT_OFFERED, since_t)


def _is_open_third(further: list[DealtCard], drawing: Drawing) -> bool:
    """Whether the only further card is the Player's third and all can see it."""
    return len(further) == 1 and drawing.third.get(Side.PLAYER) is further[0] and further[0].shown_t is not None


class InsuranceJudge:
    """Adds up what the insurance of a round could pay and holds it against the wagers that it insures."""

    def __init__(self, rules: Rules) -> None:
        self._rule = rules.insurance
        self._round = 0
        self._promised: dict[str, Fraction | None] = {}
        """What each insurance area could pay; None where a value was not read."""

    @property
    def rule(self) -> InsuranceRule | None:
        """The rulebook's windows; None where insurance is not offered."""
        return self._rule

    def note(self, event: WagerChanged, running: Round, window: Window) -> None:
        """Take a change of an insurance wager."""
        self._begin(running)
        before, after = event.before, event.after
        promised = self._promised.get(event.area, Fraction(0))
        if after == 0 or event.chips_after == 0:
            self._promised.pop(event.area, None)
        elif before is None or after is None or promised is None or window.offer is Offer.UNKNOWN:
            self._promised[event.area] = None
        elif after < before:
            self._promised[event.area] = promised * after / before
        elif window.row is not None:
            self._promised[event.area] = promised + (after - before) * window.row.pays

    def observe(self, event: Event, running: Round, stakes: Mapping[str, Wager]) -> Iterator[Finding]:
        """Judge the insurance when the next card, or the result, closes betting on it."""
        if self._rule is None or not self._promised or not isinstance(event, CardDealt | ResultAnnounced):
            return
        self._begin(running)
        for area, promised in self._promised.items():
            wager = stakes.get(area)
            if wager is None:
                continue
            insured = [
                one.value for one in stakes.values() if one.seat == wager.seat and one.bet == INSURANCE[wager.bet].value
            ]
            if promised is None or not insured or None in insured:
                running.doubt(_CODE, f"the wager on {area} or the one that it insures was not read")
            elif promised > sum(value for value in insured if value is not None):
                yield _above(event, wager, promised)

    def _begin(self, running: Round) -> None:
        if self._round != running.number:
            self._round = running.number
            self._promised.clear()


def _above(event: Event, wager: Wager, promised: Fraction) -> Finding:
    whose = "A" if wager.seat is None else f"Seat {wager.seat}'s"
    worth = str(int(promised)) if promised.denominator == 1 else f"{float(promised):g}"
    return Finding(
        code=_CODE,
        t=event.t,
        key=(_CODE, wager.area),
        message=f"{whose} {name_of(wager.bet)} could pay {worth}, more than the wager that it insures.",
        facts=frozenset({"insurance"}),
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=wager.confidence * confidence_of(event),
    )
