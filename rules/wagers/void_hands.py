"""Find chips that lie on the wagering areas in a hand that must be played without wagers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.log.events import CardDealt, Source, WagerChanged
from thirdcard.rules.round.round import Round, Wager, changed_wager, confidence_of
from thirdcard.rules.wagers.late_bets import kind_of

ORDERED_BY_SIGHT = 0.5
"""That a whole table heeds no order speaks as much against the sight that the order rests on."""


def find_void_hand_wagered(event: CardDealt, running: Round, wagers: Iterable[Wager]) -> Iterator[Finding]:
    """Chips that lie on an area when a card leaves the shoe; the hand was void before that card."""
    for wager in wagers:
        if wager.is_empty or wager.is_settled:
            continue
        if wager.is_seen:
            yield _finding(running, wager, event.t, _confidence(event, running))
        else:
            running.doubt("procedure.void_hand_wagered", f"it was not seen whether chips lie on {wager.area}")


def find_wager_on_void_hand(event: WagerChanged, running: Round) -> Iterable[Finding]:
    """Chips that are put on an area when cards of the void hand are out."""
    if not running.is_void or running.is_annulled or running.is_decided or running.first_card is None:
        return ()
    kind = kind_of(event)
    if kind is None or not kind.adds:
        return ()
    return [_finding(running, changed_wager(event, None, is_settled=False), event.t, _confidence(event, running))]


def _confidence(event: CardDealt | WagerChanged, running: Round) -> float:
    """How sure the event is; little where only a camera's finding ordered the void hand that nobody plays."""
    is_ordered_by_sight = event.source is Source.CAMERA and running.void_rule is not None
    return min(confidence_of(event), ORDERED_BY_SIGHT) if is_ordered_by_sight else confidence_of(event)


def _finding(running: Round, wager: Wager, t: float, confidence: float) -> Finding:
    whose = "Chips lie" if wager.seat is None else f"Chips of seat {wager.seat} lie"
    return Finding(
        code="procedure.void_hand_wagered",
        t=t,
        key=("procedure.void_hand_wagered", wager.area),
        message=f"{whose} on {name_of(wager.bet)} in a hand that is played without wagers.",
        facts=frozenset() if running.void_rule is None else frozenset({"void_ordered"}),
        source_rule=running.void_rule,
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=confidence,
    )
