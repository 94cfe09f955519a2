"""Rare happenings in a round's steps: cards that come together, too few cards, a shoe at its end.

Knows nothing of motions or places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thirdcard.datasets.script.dealing_script import (
    AfterLastRound,
    CutCard,
    ForeignCard,
    ShoeExhausted,
    ShortHand,
    Simultaneous,
)
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.plan import (
    Announce,
    CutOut,
    Deal,
    DealingShoe,
    Hands,
    Move,
    PlannedFault,
    RunOut,
    Step,
    outcome_of,
    total,
)
from thirdcard.datasets.script.script import ScriptedRound
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Side

SUPERVISOR_S = 1.6
"""How many seconds the dealer waits after he put cards in order."""


def with_rarities(steps: Sequence[Step], spec: ScriptedRound) -> list[Step]:
    """Return the steps of a round with its rare happenings."""
    rare = list(steps)
    for event in spec.happenings:
        if isinstance(event, Simultaneous):
            rare = _with_two_at_once(rare, event.card)
        elif isinstance(event, ShortHand):
            rare = _without_fourth_card(rare)
        elif isinstance(event, ShoeExhausted):
            rare = [*rare[: _nth_deal(rare, event.card)], RunOut()]
        elif isinstance(event, CutCard):
            place = _nth_deal(rare, event.card)
            rare = [*rare[:place], CutOut(is_first=event.card == 1), *rare[place:]]
        elif isinstance(event, AfterLastRound):
            rare = _with_fault(rare, 1, PlannedFault("misdeal.after_last_round"))
    return rare


def foreign_index(spec: ScriptedRound) -> int | None:
    """Return which of the first four cards, from 0, has all its copies out already; None if none has."""
    return next((event.card - 1 for event in spec.happenings if isinstance(event, ForeignCard)), None)


def foreign_card(spec: ScriptedRound, hands: Hands, shoe: DealingShoe, where: str) -> Card | None:
    """Return the round's card whose copies are all out already; None if the script asks for none.

    Raises:
        ScriptError: Copies of it are left.
    """
    index = foreign_index(spec)
    if index is None:
        return None
    card = (hands.player[0], hands.banker[0], hands.player[1], hands.banker[1])[index]
    if not shoe.is_spent(card):
        raise ScriptError(f"{where}.happenings", "foreign_card", f"every copy of {card} must be out before")
    return card


def _nth_deal(steps: Sequence[Step], number: int) -> int:
    """Return the index of the step that deals the card with that number, from 1; the end if fewer are dealt."""
    deals = [i for i, step in enumerate(steps) if isinstance(step, Deal)]
    return deals[number - 1] if number <= len(deals) else len(steps)


def _with_fault(steps: Sequence[Step], number: int, fault: PlannedFault) -> list[Step]:
    place = _nth_deal(steps, number)
    deal = steps[place]
    assert isinstance(deal, Deal)
    return [*steps[:place], replace(deal, faults=(*deal.faults, fault)), *steps[place + 1 :]]


def _with_two_at_once(steps: Sequence[Step], number: int) -> list[Step]:
    """Let the next card come with this one into the same box, and be moved into its own afterwards."""
    first, second = steps[_nth_deal(steps, number)], steps[_nth_deal(steps, number + 1)]
    assert isinstance(first, Deal) and isinstance(second, Deal) and second.hand is not None
    cards = (first.card, second.card) if first.face_up and second.face_up else ()
    told = _with_fault(steps, number, PlannedFault("misdeal.simultaneous", cards=cards))
    place = _nth_deal(told, number + 1)
    astray = replace(second, hand=first.hand, is_along=True)
    return [*told[:place], astray, Move(hand=second.hand, pause_s=SUPERVISOR_S), *told[place + 1 :]]


def _without_fourth_card(steps: Sequence[Step]) -> list[Step]:
    """Announce the result while the Banker has only one card, by the cards on the table."""
    end = _nth_deal(steps, 4)
    later = [step for step in steps[end:] if not isinstance(step, Deal | Announce)]
    dealt = [step for step in steps[:end] if isinstance(step, Deal)]
    player, banker = (total(step.card for step in dealt if step.hand is side) for side in (Side.PLAYER, Side.BANKER))
    winner = outcome_of(player, banker)
    fault = PlannedFault("misdeal.short_hand", hand=Side.BANKER)
    return [*steps[:end], *later, Announce(player=player, banker=banker, winner=winner, truly=winner, faults=(fault,))]
