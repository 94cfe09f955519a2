"""A card that comes to one hand, after one of the other vanished, may be that one."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rules.belief.test_belief import judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.belief.moves import taken_for_new
from thirdcard.rules.referee import Referee

RULES = rules_of("nz-secretary")


def round_with(
    third: str, later: str, *, vanishes: bool = True, hand: str = "banker", is_result_told: bool = True
) -> TableLog:
    """Player 7 and Banker 3, a third card that the Player is not due, and a later one of a hand; both open."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets", source="camera")
    dealt = (("player", "3S"), ("banker", "5D"), ("player", "4H"), ("banker", "8S"), ("player", third), (hand, later))
    for number, (side, card) in enumerate(dealt):
        log.add("card_dealt", card_id=f"c{number}", hand=side, card=card, face_up=True, source="camera", confidence=1.0)
    if is_result_told:
        log.result(7, 3)
    if vanishes:
        log.add("card_removed", card_id="c4", to="discard", source="camera", after_s=0.0)
    return log if is_result_told else log.settle("s1-banker", "collected", 100)


def confidences(log: TableLog) -> Mapping[str, float]:
    belief = Belief(Referee(RULES), telling, lambda alert: alert.confidence)
    judged(log.add("round_closed").events, belief)
    return {one.code: one.confidence for one in belief.found}


def test_card_that_vanished_may_be_the_one_that_came_to_the_other_hand() -> None:
    sure = confidences(round_with("JD", "QD"))
    assert sure["misdeal.third_card_not_due"] > 0.99
    assert sure["exposed_card.excess"] < 0.6, "a card that goes to the other hand is no excess"
    assert confidences(round_with("JD", "QD", vanishes=False))["exposed_card.excess"] > 0.99


@pytest.mark.parametrize(
    ("log", "found"),
    [
        pytest.param(round_with("JD", "QD"), {"c5": "c4"}, id="same-value"),
        pytest.param(round_with("JD", "QD", is_result_told=False), {"c5": "c4"}, id="result-not-told"),
        pytest.param(round_with("9D", "QD"), {}, id="other-value"),
        pytest.param(round_with("JD", "QD", vanishes=False), {}, id="still-there"),
        pytest.param(round_with("JD", "QD", hand="player"), {}, id="same-hand"),
    ],
)
def test_which_cards_may_have_been_moved(log: TableLog, found: Mapping[str, str]) -> None:
    assert taken_for_new(log.events) == found
