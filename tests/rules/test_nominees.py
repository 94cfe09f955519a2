"""Who may stand in for an entitled player, and what of it a log can show."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, rules_of, run
from thirdcard.rules.round.records import Doubt


def passed(*passes: tuple[str, int], international: bool = True) -> tuple[list[str], tuple[Doubt, ...]]:
    """The codes and doubts after the Player's cards went to these seats; seat 3 alone wagers on the Player."""
    log = TableLog(rules_of("nz-secretary", dealing_style="B", international=international)).open("s3-player")
    for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "7C", "4H"), strict=True):
        log.deal(hand, card)
    for card_id, seat in passes:
        log.add("card_passed", card_id=card_id, to=f"seat:{seat}")
    alerts, records = run(log.rules, log.events)
    return [alert.code for alert in alerts], records[0].undetermined


def test_rule_nz_secretary_15_4_the_second_card_may_go_to_a_nominee() -> None:
    codes, doubts = passed(("c1", 3), ("c3", 5))
    assert codes == []
    assert ("procedure.wrong_handler", "seat 5 may be the nominee of whom the player's cards go to") in {
        (doubt.code, doubt.why) for doubt in doubts
    }


@pytest.mark.parametrize("seat", [3, 5])
def test_rule_nz_secretary_15_4_a_hand_that_begins_with_somebody_else_is_told(seat: int) -> None:
    assert passed(("c1", 5), ("c3", seat))[0] == ["procedure.wrong_handler"]


def test_usual_game_knows_no_second_handler() -> None:
    assert passed(("c1", 3), ("c3", 5), international=False)[0] == ["procedure.wrong_handler"]
