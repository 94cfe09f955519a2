"""Cards in patrons' hands: the dealer passes a hand's cards; a patron bends and turns them and gives them back.

Decides who is entitled to a hand; the faults that a script asks for are declared as they happen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from thirdcard.datasets.script.betting import Betting
from thirdcard.datasets.script.chronicle import Chronicle, DueAlert
from thirdcard.datasets.script.dealer import Dealer
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.motion import Pose
from thirdcard.datasets.script.patron import Patron
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.script import BothOut, Script, ScriptedRound, TakenOffTable, WrongHandler
from thirdcard.datasets.script.stage import CardActor, Stage
from thirdcard.rules.game.words import DEALER, Bet, Side
from thirdcard.rules.log.events import CardPassed, CardRemoved, CardTurned

BY_TABLE = "sg-rws"
"""The rulebook under which the highest wager on the table, not on the hand, entitles to squeeze."""
THROWN_SHARE = 0.35
"""How often a patron throws the cards back instead of leaving them for the dealer to fetch."""


class HandlingDirector(Protocol):
    """The part of a director that handling cards needs."""

    script: Script
    clock: float
    number: int
    cards: list[CardActor]
    stage: Stage
    places: Places
    dealer: Dealer
    betting: Betting
    chronicle: Chronicle


def turned_by_players(director: HandlingDirector, hand: Side, spec: ScriptedRound) -> bool:
    """Let a patron turn a hand's cards that lie face down; return False if the dealer must."""
    both = any(isinstance(event, BothOut) for event in spec.happenings)
    out = {side: _face_down(director, side) for side in ((hand, hand.other) if both else (hand,))}
    out = {side: cards for side, cards in out.items() if cards}
    seats = {side: _seat_for(director, side, spec) for side in out}
    if not out or None in seats.values():
        _complain_of_lost_faults(director, hand, spec)
        return False
    slots = {actor.card_id: actor.pose for cards in out.values() for actor in cards}
    passed_t = [_pass(director, cards, int(seats[side] or 0), spec) for side, cards in out.items()]
    if len(out) > 1:
        _alert(director, "procedure.both_hands_out", passed_t[-1])
    for side, cards in out.items():
        _squeeze(director, cards, int(seats[side] or 0), spec)
    for side, cards in out.items():
        _give_back(director, cards, int(seats[side] or 0), [slots[actor.card_id] for actor in cards])
    return True


def _has_third(director: HandlingDirector, side: Side) -> bool:
    return len([actor for actor in director.cards if actor.hand is side]) > 2


def _face_down(director: HandlingDirector, side: Side) -> list[CardActor]:
    return [actor for actor in director.cards if actor.hand is side and not actor.face_up and not actor.gone]


def _complain_of_lost_faults(director: HandlingDirector, hand: Side, spec: ScriptedRound) -> None:
    """Raise ScriptError for a fault that cannot happen, since nobody is passed the cards."""
    if not _face_down(director, hand):
        return
    for event in spec.happenings:
        if isinstance(event, BothOut) or (isinstance(event, TakenOffTable) and Side(event.hand) is hand):
            where = f"rounds[{director.number - 1}].happenings"
            raise ScriptError(where, event.kind, "needs handling: players and a wager on the hand")


def _seat_for(director: HandlingDirector, side: Side, spec: ScriptedRound) -> int | None:
    """Return the seat to which the dealer passes a hand; None where nobody wagered."""
    ranked = _entitled(director, side)
    for event in spec.happenings:
        if isinstance(event, WrongHandler) and Side(event.hand) is side and not _has_third(director, side):
            others = [seat for seat in director.betting.patrons if seat not in ranked] or ranked[1:]
            seat = event.seat or next(iter(others), None)
            if seat not in director.betting.patrons:
                raise ScriptError(f"rounds[{director.number - 1}].happenings", "wrong_handler", "needs another player")
            return seat
    return ranked[0] if ranked and director.script.handling == "players" else None


def _entitled(director: HandlingDirector, side: Side) -> list[int]:
    """Return the seats whose wager entitles them to a hand, the first in line first."""
    bets = [Bet.PLAYER, Bet.BANKER] if director.script.table.rulebook == BY_TABLE else [Bet(side)]
    stakes: dict[int, int] = {}
    for wager in director.betting.wagers.values():
        if wager.stacks and wager.area.bet in bets and wager.area.seat is not None:
            value = wager.value(director.betting.chips)
            stakes[wager.area.seat] = max(value, stakes.get(wager.area.seat, 0))
    return sorted(stakes, key=lambda seat: (-stakes[seat], seat))


def _pass(director: HandlingDirector, cards: Sequence[CardActor], seat: int, spec: ScriptedRound) -> float:
    """Pass the cards of one hand to a seat; return when they rest there."""
    places = _uncrossed(cards, director.places.before_seat(seat, len(cards)))
    spots = [_about(director.stage, spot, 5.0, 4.0) for spot in places]
    t = director.clock = director.dealer.carry(director.clock + 0.2, cards, spots)
    _log(director, cards, lambda card_id, t: CardPassed(t=t, card_id=card_id, to=f"seat:{seat}"))
    side = cards[0].hand
    for event in spec.happenings:
        if isinstance(event, WrongHandler) and event.hand == side and not _has_third(director, Side(event.hand)):
            _alert(director, "procedure.wrong_handler", t, hand=side, seat=seat)
    director.dealer.rest()
    director.clock += director.stage.between(0.3, 0.8) * director.script.pace
    return t


def _uncrossed(cards: Sequence[CardActor], places: Sequence[Pose]) -> Sequence[Pose]:
    """Return the places in an order in which cards that are slid there together do not cross."""
    (x, y), (end_x, end_y) = cards[0].pose.at_mm, cards[-1].pose.at_mm
    way_x, way_y = places[-1].x_mm - places[0].x_mm, places[-1].y_mm - places[0].y_mm
    return places if (end_x - x) * way_x + (end_y - y) * way_y >= 0 else places[::-1]


def _squeeze(director: HandlingDirector, cards: Sequence[CardActor], seat: int, spec: ScriptedRound) -> None:
    patron = director.betting.patrons[seat]
    for event in spec.happenings:
        if (
            isinstance(event, TakenOffTable)
            and cards[0].hand == event.hand
            and not _has_third(director, Side(event.hand))
        ):
            director.clock = _take_off(director, patron, cards[0])
    for actor, t in zip(cards, patron.squeeze(director.clock, cards), strict=True):
        director.chronicle.add(CardTurned(t=t, card_id=actor.card_id, card=actor.card, by=f"seat:{seat}"))
        director.clock = t
    director.clock += director.stage.between(0.3, 0.7) * director.script.pace


def _take_off(director: HandlingDirector, patron: Patron, actor: CardActor) -> float:
    """Let a patron take a card off the table and bring it back; return when it is back."""
    gone, back = patron.take_off(director.clock, actor)
    director.chronicle.add(CardRemoved(t=gone, card_id=actor.card_id, to="off_table"))
    _alert(director, "procedure.card_off_table", gone, hand=actor.hand)
    return back


def _give_back(director: HandlingDirector, cards: Sequence[CardActor], seat: int, slots: Sequence[Pose]) -> None:
    if director.stage.rng.random() < THROWN_SHARE:
        rough = [_about(director.stage, slot, 9.0, 9.0) for slot in slots]
        director.clock = director.betting.patrons[seat].throw(director.clock, cards, rough)
        _log(director, cards, lambda card_id, t: CardPassed(t=t, card_id=card_id, to=DEALER))
        director.clock = director.dealer.carry(director.clock + 0.3, cards, slots)
    else:
        director.clock = director.dealer.carry(director.clock, cards, slots)
        _log(director, cards, lambda card_id, t: CardPassed(t=t, card_id=card_id, to=DEALER))
    director.clock += 0.2


def _log(director: HandlingDirector, cards: Sequence[CardActor], passed: Callable[[str, float], CardPassed]) -> None:
    for actor in cards:
        director.chronicle.add(passed(actor.card_id, director.clock))


def _alert(
    director: HandlingDirector, code: str, t: float, *, hand: Side | None = None, seat: int | None = None
) -> None:
    director.chronicle.raise_alert(DueAlert(t=t, round=director.number, code=code, hand=hand, seat=seat))


def _about(stage: Stage, pose: Pose, spread_mm: float, spread_deg: float) -> Pose:
    x, y = stage.near(pose.at_mm, spread_mm)
    return Pose(x, y, pose.angle_deg + float(stage.rng.normal(0.0, spread_deg)))
