"""Chips on bets that neither the rulebook nor the elections offer, and what is paid on them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, codes_of, rules_of

NATURAL = "P KH 8C | B 3D 2H"
ELECTED = [
    pytest.param("tas", {"perfect_pair": True}, "player_pair", id="tas-15"),
    pytest.param("sg-rws", {}, "super_six", id="sg-rws-3.7"),
    pytest.param("nz-secretary", {"perfect_pair": "one"}, "banker_pair", id="nz-secretary-11A.1"),
    pytest.param("nz-secretary", {"dragon_bonus": "two"}, "dragon_player", id="nz-secretary-11B.1"),
    pytest.param("nz-secretary", {"any_pair": "one"}, "player_pair", id="nz-secretary-11C.1"),
    pytest.param("nz-secretary", {"lucky_match": "one"}, "match_banker", id="nz-secretary-11D.1"),
    pytest.param("nz-secretary", {"ante": 5}, "ante", id="nz-secretary-14.2"),
]
NOT_ELECTED = [
    pytest.param("tas", {}, "player_pair", "6.5", id="tas-pair"),
    pytest.param("tas", {"perfect_pair": True}, "super_six", "6.5", id="tas-super-six"),
    pytest.param("tas", {}, "insurance_player", "6.5", id="tas-insurance"),
    pytest.param("sg-rws", {}, "dragon_player", "3.7", id="sg-rws-dragon"),
    pytest.param("nsw", {}, "player_pair", None, id="nsw-pair"),
    pytest.param("nz-authority", {}, "banker_pair", "5.1", id="nz-authority-pair"),
    pytest.param("nz-secretary", {"any_pair": "one"}, "match_player", "5.1", id="nz-secretary-match"),
    pytest.param("nz-secretary", {"lucky_match": "one"}, "player_pair", "5.1", id="nz-secretary-pair"),
    pytest.param("nz-secretary", {}, "dragon_banker", "5.1", id="nz-secretary-dragon"),
    pytest.param("nz-secretary", {}, "ante", "5.1", id="nz-secretary-ante"),
]


def staked(rulebook_id: str, options: dict[str, Any], bet: str) -> TableLog:
    return TableLog(rules_of(rulebook_id, **options)).open(f"s3-{bet}").four(NATURAL).result(8, 5)


@pytest.mark.parametrize(("rulebook_id", "options", "bet"), ELECTED)
def test_rule_chips_on_what_is_elected_are_right(rulebook_id: str, options: dict[str, Any], bet: str) -> None:
    assert "wager.not_offered" not in codes_of(staked(rulebook_id, options, bet).close())


@pytest.mark.parametrize(("rulebook_id", "options", "bet", "rule"), NOT_ELECTED)
def test_rule_chips_on_what_is_not_offered_are_told_at_the_close_of_betting(
    rulebook_id: str, options: dict[str, Any], bet: str, rule: str | None
) -> None:
    log = staked(rulebook_id, options, bet).settle(f"s3-{bet}", "paid", 100)
    paid_t = log.t
    (stray, paid) = alerts_of(log.close())
    closed_t = 3.0 if rulebook_id in ("sg-rws", "nz-authority") else 4.0
    assert (stray.code, stray.rule, stray.t, stray.seat, stray.amount) == ("wager.not_offered", rule, closed_t, 3, 100)
    assert (paid.code, paid.t, paid.seat, paid.area) == ("payout.loser_paid", paid_t, 3, f"s3-{bet}")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("action", ["collected", "returned"])
def test_chips_that_are_not_paid_are_one_fault(rulebook_id: str, action: str) -> None:
    log = staked(rulebook_id, {}, "dragon_player").settle("s3-dragon_player", action, 100).close()
    assert codes_of(log) == ["wager.not_offered"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_taken_back_before_betting_closed_are_no_fault(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-ante", 0, 5).wager("s3-ante", 5, 0)
    assert codes_of(log.add("no_more_bets").four(NATURAL).result(8, 5)) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_put_there_too_late_are_a_late_bet_and_paid_a_second_fault(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four(NATURAL).wager("s3-ante", 0, 5).result(8, 5)
    log.settle("s3-ante", "paid", 5).close()
    assert codes_of(log) == ["late_bet.placed", "payout.loser_paid"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_left_lying_are_told_in_each_round(rulebook_id: str) -> None:
    log = staked(rulebook_id, {}, "ante").close().open().four(NATURAL).result(8, 5).close()
    assert [(one.code, one.round) for one in alerts_of(log)] == [("wager.not_offered", 1), ("wager.not_offered", 2)]


def test_insurance_that_the_house_does_not_offer_is_told_when_it_is_bet() -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).open("s3-player").four("P KH 6C | B 3D KS")
    log.wager("s3-insurance_player", 0, 20).third("banker", "6S").result(6, 9)
    log.settle("s3-player", "collected", 100).settle("s3-insurance_player", "paid", 60).close()
    assert codes_of(log) == ["late_bet.placed", "payout.loser_paid"]


def test_international_a_bet_stays_open_until_a_card_is_seen() -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="B", international=True)).open()
    log.deal("player", "KH").deal("banker", "3D").wager("s3-ante", 0, 5)
    t = log.turn("c1").t
    (stray,) = alerts_of(log)
    assert (stray.code, stray.t) == ("wager.not_offered", t)


def competing(*wagers: tuple[str, int, int]) -> TableLog:
    """Changes of wagers before the call in a competition of Tasmania."""
    log = TableLog(rules_of("tas", competition="competition")).add("bets_opened")
    for area, before, after in wagers:
        log.wager(area, before, after)
    return log.add("no_more_bets").four(NATURAL).result(8, 5)


def test_rule_tas_16_5_10_b_a_player_has_no_wagers_on_both_hands() -> None:
    (found,) = alerts_of(competing(("s3-banker", 0, 50), ("s3-player", 0, 100), ("s3-tie", 0, 25)))
    assert (found.code, found.rule, found.seat, found.area) == ("wager.not_offered", "16.5.10(b)", 3, "s3-player")


@pytest.mark.parametrize(
    "wagers",
    [
        pytest.param([("s3-banker", 0, 50), ("s3-tie", 0, 25)], id="beside the Tie"),
        pytest.param([("s3-banker", 0, 50), ("s4-player", 0, 25)], id="of two players"),
    ],
)
def test_one_hand_and_the_tie_are_what_a_competition_allows(wagers: list[tuple[str, int, int]]) -> None:
    assert "wager.not_offered" not in codes_of(competing(*wagers))


def test_a_wager_that_was_moved_to_the_other_hand_in_time_lies_on_one() -> None:
    log = competing(("s3-banker", 0, 50), ("s3-banker", 50, 0), ("s3-player", 0, 50))
    assert "wager.not_offered" not in codes_of(log)


def test_outside_a_competition_both_hands_may_be_backed() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-banker", 0, 50).wager("s3-player", 0, 50)
    assert "wager.not_offered" not in codes_of(log.add("no_more_bets").four(NATURAL).result(8, 5))
