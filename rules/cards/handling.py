"""Find mishandled cards: both hands with players at once, a player who was not entitled, a card off the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.words import Bet, Side, seat_of
from thirdcard.rules.log.events import CardMoved, CardPassed, CardRemoved, CardTurned, HandlingDeclined, NomineeNamed
from thirdcard.rules.round.round import Round, Wager, confidence_of
from thirdcard.rules.rulebook.model import Entitled, TieBreak
from thirdcard.rules.rulebook.options import Rules

_OFF_TABLE = "off_table"
_WRONG_HANDLER = "procedure.wrong_handler"


class HandlingJudge:
    """Tracks who holds which cards of the running round.

    A player holds a card from when it is passed to them until it is turned, moved, passed on or taken away.
    """

    def __init__(self, rules: Rules) -> None:
        self._case = rules.handling
        self._bets = frozenset(rules.closings)
        self._round = 0
        self._holders: dict[str, int] = {}
        self._declined: set[tuple[int, Side]] = set()
        self._served: set[Side] = set()
        """Hands that were passed to an entitled player."""
        self._players: dict[int, int] = {}
        """By a nominee's seat: the seat of the one player for whom the nominee acts."""

    def name(self, event: NomineeNamed, _running: Round | None) -> None:
        """Note who handles a seat's hand from now on; a nominee acts for one player at a time."""
        if event.nominee is None or not self._case.has_several_nominees:
            self._players = {nominee: seat for nominee, seat in self._players.items() if seat != event.seat}
        if event.nominee is not None and self._case.nominee_rule is not None:
            self._players[event.nominee] = event.seat

    def observe(
        self, event: CardPassed | CardTurned | CardMoved | CardRemoved | HandlingDeclined, running: Round
    ) -> Iterator[Finding]:
        """Take an event of the running round; returns its handling faults."""
        if self._round != running.number:
            self._round = running.number
            self._holders.clear()
            self._declined.clear()
            self._served.clear()
        if isinstance(event, HandlingDeclined):
            self._declined.add((event.seat, event.hand))
        elif isinstance(event, CardPassed):
            yield from self._pass(event, running)
        elif not isinstance(event, CardTurned) or event.face_up:
            self._holders.pop(event.card_id, None)
        if isinstance(event, CardRemoved) and event.to == _OFF_TABLE:
            yield _off_table(event, running)

    def _pass(self, event: CardPassed, running: Round) -> Iterator[Finding]:
        seat, card = seat_of(event.to), running.dealt.cards.get(event.card_id)
        if seat is None:
            self._holders.pop(event.card_id, None)
            return
        self._holders[event.card_id] = seat
        if card is None or card.place is None:
            running.doubt(_WRONG_HANDLER, f"it is not known whose card {event.card_id} is")
            return
        yield from self._find_both_out(event, running)
        wrong = list(self._find_wrong_handler(event, seat, card.place, running))
        if wrong and self._case.sharing_rule is not None and card.place in self._served:
            running.doubt(_WRONG_HANDLER, f"seat {seat} may be the nominee of whom the {card.place}'s cards go to")
            return
        if not wrong:
            self._served.add(card.place)
        yield from wrong

    def _find_both_out(self, event: CardPassed, running: Round) -> Iterator[Finding]:
        seats: dict[Side, set[int]] = {side: set() for side in Side}
        for card_id, seat in self._holders.items():
            card = running.dealt.cards.get(card_id)
            if card is not None and card.place is not None:
                seats[card.place].add(seat)
        if not all(seats.values()):
            return
        both = seats[Side.PLAYER] & seats[Side.BANKER]
        yield Finding(
            code="procedure.both_hands_out",
            t=event.t,
            key=("procedure.both_hands_out", bool(both)),
            message=f"Seat {min(both)} holds both hands." if both else "Both hands are with players at once.",
            facts=frozenset({"same_seat"}) if both else frozenset(),
            seat=min(both) if both else None,
            confidence=confidence_of(event) if both or event.passing_confidence is None else event.passing_confidence,
        )

    def _find_wrong_handler(self, event: CardPassed, seat: int, side: Side, running: Round) -> Iterator[Finding]:
        case = self._case
        if case.entitled is Entitled.UNSAID:
            return
        if case.entitled is Entitled.NOBODY:
            yield _wrong_handler(event, seat, side, "players do not handle the cards", "no_handling")
            return
        if (
            running.void.is_void
            or running.was_camera_lost
            or all(one.is_empty for one in running.betting.stakes.values())
        ):
            running.doubt(_WRONG_HANDLER, "the wagers were not seen")
            return
        player = self._players.get(seat)
        if player is None or any(self._weigh(event, player, side, running, besides=seat)):
            yield from self._weigh(event, seat, side, running, besides=player)

    def _weigh(
        self, event: CardPassed, seat: int, side: Side, running: Round, *, besides: int | None
    ) -> Iterator[Finding]:
        """Compare a seat's wager with the others'; a player and their nominee are no rivals."""
        case = self._case
        bets = frozenset({Bet(side)}) if case.entitled is Entitled.HIGHEST_ON_HAND else self._bets
        wagers = _by_seat(running.betting.stakes, bets)
        rivals = {other for other in wagers if other not in (seat, besides) and (other, side) not in self._declined}
        if seat not in wagers:
            if case.anyone_where_none and rivals and not rivals & _seats_seen(running.betting.stakes, bets):
                running.doubt(_WRONG_HANDLER, f"it was not seen whether seat {min(rivals)} has a wager on it")
            elif rivals or not case.anyone_where_none:
                yield _wrong_handler(event, seat, side, "it has no wager on it")
            return
        yield from self._compare(event, seat, side, running, wagers, rivals)

    def _compare(
        self,
        event: CardPassed,
        seat: int,
        side: Side,
        running: Round,
        wagers: Mapping[int, int | None],
        rivals: set[int],
    ) -> Iterator[Finding]:
        own, order = wagers[seat], list(wagers)
        unread = [one for one in (seat, *sorted(rivals)) if wagers[one] is None]
        for rival in rivals:
            value = wagers[rival]
            if own is None or value is None or value < own:
                continue
            if value > own:
                found = _wrong_handler(event, seat, side, f"seat {rival} has a higher wager")
                yield _as_sure_as(found, running.betting.stakes, (seat, rival))
                return
            is_first = {
                TieBreak.LOWEST_SEAT: rival < seat,
                TieBreak.FIRST_PLACED: order.index(rival) < order.index(seat),
            }
            if is_first.get(self._case.ties, False):
                found = _wrong_handler(
                    event, seat, side, f"seat {rival} has an equal wager and goes first", "equal_wager"
                )
                yield _as_sure_as(found, running.betting.stakes, (seat, rival))
                return
        if unread:
            running.doubt(_WRONG_HANDLER, f"the wager of seat {unread[0]} was not read")


def _seats_seen(stakes: Mapping[str, Wager], bets: Collection[Bet]) -> set[int]:
    """The seats whose chips were seen on one of these bets."""
    return {one.seat for one in stakes.values() if one.seat is not None and one.bet in bets and one.is_seen}


def _by_seat(stakes: Mapping[str, Wager], bets: Collection[Bet]) -> dict[int, int | None]:
    """Each seat's highest wager on these bets in minor units, in order of placing; None where one was not read."""
    found: dict[int, int | None] = {}
    for wager in stakes.values():
        if wager.seat is None or wager.bet not in bets or wager.is_empty:
            continue
        old = found.get(wager.seat, 0)
        found[wager.seat] = None if old is None or wager.value is None else max(old, wager.value)
    return found


def _wrong_handler(event: CardPassed, seat: int, side: Side, why: str, *facts: str) -> Finding:
    return Finding(
        code=_WRONG_HANDLER,
        t=event.t,
        key=(_WRONG_HANDLER, seat, side),
        message=f"The {name_of(side)}'s cards were passed to seat {seat}; {why}.",
        facts=frozenset({f"to_{side}", *facts}),
        hand=side,
        seat=seat,
        confidence=confidence_of(event),
    )


def _as_sure_as(finding: Finding, stakes: Mapping[str, Wager], seats: Collection[int]) -> Finding:
    """The finding with the confidence of the compared wagers."""
    sure = min((one.confidence for one in stakes.values() if one.seat in seats and one.is_seen), default=1.0)
    return replace(finding, confidence=finding.confidence * sure)


def _off_table(event: CardRemoved, running: Round) -> Finding:
    card = running.dealt.cards.get(event.card_id)
    return Finding(
        code="procedure.card_off_table",
        t=event.t,
        key=("procedure.card_off_table", event.card_id),
        message="A card left the table during the round.",
        hand=None if card is None else card.place,
        cards=() if card is None or card.card is None else (card.card,),
        confidence=confidence_of(event),
    )
