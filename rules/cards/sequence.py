"""Find cards that were opened, and wagers that were settled, in another sequence than the rulebook orders.

Where players handle the cards nothing is reported: a supervisor may let the Banker's Hand be turned first (`nz-*`
8.17). When a camera saw two cards turned almost at once, their order is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import CardTurned, Event, ResultAnnounced, WagerSettled
from thirdcard.rules.round.round import INITIAL_CARDS, Round, confidence_of
from thirdcard.rules.rulebook.cases import BET, SITUATIONS
from thirdcard.rules.rulebook.options import Rules

_CODE = "procedure.sequence"
_BEFORE_RESULT = "before_result"
SEEN_APART_S = 0.5
"""Seconds between two readings of the cards by a slow camera (ten frames a second, five frames for a reading)."""


class SequenceJudge:
    """Follows round after round: which hand was opened first, and what was settled before the result."""

    def __init__(self, rules: Rules) -> None:
        self._opens_player_first = rules.fault(_CODE) is not None
        self._settles_after_result = _orders_settling(rules)
        self._round = 0
        self._banker: CardTurned | None = None
        """The event that first turned one of the Banker's first two cards."""

    @property
    def turns(self) -> Collection[type[Event]]:
        """The event types for `turn`; none where no hand has to be opened first."""
        return (CardTurned,) if self._opens_player_first else ()

    @property
    def results(self) -> Collection[type[Event]]:
        """The event types for `announce`; none where wagers may be settled before the result."""
        return (ResultAnnounced,) if self._settles_after_result else ()

    def turn(self, event: CardTurned, running: Round) -> Iterable[Finding]:
        """Take a turned card after its round did; returns the fault, if any."""
        if self._round != running.number:
            self._round, self._banker = running.number, None
        return self._turn(event, running) if event.face_up else ()

    def announce(self, event: ResultAnnounced, running: Round) -> Iterable[Finding]:
        """Take the result after its round did; returns the fault, if any."""
        early = running.settled_early
        return () if early is None else self._find_early(early, event, running)

    def _turn(self, event: CardTurned, running: Round) -> Iterator[Finding]:
        card = running.dealt.cards.get(event.card_id)
        if card is None or card.index >= INITIAL_CARDS or running.dealt.orderly < INITIAL_CARDS:
            return
        if card.place is Side.BANKER:
            self._banker = self._banker or event
            return
        first = self._banker
        if first is None or card.shown_t != event.t or event.t - first.t <= _blur(first, event):
            return
        yield Finding(
            code=_CODE,
            t=first.t,
            key=(_CODE,),
            message="A card of the Banker's was turned before the Player's cards were open.",
            hand=Side.BANKER,
            cards=() if first.card is None else (first.card,),
            confidence=min(confidence_of(first), confidence_of(event)),
        )

    def _find_early(self, early: WagerSettled, event: ResultAnnounced, running: Round) -> Iterator[Finding]:
        """A wager that was settled before the result. Cards that came after it are misdeals, and reported as such."""
        deadline = running.deadline
        if running.result is not event or event.t - early.t <= _blur(early, event):
            return
        if running.void.is_void or deadline is None or deadline.placements != len(running.dealt.placements):
            return
        facts = {_BEFORE_RESULT, f"{BET}={early.bet}"}
        placements = running.dealt.placements
        if placements and placements[-1][1].t > early.t:
            facts.add("cards_to_come")
        yield Finding(
            code=_CODE,
            t=early.t,
            key=(_CODE, early.area),
            message=f"A wager on {name_of(early.bet)} was settled before the result was announced.",
            facts=frozenset(facts),
            seat=early.seat,
            bet=early.bet,
            area=early.area,
            amount=early.amount,
            confidence=min(confidence_of(early), confidence_of(event)),
        )


def _orders_settling(rules: Rules) -> bool:
    """Whether the elected rules order, for any wager, when it is settled."""
    ordered = [case.when - rules.facts for case in rules.rulebook.faults.get(_CODE, ()) if _BEFORE_RESULT in case.when]
    return any(all(fact in SITUATIONS or fact.startswith(f"{BET}=") for fact in left) for left in ordered)


def _blur(first: Event, second: Event) -> float:
    """The uncertainty of the order of two events, in seconds."""
    is_seen = Source.CAMERA in (first.source, second.source) or Source.INFERRED in (first.source, second.source)
    return SEEN_APART_S if is_seen else 0.0
