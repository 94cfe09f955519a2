"""A back that is seen twice: the log has a card too many, of which one never shows its face."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_belief import alerts_of, judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.referee import Referee

RULES = rules_of("sg-rws", dealing_style="B")
FACES = {"c1": "8H", "c3": "AS", "c2": "6D", "c4": "10D"}
"""The Player's natural, to which neither hand draws, and the Banker's six."""
EXCESS = {"misdeal.third_card_not_due", "exposed_card.excess"}


def four_backs() -> TableLog:
    """The first four cards of a round, face down."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for card_id, hand in (("c1", "player"), ("c2", "banker"), ("c3", "player"), ("c4", "banker")):
        log.add("card_dealt", card_id=card_id, hand=hand, face_up=False, confidence=0.998, source="camera")
    return log


def turn_and_close(log: TableLog, *turned: tuple[str, str]) -> None:
    """Turn these cards, announce 9 to 6, and close the round."""
    for card_id, card in turned:
        log.add(
            "card_turned", card_id=card_id, card=card, face_up=True, by="dealer",
            confidence=0.9999, source="camera", alternatives={},
        )  # fmt: skip
    log.add("result_announced", player=9, banker=6, winner="player").add("round_closed")


def told(*turned: tuple[str, str]) -> set[str]:
    """The codes told where four backs lie and a fifth is seen in the Banker's box, which nobody saw come."""
    log = four_backs()
    log.add(
        "card_dealt", card_id="c5", hand="banker", face_up=False, order_unseen=True, confidence=0.5, source="camera"
    )
    turn_and_close(log, *turned)
    judgements = judged(log.events, Belief(Referee(RULES), telling, lambda alert: alert.confidence))
    (record,) = [record for each in judgements for record in each.rounds]
    codes = {alert.code for alert in alerts_of(judgements)}
    if not codes:
        assert (record.player_total, record.banker_total) == (9, 6)
    return codes


def told_together(*turned: tuple[str, str], sure: float = 0.5) -> set[str]:
    """The codes told where a fifth back seems to have left the shoe with the fourth."""
    log = four_backs()
    log.add(
        "card_dealt", card_id="c5", hand="banker", face_up=False, together_with="c4", confidence=sure, source="camera"
    )
    turn_and_close(log, *turned)
    return {
        alert.code
        for alert in alerts_of(judged(log.events, Belief(Referee(RULES), telling, lambda alert: alert.confidence)))
    }


@pytest.mark.parametrize(("sure", "shown", "is_told"), [(0.5, False, False), (0.5, True, True), (0.99, True, True)])
def test_back_that_seems_to_come_with_another_may_be_none_until_it_shows_its_face(
    sure: float, shown: bool, is_told: bool
) -> None:
    codes = told_together(*FACES.items(), *([("c5", "2C")] if shown else []), sure=sure)
    assert ("misdeal.simultaneous" in codes) is is_told


@pytest.mark.parametrize("lost", ["c2", "c4"])
def test_face_at_a_back_that_nobody_saw_come_is_that_of_one_which_never_shows(lost: str) -> None:
    seen = {("c5" if card_id == lost else card_id): card for card_id, card in FACES.items()}
    assert told(*seen.items()) == set()


def test_face_that_shows_once_all_others_lie_open_is_that_of_a_card_in_excess() -> None:
    assert told(*FACES.items(), ("c5", "2C")) >= EXCESS


def test_card_in_excess_may_show_before_the_others() -> None:
    assert told(("c5", "2C"), *FACES.items()) >= EXCESS


@pytest.mark.parametrize(
    ("is_gone", "sure", "codes"),
    [
        pytest.param(True, 0.72, set(), id="one of the hand is gone, and the face is doubtful"),
        pytest.param(True, 0.9999, {"misdeal.extra_card", "exposed_card.excess"}, id="the face is another"),
        pytest.param(False, 0.72, {"misdeal.extra_card", "exposed_card.excess"}, id="all cards lie there"),
    ],
)
def test_card_that_shows_after_the_result_may_be_one_that_is_gone(is_gone: bool, sure: float, codes: set[str]) -> None:
    rules = rules_of("tas", dealing_style="A")
    log = TableLog(rules).add("bets_opened").add("no_more_bets")
    for card_id, hand, card in (
        ("c1", "player", "7D"),
        ("c2", "banker", "5H"),
        ("c3", "player", "10H"),
        ("c4", "banker", "KS"),
        ("c5", "banker", "2H"),
    ):
        log.add("card_dealt", card_id=card_id, hand=hand, card=card, face_up=True, confidence=1.0, source="camera")
    log.add("result_announced", player=7, banker=7, winner="tie")
    if is_gone:
        log.add("card_removed", card_id="c4", to="discard", source="camera")
    log.add(
        "card_dealt", card_id="c6", hand="banker", face_up=False, order_unseen=True, confidence=0.5, source="camera"
    )
    for face, others in ((None, {"AH": 0.54, "3H": 0.2}), ("AH", {"3H": 1.0 - sure})):
        log.add(
            "card_turned", card_id="c6", card=face, face_up=True, by="unknown",
            confidence=sure, source="camera", alternatives=others,
        )  # fmt: skip
    judgements = judged(log.add("round_closed").events, Belief(Referee(rules), telling, lambda alert: alert.confidence))
    assert {alert.code for alert in alerts_of(judgements)} == codes


@pytest.mark.parametrize("is_opened", [False, True])
def test_third_card_that_lies_face_down_when_wagers_are_settled_was_not_due(is_opened: bool) -> None:
    """The Player's ace may be a 4, so that two would draw; a third card that counts is turned before the result."""
    log = TableLog(RULES).add("bets_opened").wager("s1-player", 0, 100).add("no_more_bets")
    for card_id, hand in (("c1", "player"), ("c2", "banker"), ("c3", "player"), ("c4", "banker")):
        log.add("card_dealt", card_id=card_id, hand=hand, face_up=False, confidence=1.0, source="camera")
    seen: dict[str, Any] = {"face_up": True, "by": "dealer", "source": "camera", "confidence": 1.0}
    for card_id, card in (("c1", "8H"), ("c2", "8D"), ("c4", "9C")):
        log.add("card_turned", card_id=card_id, card=card, alternatives={}, **seen)
    log.add("card_turned", card_id="c3", card="AS", alternatives={"4S": 0.003}, **(seen | {"confidence": 0.997}))
    log.add("card_dealt", card_id="c5", hand="player", face_up=False, confidence=1.0, source="camera")
    if is_opened:
        log.add("card_turned", card_id="c5", card="6H", alternatives={}, **seen)
    belief = Belief(Referee(RULES), telling, lambda alert: alert.confidence)
    judged(log.settle("s1-player", "paid", 100).add("round_closed").events, belief)
    found = {alert.code: alert.confidence for alert in belief.found}
    assert (found.get("misdeal.third_card_not_due", 0.0) > 0.98) is not is_opened
