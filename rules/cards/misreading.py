"""Hold what was read of the cards against the result that was announced.

One misread card may explain both a third card that was not due and a result that the cards deny: two faults in one
round are rarer than that. And a card that was misread is hardly borne out by the announcement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from thirdcard.rules.findings.findings import Finding
from thirdcard.rules.game.duty import NO_THIRD, Verdict
from thirdcard.rules.game.words import Side, Source
from thirdcard.rules.log.events import ResultAnnounced
from thirdcard.rules.round.drawing import Drawing
from thirdcard.rules.round.round import DealtCard

POINTS = range(10)
COINCIDENCE = 0.1
"""How often an announcement of both totals is what misread cards come to by chance: a total is one of ten."""
_BY_FACES = frozenset({"misdeal.third_card_missing", "misdeal.third_card_not_due", "exposed_card.excess"})
Hands = dict[Side, list[int]]
"""What each card of a hand counts, in the order in which they came."""


def confirmed(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The same findings, where the announcement of both totals says what the lawful cards come to as they were read.

    Those that a misread card might have made are surer by Bayes' rule, whose odds COINCIDENCE divides.
    """
    for finding in findings:
        if finding.code in _BY_FACES and 0.0 < finding.confidence < 1.0:
            sure = finding.confidence / (finding.confidence + (1.0 - finding.confidence) * COINCIDENCE)
            finding = replace(finding, confidence=sure)
        yield finding


def is_one_misread(result: ResultAnnounced, drawing: Drawing) -> bool:
    """Whether the card that no hand was due would be due, and the result as announced, if one card counted otherwise.

    Never where a card was not told by a camera, or was not read.
    """
    surplus = list(drawing.surplus.values())
    if len(surplus) != 1 or surplus[0].code != "misdeal.third_card_not_due" or None in (result.player, result.banker):
        return False
    side = surplus[0].hand
    cards = {each: drawing.hand(each) for each in Side}
    cards[side] = [*cards[side], surplus[0].card]
    if not all(_was_read(card) for hand in cards.values() for card in hand):
        return False
    return any(
        _total(hands[Side.PLAYER]) == result.player
        and _total(hands[Side.BANKER]) == result.banker
        and _is_due(side, hands, drawing)
        for hands in _read_otherwise(cards)
    )


def _was_read(card: DealtCard) -> bool:
    return card.card is not None and card.came.source is Source.CAMERA


def _read_otherwise(cards: dict[Side, list[DealtCard]]) -> Iterator[Hands]:
    """The hands with one card counting something else, in every way."""
    hands = {side: [card.card.point_value for card in hand if card.card is not None] for side, hand in cards.items()}
    for side, hand in hands.items():
        for i, read in enumerate(hand):
            for points in POINTS:
                if points != read:
                    yield hands | {side: [*hand[:i], points, *hand[i + 1 :]]}


def _is_due(side: Side, hands: Hands, drawing: Drawing) -> bool:
    player, banker = (_total(hands[each][:2]) for each in Side)
    third = hands[Side.PLAYER][2] if len(hands[Side.PLAYER]) > 2 else NO_THIRD
    return drawing.duties[player, banker, third][side is Side.BANKER].verdict is Verdict.DUE


def _total(points: list[int]) -> int:
    return sum(points) % 10
