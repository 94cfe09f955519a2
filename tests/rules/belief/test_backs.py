"""A back that is seen twice: the log has a card too many, of which one never shows its face."""

from __future__ import annotations

import pytest

from tests.rules.belief.test_belief import alerts_of, judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.referee import Referee

RULES = rules_of("sg-rws", dealing_style="B")
FACES = {"c1": "8H", "c3": "AS", "c2": "6D", "c4": "10D"}
"""The Player's natural, to which neither hand draws, and the Banker's six."""
EXCESS = {"misdeal.third_card_not_due", "exposed_card.excess"}


def told(*turned: tuple[str, str]) -> set[str]:
    """The codes told where four backs lie and a fifth is seen in the Banker's box, which nobody saw come."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for card_id, hand in (("c1", "player"), ("c2", "banker"), ("c3", "player"), ("c4", "banker")):
        log.add("card_dealt", card_id=card_id, hand=hand, face_up=False, confidence=0.998, source="camera")
    log.add(
        "card_dealt", card_id="c5", hand="banker", face_up=False, order_unseen=True, confidence=0.5, source="camera"
    )
    for card_id, card in turned:
        log.add(
            "card_turned", card_id=card_id, card=card, face_up=True, by="dealer",
            confidence=0.9999, source="camera", alternatives={},
        )  # fmt: skip
    log.add("result_announced", player=9, banker=6, winner="player").add("round_closed")
    judgements = judged(log.events, Belief(Referee(RULES), telling, lambda alert: alert.confidence))
    (record,) = [record for each in judgements for record in each.rounds]
    codes = {alert.code for alert in alerts_of(judgements)}
    if not codes:
        assert (record.player_total, record.banker_total) == (9, 6)
    return codes


@pytest.mark.parametrize("lost", ["c2", "c4"])
def test_face_at_a_back_that_nobody_saw_come_is_that_of_one_which_never_shows(lost: str) -> None:
    seen = {("c5" if card_id == lost else card_id): card for card_id, card in FACES.items()}
    assert told(*seen.items()) == set()


def test_face_that_shows_once_all_others_lie_open_is_that_of_a_card_in_excess() -> None:
    assert told(*FACES.items(), ("c5", "2C")) >= EXCESS


def test_card_in_excess_may_show_before_the_others() -> None:
    assert told(("c5", "2C"), *FACES.items()) >= EXCESS
