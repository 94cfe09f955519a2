"""When insurance may be bet, and which rule is broken where it may not."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, alerts_of, rules_of


def after_both_thirds(*, is_waived: str | None) -> TableLog:
    """Both third cards lie face down, then the Banker's is handed over or shown; then the Player's is opened."""
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open("s3-player").four("P KH 3C | B KD AS")
    log.deal("player", "4S").deal("banker", "2C")
    if is_waived == "passed":
        log.add("card_passed", card_id="c6", to="seat:3")
    elif is_waived == "shown":
        log.turn("c6")
    return log.turn("c5")


def late(log: TableLog) -> list[tuple[str, str | None]]:
    log.wager("s3-insurance_player", 0, 20)
    return [(alert.code, alert.rule) for alert in alerts_of(log)]


@pytest.mark.parametrize("how", ["passed", "shown"])
def test_rule_sg_3_14_banker_s_third_before_the_player_s_waives_insurance(how: str) -> None:
    assert late(after_both_thirds(is_waived=how)) == [("late_bet.placed", "3.14")]


def test_rule_sg_5_3_next_card_closes_insurance_without_a_waiver() -> None:
    assert late(after_both_thirds(is_waived=None)) == [("late_bet.placed", "5.3")]


def test_rule_sg_3_14_player_s_third_opened_first_waives_nothing() -> None:
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open("s3-player").four("P KH 3C | B KD AS")
    log.deal("player", "4S").turn("c5").wager("s3-insurance_player", 0, 20).deal("banker", "2C")
    assert alerts_of(log.add("card_passed", card_id="c6", to="seat:3").turn("c6")) == []


def test_rule_sg_3_14_the_waiver_ends_with_the_round() -> None:
    log = after_both_thirds(is_waived="shown").result(7, 3).close().open("s3-player").four("P KH 3C | B KD AS")
    log.third("player", "4S").third("banker", "2C")
    assert late(log)[-1] == ("late_bet.placed", "5.3")


@pytest.mark.parametrize("text", ["P KH 7C | B KD 3S", "P KH 2C | B KD 3S"], ids=["in-a-row", "in-no-row"])
def test_rule_sg_4_2_2_no_insurance_may_be_bet_where_none_is_offered(text: str) -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).open("s3-player").four(text)
    assert late(log) == [("late_bet.placed", "4.2.2")]


def test_rule_sg_4_2_2_insurance_left_lying_may_be_taken_back() -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).wager("s3-insurance_player", 20, 0)
    assert alerts_of(log) == []
