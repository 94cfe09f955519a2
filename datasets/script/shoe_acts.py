"""The dealer's acts with the shoe besides dealing: opens it, burns cards, lays the cutting card aside."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from thirdcard.datasets.script.chronicle import Chronicle, DueAlert, ToleratedReading
from thirdcard.datasets.script.dealer import Dealer, jittered
from thirdcard.datasets.script.dealing_script import Opening
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.motion import path_of
from thirdcard.datasets.script.places import Places
from thirdcard.datasets.script.plan import CutOut, Deal, DealingShoe, PlannedFault
from thirdcard.datasets.script.script import Script
from thirdcard.datasets.script.stage import CardActor, Stage
from thirdcard.datasets.script.timeline import CutCardSpan
from thirdcard.rules.cards.burn import face_value
from thirdcard.rules.errors import CardError
from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.log.events import CardBurned, CutCardDrawn, LastRoundAnnounced, ShoeClosed, ShoeOpened
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.model import AfterCutCard, BurnCount
from thirdcard.rules.rulebook.options import elect

SHOWN_S = 0.8
"""Seconds for which a first burned card is shown before the others follow."""
COUNTED_S = 0.9
"""Seconds for which burned cards lie there before they are put away."""


class ShoeDirector(Protocol):
    """The part of a director that the shoe's acts need."""

    script: Script
    clock: float
    number: int
    shoe: DealingShoe
    cards: list[CardActor]
    stage: Stage
    places: Places
    dealer: Dealer
    chronicle: Chronicle
    pending: list[PlannedFault]
    is_last_to_announce: bool


def open_shoe(director: ShoeDirector, opening: Opening) -> None:
    """Put new cards into the shoe, and burn as many as the rulebook orders or the script asks for."""
    table, where = director.script.table, f"rounds[{director.number - 1}].opening"
    for span in director.stage.timeline.cut_cards:
        span.end = min(span.end, director.clock)
    director.chronicle.add(ShoeOpened(t=director.clock, decks=table.shoe.decks))
    director.shoe = DealingShoe(table.shoe.decks, np.random.default_rng((director.script.seed, director.number)))
    director.clock += 0.6
    ordered = elect(load_rulebook(table.rulebook), table.options, where="table.options").burn.count
    first = _first_card(director, opening, where)
    due = {BurnCount.NONE: 0, BurnCount.ONE: 1}.get(ordered, 1 + face_value(first))
    count = due if opening.burned is None else opening.burned
    _burn(director, [first] * min(count, 1), further=max(count - 1, 0), is_shown=ordered is BurnCount.FACE_VALUE)
    if count != due:
        director.pending.append(PlannedFault("procedure.burn"))


def draw_along(director: ShoeDirector, step: Deal, slot: int) -> tuple[CardActor, float]:
    """Let a card leave the shoe with the one just drawn and rest beside it; return it, and when it left."""
    first, dealer = director.cards[-1], director.dealer
    left, rests = first.span.path.keys[0].t, first.span.path.end.t
    actor = director.stage.card(left, step.card, first.hand, slot, director.places.shoe_mouth())
    place = jittered(director.stage, dealer.place_of(first.hand, slot))
    dealer.slide_out(actor, place, rests - left, face_up=step.face_up)
    return actor, left


def set_cut_card_aside(director: ShoeDirector, step: CutOut) -> None:
    """Lay the cutting card aside; the last round is announced now, or when this one is over."""
    rulebook = load_rulebook(director.script.table.rulebook)
    dealer, place = director.dealer, jittered(director.stage, director.places.cut_card_place())
    t, duration_s = dealer.carry_from_shoe(director.clock, place)
    path = path_of([(t, director.places.shoe_mouth()), (t + duration_s, place)])
    director.stage.timeline.cut_cards.append(CutCardSpan(director.stage.name("cut"), path, t))
    director.chronicle.add(CutCardDrawn(t=t))
    dealer.rest()
    director.clock = director.dealer.free_at + 0.3
    if step.is_first or rulebook.last_round.after_cut_card is AfterCutCard.ONE_CARD:
        announce_last_round(director)
    else:
        director.is_last_to_announce = True


def announce_last_round(director: ShoeDirector) -> None:
    """Announce that the coming or running round is the shoe's last."""
    director.chronicle.add(LastRoundAnnounced(t=director.clock))
    director.clock += 0.4
    director.is_last_to_announce = False


def run_out(director: ShoeDirector) -> None:
    """Find the shoe empty in the middle of a round."""
    t = director.clock = director.clock + 0.5
    director.chronicle.add(ShoeClosed(t=t))
    director.chronicle.raise_alert(DueAlert(t=t, round=director.number, code="misdeal.shoe_exhausted"))
    director.chronicle.tolerate(ToleratedReading(code="payout.*", round=director.number, start=t, end=t + 40.0))
    director.clock += 1.0


def _first_card(director: ShoeDirector, opening: Opening, where: str) -> Card:
    if opening.first is None:
        return director.shoe.draw()
    try:
        return parse_card(opening.first)
    except CardError as error:
        raise ScriptError(f"{where}.first", opening.first, str(error)) from error


def _burn(director: ShoeDirector, first: list[Card], *, further: int, is_shown: bool) -> None:
    """Draw cards into a row before the boxes, the first face up if it is to be shown, and put them away."""
    lying: list[CardActor] = []
    for i in range(len(first) + further):
        card = first[0] if i == 0 else director.shoe.draw()
        director.shoe.take([card], "opening")
        face_up = is_shown and i == 0
        place = director.places.burn_slot(i)
        actor, t = director.dealer.draw(director.clock, card, hand=None, slot=i, face_up=face_up, place=place)
        director.chronicle.add(CardBurned(t=t, card=card if face_up else None))
        lying.append(actor)
        director.clock = t + (SHOWN_S if face_up else 0.3) * director.script.pace
    if lying:
        director.clock = director.dealer.gather(director.dealer.free_at + COUNTED_S, lying) + 0.3
        director.dealer.rest()
