"""What the dealer settles, and a display shows, while the next wagers are placed concerns the round before."""

from __future__ import annotations

import pytest

from tests.rules.builders import NZ, TableLog, codes_of, rules_of, run

BANKER_WINS = "P 2H KH | B 9D KD"


def betting_again(rulebook_id: str) -> TableLog:
    log = TableLog(rules_of(rulebook_id)).open("s1-banker").four(BANKER_WINS).result(2, 9)
    return log.settle("s1-banker", "paid", 50).close().add("bets_opened")


@pytest.mark.parametrize("rulebook_id", NZ)
def test_payment_that_is_made_good_in_the_next_betting_is_no_part_of_the_next_round(rulebook_id: str) -> None:
    log = betting_again(rulebook_id).settle("s1-banker", "paid", 45).add("no_more_bets")
    log.four(BANKER_WINS).result(2, 9).settle("s1-banker", "paid", 95).close()
    alerts = run(log.rules, log.events)[0]
    assert [(alert.code, alert.round) for alert in alerts] == [("payout.wrong_amount", 1)]


@pytest.mark.parametrize("rulebook_id", NZ)
def test_commission_that_is_collected_in_the_next_betting_leaves_the_stake(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s1-banker").four(BANKER_WINS).result(2, 9)
    log.settle("s1-banker", "paid", 95).close().add("bets_opened").settle("s1-banker", "collected", 5)
    log.add("no_more_bets").four(BANKER_WINS).result(2, 9).settle("s1-banker", "paid", 90).close()
    assert [(alert.code, alert.round) for alert in run(log.rules, log.events)[0]] == [("payout.wrong_amount", 2)]


@pytest.mark.parametrize("rulebook_id", NZ)
def test_display_that_repeats_the_last_result_hides_neither_late_wager_nor_missing_card(rulebook_id: str) -> None:
    log = betting_again(rulebook_id).result(2, 9, source="signal").wager("s2-player", 0, 100).add("no_more_bets")
    log.four("P 2S KS | B 5C 2C").wager("s3-player", 0, 500).result(2, 7).close()
    codes = codes_of(log)
    assert codes.count("late_bet.placed") == 1
    assert codes.count("misdeal.third_card_missing") == 1
    assert "misdeal.short_hand" not in codes


@pytest.mark.parametrize("rulebook_id", NZ)
def test_settlement_between_the_call_and_the_first_card_is_forgotten_with_that_card(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().settle("s1-banker", "collected", 5).four(BANKER_WINS).result(2, 9)
    assert codes_of(log.close()) == []
