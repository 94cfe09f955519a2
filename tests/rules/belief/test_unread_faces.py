"""A face that could not be named is weighed by the faces that it may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.rules.belief.test_belief import alerts_of, belief_of, judged
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.choices import Choice, choices_of, read_anew
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.words import Source
from thirdcard.rules.log.events import CardDealt, CardTurned, Event

RULES = rules_of("tas")
SURE: dict[str, Any] = {"source": "camera", "confidence": 0.999}
THREE_OR_EIGHT = {"3D": 0.6, "8D": 0.38, "2D": 0.01}
"""With a four: seven stands, two draws."""
SURPLUS = {"misdeal.third_card_not_due", "exposed_card.excess"}


def log_with(
    *, points: int | None, later: str | None = None, others: Mapping[str, float] = THREE_OR_EIGHT
) -> list[Event]:
    """Player's four, a card that is not named, and a king.

    Args:
        points: What is announced for the Player; None: no king comes, and nothing is announced.
        later: The face that is read of the card before the king comes, if any.
        others: The faces that it may be, with their probabilities.
    """
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, (card, hand) in enumerate(zip(("4H", "KC", None, "6S"), ("player", "banker") * 2, strict=True)):
        said = SURE if card else {"source": "camera", "confidence": 0.99, "alternatives": others}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, **said)
    if later is not None:
        log.add("card_turned", card_id="c2", card=later, face_up=True, by="unknown", **SURE)
    if points is None:
        return log.add("round_closed").events
    log.add("card_dealt", card_id="c4", hand="player", card="KS", face_up=True, **SURE)
    winner = "player" if points > 6 else "banker"
    log.add("result_announced", player=points, banker=6, winner=winner).add("round_closed")
    return log.events


def codes(events: list[Event]) -> set[str]:
    return {alert.code for alert in alerts_of(judged(events, belief_of()))}


def test_announced_points_tell_which_face_it_was() -> None:
    assert codes(log_with(points=7)) >= SURPLUS, "4 and 3: seven got a card"
    assert not codes(log_with(points=2)) & SURPLUS, "4 and 8: two drew a king"


@pytest.mark.parametrize(("face", "expected"), [("3D", SURPLUS), ("8D", set())])
def test_face_that_is_read_later_takes_its_place(face: str, expected: set[str]) -> None:
    points = 7 if face == "3D" else 2
    assert codes(log_with(points=points, later=face)) & SURPLUS == expected


def test_round_names_the_likelier_face_and_the_other() -> None:
    events = log_with(points=None, others={"3D": 0.6, "4D": 0.38})
    (record,) = [one for judgement in judged(events, belief_of()) for one in judgement.rounds]
    assert [str(card) for card in record.player] == ["4H", "3D"]
    others = {str(other.player[1]): other.probability for other in record.otherwise}
    assert others["4D"] == pytest.approx(0.38, abs=0.02)


def line(**fields: Any) -> CardTurned:
    return CardTurned(t=1.0, card_id="c1", card=None, face_up=True, source=Source.CAMERA, by="unknown", **fields)


def test_choices_name_a_face_of_each_value() -> None:
    choices = choices_of(line(confidence=1.0, alternatives={"8D": 0.4, "9D": 0.3, "8H": 0.1, "KD": 0.07}))
    shares = {turned_to(one).point_value: one.probability for one in choices}
    assert sum(shares.values()) == pytest.approx(1.0)
    left = 0.13
    assert shares[8] == pytest.approx(0.5 + left * 4 / 52)
    assert shares[0] == pytest.approx(0.07 + left * 16 / 52)
    assert shares[1] == pytest.approx(left * 4 / 52), "any card of a pack may lie there for the rest"
    assert str(turned_to(choices[0])) == "8D"


def turned_to(choice: Choice) -> Card:
    (read,) = choice.lines
    assert isinstance(read, CardTurned)
    assert read.card is not None
    return read.card


def test_unnamed_card_may_be_a_back_that_the_reader_does_not_know() -> None:
    dealt = CardDealt(
        t=1.0, card_id="c1", hand=None, card=None, face_up=True, source=Source.CAMERA, confidence=0.3,
        alternatives={"8D": 0.1, "9D": 0.1},
    )  # fmt: skip
    first = choices_of(dealt)[0]
    assert first.probability == pytest.approx(0.7)
    assert isinstance(first.lines[0], CardDealt)
    assert not first.lines[0].face_up


def test_only_the_last_guess_counts() -> None:
    guess = line(confidence=1.0, alternatives={"8D": 0.5, "9D": 0.5})
    named = CardTurned(
        t=2.0, card_id="c1", card=Card("8", "D"), face_up=True, by="unknown", source=Source.CAMERA, confidence=0.99
    )
    assert read_anew([guess]) == frozenset()
    assert read_anew([guess, guess]) == frozenset({0})
    assert read_anew([guess, named]) == frozenset({0})
