"""After a gap in sight nothing is alleged that may have happened unseen, and what began anew is judged anew."""

from __future__ import annotations

import pytest

from tests.rules.belief.test_belief import alerts_of as alerts_in
from tests.rules.belief.test_belief import judged
from tests.rules.builders import RULEBOOKS, TableLog, codes_of, rules_of, run
from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.referee import Referee

NATURAL = "P KS 8H | B KS 7D"
"""Two kings of spades in each round, so that a shoe of four decks holds two such rounds."""


def gap(log: TableLog, seconds: float) -> TableLog:
    return log.add("camera_lost", camera="overhead").add("camera_back", camera="overhead", after_s=seconds)


def faults(log: TableLog, **more: int) -> list[str]:
    return [code for code in codes_of(log, **more) if not code.startswith("camera.")]


def believed(log: TableLog) -> list[str]:
    belief = Belief(Referee(log.rules), lambda _alert: Telling.ALERT, lambda alert: alert.confidence)
    told = alerts_in(judged(log.events, belief))
    return [alert.code for alert in told if not alert.code.startswith("camera.")]


@pytest.mark.parametrize(("seconds", "told"), [(5.0, ["misdeal.foreign_card"] * 2), (600.0, [])])
def test_shoe_may_have_been_changed_in_a_long_gap(seconds: float, told: list[str]) -> None:
    log = TableLog(rules_of("nz-authority")).legal_round(NATURAL).legal_round(NATURAL)
    assert faults(gap(log, seconds).legal_round(NATURAL), decks=4) == told


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_round_whose_first_line_after_a_gap_is_a_card_may_have_begun_unseen(rulebook_id: str) -> None:
    log = gap(TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 7C KS"), 20.0)
    log.deal("banker", "3H").deal("player", "2D").turn_all().result(3, 9).close()
    assert faults(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_round_whose_betting_was_seen_after_a_gap_is_judged(rulebook_id: str) -> None:
    log = gap(TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 7C KS"), 20.0)
    log.open().deal("player", "6H").deal("player", "KD").deal("player", "AD").deal("banker", "7C").turn_all().close()
    assert faults(log) == ["misdeal.order"]


@pytest.mark.parametrize("opener", ["bets_opened", "no_more_bets"])
def test_round_whose_end_fell_into_a_gap_ends_with_the_next_one(opener: str) -> None:
    log = gap(TableLog(rules_of("nz-authority")).open().four("P KS 8H | B KD 7D").result(8, 7), 40.0)
    log.add("bets_opened") if opener == "bets_opened" else log
    log.add("no_more_bets").four("P KC 9H | B KH 7S").result(9, 7).close()
    assert believed(log) == []


@pytest.mark.parametrize(("action", "amount"), [("paid", 190), ("collected", 200)])
def test_wager_may_have_grown_in_a_gap(action: str, amount: int) -> None:
    log = gap(TableLog(rules_of("nz-authority")).add("bets_opened").wager("s1-banker", 0, 100), 5.0)
    log.add("no_more_bets").four("P 2H KH | B 9D KD" if action == "paid" else "P 9D KD | B 2H KH")
    log.result(*((2, 9) if action == "paid" else (9, 2))).settle("s1-banker", action, amount).close()
    assert faults(log) == []
    assert "payout.wrong_amount" in {doubt.code for doubt in run(log.rules, log.events)[1][0].undetermined}


def test_wager_left_from_the_round_before_may_have_been_taken_in_a_gap() -> None:
    log = TableLog(rules_of("nz-authority")).open("s1-banker").four("P 6H KH | B 6D KD").result(6, 6).close()
    gap(log, 10.0).open().four("P 2H KH | B 9D KD").result(2, 9).close()
    assert faults(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("kind", ["camera_lost", "camera_obstructed"])
def test_alert_between_rounds_does_not_disturb_the_next_round(rulebook_id: str, kind: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").close().add(kind, camera="overhead").add("bets_opened")
    assert believed(log.deal("player", "6H", order_unseen=True, source="camera").close()) == []


def test_settlement_of_a_deal_that_no_camera_saw_is_no_traceback() -> None:
    log = TableLog(rules_of("nz-authority")).open("s1-banker")
    gap(log, 20.0).settle("s1-banker", "paid", 95).result(2, 9).close()
    assert set(faults(log)) <= {"procedure.sequence"}
