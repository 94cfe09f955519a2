"""What a rulebook orders after a fault is a state: the round record says whether it was done."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.rules.builders import NZ, TableLog, rules_of, run
from thirdcard.rules.round.records import RoundRecord, format_round

Build = Callable[[TableLog], TableLog]
STANDS = "P KH 7C | B 3D 4H"


def records_of(log: TableLog) -> list[RoundRecord]:
    return run(log.rules, log.events)[1]


def states(record: RoundRecord) -> list[tuple[str, str, str]]:
    return [(one.code, one.action, str(one.state)) for one in record.remedies]


def excess(log: TableLog, *, is_seen: bool) -> TableLog:
    log.open().four(STANDS).deal("player", "6S", face_up=is_seen)
    return log.result(7, 7).close()


def first_kept(log: TableLog) -> TableLog:
    return log.open().add("card_moved", card_id="c5", hand="player").deal("banker", "2C").close()


def first_new(log: TableLog) -> TableLog:
    return log.open().deal("player", "2C").close()


@pytest.mark.parametrize("rulebook_id", [*NZ, "sg-rws"])
@pytest.mark.parametrize(("follow", "state"), [(first_kept, "done"), (first_new, "not_done")])
def test_card_in_excess_begins_the_next_round(rulebook_id: str, follow: Build, state: str) -> None:
    records = records_of(follow(excess(TableLog(rules_of(rulebook_id)), is_seen=False)))
    assert states(records[0]) == []
    assert states(records[1])[0] == ("misdeal.third_card_not_due", "first_card_of_next_round", state)
    assert records[1].remedies[0].round == 1


def test_new_cards_lift_what_waits_for_the_next_round() -> None:
    log = excess(TableLog(rules_of("nz-authority")), is_seen=False).add("shoe_opened", decks=8).add("card_burned")
    assert "first_card_of_next_round" not in [action for _, action, _ in states(records_of(first_new(log))[1])]


@pytest.mark.parametrize("rulebook_id", [*NZ, "tas"])
@pytest.mark.parametrize(
    ("chips", "state"), [pytest.param(False, "done", id="none"), pytest.param(True, "not_done", id="chips")]
)
def test_next_hand_is_played_without_wagers(rulebook_id: str, chips: bool, state: str) -> None:
    log = excess(TableLog(rules_of(rulebook_id)), is_seen=True)
    if chips:
        log.wager("s3-banker", 0, 100)
    record = records_of(log.add("card_moved", card_id="c5", hand="player").deal("banker", "2C").close())[1]
    assert states(record)[0] == ("misdeal.third_card_not_due", "void_next_hand", state)


def test_chips_that_were_not_seen_leave_a_void_hand_undetermined() -> None:
    log = excess(TableLog(rules_of("nz-authority")), is_seen=True).wager("s3-banker", None, None)
    alerts, records = run(log.rules, log.deal("banker", "2C").close().events)
    assert [alert.code for alert in alerts if alert.code.startswith("procedure")] == []
    assert {state for _, action, state in states(records[1]) if action == "void_next_hand"} == {"undetermined"}
    assert [doubt.code for doubt in records[1].undetermined if "void" in doubt.code] == ["procedure.void_hand_wagered"]


@pytest.mark.parametrize("rulebook_id", [*NZ, "tas"])
@pytest.mark.parametrize(("is_moved", "state"), [(True, "done"), (False, "not_done")])
def test_card_goes_to_the_banker(rulebook_id: str, is_moved: bool, state: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four("P KH 7C | B 3D KS").third("player", "6S")
    if is_moved:
        log.add("card_moved", card_id="c5", hand="banker")
    record = records_of(log.result(7, 9).close())[0]
    assert states(record)[0] == ("misdeal.third_card_not_due", "card_to_banker", state)


@pytest.mark.parametrize(("is_mended", "state"), [(True, "done"), (False, "not_done")])
def test_round_is_reconstructed(is_mended: bool, state: str) -> None:
    log = TableLog(rules_of("nz-authority")).open().deal("player", "6H").deal("player", "KS")
    if is_mended:
        log.add("card_moved", card_id="c2", hand="banker")
    log.deal("player", "AD").deal("banker", "7C").result(7, 7).close()
    assert states(records_of(log)[0])[0] == ("misdeal.order", "reconstruct", state)


def test_round_that_cannot_be_reconstructed_gives_the_wagers_back() -> None:
    log = TableLog(rules_of("nz-authority")).open("s3-banker").deal("player", "6H").deal("player", "KS")
    log.settle("s3-banker", "returned", 100).close()
    assert ("misdeal.order", "reconstruct", "done") in states(records_of(log)[0])


@pytest.mark.parametrize(("action", "state"), [("returned", "done"), ("collected", "not_done"), (None, "undetermined")])
def test_late_wager_is_given_back(action: str | None, state: str) -> None:
    log = TableLog(rules_of("tas")).open().four(STANDS).wager("s3-banker", 0, 100)
    if action is not None:
        log.settle("s3-banker", action, 100)
    record = records_of(log.result(7, 7).close())[0]
    assert [(one.area, str(one.state)) for one in record.remedies] == [("s3-banker", state)]


@pytest.mark.parametrize(("action", "state"), [("returned", "done"), ("collected", "not_done"), (None, "undetermined")])
def test_void_round_gives_the_wagers_back(action: str | None, state: str) -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four("P KH 3C | B 3D 4H").add("shoe_closed")
    if action is not None:
        log.settle("s3-banker", action, 100)
    assert ("misdeal.shoe_exhausted", "void_round", state) in states(records_of(log.close())[0])


def test_record_says_what_was_due_and_what_could_not_be_judged() -> None:
    log = TableLog(rules_of("tas")).open().four("P KH 3C | B 3D 4H").deal("player", None).result(3, 7).close()
    mapping = format_round(records_of(log)[0])
    assert "remedies" not in mapping
    assert {"code": "misdeal.wrong_result", "why": "not read: c5"} in mapping["undetermined"]


def test_record_of_a_round_that_was_seen_leaves_both_out() -> None:
    log = TableLog(rules_of("tas")).legal_round("P KH 7C | B 3D 4H")
    assert {"remedies", "undetermined"} & set(format_round(records_of(log)[0])) == set()


def test_lost_camera_is_named() -> None:
    log = TableLog(rules_of("nz-authority")).add("camera_lost", camera="overhead").deal("player", "6H").close()
    doubts = {(doubt.code, doubt.why) for doubt in records_of(log)[0].undetermined}
    assert ("procedure.no_call", "a camera was lost") in doubts


def test_change_without_a_direction_is_named() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").deal("player", "6H").deal("banker", "KS")
    log.wager("s3-banker", 100, None).close()
    doubts = {doubt.why for doubt in records_of(log)[0].undetermined}
    assert "how the wager on s3-banker changed was not read" in doubts


def test_unread_burn_is_named_and_not_alleged() -> None:
    log = TableLog(rules_of("nz-authority")).add("shoe_opened", decks=8)
    for _ in range(4):
        log.add("card_burned")
    alerts, records = run(log.rules, log.legal_round(STANDS).events)
    assert alerts == []
    assert [doubt.code for doubt in records[0].undetermined] == ["procedure.burn"]


@pytest.mark.parametrize("value", [None, 100])
def test_unread_wager_leaves_handler_and_limits_open(value: int | None) -> None:
    log = TableLog(rules_of("nz-authority", dealing_style="B")).add("bets_opened")
    log.wager("s3-banker", 0, None).wager("s5-banker", 0, value).add("no_more_bets")
    log.deal("player", "KH", face_up=False).deal("banker", "3D", face_up=False)
    log.add("card_passed", card_id="c2", to="seat:5").close()
    alerts, records = run(log.rules, log.events, limits={"minimum": 25, "maximum": 500, "differential": 150})
    codes = {doubt.code for doubt in records[0].undetermined}
    assert [alert.code for alert in alerts if not alert.code.startswith("misdeal")] == []
    assert {"procedure.wrong_handler", "limit.below_minimum", "limit.above_maximum", "limit.differential"} <= codes


@pytest.mark.parametrize("is_alleged", [True, False])
def test_next_hand_is_void_only_by_what_is_alleged(is_alleged: bool) -> None:
    log = TableLog(rules_of("tas")).open().four("P 9H KD | B 3S KC").third("player", "2C").result(9, 3).close()
    log.open().deal("player", "4H").wager("s3-tie", 0, 100)
    codes = [
        alert.code for alert in run(log.rules, log.events, is_alleged=lambda alert: is_alleged or alert.round > 1)[0]
    ]
    assert ("procedure.void_hand_wagered" in codes) == is_alleged
    assert ("late_bet.placed" in codes) != is_alleged
