"""Stakes beyond a limit that nobody enforced in time: what of them wins or loses, and what must be paid."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, rules_of, run
from thirdcard.rules.round.records import Due, format_money, format_round

WON = "P KH 7C | B 3D 5H"
"""The Banker wins with 8."""
LOST = "P KH 8C | B 3D 4H"
UP_TO_MAXIMUM = [
    pytest.param({}, "7.4", id="tas-7.4"),
    pytest.param({"competition": "competition"}, "16.5.13", id="tas-16.5.13-competition"),
    pytest.param({"competition": "live"}, "16.5.13", id="tas-16.5.13-live"),
]
LIMITS = {"minimum": 50, "maximum": 500, "differential": 300}


def staked(rulebook_id: str, stakes: dict[str, int | None], text: str = WON, **options: Any) -> TableLog:
    """A round with these stakes up to the result."""
    log = TableLog(rules_of(rulebook_id, **options)).add("bets_opened")
    for area, stake in stakes.items():
        log.wager(area, 0, stake)
    log.add("no_more_bets").four(text)
    return log.result(7, 8) if text == WON else log.result(8, 7)


def dues(log: TableLog, **limits: int) -> dict[str, Due]:
    record = run(log.rules, log.close().events, limits=LIMITS | limits)[1][0]
    return {due.area: due for due in record.due}


def told(due: Due) -> tuple[str, int | str | None, int | str | None]:
    """Its outcome, what it pays and what of it is not in play, as a record says it."""
    return str(due.outcome), format_money(due.pays), format_money(due.excess_stake)


def payouts(log: TableLog) -> list[tuple[str, str | None]]:
    alerts = alerts_of(log.close(), limits=LIMITS)
    return [(alert.code, alert.rule) for alert in alerts if alert.code.startswith("payout.")]


@pytest.mark.parametrize(("options", "rule"), UP_TO_MAXIMUM)
def test_rule_tas_7_4_a_wager_above_the_maximum_is_paid_up_to_it(options: dict[str, Any], rule: str) -> None:
    due = dues(staked("tas", {"s3-banker": 600}, **options))["s3-banker"]
    assert (due.stake, told(due)) == (600, ("win", 475, 100))
    whole = staked("tas", {"s3-banker": 600}, **options).settle("s3-banker", "paid", 570)
    assert payouts(whole) == [("payout.wrong_amount", rule)]
    assert payouts(staked("tas", {"s3-banker": 600}, **options).settle("s3-banker", "paid", 475)) == []


def test_rule_tas_7_4_a_wager_at_the_maximum_is_paid_whole() -> None:
    due = dues(staked("tas", {"s3-banker": 500}))["s3-banker"]
    assert told(due) == ("win", 475, None)


@pytest.mark.parametrize("rulebook_id", [name for name in RULEBOOKS if name != "tas"])
def test_other_rulebooks_pay_a_wager_above_the_maximum_whole(rulebook_id: str) -> None:
    due = dues(staked(rulebook_id, {"s3-player": 600}, LOST), differential=9999)["s3-player"]
    assert told(due) == ("win", 600, None)


def test_rule_sg_5_1_1_bets_beyond_the_differential_win_and_lose_pro_rata() -> None:
    stakes: dict[str, int | None] = {"s1-player": 100, "s2-banker": 200, "s3-banker": 400}
    due = dues(staked("sg-rws", stakes))
    assert told(due["s1-player"]) == ("lose", 0, None)
    assert told(due["s2-banker"]) == ("win", "400/3", "200/3")
    assert told(due["s3-banker"]) == ("win", "800/3", "400/3")
    assert told(dues(staked("sg-rws", stakes, LOST))["s3-banker"]) == ("lose", 0, "400/3")


def test_rule_sg_5_1_1_no_bet_is_cut_below_the_minimum() -> None:
    due = dues(staked("sg-rws", {"s2-banker": 60, "s3-banker": 540}))
    assert (told(due["s2-banker"]), told(due["s3-banker"])) == (("win", 50, 10), ("win", 270, 270))


def test_rule_sg_5_1_2_a_bet_below_the_minimum_is_not_cut() -> None:
    due = dues(staked("sg-rws", {"s2-banker": 40, "s3-banker": 460}))
    assert told(due["s2-banker"]) == ("win", 40, None)
    assert told(due["s3-banker"]) == ("win", 276, 184)


def test_rule_sg_5_1_1_a_bet_beyond_the_differential_paid_whole_is_told() -> None:
    stakes: dict[str, int | None] = {"s1-player": 100, "s3-banker": 600}
    assert payouts(staked("sg-rws", stakes).settle("s1-player", "collected", 100).settle("s3-banker", "paid", 600)) == [
        ("payout.wrong_amount", "5.1.1")
    ]
    fits = staked("sg-rws", stakes).settle("s1-player", "collected", 100).settle("s3-banker", "paid", 400)
    assert payouts(fits) == []


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        pytest.param((("collected", 3000),), [("payout.wrong_amount", "5.1.1")], id="whole"),
        pytest.param((("collected", 2000),), [], id="pro-rata"),
        pytest.param((("collected", 2000), ("returned", 1000)), [], id="the-rest-given-back"),
        pytest.param((("collected", 1500),), [("payout.wrong_amount", "5.1.1")], id="too-little"),
        pytest.param((("collected", 1500), ("returned", 1500)), [("payout.loser_kept", "5.14")], id="too-much-back"),
    ],
)
def test_rule_sg_5_1_1_a_loser_beyond_the_differential_loses_pro_rata(
    acts: tuple[tuple[str, int], ...], told: list[tuple[str, str]]
) -> None:
    log = staked("sg-rws", {"s1-player": 3000, "s2-banker": 1000}).settle("s2-banker", "paid", 1000)
    for action, amount in acts:
        log.settle("s1-player", action, amount)
    alerts = alerts_of(log.close(), limits={"differential": 1000})
    assert [(one.code, one.rule) for one in alerts if one.code.startswith("payout.")] == told


@pytest.mark.parametrize(("options", "rule"), UP_TO_MAXIMUM)
@pytest.mark.parametrize(("taken", "is_told"), [(500, False), (600, True)])
def test_rule_tas_7_4_a_loser_above_the_maximum_loses_up_to_it(
    options: dict[str, Any], rule: str, taken: int, is_told: bool
) -> None:
    log = staked("tas", {"s3-banker": 600}, LOST, **options).settle("s3-banker", "collected", taken)
    assert payouts(log) == ([("payout.wrong_amount", rule)] if is_told else [])


def test_rule_sg_5_1_1_winnings_are_rounded_to_the_smallest_chip() -> None:
    log = staked("sg-rws", {"s2-banker": 250, "s3-banker": 100}).settle("s2-banker", "paid", 215)
    log.settle("s3-banker", "paid", 85).close()
    codes = [alert.code for alert in alerts_of(log, limits=LIMITS, smallest_chip=5)]
    assert codes == ["limit.differential"]


def test_unread_stake_leaves_what_is_pro_rata_open() -> None:
    due = dues(staked("sg-rws", {"s1-player": None, "s3-banker": 500}))["s3-banker"]
    assert told(due) == ("win", None, None)


def test_void_and_stand_off_have_no_excess() -> None:
    due = dues(staked("tas", {"s3-player_pair": 600}, perfect_pair=True))["s3-player_pair"]
    assert told(due) == ("lose", 0, None)
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-banker", 0, 600).add("no_more_bets")
    due = dues(log.four("P KH 7C | B 3D 4H").result(7, 7))["s3-banker"]
    assert told(due) == ("push", 0, None)


def test_record_says_what_is_not_in_play() -> None:
    log = staked("tas", {"s3-banker": 600}).close()
    record = format_round(run(log.rules, log.events, limits=LIMITS)[1][0])
    assert record["due"][0]["excess_stake"] == 100
