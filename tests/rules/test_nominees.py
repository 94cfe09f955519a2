"""Who may stand in for an entitled player, and what of it a log can show."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import TableLog, rules_of, run
from tests.rules.witness import STANDS, down
from thirdcard.rules.log.events import CardPassed
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


NOMINATED = (("s1-player", 500), ("s4-player", 50), ("s6-player", 400))
"""Seat 1 has the highest wager on the Player."""


def handled(
    seat: int, *named: tuple[int, int | None], wagers: tuple[tuple[str, int], ...] = NOMINATED, **options: Any
) -> list[str]:
    """The codes after nominees were named and the Player's cards went to a seat."""
    log = TableLog(rules_of(options.pop("rulebook_id", "nz-secretary"), dealing_style="B", **options))
    for principal, nominee in named:
        log.add("nominee_named", seat=principal, nominee=nominee)
    down(log, *wagers)
    for card_id in ("c1", "c3"):
        log.add("card_passed", card_id=card_id, to=f"seat:{seat}")
    return [alert.code for alert in run(log.rules, log.events)[0]]


WRONG = ["procedure.wrong_handler"]


@pytest.mark.parametrize("international", [False, True])
def test_rule_nz_secretary_8_13_a_nominee_handles_his_players_hand(international: bool) -> None:
    assert handled(4, international=international) == WRONG
    assert handled(4, (1, 4), international=international) == []
    assert handled(6, (1, 4), international=international) == WRONG


def test_rule_nz_secretary_2_3_a_nominee_without_a_wager_of_his_own_handles() -> None:
    assert handled(7, (1, 7)) == []
    assert handled(7, (4, 7)) == WRONG


def test_rule_nz_secretary_2_3_a_nominee_acts_until_he_ceases() -> None:
    assert handled(4, (1, 4), (1, None)) == WRONG


def test_rule_nz_secretary_2_3_a_nominee_acts_for_one_player_at_a_time() -> None:
    assert handled(7, (1, 7), (4, 7)) == WRONG
    assert handled(7, (4, 7), (1, 7)) == []


def test_rule_nz_secretary_2_3_the_usual_game_knows_one_nominee_of_a_player() -> None:
    assert handled(7, (1, 7), (1, 5)) == WRONG
    assert handled(5, (1, 7), (1, 5)) == []


def test_rule_nz_secretary_15_3_international_baccarat_knows_several() -> None:
    assert handled(7, (1, 7), (1, 5), international=True) == []
    assert handled(5, (1, 7), (1, 5), international=True) == []


def test_player_with_a_nominee_may_be_passed_his_own_cards() -> None:
    assert handled(1, (1, 4)) == []


def test_nominee_with_the_highest_wager_of_his_own_handles() -> None:
    assert handled(6, (4, 6), wagers=(("s4-player", 50), ("s6-player", 400))) == []


def test_rule_nz_secretary_9_8_a_nominee_is_passed_the_third_card_too() -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="B")).add("nominee_named", seat=1, nominee=4)
    down(log, *NOMINATED, text="P 2H 3C | B 3D 4H").turn_all().deal("player", "4S")
    for seat, told in ((4, []), (6, WRONG)):
        events = [*log.events, CardPassed(t=log.t + 1, card_id="c5", to=f"seat:{seat}")]
        assert [alert.code for alert in run(log.rules, events)[0]] == told


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "sg-rws", "tas"])
def test_text_without_nominees_lets_none_handle(rulebook_id: str) -> None:
    assert handled(4, (1, 4), rulebook_id=rulebook_id) == WRONG


def test_nominee_who_was_named_in_an_earlier_round_still_acts() -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="B")).add("nominee_named", seat=1, nominee=4)
    down(log.legal_round(STANDS), *NOMINATED).add("card_passed", card_id="c5", to="seat:4")
    assert run(log.rules, log.events)[0] == []


SEATS: list[tuple[str, int]] = [("s1-tie", 1000), ("s2-player", 100), ("s3-player_pair", 900), ("s4-super_six", 800)]


@pytest.mark.parametrize("highest", SEATS)
def test_rule_sg_3_9_the_highest_bet_may_be_on_anything(highest: tuple[str, int]) -> None:
    area, stake = highest
    wagers = ((area, stake), ("s7-banker", stake - 1))
    seat = int(area[1])
    assert handled(seat, wagers=wagers, rulebook_id="sg-rws") == []
    assert handled(7, wagers=wagers, rulebook_id="sg-rws") == WRONG


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary", "tas"])
def test_rule_nz_8_10_a_bet_on_something_else_does_not_count(rulebook_id: str) -> None:
    assert handled(2, wagers=(("s1-tie", 1000), ("s2-player", 100)), rulebook_id=rulebook_id) == []
    assert handled(1, wagers=(("s1-tie", 1000), ("s2-player", 100)), rulebook_id=rulebook_id) == WRONG


def test_wrong_handler_is_as_sure_as_the_wager_that_is_compared() -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="B")).add("bets_opened").wager("s3-player", 0, 100)
    log.wager("s5-player", 0, 120, confidence=0.3).add("no_more_bets")
    for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "7C", "4H"), strict=True):
        log.deal(hand, card)
    (alert,) = run(log.rules, log.add("card_passed", card_id="c1", to="seat:3").events)[0]
    assert alert.code == "procedure.wrong_handler"
    assert alert.confidence == pytest.approx(0.3)
