"""Find cards whose faces were shown where the rulebook keeps them hidden."""

from __future__ import annotations

from collections.abc import Iterator

from thirdcard.rules.cards.misdeals import surplus_facts
from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.duty import Verdict
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CardDealt
from thirdcard.rules.round.drawing import CardFault, Drawing
from thirdcard.rules.round.round import INITIAL_CARDS, Round, value_confidence_of
from thirdcard.rules.rulebook.model import Phase
from thirdcard.rules.rulebook.options import Rules


def find_face_up_deal(event: CardDealt, running: Round, drawing: Drawing, rules: Rules) -> Iterator[Finding]:
    """Find a card that came face up where the style deals face down, or that voids the hand as its first card."""
    if not event.face_up:
        return
    card = running.dealt.cards[event.card_id]
    is_third = card.index >= INITIAL_CARDS
    is_hidden = (Phase.THIRD if is_third else Phase.INITIAL) in rules.style.face_down
    voids = rules.rulebook.first_card_face_up_is_found and card.index == 0
    if voids and (event.found_face_up or is_hidden):
        yield Finding(
            code="exposed_card.first_card",
            t=event.t,
            key=("exposed_card.first_card",),
            message="The round's first card came out of the shoe face up.",
            hand=event.hand,
            cards=() if event.card is None else (event.card,),
            confidence=value_confidence_of(event),
        )
    elif is_hidden and not event.found_face_up:
        facts = {"third_card"} if is_third else set()
        if is_outcome_established(drawing, rules):
            facts.add("outcome_established")
        yield Finding(
            code="exposed_card.face_up_deal",
            t=event.t,
            key=("exposed_card.face_up_deal", event.card_id),
            message=_message(event.hand, running, is_third=is_third),
            facts=frozenset(facts),
            hand=event.hand,
            cards=() if event.card is None else (event.card,),
            confidence=value_confidence_of(event),
        )


def find_shown_excess(
    drawing: Drawing, running: Round, *, is_last_round: bool, is_established: bool
) -> Iterator[Finding]:
    """Findings for surplus cards whose face was shown and that do not go to the other hand.

    Undetermined where a camera was lost: the card may have gone there unseen.
    """
    for fault in drawing.surplus.values():
        if fault.card.shown_t is None or _may_still_go(fault, running):
            continue
        if running.was_camera_lost and _is_to_go(fault):
            running.doubt("exposed_card.excess", "a camera was lost")
            continue
        facts = surplus_facts(fault, is_last_round=is_last_round)
        if is_established:
            facts |= {"outcome_established"}
        yield Finding(
            code="exposed_card.excess",
            t=fault.card.shown_t,
            key=("exposed_card.excess", fault.card.card_id),
            message=f"A card that the {name_of(fault.hand)} was not due was disclosed.",
            facts=facts,
            hand=fault.hand,
            cards=() if fault.card.card is None else (fault.card.card,),
            confidence=fault.confidence,
        )


def is_outcome_established(drawing: Drawing, rules: Rules) -> bool:
    """Whether the cards that everybody has seen already decide some offered bet.

    Pair bets are decided by a hand's first two open cards; all others when every card that is due lies open.
    """
    if drawing.is_settled and _are_all_shown(drawing):
        return True
    two = {side: drawing.two_cards(side) for side in Side}
    seen = {side for side, cards in two.items() if len(cards) == 2 and all(card.shown_t is not None for card in cards)}
    return any(sides <= seen for sides in rules.first_card_bets.values())


def _are_all_shown(drawing: Drawing) -> bool:
    """Whether every lawful card lies open."""
    return all(card.shown_t is not None for side in Side for card in drawing.hand(side))


def _may_still_go(fault: CardFault, running: Round) -> bool:
    """Whether the card may still be moved to the Banker, who is or may be due one."""
    return _is_to_go(fault) and (running.deadline is None or fault.banker is Verdict.UNKNOWN)


def _is_to_go(fault: CardFault) -> bool:
    """Whether the card belongs, or may belong, to the Banker."""
    return fault.hand is Side.PLAYER and fault.banker is not Verdict.NOT_DUE


def _message(hand: Side | None, running: Round, *, is_third: bool) -> str:
    if hand is None:
        return "A card was dealt face up."
    count = len(running.dealt.hand(hand))
    which = "third" if is_third else ("first", "second", "third")[min(count, 3) - 1]
    return f"The {name_of(hand)}'s {which} card was dealt face up."
