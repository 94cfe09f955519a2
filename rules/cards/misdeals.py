"""Find cards in wrong places, cards that did not come, and results that the cards contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from thirdcard.rules.findings.findings import Finding, name_of
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.duty import Verdict
from thirdcard.rules.game.hand import known_point_count, share_worth, winner_of
from thirdcard.rules.game.words import Outcome, Side, Source
from thirdcard.rules.log.events import UNSEEN, ResultAnnounced
from thirdcard.rules.round.drawing import CardFault, Drawing
from thirdcard.rules.round.records import PointsEvidence
from thirdcard.rules.round.round import INITIAL_CARDS, DealtCard, Round

_ORDINALS = ("first", "second", "third", "fourth")
ORDER_CODES = ("misdeal.order", "misdeal.third_card_missing")
"""Drawing faults about a card that came before its turn; an unseen card, or one that came with it, would explain them.
"""


def find_card_faults(
    drawing: Drawing, running: Round, *, is_last_round: bool, is_established: bool
) -> Iterator[Finding]:
    """Findings for cards in the wrong hand, not due or in excess, and for a hand served before its turn.

    Undetermined where a camera was lost: the card before may have come unseen.
    """
    lost_t = running.camera_lost_t
    for fault in drawing.faults:
        if fault.code in ORDER_CODES and lost_t is not None and fault.t >= lost_t:
            running.doubt(fault.code, "a camera was lost")
        elif fault.code == "misdeal.order":
            yield _order(fault, is_established=is_established)
        elif fault.code == "misdeal.third_card_missing":
            facts = _facts(served_first=True, outcome_established=is_established)
            yield _missing(fault.hand, fault.rule, fault.t, drawing, facts)
        else:
            yield _surplus(fault, drawing, is_last_round=is_last_round)


def find_simultaneous(running: Round) -> Iterator[Finding]:
    """Findings for cards that left the shoe together, one for each pair."""
    for card in running.dealt.cards.values():
        partner = None if card.together_with is None else running.dealt.cards.get(card.together_with)
        if partner is not None:
            both = tuple(sorted((partner, card), key=lambda one: one.index))
            yield Finding(
                code="misdeal.simultaneous",
                t=both[0].t,
                key=("misdeal.simultaneous", both[0].card_id),
                message="Two cards left the shoe together; their order is unknown.",
                cards=_faces(both),
                confidence=min(one.confidence for one in both),
            )


def find_missing_cards(at_deadline: Drawing, running: Round) -> Iterator[Finding]:
    """Find cards that a hand lacked when the result was announced, a wager settled or the round closed."""
    t = running.deadline_t
    if t is None or not running.dealt.cards or running.was_camera_lost or running.dealt.shoe_empty_t is not None:
        return
    if running.void.is_annulled:
        return
    placed = {side: _count(at_deadline, side) for side in Side}
    waits = any(place is None for place in at_deadline.places.values()) or bool(at_deadline.unplaced)
    if waits and running.closed_t is None:
        return
    is_elsewhere = sum(placed.values()) >= INITIAL_CARDS and any(
        one.code == "misdeal.order" for one in at_deadline.faults
    )
    for side, count in placed.items():
        if count < 2 and not is_elsewhere:
            yield _short_hand(side, count, t)
    missing = at_deadline.missing()
    if missing is not None and all(count >= 2 for count in placed.values()):
        side, duty = missing
        finding = _missing(side, duty.rule, t, at_deadline)
        yield replace(finding, confidence=finding.confidence * _sureness_of_lack(side, at_deadline, running))


def find_exhausted_shoe(drawing: Drawing, running: Round) -> Iterator[Finding]:
    """A finding when the shoe was empty while a hand still lacked a card."""
    t = running.dealt.shoe_empty_t
    if t is None or not running.dealt.cards or (running.deadline is not None and running.deadline.t < t):
        return
    if not drawing.has_initial or drawing.missing() is not None:
        yield Finding(
            code="misdeal.shoe_exhausted",
            t=t,
            key=("misdeal.shoe_exhausted",),
            message="The shoe held too few cards to complete the round.",
            confidence=drawing.confidence(),
        )


def find_unplaced(drawing: Drawing, running: Round, *, is_last_round: bool) -> Iterator[Finding]:
    """Findings for cards that lie in no hand at the end of the round while none was due, and for those that were shown.

    A card that lay face up in the shoe counts as not disclosed by anybody.
    """
    if running.closed_t is None:
        return
    for card in drawing.unplaced.values():
        if not drawing.is_settled:
            continue
        drawn = Finding(
            code="misdeal.extra_card",
            t=card.t,
            key=("misdeal.extra_card", card.card_id),
            message="A card was drawn in excess and came to no hand.",
            facts=_facts(
                disclosed=card.shown_t is not None, last_round=is_last_round, found_face_up=card.was_found_face_up
            ),
            cards=_faces((card,)),
            confidence=drawing.confidence() * card.confidence,
        )
        yield drawn
        if card.shown_t is not None and not card.was_found_face_up:
            yield replace(
                drawn,
                code="exposed_card.excess",
                t=card.shown_t,
                key=("exposed_card.excess", card.card_id),
                message="A card in excess, which came to no hand, was disclosed.",
            )


def find_wrong_result(at_result: Drawing, running: Round) -> Iterator[Finding]:
    """A finding when the announced result differs from that of the lawful cards, or contradicts itself."""
    result = running.result
    if result is None or not at_result.can_judge or at_result.unplaced:
        return
    player, banker = at_result.total(Side.PLAYER), at_result.total(Side.BANKER)
    is_read = player is not None and banker is not None and None not in at_result.places.values()
    announced = _result(result.player, result.banker, result.winner)
    if not is_read and _contradicts_itself(result):
        message = f"The result was announced as {announced}, which contradicts itself."
        yield _wrong_result(result, at_result, message, 1.0)
    if player is None or banker is None or not is_read:
        return
    missing = at_result.missing()
    if missing is None and not at_result.is_settled:
        return
    if missing is not None and running.was_camera_lost:
        return
    if is_borne_out(result, at_result):
        return
    confidence = at_result.confidence()
    if missing is not None and not _contradicts_itself(result):
        confidence *= _sureness_of_lack(missing[0], at_result, running)
    cards_say = _result(player, banker, winner_of(player, banker))
    yield _wrong_result(
        result, at_result, f"The result was announced as {announced}; the cards say {cards_say}.", confidence
    )


def _wrong_result(result: ResultAnnounced, at_result: Drawing, message: str, sure: float) -> Finding:
    return Finding(
        code="misdeal.wrong_result",
        t=result.t,
        key=("misdeal.wrong_result",),
        message=message,
        cards=tuple(card.card for side in Side for card in at_result.hand(side) if card.card is not None),
        confidence=sure * (1.0 if result.confidence is None else result.confidence),
    )


def _contradicts_itself(result: ResultAnnounced) -> bool:
    """Whether the announced winner is not that of the announced points: wrong, whatever the cards are."""
    if result.player is None or result.banker is None or result.winner is None:
        return False
    return result.winner is not winner_of(result.player, result.banker)


def is_borne_out(result: ResultAnnounced, drawing: Drawing) -> bool:
    """Whether the announcement agrees with itself and with the lawful cards, as far as both are known."""
    if _contradicts_itself(result):
        return False
    cards = drawing.reckon()
    player, banker = cards.player, cards.banker
    if player is None or banker is None:
        return True
    return (
        (result.player is None or result.player == player)
        and (result.banker is None or result.banker == banker)
        and (result.winner is None or result.winner is winner_of(player, banker))
    )


def points_evidence(result: ResultAnnounced, drawing: Drawing, running: Round) -> PointsEvidence:
    """Compare the announced points with the cards.

    The lawful cards count. Where they are unknown, or their points are others, all cards of the hand count as they
    lie, or as they were dealt: who deals a card that is not due may count it as well, but not in both hands.
    """
    announced = {Side.PLAYER: result.player, Side.BANKER: result.banker}
    lawful = {side: drawing.faces(side) for side in Side}
    as_they_lie = {side: tuple(card.card for card in running.dealt.hand(side)) for side in Side}
    cards = running.dealt.cards.values()
    as_dealt = {side: tuple(card.card for card in cards if card.came.hand is side) for side in Side}
    chance = 1.0
    for side, points in announced.items():
        is_lawful_known = drawing.can_judge and known_point_count(lawful[side]) in (None, points)
        faces = lawful[side] if is_lawful_known else as_they_lie[side]
        unread = faces.count(None)
        if unread and points is not None:
            known = sum(face.point_value for face in faces if face is not None)
            chance *= share_worth((points - known) % 10, unread)
    hands_wrong = min(
        sum(
            points is not None and known_point_count(faces[side]) not in (None, points)
            for side, points in announced.items()
        )
        for faces in (lawful, as_they_lie, as_dealt)
    )
    is_read = all(card.card is not None for card in cards)
    return PointsEvidence(chance, hands_wrong, is_misdealt=is_read and not drawing.can_judge)


def _sureness_of_lack(side: Side, drawing: Drawing, running: Round) -> float:
    """The confidence, 0 to 1, that a hand lacks the card it is due.

    A camera may miss a card. If the announced total differs from that of the cards seen, one missed card explains both,
    and is likelier than two faults in one round.
    """
    result = running.result
    if result is None or all(card.came.source is not Source.CAMERA for card in running.dealt.cards.values()):
        return 1.0
    announced = result.player if side is Side.PLAYER else result.banker
    return 1.0 if announced in (None, drawing.total(side)) else UNSEEN


def _order(fault: CardFault, *, is_established: bool) -> Finding:
    index = fault.card.index
    return Finding(
        code="misdeal.order",
        t=fault.t,
        key=("misdeal.order",),
        message=f"The {_ORDINALS[min(index, INITIAL_CARDS - 1)]} card of the round went to the {name_of(fault.hand)}.",
        facts=_facts(outcome_established=is_established),
        hand=fault.hand,
        cards=_faces((fault.card,)),
        confidence=fault.confidence,
    )


def _surplus(fault: CardFault, drawing: Drawing, *, is_last_round: bool) -> Finding:
    points = drawing.points(fault.hand)
    is_third = fault.code == "misdeal.third_card_not_due"
    has = f"has {points} and stands" if points is not None else "stands"
    message = f"{name_of(fault.hand)} {has}; a third card was dealt to it."
    if not is_third:
        message = f"{name_of(fault.hand)} got a card beyond all that the round may use."
    return Finding(
        code=fault.code,
        t=fault.t,
        key=fault.key,
        message=message,
        facts=surplus_facts(fault, is_last_round=is_last_round),
        source_rule=fault.rule,
        hand=fault.hand,
        cards=_faces((fault.card,)),
        confidence=fault.confidence,
    )


def surplus_facts(fault: CardFault, *, is_last_round: bool) -> frozenset[str]:
    """The facts that describe a card that no hand was due, as a rulebook's cases name them."""
    return _facts(
        to_player=fault.hand is Side.PLAYER,
        to_banker=fault.hand is Side.BANKER,
        third_card=fault.code == "misdeal.third_card_not_due",
        banker_due=fault.banker is Verdict.DUE,
        disclosed=fault.card.shown_t is not None,
        found_face_up=fault.card.was_found_face_up,
        last_round=is_last_round,
        undetermined=fault.hand is Side.PLAYER and fault.banker is Verdict.UNKNOWN,
    )


def _count(drawing: Drawing, side: Side) -> int:
    """The number of cards in the hand's box, lawfully or not."""
    others = sum(1 for fault in drawing.surplus.values() if fault.hand is side) + (side in drawing.third)
    if drawing.out_of_turn is not None and side is Side.BANKER:
        others += 1
    return others + sum(1 for place in drawing.places.values() if place is side)


def _missing(side: Side, rule: str | None, t: float, drawing: Drawing, facts: frozenset[str] = frozenset()) -> Finding:
    return Finding(
        code="misdeal.third_card_missing",
        t=t,
        key=("misdeal.third_card_missing", side),
        message=_missing_message(side, drawing, served_first="served_first" in facts),
        facts=facts,
        source_rule=rule,
        hand=side,
        confidence=drawing.duty_confidence(side),
    )


def _missing_message(side: Side, drawing: Drawing, *, served_first: bool) -> str:
    points = drawing.points(side)
    third = drawing.third.get(Side.PLAYER)
    why = f"{name_of(side)} has {points}"
    if side is Side.BANKER and third is not None and third.card is not None:
        why += f" and Player drew {_article(third.card)}"
    how = "the Banker was served first" if served_first else "the card did not come"
    return f"{why}: {name_of(side)} must draw; {how}."


def _article(card: Card) -> str:
    return f"an {card.rank}" if card.rank in ("A", "8") else f"a {card.rank}"


def _short_hand(side: Side, count: int, t: float) -> Finding:
    return Finding(
        code="misdeal.short_hand",
        t=t,
        key=("misdeal.short_hand", side),
        message=f"{name_of(side)} has {count} of its first two cards.",
        hand=side,
    )


def _result(player: int | None, banker: int | None, winner: Outcome | None) -> str:
    name = "no winner" if winner is None else winner.value.capitalize()
    return f"{name} ({'?' if player is None else player} to {'?' if banker is None else banker})"


def _faces(cards: tuple[DealtCard, ...]) -> tuple[Card, ...]:
    return tuple(card.card for card in cards if card.card is not None)


def _facts(**claims: bool) -> frozenset[str]:
    return frozenset(name for name, holds in claims.items() if holds)
