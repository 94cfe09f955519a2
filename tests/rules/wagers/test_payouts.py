"""Settlement compared with what was due: what is alleged only when it was seen, and what excuses it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run

WON = "P KH 7C | B 3D 5H"


def payouts(log: TableLog) -> tuple[list[str], list[str]]:
    """The codes of settlement that were reported and those that were left open."""
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
@pytest.mark.parametrize("area", ["s3-banker", "s3-tie"], ids=["that-wins", "that-loses"])
def test_wager_that_was_placed_too_late_and_is_paid_is_a_second_fault(rulebook_id: str, area: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four(WON).wager(area, 0, 100).result(7, 8)
    t = log.settle(area, "paid", 95).t
    found = [alert for alert in alerts_of(log.close()) if alert.code.startswith("payout.")]
    assert [(alert.code, alert.t, alert.seat, alert.amount) for alert in found] == [("payout.loser_paid", t, 3, 95)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("action", ["collected", "returned"])
def test_wager_that_was_placed_too_late_and_is_not_paid_is_one_fault(rulebook_id: str, action: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four(WON).wager("s3-banker", 0, 100).result(7, 8)
    assert payouts(log.settle("s3-banker", action, 100).close()) == ([], [])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_that_was_moved_too_late_and_is_paid_is_a_second_fault(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four(WON).wager("s3-player", 100, 0)
    log.wager("s3-banker", 0, 100).result(7, 8).settle("s3-banker", "paid", 95).close()
    assert payouts(log)[0] == ["payout.loser_paid"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_what_was_added_too_late_wins_nothing(rulebook_id: str) -> None:
    due = 100 if rulebook_id == "sg-rws" else 95
    for paid, told in ((2 * due, ["payout.wrong_amount"]), (due, [])):
        log = TableLog(rules_of(rulebook_id)).open("s3-banker").four(WON).wager("s3-banker", 100, 200)
        log.result(7, 8).settle("s3-banker", "paid", paid).close()
        assert payouts(log) == (told, [] if told else ["payout.wrong_amount"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_loser_that_changed_too_late_and_is_paid_is_told(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four(WON).wager("s3-player", 100, 200)
    log.result(7, 8).settle("s3-player", "paid", 200).close()
    assert payouts(log)[0] == ["payout.loser_paid"]


def test_what_was_paid_on_a_late_wager_is_as_sure_as_that_it_was_late() -> None:
    log = TableLog(rules_of("tas")).open().four(WON).wager("s3-banker", 0, 100, by="unknown").result(7, 8)
    late, paid = alerts_of(log.settle("s3-banker", "paid", 95).close())
    assert (paid.code, paid.confidence) == ("payout.loser_paid", late.confidence)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("action", ["collected", "returned"])
def test_winner_that_was_cleared_unpaid_is_told_at_the_act(rulebook_id: str, action: str) -> None:
    log = won(rulebook_id)
    t = log.settle("s3-banker", action, 100).t
    assert [(alert.code, alert.t) for alert in alerts_of(log.close())] == [("payout.winner_unpaid", t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_loser_that_was_given_back_is_told_at_the_act(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four(WON).result(7, 8)
    t = log.settle("s3-player", "returned", 100).t
    assert [(alert.code, alert.t) for alert in alerts_of(log.close())] == [("payout.loser_kept", t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("taken", "told"),
    [
        pytest.param((100,), [], id="all"),
        pytest.param((60, 40), [], id="all-in-two"),
        pytest.param((150,), ["payout.wrong_amount"], id="more"),
        pytest.param((60,), ["payout.wrong_amount"], id="less"),
        pytest.param((100, 50), ["payout.wrong_amount"], id="more-in-two"),
        pytest.param((None,), [], id="not-read"),
    ],
)
def test_what_is_collected_of_a_loser_is_what_it_lost(
    rulebook_id: str, taken: tuple[int | None, ...], told: list[str]
) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four(WON).result(7, 8)
    for amount in taken:
        log.settle("s3-player", "collected", amount)
    t = log.t
    found = alerts_of(log.close())
    assert [alert.code for alert in found] == told
    assert all((alert.t, alert.amount) == (t, sum(one or 0 for one in taken)) for alert in found)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_loser_of_which_a_part_is_given_back_is_told(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four(WON).result(7, 8)
    log.settle("s3-player", "collected", 60).settle("s3-player", "returned", 40).close()
    assert payouts(log)[0] == ["payout.loser_kept"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_winner_whose_stake_is_taken_besides_is_told(rulebook_id: str) -> None:
    due = 100 if rulebook_id == "sg-rws" else 95
    log = won(rulebook_id).settle("s3-banker", "paid", due).settle("s3-banker", "collected", 100).close()
    assert payouts(log)[0] == ["payout.wrong_amount"]


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary"])
def test_rule_nz_5_10_commission_may_be_collected_when_the_winnings_are_paid(rulebook_id: str) -> None:
    log = won(rulebook_id).settle("s3-banker", "paid", 100).settle("s3-banker", "collected", 5).close()
    assert payouts(log) == ([], [])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_winnings_that_no_chip_expresses_may_be_rounded(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-banker", 0, 50).add("no_more_bets").four(WON)
    log.result(7, 8).settle("s3-banker", "paid", 50 if rulebook_id == "sg-rws" else 47).close()
    assert payouts(log) == ([], [])


def test_rule_nz_14_7_void_wager_settles_like_a_stand_off() -> None:
    log = won("nz-secretary", ante=5)
    assert payouts(log.settle("s3-banker", "paid", 95).close())[0] == ["payout.loser_paid"]
    assert payouts(won("nz-secretary", ante=5).settle("s3-banker", "returned", 100).close())[0] == []


@pytest.mark.parametrize(
    ("text", "acts"),
    [
        ("P 9H KD | B 2C KS", [("collected", 100), ("returned", 100), ("paid", 100)]),
        ("P 2C KS | B 9H KD", [("collected", 150), ("returned", 50)]),
        ("P 9H KD | B 9C KS", [("collected", 100), ("returned", 100)]),
    ],
    ids=["winner", "loser", "stand-off"],
)
@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_taken_by_mistake_and_given_back_are_put_right(
    rulebook_id: str, text: str, acts: list[tuple[str, int]]
) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s1-player").four(text)
    log.result(*(9 if hand.split()[-2:][0].startswith("9") else 2 for hand in text.split("|")))
    for action, amount in acts:
        log.settle("s1-player", action, amount)
    assert codes_of(log.close()) == []


def test_pair_is_as_sure_as_the_ranks_that_decide_it() -> None:
    log = TableLog(rules_of("sg-rws")).open("s1-player_pair")
    log.deal("player", "QH", confidence=0.55, value_confidence=0.995).deal("banker", "7D").deal("player", "8H")
    log.deal("banker", "KD").result(8, 7)
    told = alerts_of(log.settle("s1-player_pair", "paid", 1100).close())
    sure = {alert.code: alert.confidence for alert in told}
    assert sure["payout.loser_paid"] == pytest.approx(0.55, abs=0.01)


def test_payment_that_follows_the_announcement_is_as_sure_as_the_cards_that_contradict_it() -> None:
    log = TableLog(rules_of("nz-authority")).open("s1-banker").deal("player", "7H").deal("banker", "6D", confidence=0.6)
    log.deal("player", "KH").deal("banker", "KD").result(7, 9).settle("s1-banker", "paid", 95).close()
    told = {alert.code: alert.confidence for alert in alerts_of(log)}
    assert told["payout.loser_paid"] == pytest.approx(0.6)


@pytest.mark.parametrize(("winner", "is_otherwise"), [("player", False), (None, True)], ids=["announced", "silent"])
def test_only_settling_that_nobody_announced_speaks_against_the_cards(winner: str | None, is_otherwise: bool) -> None:
    """The Player lost. Where it was announced as the winner, what it was paid shows nothing more."""
    log = TableLog(rules_of("tas")).open("s3-player").four(WON)
    if winner is not None:
        log.result(7, 8, winner=winner)
    log.settle("s3-player", "paid", None, source="camera").close()
    (record,) = run(log.rules, log.events)[1]
    assert "payout.loser_paid" in [doubt.code for doubt in record.undetermined]
    assert record.is_settled_otherwise is is_otherwise
