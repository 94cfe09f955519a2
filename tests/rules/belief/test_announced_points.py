"""Announced points that rest on a card that was not read: how well they fit what else may have been dealt."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_belief import alerts_of, belief_of, judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.referee import Referee

RULES = rules_of("tas")
HANDS = ("player", "banker", "player", "banker", "banker")
UNSURE: dict[str, dict[str, float]] = {"8S": {"AS": 0.003}, "9S": {"5S": 0.003}}
"""Read as eight and nine, which stand; the other faces make a hand that draws."""


def told_with(banker: int) -> set[str]:
    """The codes told where a hand that reads 8 9 gets a third card that is not read, and these points are announced."""
    log = TableLog(RULES)
    log.add("bets_opened").add("no_more_bets")
    hands = ("player", "banker", "player", "banker", "player", "banker")
    for number, (card, hand) in enumerate(zip(("KH", "8S", "AH", "9S", "9C", None), hands, strict=True)):
        others = UNSURE.get(card or "", {})
        seen: dict[str, Any] = {"confidence": 1.0 - sum(others.values()), "alternatives": others} if card else {}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **seen)
    log.add("result_announced", player=0, banker=banker, winner="banker").add("round_closed")
    return {alert.code for alert in alerts_of(judged(log.events, belief_of()))}


@pytest.mark.parametrize(
    ("banker", "told"),
    [
        pytest.param(7, {"misdeal.third_card_not_due", "exposed_card.excess"}, id="points-of-the-cards-as-read"),
        pytest.param(3, set(), id="points-that-the-unread-card-makes-up-either-way"),
    ],
)
def test_unread_card_makes_up_the_announced_points_seldom(banker: int, told: set[str]) -> None:
    assert told_with(banker) == told


def test_points_decide_whether_a_moved_card_was_due() -> None:
    """A 7 that may be a 2 stands, or draws the card that is moved to the other hand afterwards."""
    assert surplus_with(7, 3) > 0.95
    assert surplus_with(1, 4) < 0.5, "the points of a hand that drew"


def surplus_with(player: int, banker: int) -> float:
    """How sure it is that the third card was not due, given these points."""
    log = TableLog(rules_of("nz-secretary", dealing_style="C"))
    log.add("bets_opened").add("no_more_bets", source="camera")
    for number, hand in enumerate(("player", "banker") * 2):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, source="camera", confidence=1)
    for number, card in ((0, "QS"), (2, "7D"), (1, "4D"), (3, "JS")):
        others = {"9D": 0.026, "2D": 0.003} if card == "7D" else {}
        sure: dict[str, Any] = {"confidence": 1.0 - sum(others.values()), "alternatives": others}
        log.add("card_turned", card_id=f"c{number}", card=card, face_up=True, by="dealer", source="camera", **sure)
    log.add("card_dealt", card_id="c4", hand="player", card="9D", face_up=True, source="camera", confidence=1.0)
    log.add("card_moved", card_id="c4", hand="banker", source="camera")
    log.result(player, banker).add("round_closed")

    belief = Belief(Referee(log.rules), telling, lambda alert: alert.confidence)
    judged(log.events, belief)
    return next(one.confidence for one in belief.found if one.code == "misdeal.third_card_not_due")


@pytest.mark.parametrize(
    ("announced", "share"),
    [
        pytest.param((6, 4, "player"), 1 / 19, id="points-that-a-misread-card-makes-up"),
        pytest.param((7, 3, "player"), 1 / 19, id="points-that-another-misread-card-makes-up"),
        pytest.param((7, 4, "banker"), 0.999, id="the-winner-contradicts-the-points-that-the-cards-have"),
    ],
)
def test_dealer_who_errs_may_name_nine_other_points(announced: tuple[int, int, str], share: float) -> None:
    """Of each hand one card may be another, with a probability of 0.004.

    A dealer names a wrong result in 2 of 1,000 rounds, but these points in one of nine such rounds.
    """
    log = TableLog(RULES)
    log.add("bets_opened").add("no_more_bets")
    for number, (card, hand) in enumerate(zip(("KH", "2S", "7S", "2H"), ("player", "banker") * 2, strict=True)):
        others = {"7S": {"6S": 0.004}, "2H": {"AH": 0.004}}.get(card, {})
        seen: dict[str, Any] = {"confidence": 1.0 - sum(others.values()), "alternatives": others}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **seen)
    log.add("card_dealt", card_id="c4", hand="banker", card="10S", face_up=True, source="camera", confidence=1.0)
    player, banker, winner = announced
    log.add("result_announced", player=player, banker=banker, winner=winner).add("round_closed")

    belief = Belief(Referee(log.rules), telling, lambda alert: alert.confidence)
    judged(log.events, belief)
    found = [one.confidence for one in belief.found if one.code == "misdeal.wrong_result"]
    assert found == [pytest.approx(share, abs=0.005)]


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(
            {"confidence": 0.73, "alternatives": {"9C": 0.12, "5C": 0.05, "AC": 0.0005}}, id="a-tenth-says-nothing"
        ),
        pytest.param({"confidence": 0.995, "alternatives": {"AC": 0.005}}, id="nearly-sure"),
    ],
)
def test_face_that_the_reader_hardly_considered_may_explain_the_announced_points(reading: dict[str, Any]) -> None:
    """An ace read as a 3: with it the Player stands at 8, and the Banker's third card is not due."""
    log = TableLog(RULES)
    log.add("bets_opened").add("no_more_bets")
    for number, (card, hand) in enumerate(zip(("3C", "KC", "5C", "5H", "3S"), HANDS, strict=True)):
        seen: dict[str, Any] = {"confidence": 1.0, "alternatives": {}}
        if card == "3C":
            seen = reading
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **seen)
    log.add("result_announced", player=6, banker=8, winner="banker").add("round_closed")
    belief = belief_of()
    assert alerts_of(judged(log.events, belief)) == []
    assert max((one.confidence for one in belief.found), default=0.0) < 0.01


def test_card_that_was_moved_counts_in_one_hand_alone() -> None:
    """A 7 that stands, or a 10 that draws: as dealt, and as the cards lie, the moved 7 makes up one hand's points."""
    log = TableLog(rules_of("nz-secretary"))
    log.add("bets_opened").add("no_more_bets")
    for number, (card, hand) in enumerate(
        zip(("7C", "JS", "JD", "KS", "7H"), ("player", "banker", "player", "banker", "player"), strict=True)
    ):
        seen: dict[str, Any] = {"confidence": 1.0, "alternatives": {}}
        if card == "7C":
            seen = {"confidence": 0.99, "alternatives": {"10C": 0.01}}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=card, face_up=True, source="camera", **seen)
    log.add("card_moved", card_id="c4", hand="banker", source="camera")
    log.result(7, 7).add("round_closed")

    belief = Belief(Referee(log.rules), telling, lambda alert: alert.confidence)
    judged(log.events, belief)
    assert [one.confidence > 0.95 for one in belief.found if one.code == "misdeal.third_card_not_due"] == [True]
