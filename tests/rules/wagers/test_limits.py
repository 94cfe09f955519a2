"""Limits of the table's notice: which section an alert cites."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, rules_of, run
from tests.rules.witness import STANDS, cards, totals

PAIRS: dict[str, Any] = {"perfect_pair": "one", "dragon_bonus": "one"}
OWN: list[tuple[str, str, dict[str, Any], str]] = [
    ("tas", "player_pair", {"perfect_pair": True}, "15.3"),
    ("tas", "banker_pair", {"perfect_pair": True}, "15.3"),
    ("tas", "tie", {"perfect_pair": True}, "7.1"),
    ("nz-secretary", "player_pair", PAIRS, "11A.4"),
    ("nz-secretary", "banker_pair", {"perfect_pair": "three"}, "11A.4"),
    ("nz-secretary", "dragon_player", PAIRS, "11B.5"),
    ("nz-secretary", "dragon_banker", {"dragon_bonus": "two"}, "11B.5"),
    ("nz-secretary", "player_pair", {"any_pair": "one"}, "11C.5"),
    ("nz-secretary", "banker_pair", {"any_pair": "two"}, "11C.5"),
    ("nz-secretary", "match_player", {"lucky_match": "one"}, "11D.5"),
    ("nz-secretary", "match_banker", {"lucky_match": "two"}, "11D.5"),
    ("sg-rws", "super_six", {}, "3.5"),
    ("sg-rws", "player_pair", {}, "3.5"),
]


def beyond(log: TableLog, bet: str, stake: int, **limits: Any) -> list[tuple[str, str | None]]:
    """Code and section of what is reported about a wager beside one of 100 on the Banker."""
    log.add("bets_opened").wager("s3-banker", 0, 100).wager(f"s3-{bet}", 0, stake).add("no_more_bets").four(STANDS)
    notice = {"minimum": 25, "maximum": 500, "bets": {bet: limits}}
    return [(alert.code, alert.rule) for alert in alerts_of(log, limits=notice) if alert.bet == bet]


@pytest.mark.parametrize(("rulebook_id", "bet", "options", "rule"), OWN)
def test_limit_alert_cites_the_section_of_its_bet(
    rulebook_id: str, bet: str, options: dict[str, Any], rule: str
) -> None:
    rules = rules_of(rulebook_id, **options)
    assert beyond(TableLog(rules), bet, 5, minimum=10) == [("limit.below_minimum", rule)]
    assert beyond(TableLog(rules), bet, 50, maximum=40) == [("limit.above_maximum", rule)]
    assert beyond(TableLog(rules), bet, 30, minimum=10, maximum=40) == []


def test_rule_nz_secretary_14_3_the_ante_is_that_of_the_sign() -> None:
    rules = rules_of("nz-secretary", ante=5)
    assert beyond(TableLog(rules), "ante", 9, minimum=5, maximum=5) == [("limit.above_maximum", "14.3")]
    assert beyond(TableLog(rules), "ante", 5, minimum=5, maximum=5) == []


NOTICE: dict[str, Any] = {"minimum": 25, "maximum": 500, "bets": {"tie": {"minimum": 5, "maximum": 50}}}


def told_of(log: TableLog, limits: dict[str, Any] | None = None) -> list[tuple[str, int | None]]:
    """Code and seat of what is reported about wagers beyond their limits."""
    alerts = alerts_of(log, limits=NOTICE if limits is None else limits)
    told = [(alert.code, alert.seat) for alert in alerts if alert.code.startswith("limit.")]
    return sorted(told, key=lambda one: one[1] or 0)


def after_change(rulebook_id: str, *wagers: tuple[str, int], **change: Any) -> TableLog:
    """Limits change while betting is open, then wagers are put down and cards dealt."""
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").add("limits_changed", **change)
    for area, stake in wagers:
        log.wager(area, 0, stake)
    return log.add("no_more_bets", source="signal").four(STANDS)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_tas_7_2_limits_agreed_with_a_player_are_his_alone(rulebook_id: str) -> None:
    wagers = (("s1-banker", 4000), ("s2-banker", 501), ("s3-player", 10))
    log = after_change(rulebook_id, *wagers, seat=1, maximum=5000)
    assert told_of(log) == [("limit.above_maximum", 2), ("limit.below_minimum", 3)]
    log = after_change(rulebook_id, *wagers, seat=3, minimum=10)
    assert told_of(log) == [("limit.above_maximum", 1), ("limit.above_maximum", 2)]


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary"])
def test_rule_nz_5_9_b_a_personal_maximum_goes_before_the_tables(rulebook_id: str) -> None:
    assert told_of(after_change(rulebook_id, ("s1-banker", 5000), seat=1, maximum=5000)) == []
    assert told_of(after_change(rulebook_id, ("s1-banker", 5001), seat=1, maximum=5000)) == [("limit.above_maximum", 1)]
    assert told_of(after_change(rulebook_id, ("s1-banker", 300), seat=1, maximum=200)) == [("limit.above_maximum", 1)]


def test_players_own_limit_leaves_that_of_a_bet_alone_but_where_it_names_it() -> None:
    assert told_of(after_change("tas", ("s1-tie", 100), seat=1, maximum=5000)) == [("limit.above_maximum", 1)]
    assert told_of(after_change("tas", ("s1-tie", 100), seat=1, bets={"tie": {"maximum": 100}})) == []


def test_line_without_limits_ends_a_players_own() -> None:
    log = TableLog(rules_of("tas")).add("limits_changed", seat=1, maximum=5000).add("limits_changed", seat=1)
    log.add("bets_opened").wager("s1-banker", 0, 1000).four(STANDS)
    assert told_of(log) == [("limit.above_maximum", 1)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_tas_7_6_changed_limits_hold_from_then_on(rulebook_id: str) -> None:
    wagers = (("s1-banker", 1000), ("s2-player", 25))
    assert told_of(after_change(rulebook_id, *wagers)) == [("limit.above_maximum", 1)]
    assert told_of(after_change(rulebook_id, *wagers, maximum=1000)) == []
    assert told_of(after_change(rulebook_id, *wagers, minimum=50, maximum=1000)) == [("limit.below_minimum", 2)]


def test_limits_may_come_to_a_table_without_any() -> None:
    log = after_change("tas", ("s1-banker", 1000), maximum=900)
    assert told_of(log, {}) == [("limit.above_maximum", 1)]
    log.result(7, 7).close().add("bets_opened").wager("s1-banker", 1000, 901).four(STANDS)
    assert told_of(log, {}) == [("limit.above_maximum", 1)] * 2


CLOSED_BY_CALL, CLOSED_BY_CARD = ("nz-authority", "sg-rws"), ("nsw", "nz-secretary", "tas")


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_limits_that_change_after_betting_closed_hold_for_the_next_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s1-banker", "s2-player").add("limits_changed", maximum=50)
    log.four(STANDS).result(7, 7).close()
    assert told_of(log) == []
    log.add("bets_opened").add("no_more_bets", source="signal").four(STANDS)
    assert told_of(log) == [("limit.above_maximum", 1), ("limit.above_maximum", 2)]


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CARD)
def test_limits_that_change_between_the_call_and_the_card_that_closes_betting_hold_at_once(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s1-banker").add("limits_changed", maximum=50).four(STANDS)
    assert told_of(log) == [("limit.above_maximum", 1)]
    log = TableLog(rules_of(rulebook_id)).open().add("limits_changed", maximum=1000)
    assert told_of(log.wager("s1-banker", 0, 1000).four(STANDS)) == []


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CARD)
def test_limits_that_change_in_the_deal_hold_for_the_next_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s1-banker").four(STANDS).add("limits_changed", maximum=50)
    assert told_of(log.result(7, 7).close()) == []
    assert told_of(log.add("bets_opened").four(STANDS)) == [("limit.above_maximum", 1)]


def test_differential_and_collective_maximum_change_too() -> None:
    heavy = (("s1-banker", 500), ("s2-banker", 500))
    assert told_of(after_change("nsw", *heavy, differential=999)) == [("limit.differential", None)]
    assert told_of(after_change("nsw", *heavy, differential=1000)) == []
    assert told_of(after_change("tas", *heavy, collective=999)) == [("limit.above_maximum", None)]
    assert told_of(after_change("tas", *heavy, collective=1000)) == []


@pytest.mark.parametrize("competition", ["competition", "live"])
def test_rule_tas_16_5_3_limits_may_be_raised_in_a_session(competition: str) -> None:
    log = TableLog(rules_of("tas", competition=competition)).add("limits_changed", minimum=100, maximum=1000)
    log.add("bets_opened").wager("s1-banker", 0, 1000).wager("s2-player", 0, 99).four(STANDS)
    assert told_of(log) == [("limit.below_minimum", 2)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_winnings_go_by_the_limits_at_the_close_of_betting(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").add("limits_changed", seat=1, maximum=5000)
    log.wager("s1-player", 0, 4000).add("no_more_bets", source="signal").four("P KH 8C | B 3D 4H")
    log.add("limits_changed", seat=1).result(8, 7).settle("s1-player", "paid", 4000).close()
    assert alerts_of(log, limits=NOTICE) == []


LIMITS_OF_JOE: dict[str, Any] = {"minimum": 25, "maximum": 500}
BANKER_WINS, PLAYER_WINS, TIED = "P KH 2C 3S | B 3D 3H", "P KH 8C | B 3D 4H", STANDS


def low_rounds(*rounds: tuple[str, str, int], area: str = "s3-player", stake: int = 10, **options: Any) -> list[str]:
    """What is reported about a player's low wagers: the cards of each round, and what is done with 10 on the area."""
    log = TableLog(rules_of("tas", **options))
    for text, action, amount in rounds:
        log.add("bets_opened").wager(area, 0, stake)
        cards(log, text).result(*totals(text)).settle(area, action, amount)
        if action == "paid":
            log.wager(area, stake, 0)
        log.close()
    codes = [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)]
    assert codes.count("limit.below_minimum") == (len(rounds) if stake < 25 else 0)
    return [code for code in codes if code != "limit.below_minimum"]


PAID, COLLECTED = (PLAYER_WINS, "paid", 10), (BANKER_WINS, "collected", 10)
KEPT, GIVEN_BACK = ["payout.loser_kept"], (BANKER_WINS, "returned", 10)
WON_AND_RETURNED = (PLAYER_WINS, "returned", 10)


def test_rule_tas_7_5_a_further_low_wager_may_be_returned() -> None:
    assert low_rounds(PAID, GIVEN_BACK) == low_rounds(COLLECTED, GIVEN_BACK) == []
    assert low_rounds(PAID, WON_AND_RETURNED) == low_rounds(COLLECTED, WON_AND_RETURNED) == []
    assert low_rounds(PAID, WON_AND_RETURNED, GIVEN_BACK) == []


def test_rule_tas_7_5_the_first_low_wager_is_paid_or_collected() -> None:
    assert low_rounds(GIVEN_BACK) == KEPT
    assert low_rounds(WON_AND_RETURNED) == ["payout.winner_unpaid"]
    assert low_rounds((TIED, "returned", 10), GIVEN_BACK) == KEPT


def test_rule_tas_7_5_a_wager_within_the_limits_is_not_returned() -> None:
    log = TableLog(rules_of("tas"))
    for stake, (text, action, amount) in ((10, PAID), (25, (BANKER_WINS, "returned", 25))):
        log.add("bets_opened").wager("s3-player", 0, stake)
        cards(log, text).result(*totals(text)).settle("s3-player", action, amount)
        log.wager("s3-player", stake, 0).close()
    assert [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)] == ["limit.below_minimum", *KEPT]


def test_rule_tas_7_5_another_players_low_wager_is_not_returned() -> None:
    log = TableLog(rules_of("tas"))
    for area, (text, action, amount) in (("s3-player", PAID), ("s4-player", GIVEN_BACK)):
        log.add("bets_opened").wager(area, 0, 10)
        cards(log, text).result(*totals(text)).settle(area, action, amount).wager(area, 10, 0).close()
    assert [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)] == ["limit.below_minimum"] * 2 + KEPT


@pytest.mark.parametrize("competition", ["competition", "live"])
def test_rule_tas_16_5_12_in_competition_a_low_wager_is_not_returned(competition: str) -> None:
    assert low_rounds(PAID, GIVEN_BACK, competition=competition) == KEPT


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary", "sg-rws", "nsw"])
def test_other_texts_return_no_low_wager(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id))
    for text, action, amount in (PAID, GIVEN_BACK):
        log.add("bets_opened").wager("s3-player", 0, 10).add("no_more_bets", source="signal")
        cards(log, text).result(*totals(text)).settle("s3-player", action, amount).wager("s3-player", 10, 0).close()
    codes = [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)]
    assert codes == ["limit.below_minimum"] * 2 + KEPT


def raised(
    after: int, when: str, *, by: str = "seat:3", competition: str = "competition", before: int = 20
) -> TableLog:
    """A Player wager that wins is brought to `after`: once cards are out, seen, or the result is announced."""
    log = TableLog(rules_of("tas", competition=competition)).add("bets_opened").wager("s3-player", 0, before)
    for hand, card in zip(("player", "banker") * 2, ("KH", "3D", "8C", "4H"), strict=True):
        log.deal(hand, card)
    if when == "cards":
        log.wager("s3-player", before, after, by=by)
    log.turn_all()
    if when == "seen":
        log.wager("s3-player", before, after, by=by)
    log.result(8, 7)
    if when == "result":
        log.wager("s3-player", before, after, by=by)
    return log.settle("s3-player", "paid", after).wager("s3-player", after, 0).close()


@pytest.mark.parametrize("competition", ["competition", "live"])
@pytest.mark.parametrize("when", ["cards", "seen", "result"])
def test_rule_tas_16_5_12_a_low_wager_may_be_raised_to_the_minimum_at_any_time(when: str, competition: str) -> None:
    log = raised(25, when, competition=competition)
    assert [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)] == ["limit.below_minimum"]
    assert run(log.rules, log.events, limits=LIMITS_OF_JOE)[1][0].due[0].stake == 25


@pytest.mark.parametrize(
    ("log", "code"),
    [
        pytest.param(raised(26, "cards"), "late_bet.increased", id="beyond-the-minimum"),
        pytest.param(raised(40, "cards", before=30), "late_bet.increased", id="not-below-it"),
        pytest.param(raised(25, "cards", by="dealer"), "late_bet.increased", id="by-the-dealer"),
        pytest.param(raised(25, "cards", competition="none"), "late_bet.increased", id="no-competition"),
    ],
)
def test_rule_tas_16_5_6_other_late_increases_are_told(log: TableLog, code: str) -> None:
    assert code in [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)]


def test_rule_tas_16_5_12_the_minimum_is_that_of_the_bet_and_the_player() -> None:
    log = TableLog(rules_of("tas", competition="live")).add("limits_changed", seat=3, minimum=50)
    log.add("bets_opened").wager("s3-player", 0, 30).deal("player", "KH").wager("s3-player", 30, 50)
    assert [alert.code for alert in alerts_of(log, limits=LIMITS_OF_JOE)] == ["limit.below_minimum"]
