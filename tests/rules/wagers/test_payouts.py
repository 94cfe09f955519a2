"""Settlement held against what was due: what is alleged only when it was seen, and what excuses it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run

WON = "P KH 7C | B 3D 5H"


def payouts(log: TableLog) -> tuple[list[str], list[str]]:
    """The codes of settlement that were told and those that were left open."""
    alerts, records = run(log.rules, log.events)
    told = [alert.code for alert in alerts if alert.code.startswith("payout.")]
    return told, [doubt.code for doubt in records[0].undetermined if doubt.code.startswith("payout.")]


def won(rulebook_id: str, **options: Any) -> TableLog:
    return TableLog(rules_of(rulebook_id, **options)).open("s3-banker").four(WON).result(7, 8)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_that_a_camera_saw_go_is_left_open(rulebook_id: str) -> None:
    log = won(rulebook_id).settle("s3-banker", "collected", None, source="camera").close()
    assert payouts(log) == ([], ["payout.winner_unpaid"])


@pytest.mark.parametrize(("source", "told"), [("camera", []), ("person", ["payout.loser_kept"])])
def test_loser_that_was_given_back_as_a_camera_saw_it_is_left_open(source: str, told: list[str]) -> None:
    """How far an arm reached is all that a camera sees of it."""
    log = TableLog(rules_of("tas")).open("s3-player").four(WON).result(7, 8)
    log.settle("s3-player", "returned", None, source=source, confidence=0.9).close()
    assert payouts(log) == (told, [] if told else ["payout.loser_kept"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_unread_amount_or_stake_is_left_open(rulebook_id: str) -> None:
    assert payouts(won(rulebook_id).settle("s3-banker", "paid", None).close()) == ([], ["payout.wrong_amount"])
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-banker", 0, None).add("no_more_bets")
    log.four(WON).result(7, 8).settle("s3-banker", "paid", 5).close()
    assert payouts(log) == ([], ["payout.wrong_amount"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_that_moved_after_the_result_are_left_open(rulebook_id: str) -> None:
    log = won(rulebook_id).wager("s3-banker", 100, 195, by="unknown").close()
    assert payouts(log) == ([], ["payout.winner_unpaid"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_lost_camera_leaves_what_did_not_come_open(rulebook_id: str) -> None:
    log = won(rulebook_id).add("camera_lost", camera="overhead").close()
    assert payouts(log) == ([], ["payout.winner_unpaid"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_round_that_never_closed_is_not_judged(rulebook_id: str) -> None:
    assert payouts(won(rulebook_id)) == ([], [])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_given_back_after_a_misdeal_is_right(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").four("P KH 7C | B 3D 4H").third("player", "6S")
    assert payouts(log.result(7, 7).settle("s3-banker", "returned", 100).close())[0] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_that_changed_too_late_is_left_open(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").four(WON).wager("s3-banker", 100, 200)
    log.result(7, 8).settle("s3-banker", "paid", 190).close()
    assert payouts(log) == ([], ["payout.wrong_amount"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_winnings_that_no_chip_expresses_may_be_rounded(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-banker", 0, 50).add("no_more_bets").four(WON)
    log.result(7, 8).settle("s3-banker", "paid", 50 if rulebook_id == "sg-rws" else 47).close()
    assert payouts(log) == ([], [])


def test_rule_nz_14_7_void_wager_settles_like_a_stand_off() -> None:
    log = won("nz-secretary", ante=5)
    assert payouts(log.settle("s3-banker", "paid", 95).close())[0] == ["payout.loser_paid"]
    assert payouts(won("nz-secretary", ante=5).settle("s3-banker", "returned", 100).close())[0] == []
