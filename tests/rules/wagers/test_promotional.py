"""Promotional chips: one free wager of their own amount, spent with the round."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, rules_of
from tests.rules.witness import STANDS, cards, totals

PLAYER_WINS, BANKER_WINS = "P KH 8C | B 3D 4H", "P KH 7C | B 3D 5H"
NOTICE = {"minimum": 25, "maximum": 50}


def token(log: TableLog, text: str, *acts: tuple[str, int], stake: int = 100, **more: Any) -> TableLog:
    """A round with a token on the Player, and what the dealer did with it."""
    log.add("bets_opened").wager("s3-player", 0, stake, promotional=True, **more)
    cards(log.add("no_more_bets", source="signal"), text).result(*totals(text))
    for action, amount in acts:
        log.settle("s3-player", action, amount)
    return log.close()


def codes(rulebook_id: str, text: str, *acts: tuple[str, int], **more: Any) -> list[str]:
    return [alert.code for alert in alerts_of(token(TableLog(rules_of(rulebook_id)), text, *acts, **more))]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_nsw_1_1_a_token_is_taken_whether_it_wins_or_loses(rulebook_id: str) -> None:
    assert codes(rulebook_id, PLAYER_WINS, ("paid", 100), ("collected", 100)) == []
    assert codes(rulebook_id, PLAYER_WINS, ("collected", 100), ("paid", 100)) == []
    assert codes(rulebook_id, BANKER_WINS, ("collected", 100)) == []
    assert codes(rulebook_id, STANDS, ("collected", 100)) == codes(rulebook_id, STANDS, ("returned", 100)) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_nsw_1_1_its_winnings_are_paid_in_full(rulebook_id: str) -> None:
    assert codes(rulebook_id, PLAYER_WINS, ("collected", 100)) == ["payout.winner_unpaid"]
    assert codes(rulebook_id, PLAYER_WINS, ("paid", 90), ("collected", 100)) == ["payout.wrong_amount"]
    assert codes(rulebook_id, PLAYER_WINS, ("paid", 100), ("collected", 110)) == ["payout.wrong_amount"]
    assert codes(rulebook_id, BANKER_WINS) == ["payout.loser_kept"]
    assert codes(rulebook_id, BANKER_WINS, ("returned", 100)) == ["payout.loser_kept"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_nsw_1_1_a_token_that_won_lies_no_more(rulebook_id: str) -> None:
    log = token(TableLog(rules_of(rulebook_id)), PLAYER_WINS, ("paid", 100))
    log.add("bets_opened").add("no_more_bets", source="signal")
    cards(log, BANKER_WINS).result(*totals(BANKER_WINS)).close()
    assert alerts_of(log) == []


def test_rule_nsw_1_1_a_token_is_a_wager_of_its_own_amount() -> None:
    for stake in (10, 100):
        log = token(TableLog(rules_of("nsw")), BANKER_WINS, ("collected", stake), stake=stake)
        assert alerts_of(log, limits=NOTICE) == []
    log = token(TableLog(rules_of("tas")), BANKER_WINS, ("collected", 10), stake=10)
    assert [alert.code for alert in alerts_of(log, limits=NOTICE)] == ["limit.below_minimum"]


def test_chips_beside_a_token_are_a_wager_like_any() -> None:
    log = TableLog(rules_of("nsw")).add("bets_opened").wager("s3-player", 0, 40)
    log.wager("s3-player", 40, 140, promotional=True)
    cards(log, PLAYER_WINS).result(8, 7).settle("s3-player", "paid", 140).close()
    log.add("bets_opened")
    cards(log, BANKER_WINS).result(7, 8)
    assert [alert.code for alert in alerts_of(log.close())] == ["payout.loser_kept"]
    log.events[-1:] = []
    assert alerts_of(log.settle("s3-player", "collected", 40).close()) == []


def test_token_that_was_taken_back_in_time_is_none() -> None:
    log = TableLog(rules_of("nsw")).add("bets_opened").wager("s3-player", 0, 100, promotional=True)
    log.wager("s3-player", 100, 0).wager("s3-player", 0, 100)
    cards(log, STANDS).result(7, 7).settle("s3-player", "collected", 100).close()
    assert [alert.code for alert in alerts_of(log)] == ["payout.push_taken"]


def test_chips_that_follow_a_token_which_is_gone_are_none() -> None:
    log = TableLog(rules_of("nsw"))
    token(log, PLAYER_WINS, ("paid", 100))
    log.events.pop()
    log.wager("s3-player", 0, 300).add("round_closed").add("no_more_bets", source="signal")
    cards(log, PLAYER_WINS).result(8, 7).settle("s3-player", "paid", 300).close()
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("text", [STANDS, PLAYER_WINS, BANKER_WINS])
def test_token_whose_amount_was_not_read_may_be_taken(rulebook_id: str, text: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-player", None, None, promotional=True)
    cards(log.add("no_more_bets", source="signal"), text).result(*totals(text))
    if text == PLAYER_WINS:
        log.settle("s3-player", "paid", 100)
    assert alerts_of(log.settle("s3-player", "collected", 100).close(), limits=NOTICE) == []


def test_token_that_is_added_to_what_was_not_read_is_some_part_of_it() -> None:
    log = TableLog(rules_of("nsw")).add("bets_opened").wager("s3-player", 0, None)
    log.wager("s3-player", None, 20, promotional=True)
    cards(log.add("no_more_bets", source="signal"), STANDS).result(7, 7).settle("s3-player", "collected", 20).close()
    assert alerts_of(log, limits=NOTICE) == []
