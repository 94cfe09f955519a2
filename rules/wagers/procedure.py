"""Find breaches of what must precede a card from the shoe: the call, and no chips in a hand without wagers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.log.events import UNSEEN, CardDealt, NoMoreBets, Source, WagerChanged
from thirdcard.rules.round.round import Round, Wager, changed_wager, confidence_of
from thirdcard.rules.round.table_state import TableState
from thirdcard.rules.rulebook.options import Rules
from thirdcard.rules.wagers.late_bets import kind_of

AtFirstCard = Callable[[CardDealt, Round], Iterable[Finding]]


def find_void_hand_wagered(event: CardDealt, running: Round, wagers: Iterable[Wager]) -> Iterator[Finding]:
    """Find chips that lie on an area when a card of a void hand leaves the shoe."""
    for wager in wagers:
        if wager.is_empty or wager.is_settled:
            continue
        if wager.is_seen:
            yield _finding(running, wager, event.t, _confidence(event, running))
        else:
            running.doubt("procedure.void_hand_wagered", f"it was not seen whether chips lie on {wager.area}")


def find_wager_on_void_hand(event: WagerChanged, running: Round) -> Iterable[Finding]:
    """Find chips that are placed when cards of a void hand are out."""
    if not running.void.is_void or running.void.is_annulled or running.is_decided or running.dealt.first is None:
        return ()
    kind = kind_of(event)
    if kind is None or not kind.adds:
        return ()
    return [_finding(running, changed_wager(event, None, is_settled=False), event.t, _confidence(event, running))]


def _confidence(event: CardDealt | WagerChanged, running: Round) -> float:
    """The event's confidence, capped where only a camera's finding ordered the void hand and nobody plays it.

    If a whole table ignores an order, the camera's finding behind it is doubtful.
    """
    is_ordered_by_sight = event.source is Source.CAMERA and running.void.rule is not None
    return min(confidence_of(event), UNSEEN) if is_ordered_by_sight else confidence_of(event)


def _finding(running: Round, wager: Wager, t: float, confidence: float) -> Finding:
    whose = "Chips lie" if wager.seat is None else f"Chips of seat {wager.seat} lie"
    return Finding(
        code="procedure.void_hand_wagered",
        t=t,
        key=("procedure.void_hand_wagered", wager.area),
        message=f"{whose} on {name_of(wager.bet)} in a hand that is played without wagers.",
        facts=frozenset() if running.void.rule is None else frozenset({"void_ordered"}),
        source_rule=running.void.rule,
        seat=wager.seat,
        bet=wager.bet,
        area=wager.area,
        amount=wager.value,
        confidence=confidence,
    )


class ProcedureJudge:
    """Checks at each card from the shoe: was "no more bets" called, is a void hand free of wagers?

    The round's first card is passed on to further checks.
    """

    def __init__(self, rules: Rules, table: TableState, *, at_first_card: Iterable[AtFirstCard]) -> None:
        self._is_call_ordered = rules.rulebook.call_rule is not None
        self._table = table
        self._at_first_card = tuple(at_first_card)
        self._first_card: tuple[int, CardDealt] | None = None
        """The number of the last round with an inferred call, and its first card."""

    def deal(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        """The faults that this card shows."""
        if running.dealt.first is event:
            return self._deal_first(event, running)
        return self._on_void_hand(event, running) if running.void.is_void else ()

    def _deal_first(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        found: list[Finding] = []
        for look in self._at_first_card:
            found += look(event, running)
        call = running.betting.call
        if running.void.is_void:
            found += self._on_void_hand(event, running)
        elif call is None and self._is_call_ordered and not running.was_camera_lost:
            found.append(_missing_call(event))
        elif call is not None and call.is_inferred and not running.was_camera_lost:
            self._first_card = running.number, event
        return found

    def call(self, event: NoMoreBets, _running: Round | None) -> Iterable[Finding]:
        """The missing call of the round before, where only this call shows how calls are made."""
        if not event.was_missing or self._first_card is None or not self._is_call_ordered:
            return ()
        (number, card), self._first_card = self._first_card, None
        return (replace(_missing_call(card), key=("procedure.no_call", number), round=number),)

    def _on_void_hand(self, event: CardDealt, running: Round) -> Iterable[Finding]:
        is_open = not running.void.is_annulled and not running.is_decided
        return find_void_hand_wagered(event, running, self._table.wagers.values()) if is_open else ()


def _missing_call(event: CardDealt) -> Finding:
    """The fault that the first card left the shoe without a call of "No more bets"."""
    return Finding(
        code="procedure.no_call",
        t=event.t,
        key=("procedure.no_call",),
        message='The first card was dealt without "No more bets".',
        confidence=confidence_of(event),
    )
