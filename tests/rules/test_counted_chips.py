"""Chips that were counted but whose value was not read: what their number decides, and what needs the money."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run
from thirdcard.rules.findings.alerts import Alert

WON = "P KH 7C | B 3D 5H"
LOST = "P KH 8C | B 3D 4H"
COUNTED = {"chips_before": 0, "chips_after": 3}


def unread(rulebook_id: str, area: str = "s3-banker", **options: Any) -> TableLog:
    """Three chips that nobody could value, before the call."""
    return TableLog(rules_of(rulebook_id, **options)).add("bets_opened").wager(area, None, None, **COUNTED)


def told(log: TableLog, **table: Any) -> list[tuple[str, int | None, float]]:
    return [(alert.code, alert.amount, alert.confidence) for alert in alerts(log, **table)]


def alerts(log: TableLog, **table: Any) -> list[Alert]:
    return run(log.rules, log.events, **table)[0]


def doubts(log: TableLog, **table: Any) -> list[str]:
    return [doubt.code for doubt in run(log.rules, log.events, **table)[1][0].undetermined]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(("text", "totals", "code"), [(WON, (7, 8), "winner_unpaid"), (LOST, (8, 7), "loser_kept")])
def test_counted_wager_left_alone_is_told(rulebook_id: str, text: str, totals: tuple[int, int], code: str) -> None:
    log = unread(rulebook_id).add("no_more_bets").four(text).result(*totals).close()
    assert told(log) == [(f"payout.{code}", None, 1.0)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_that_was_neither_valued_nor_counted_is_left_open(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-banker", None, None).add("no_more_bets")
    log.four(LOST).result(8, 7).close()
    assert (told(log), doubts(log)) == ([], ["payout.loser_kept"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_that_a_camera_could_not_value_are_left_open(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s3-banker", 0, None, **COUNTED, source="camera")
    log.add("no_more_bets").four(LOST).result(8, 7).close()
    assert (told(log), doubts(log)) == ([], ["payout.loser_kept"])


def filmed(rulebook_id: str, *, area: str = "s3-player", **fields: Any) -> TableLog:
    """A wager whose chips only a camera saw, and a Player that won."""
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager(area, 0, None, source="camera", confidence=0.97)
    return log.add("no_more_bets").four(LOST).result(8, 7).add("round_closed", **fields)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(("untouched", "is_told"), [(["s3-player"], True), (["s4-player"], False), (None, False)])
def test_chips_that_a_camera_saw_untouched_by_anybody_are_told(
    rulebook_id: str, untouched: list[str] | None, is_told: bool
) -> None:
    log = filmed(rulebook_id, untouched=untouched)
    assert told(log) == ([("payout.winner_unpaid", None, 0.97)] if is_told else [])
    assert doubts(log) == ([] if is_told else ["payout.winner_unpaid"])


@pytest.mark.parametrize(("sure", "is_told"), [(0.9, True), (0.5, False), (None, False)])
def test_stand_off_that_a_camera_saw_go_to_the_dealer_is_told_where_its_way_was_seen(
    sure: float | None, is_told: bool
) -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-player", 0, None, source="camera").add("no_more_bets")
    log.four("P KH 8C | B 3D 5H").result(8, 8).settle("s3-player", "collected", None, source="camera", confidence=sure)
    assert told(log.close()) == ([("payout.push_taken", None, 0.9)] if is_told else [])


def test_winner_whose_chips_a_camera_saw_go_to_the_dealer_may_get_change() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-player", 0, None, source="camera").add("no_more_bets")
    log.four(LOST).result(8, 7).settle("s3-player", "collected", None, source="camera", confidence=0.9)
    assert (told(log.close()), doubts(log)) == ([], ["payout.winner_unpaid"])


@pytest.mark.parametrize(("others", "is_told"), [((), False), (("s5-player",), True), (("s5-tie",), False)])
def test_wagers_settled_against_cards_that_nobody_announced_are_told_where_others_bear_them_out(
    others: tuple[str, ...], is_told: bool
) -> None:
    log = TableLog(rules_of("tas")).add("bets_opened")
    for area in ("s3-banker", *others):
        log.wager(area, 0, None, source="camera")
    log.add("no_more_bets").four(LOST)
    for area in ("s3-banker", *others):
        log.settle(area, "collected" if "tie" in area else "paid", None, source="camera", confidence=0.9)
    assert [code for code, *_ in told(log.close())] == (["payout.loser_paid"] if is_told else [])


def test_settlement_of_a_result_that_nobody_announced_is_as_sure_as_the_cards() -> None:
    log = TableLog(rules_of("tas"), confidence=0.99).add("bets_opened").wager("s3-player", 0, None, source="camera")
    log.wager("s5-banker", 0, None, source="camera").add("no_more_bets").four(LOST)
    log.settle("s3-player", "paid", None, source="camera").settle("s5-banker", "paid", None, source="camera").close()
    ((code, _, sure),) = told(log)
    assert code == "payout.loser_paid"
    assert sure == pytest.approx(0.99**4)


def test_rule_nz_5_13_untouched_chips_that_nobody_counted_may_all_be_void() -> None:
    log = filmed("nz-authority", area="s3-banker", untouched=["s3-banker"])
    assert (told(log, chips=(5,)), doubts(log, chips=(5,))) == ([], ["payout.loser_kept"])


@pytest.mark.parametrize(("least", "is_told"), [(100, True), (95, False)])
def test_rule_nz_5_13_untouched_chips_of_which_enough_lies_there_at_least_are_told(least: int, is_told: bool) -> None:
    log = TableLog(rules_of("nz-authority")).add("bets_opened")
    bounds = {"after_low": least, "after_high": 8100}
    log.wager("s3-banker", 0, None, chips_before=0, chips_after=3, **bounds, source="camera", confidence=0.97)
    log.add("no_more_bets").four("P 2C 4D | B KS 9D").result(6, 9).add("round_closed", untouched=["s3-banker"])
    codes = [code for code, *_ in told(log, chips=(5,))]
    assert codes == (["payout.winner_unpaid"] if is_told else [])


def test_what_was_left_alone_is_as_sure_as_the_sight_of_it() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-banker", 0, None, **COUNTED, confidence=0.8)
    log.add("no_more_bets").four(LOST).result(8, 7).close()
    assert told(log) == [("payout.loser_kept", None, 0.8)]


@pytest.mark.parametrize("chips", [19, 20])
def test_rule_nz_5_13_few_unread_chips_may_all_be_void(chips: int) -> None:
    log = TableLog(rules_of("nz-authority")).add("bets_opened")
    log.wager("s3-banker", None, None, chips_before=0, chips_after=chips).add("no_more_bets")
    log.four(LOST).result(8, 7).close()
    assert [code for code, *_ in told(log, chips=(5,))] == (["payout.loser_kept"] if chips == 20 else [])
    assert doubts(log, chips=(5,)) == ([] if chips == 20 else ["payout.loser_kept"])


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(("after", "code"), [(4, "increased"), (2, "reduced"), (0, "removed")])
def test_counted_wager_that_changes_late_is_told(rulebook_id: str, after: int, code: str) -> None:
    log = unread(rulebook_id).add("no_more_bets").four(WON)
    log.wager("s3-banker", None, None, chips_before=3, chips_after=after).result(7, 8)
    assert [one[0] for one in told(log)] == [f"late_bet.{code}"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_counted_wager_needs_its_value_for_the_limits(rulebook_id: str) -> None:
    log = unread(rulebook_id).add("no_more_bets").four(WON).result(7, 8).settle("s3-banker", "paid", 95).close()
    table = {"limits": {"minimum": 25, "maximum": 500, "differential": 600}}
    assert told(log, **table) == []
    assert {"limit.below_minimum", "limit.above_maximum", "limit.differential", "payout.wrong_amount"} >= set(
        doubts(log, **table)
    )
    assert "limit.above_maximum" in doubts(log, **table)


@pytest.mark.parametrize("kind", ["competition", "live"])
@pytest.mark.parametrize(
    ("before", "after", "is_told"), [(None, None, False), (20, None, False), (25, None, True), (None, 30, True)]
)
def test_rule_tas_16_5_12_unread_wager_may_have_come_up_to_the_minimum(
    kind: str, before: int | None, after: int | None, is_told: bool
) -> None:
    log = unread("tas", competition=kind).wager("s3-banker", before, after, chips_before=3, chips_after=4)
    log.legal_round("P KH 3C 4D | B 3D 4H")
    codes = [code for code, *_ in told(log, limits={"minimum": 25}) if code.startswith("late_bet.")]
    assert codes == (["late_bet.increased"] if is_told else [])
    assert ("late_bet.increased" in doubts(log, limits={"minimum": 25})) is not is_told


def test_rule_tas_16_5_6_counted_wager_taken_back_before_the_close_is_told() -> None:
    log = unread("tas", competition="live").wager("s3-banker", None, None, chips_before=3, chips_after=2)
    assert [code for code, *_ in told(log, limits={"minimum": 25})] == ["late_bet.reduced"]


def insured(area: str, *, is_valued: bool = True) -> TableLog:
    """Three chips of insurance on the Player, who has 7 to the Banker's 5."""
    log = TableLog(rules_of("sg-rws")).add("bets_opened").wager(area, None, 100 if is_valued else None, **COUNTED)
    log.add("no_more_bets").four("P KH 7C | B KD 5S")
    return log.wager("s3-insurance_player", None, None, **COUNTED).third("banker", "2S")


def test_rule_sg_3_12_2_counted_insurance_with_no_wager_under_it_is_told() -> None:
    (alert,) = alerts(insured("s3-banker"))
    assert (alert.code, alert.rule, alert.area, alert.amount) == (
        "limit.above_maximum", "3.12.2", "s3-insurance_player", None,
    )  # fmt: skip
    assert "could pay something" in alert.message


@pytest.mark.parametrize("is_valued", [True, False])
def test_rule_sg_3_12_2_counted_insurance_over_a_wager_needs_its_value(is_valued: bool) -> None:
    log = insured("s3-player", is_valued=is_valued).result(7, 7).close()
    assert [alert.code for alert in alerts(log) if alert.code.startswith("limit.")] == []
    assert "limit.above_maximum" in doubts(log)


def test_rule_nz_secretary_15_7_wager_that_nobody_saw_may_go_first() -> None:
    log = TableLog(rules_of("nz-secretary", international=True, dealing_style="B")).add("bets_opened")
    log.wager("s2-banker", None, None).wager("s4-player", 0, 100).add("no_more_bets")
    for hand in ("player", "banker", "player", "banker"):
        log.deal(hand, "6H")
    log.add("card_passed", card_id="c2", to="seat:5").close()
    assert (told(log), "procedure.wrong_handler" in doubts(log)) == ([], True)
