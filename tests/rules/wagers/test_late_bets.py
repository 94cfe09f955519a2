"""Betting closes where each rulebook says so; what changes later is reported with its direction."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import UNSEEN
from thirdcard.rules.referee import Referee
from thirdcard.rules.wagers.change_times import shipped_change_times

EAGERNESS = shipped_change_times().eagerness
CLOSED_BY_CALL = ("nz-authority", "sg-rws")
CLOSED_BY_CARD = ("nsw", "nz-secretary", "tas")
RULES = {"nz-authority": "5.14", "nz-secretary": "5.14", "sg-rws": "5.6", "tas": "6.3", "nsw": None}


def log_of(rulebook_id: str, **options: Any) -> TableLog:
    return TableLog(rules_of(rulebook_id, **options))


def dealt(rulebook_id: str, *areas: str, **options: Any) -> TableLog:
    """A round with wagers of 100 whose four cards are out and seen."""
    return log_of(rulebook_id, **options).open(*areas).four("P KH 7C | B 3D 3H")


def tied(rulebook_id: str, *areas: str, **options: Any) -> TableLog:
    """The same with cards that tie."""
    return log_of(rulebook_id, **options).open(*areas).four("P KH 7C | B 3D 4H")


def facts(alerts: list[Alert]) -> list[tuple[str, int | None, str | None, int | None]]:
    return [(alert.code, alert.seat, alert.area, alert.amount) for alert in alerts]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("before", "after", "code", "amount"),
    [
        pytest.param(0, 50, "late_bet.placed", 50, id="placed"),
        pytest.param(100, 150, "late_bet.increased", 50, id="increased"),
        pytest.param(100, 25, "late_bet.reduced", 75, id="reduced"),
        pytest.param(100, 0, "late_bet.removed", 100, id="removed"),
    ],
)
def test_change_after_the_cards_is_late(rulebook_id: str, before: int, after: int, code: str, amount: int) -> None:
    areas = ("s3-banker",) if before else ()
    log = dealt(rulebook_id, *areas).wager("s3-banker", before, after)
    t = log.t
    alerts = alerts_of(log.result(7, 6).close())
    assert facts(alerts) == [(code, 3, "s3-banker", amount)]
    assert (alerts[0].t, alerts[0].rule, alerts[0].bet) == (t, RULES[rulebook_id], "banker")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_change_before_the_call_is_in_time(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").wager("s3-banker", 0, 100).wager("s3-banker", 100, 50)
    log.wager("s3-banker", 50, 0).wager("s3-player", 0, 50).add("no_more_bets").four("P KH 7C | B 3D 4H")
    assert alerts_of(log.result(7, 7).close()) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_change_between_call_and_first_card(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().wager("s3-banker", 0, 100).four("P KH 7C | B 3D 4H").result(7, 7).close()
    assert codes_of(log) == (["late_bet.placed"] if rulebook_id in CLOSED_BY_CALL else [])


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_rule_close_without_call_is_the_first_card(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").wager("s3-banker", 0, 100).deal("player", "KH")
    log.wager("s3-banker", 100, 200)
    assert "late_bet.increased" in codes_of(log)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_tas_6_3_banker_is_open_until_the_bankers_first_card(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open().deal("player", "KH").wager("s3-banker", 0, 100)
    assert codes_of(log) == ([] if rulebook_id == "tas" else ["late_bet.placed"])
    log.deal("banker", "3D").wager("s4-banker", 0, 100)
    assert codes_of(log).count("late_bet.placed") == (1 if rulebook_id == "tas" else 2)


@pytest.mark.parametrize(
    "bet", [pytest.param("player", id="player"), pytest.param("tie", id="tie"), pytest.param("player_pair", id="pair")]
)
def test_rule_tas_6_3_other_bets_close_with_the_first_card(bet: str) -> None:
    log = log_of("tas", perfect_pair=True).open().deal("player", "KH").wager(f"s3-{bet}", 0, 100)
    assert codes_of(log) == ["late_bet.placed"]


SIDE_BETS = [
    pytest.param({"perfect_pair": "one"}, "player_pair", "11A.3", id="nz-secretary-11A.3"),
    pytest.param({"dragon_bonus": "one"}, "dragon_banker", "11B.4", id="nz-secretary-11B.4"),
    pytest.param({"any_pair": "two"}, "banker_pair", "11C.4", id="nz-secretary-11C.4"),
    pytest.param({"lucky_match": "one"}, "match_player", "11D.4", id="nz-secretary-11D.4"),
]


@pytest.mark.parametrize(("options", "bet", "rule"), SIDE_BETS)
def test_rule_nz_secretary_side_bets_close_with_the_first_card(options: dict[str, str], bet: str, rule: str) -> None:
    log = log_of("nz-secretary", **options).open().wager(f"s2-{bet}", 0, 25).deal("player", "KH")
    log.wager(f"s3-{bet}", 0, 25)
    assert [(alert.seat, alert.rule) for alert in alerts_of(log)] == [(3, rule)]


def test_rule_nz_secretary_15_10_international_open_until_a_card_is_seen() -> None:
    log = log_of("nz-secretary", dealing_style="B", international=True).open()
    log.deal("player", "KH").deal("banker", "3D").wager("s3-banker", 0, 100)
    assert alerts_of(log) == []
    log.turn("c1").wager("s4-banker", 0, 100)
    assert facts(alerts_of(log)) == [("late_bet.placed", 4, "s4-banker", 100)]


def test_rule_sg_5_3_insurance_is_open_between_the_cards() -> None:
    log = log_of("sg-rws").open("s3-player").four("P KH 7C | B 3D KS").wager("s3-insurance_player", 0, 25)
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_dealers_work_after_the_result_is_not_late(rulebook_id: str) -> None:
    log = tied(rulebook_id, "s3-banker", "s4-player").third("player", None, face_up=False)
    log = tied(rulebook_id, "s3-banker", "s4-player").result(7, 7, winner="player")
    log.wager("s3-banker", 100, 0, by="dealer").wager("s4-player", 100, 200, by="dealer")
    log.wager("s4-player", 200, 0)
    assert [code for code in codes_of(log) if code.startswith("late_bet")] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_area_is_its_players_again_once_settled(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s3-player", "s4-banker").four("P KH 8C | B 3D 4H").result(8, 7)
    log.settle("s3-player", "paid", 100).wager("s3-player", 100, 200, by="dealer").wager("s3-player", 200, 0)
    log.settle("s4-banker", "collected", 100).wager("s4-banker", 0, 50)
    assert alerts_of(log.close()) == []


LOSER_RULES = {"nz-authority": "5.15", "nz-secretary": "5.15", "sg-rws": "5.6", "tas": "6.3", "nsw": None}


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_losing_wager_taken_back_after_the_result(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s3-banker").four("P KH 8C | B 3D 4H").result(8, 7).wager("s3-banker", 100, 0)
    alerts = alerts_of(log.close())
    assert facts(alerts) == [("late_bet.removed", 3, "s3-banker", 100)]
    assert (alerts[0].rule, alerts[0].severity) == (LOSER_RULES[rulebook_id], "critical")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_placed_on_the_winner_after_the_result(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s4-banker").four("P KH 8C | B 3D 4H").result(8, 7).wager("s3-player", 0, 500)
    alerts = alerts_of(log.settle("s4-banker", "collected", 100).close())
    assert [(alert.code, alert.severity, alert.rule) for alert in alerts] == [
        ("late_bet.placed", "critical", RULES[rulebook_id])
    ]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_placed_when_all_are_settled_is_for_the_next_round(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s4-banker").four("P KH 8C | B 3D 4H").result(8, 7)
    log.settle("s4-banker", "collected", 100).wager("s3-player", 0, 500).close()
    assert alerts_of(log) == []


FREE_AFTER_TIE = [name for name in RULEBOOKS if name != "sg-rws"]


@pytest.mark.parametrize("rulebook_id", FREE_AFTER_TIE)
def test_rule_after_a_tie_wagers_on_the_hands_may_be_altered(rulebook_id: str) -> None:
    log = tied(rulebook_id, "s3-banker", "s3-tie").result(7, 7).wager("s3-banker", 100, 0)
    assert alerts_of(log) == []
    log = tied(rulebook_id, "s3-banker", "s4-player_pair").result(7, 7).wager("s4-player_pair", 100, 0).close()
    assert "late_bet.removed" in codes_of(log)


CHANGES = [
    pytest.param("s3-banker", 100, 500, "late_bet.increased", id="increased"),
    pytest.param("s3-banker", 100, 50, "late_bet.reduced", id="reduced"),
    pytest.param("s3-banker", 100, 0, "late_bet.removed", id="removed"),
    pytest.param("s4-player", 0, 40, "late_bet.placed", id="placed"),
]


@pytest.mark.parametrize(("area", "before", "after", "code"), CHANGES)
def test_rule_sg_5_6_a_tie_lets_nobody_change_a_bet(area: str, before: int, after: int, code: str) -> None:
    log = tied("sg-rws", "s3-banker").result(7, 7).wager(area, before, after)
    assert [(alert.code, alert.rule) for alert in alerts_of(log.close())] == [(code, "5.6")]


@pytest.mark.parametrize(("area", "before", "after", "code"), CHANGES)
def test_rule_nz_5_16_after_a_tie_wagers_on_a_hand_may_be_altered(
    area: str, before: int, after: int, code: str
) -> None:
    for rulebook_id in FREE_AFTER_TIE:
        log = tied(rulebook_id, "s3-banker").result(7, 7).wager(area, before, after)
        assert code not in codes_of(log.close())


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_sg_3_17_what_a_tie_gave_back_is_its_player_s_again(rulebook_id: str) -> None:
    log = tied(rulebook_id, "s3-banker", "s4-player").result(7, 7).settle("s3-banker", "returned", 100)
    assert alerts_of(log.wager("s3-banker", 0, 50).settle("s4-player", "returned", 100).close()) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_tie_bets_stay_after_a_tie(rulebook_id: str) -> None:
    log = tied(rulebook_id, "s3-tie", "s4-tie").result(7, 7).wager("s3-tie", 100, 300).close()
    assert "late_bet.increased" in codes_of(log)


def test_rule_nz_secretary_13_2_a_tie_loses_in_two_to_one() -> None:
    log = tied("nz-secretary", "s3-banker", two_to_one=True).result(7, 7).wager("s3-banker", 100, 0).close()
    assert [(alert.code, alert.rule) for alert in alerts_of(log)] == [("late_bet.removed", "5.15")]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_moved_late_is_one_alert(rulebook_id: str) -> None:
    log = dealt(rulebook_id, "s3-banker").wager("s3-banker", 100, 0)
    t = log.t
    log.wager("s3-player", 0, 100, after_s=3.0).result(7, 6).close()
    alerts = alerts_of(log)
    assert facts(alerts) == [("late_bet.moved", 3, "s3-player", 100)]
    assert (alerts[0].t, alerts[0].bet, alerts[0].rule) == (t, "player", RULES[rulebook_id])


def test_wager_put_down_before_the_other_is_taken_is_one_move() -> None:
    log = dealt("tas", "s3-banker").wager("s3-player", 0, 100).wager("s3-banker", 100, 0).result(7, 6).close()
    assert facts(alerts_of(log)) == [("late_bet.moved", 3, "s3-player", 100)]


@pytest.mark.parametrize(
    ("elsewhere", "told"),
    [
        pytest.param("s4-banker", ["late_bet.placed"], id="the-seat-has-nothing-else"),
        pytest.param("s3-banker", [], id="the-seat-may-take-the-other-wager"),
    ],
)
def test_placed_wager_that_can_be_no_move_is_told_at_once(elsewhere: str, told: list[str]) -> None:
    log = dealt("tas", elsewhere).wager("s3-player", 0, 100)
    referee = Referee(log.rules)
    alerts = [alert for event in log.events for alert in referee.observe(event).alerts]
    assert [alert.code for alert in alerts] == told


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("area", "value", "after_s"),
    [
        pytest.param("s3-player", 100, 3.1, id="too-late"),
        pytest.param("s3-player", 125, 1.0, id="another-value"),
        pytest.param("s4-player", 100, 1.0, id="another-seat"),
        pytest.param("s3-banker", 100, 1.0, id="same-area"),
    ],
)
def test_removal_and_placement_that_are_no_move(rulebook_id: str, area: str, value: int, after_s: float) -> None:
    log = dealt(rulebook_id, "s3-banker").wager("s3-banker", 100, 0).wager(area, 0, value, after_s=after_s)
    assert sorted(codes_of(log.result(7, 6).close())) == ["late_bet.placed", "late_bet.removed"]


@pytest.mark.parametrize(("taken", "put"), [(2, 2), (4, 3), (None, 3)], ids=["alike", "estimated", "uncounted"])
def test_wager_moved_is_one_alert_where_a_camera_counted_its_chips(taken: int | None, put: int) -> None:
    seen = {"source": "camera"}
    log = dealt("tas", "s3-banker").wager("s3-banker", None, 0, chips_before=taken, chips_after=0, **seen)
    log.wager("s3-player", 0, None, chips_before=0, chips_after=put, **seen).result(7, 6).close()
    assert facts(alerts_of(log)) == [("late_bet.moved", 3, "s3-player", None)]


def test_wager_moved_is_known_by_its_chips_where_the_value_is_not() -> None:
    log = dealt("tas", "s3-banker").wager("s3-banker", None, 0, chips_before=4, chips_after=0)
    log.wager("s3-player", 0, None, chips_before=0, chips_after=4).result(7, 6).close()
    assert facts(alerts_of(log)) == [("late_bet.moved", 3, "s3-player", None)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param({"before": 0, "after": None}, ["late_bet.placed"], id="placed-unread"),
        pytest.param({"before": None, "after": 0}, ["late_bet.removed"], id="removed-unread"),
        pytest.param(
            {"before": None, "after": None, "chips_before": 2, "chips_after": 3},
            ["late_bet.increased"],
            id="chips-more",
        ),
        pytest.param(
            {"before": None, "after": None, "chips_before": 3, "chips_after": 2}, ["late_bet.reduced"], id="chips-less"
        ),
        pytest.param({"before": None, "after": None}, [], id="nothing-known"),
        pytest.param({"before": None, "after": 100}, [], id="before-unknown"),
        pytest.param({"before": 100, "after": 100, "chips_before": 1, "chips_after": 4}, [], id="colour-changed"),
        pytest.param(
            {"before": None, "after": None, "chips_before": 0, "chips_after": 2}, ["late_bet.placed"], id="chips"
        ),
    ],
)
def test_unknown_values_tell_what_they_can(rulebook_id: str, change: dict[str, Any], codes: list[str]) -> None:
    log = dealt(rulebook_id, "s3-banker").wager("s3-banker", **change)
    assert codes_of(log) == codes


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_unknown_actor_is_late_before_the_result_and_undetermined_after(rulebook_id: str) -> None:
    log = dealt(rulebook_id, "s3-banker", "s4-player").wager("s3-banker", 100, 150, by="unknown")
    alerts = alerts_of(log)
    assert facts(alerts) == [("late_bet.increased", 3, "s3-banker", 50)]
    assert alerts[0].confidence < 0.7
    log = log_of(rulebook_id).open("s3-banker").four("P KH 8C | B 3D 4H").result(8, 7)
    assert alerts_of(log.wager("s3-banker", 100, 0, by="unknown").close()) == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_dealer_reducing_pro_rata_is_not_late_and_adding_is(rulebook_id: str) -> None:
    log = dealt(rulebook_id, "s3-banker", "s4-player").wager("s3-banker", 100, 75, by="dealer")
    assert alerts_of(log) == []
    log.wager("s4-player", 100, 150, by="dealer").result(7, 6).settle("s3-banker", "collected", 75).close()
    assert facts(alerts_of(log)) == [("late_bet.increased", 4, "s4-player", 50)]


def test_dealer_paying_before_the_result_is_not_late() -> None:
    log = log_of("tas", perfect_pair=True).open("s3-player_pair").four("P 3H 3C | B 3D 4H")
    log.wager("s3-player_pair", 100, 700, by="dealer").settle("s3-player_pair", "paid", 600).result(6, 7).close()
    assert alerts_of(log) == []


ADDED = [
    pytest.param(95, [], id="what-was-paid"),
    pytest.param(None, [], id="an-amount-that-was-not-read"),
    pytest.param(190, ["late_bet.increased"], id="another-amount"),
]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(("amount", "told"), ADDED)
def test_chips_that_the_dealer_adds_are_winnings_where_he_pays_as_much(
    rulebook_id: str, amount: int | None, told: list[str]
) -> None:
    log = dealt(rulebook_id, "s3-banker").wager("s3-banker", 100, 195, by="dealer")
    log.settle("s3-banker", "paid", amount)
    assert [code for code in codes_of(log) if code.startswith("late_bet")] == told


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("amount", [95, 100, 190, None])
def test_chips_that_the_dealer_adds_before_the_result_are_late_whatever_he_pays(
    rulebook_id: str, amount: int | None
) -> None:
    log = log_of(rulebook_id).open("s3-banker").four("P KH 7C | B 3D 5H").wager("s3-banker", 100, 200, by="dealer")
    t = log.t
    log.result(7, 8).settle("s3-banker", "paid", amount).close()
    found = [alert for alert in alerts_of(log) if alert.code.startswith("late_bet")]
    assert [(alert.code, alert.t) for alert in found] == [("late_bet.increased", t)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_chips_that_the_dealer_may_have_added_after_the_result_are_what_he_paid(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s3-banker").four("P KH 7C | B 3D 5H")
    log.wager("s3-banker", 100, 195, by="dealer", earlier_s=0.5, later_s=1.5).result(7, 8)
    log.settle("s3-banker", "paid", 95).close()
    assert [code for code in codes_of(log) if code.startswith("late_bet")] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_void_hand_a_wager_taken_back_is_not_late(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").wager("s3-banker", 0, 100).add("no_more_bets")
    log.add("void_hand_announced").wager("s3-banker", 100, 0).four("P KH 7C | B 3D 4H").result(7, 7).close()
    assert [code for code in codes_of(log) if code.startswith("late_bet")] == []


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_inferred_close_a_change_near_it_is_not_alleged_with_confidence(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").add("no_more_bets", source="inferred")
    log.wager("s3-banker", 0, 100).wager("s4-banker", 0, 100, after_s=2.0).close()
    near, far = alerts_of(log)
    assert near.confidence < far.confidence <= UNSEEN


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_inferred_close_after_the_first_card_a_change_is_late_for_certain(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").add("no_more_bets", source="inferred")
    log.four("P KH 7C | B 3D 3H").wager("s4-banker", 0, 100).result(7, 6).close()
    (late,) = [alert for alert in alerts_of(log) if alert.code.startswith("late_bet")]
    assert (late.code, late.confidence) == ("late_bet.placed", 1.0)


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_seen_close_a_change_within_its_doubt_is_rather_in_time(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").add("no_more_bets", source="camera", within_s=2.0)
    log.wager("s3-banker", 0, 100, after_s=1.0).wager("s4-banker", 0, 100, after_s=0.5)
    log.wager("s5-banker", 0, 100, after_s=0.5).close()
    after = [0.75, 0.875, 1.0]
    expected = [share / (share + EAGERNESS * (1 - share)) for share in after]
    assert [alert.confidence for alert in alerts_of(log)] == pytest.approx(expected)


def closed(rulebook_id: str) -> TableLog:
    """A log whose betting has just closed, a wager of 100 on seat 3's Player."""
    log = log_of(rulebook_id).open("s3-player")
    return log if rulebook_id in CLOSED_BY_CALL else log.deal("player", "KH")


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize(
    ("earlier_s", "likely"),
    [
        pytest.param(0.2, True, id="the hand came after the close"),
        pytest.param(0.7, False, id="the hand came half a second before it"),
        pytest.param(3.0, False, id="the hand had been there for seconds"),
    ],
)
def test_wager_is_put_down_soon_after_the_hand_came(rulebook_id: str, earlier_s: float, likely: bool) -> None:
    log = closed(rulebook_id)
    log.wager("s3-player", 100, 150, after_s=0.2, earlier_s=earlier_s, later_s=1.3)
    (late,) = alerts_of(log)
    assert late.code == "late_bet.increased"
    assert (late.confidence > 0.6) is likely
    assert (late.confidence < 0.1) is not likely


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_that_a_hand_hid_for_seconds_was_late_when_the_hand_came(rulebook_id: str) -> None:
    log = closed(rulebook_id)
    closed_t = log.t
    log.wager("s3-player", 100, 150, after_s=5.0, earlier_s=4.0, later_s=0.5)
    (late,) = alerts_of(log)
    assert late.confidence == 1.0
    assert late.t == pytest.approx(closed_t + 1.15)
    assert "added 50 to Player 1.1 s after" in late.message or "1.2 s after" in late.message


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_wager_may_be_taken_at_any_time_while_the_hand_is_there(rulebook_id: str) -> None:
    log = closed(rulebook_id)
    log.wager("s3-player", 100, 50, after_s=0.2, earlier_s=0.7, later_s=1.3)
    (late,) = alerts_of(log)
    assert late.code == "late_bet.reduced"
    assert late.confidence == pytest.approx(0.75 / (0.75 + EAGERNESS * 0.25))


def test_hands_first_card_that_a_camera_saw_closes_its_bets_some_time_about_its_moment() -> None:
    log = log_of("tas").open("s3-player", "s4-player").deal("player", "KH", source="camera")
    log.wager("s3-player", 100, 0, after_s=0.05).wager("s4-player", 100, 0, after_s=0.6).close()
    near, far = (alert for alert in alerts_of(log) if alert.code == "late_bet.removed")
    assert near.confidence < 0.2
    assert far.confidence == 1.0


@pytest.mark.parametrize("rulebook_id", ["nsw", "nz-secretary"])
def test_first_card_that_a_camera_saw_closes_betting_some_time_about_its_moment(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s3-player").deal("player", "KH", source="camera")
    log.wager("s4-player", 0, 100, after_s=0.05).wager("s5-player", 0, 100, after_s=0.6)
    near, far = alerts_of(log)
    assert near.confidence < 0.2
    assert far.confidence == 1.0


def test_move_whose_chips_were_taken_late_is_told_as_surely_though_they_may_have_been_put_down_in_time() -> None:
    """Player closed with its first card; the Banker's comes as the chips are put there."""
    log = log_of("tas").open("s3-player").deal("player", "KH", source="camera")
    log.wager("s3-player", 100, 0, after_s=1.0, earlier_s=0.3, later_s=0.6)
    log.deal("banker", "4S", source="camera", after_s=0.3)
    log.wager("s3-banker", 0, 100, after_s=0.1, earlier_s=0.1, later_s=0.8)
    late, *_ = alerts_of(log.close())
    assert late.code == "late_bet.moved"
    assert late.confidence > 0.99


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_move_whose_chips_were_probably_taken_in_time_is_a_late_placement(rulebook_id: str) -> None:
    log = closed(rulebook_id).wager("s3-player", 100, 0, after_s=0.1, earlier_s=0.9, later_s=0.1)
    log.wager("s3-tie", 0, 100, after_s=0.5, earlier_s=0.1, later_s=0.4)
    (late,) = (alert for alert in alerts_of(log.close()) if alert.code.startswith("late_bet"))
    assert (late.code, late.area) == ("late_bet.placed", "s3-tie")
    assert late.confidence > 0.95


@pytest.mark.parametrize("placed_first", [False, True])
def test_chips_were_taken_before_the_hand_that_took_them_put_others_down(placed_first: bool) -> None:
    """Tie closes with the first card, the wager on the Banker later."""
    log = log_of("tas").open("s3-tie").deal("player", "KH")
    span = {"earlier_s": 0.9, "later_s": 1.1}
    if placed_first:
        log.wager("s3-banker", 0, 100, after_s=0.3, earlier_s=0.4, later_s=1.0)
        log.wager("s3-tie", 100, 0, after_s=0.1, **span)
    else:
        log.wager("s3-tie", 100, 0, after_s=0.3, **span)
        log.wager("s3-banker", 0, 100, after_s=0.1, earlier_s=0.5, later_s=0.9)
    (late,) = alerts_of(log)
    assert (late.code, late.confidence) == ("late_bet.removed", 0.0)


@pytest.mark.parametrize("rulebook_id", CLOSED_BY_CALL)
def test_reported_close_without_an_estimate_a_change_is_late_for_certain(rulebook_id: str) -> None:
    log = log_of(rulebook_id).add("bets_opened").add("no_more_bets", source="signal")
    (late,) = alerts_of(log.wager("s3-banker", 0, 100, after_s=0.1).close())
    assert late.confidence == 1.0


@pytest.mark.parametrize("competition", ["competition", "live"])
def test_rule_tas_16_5_6_a_wager_may_not_be_altered_once_placed(competition: str) -> None:
    log = log_of("tas", competition=competition).add("bets_opened").wager("s3-banker", 0, 100)
    log.wager("s3-banker", 100, 150)
    assert [(alert.code, alert.rule) for alert in alerts_of(log)] == [("late_bet.increased", "16.5.6")]


def test_rule_tas_16_5_12_a_wager_may_come_up_to_the_minimum() -> None:
    log = log_of("tas", competition="live").add("bets_opened").wager("s3-banker", 0, 20).wager("s3-banker", 20, 50)
    assert alerts_of(log, limits={"minimum": 50}) == []
    assert codes_of(log, limits={"minimum": 25}) == ["late_bet.increased"]


def test_rule_tas_16_5_8_a_wager_left_after_a_tie_may_be_altered() -> None:
    log = tied("tas", "s3-banker", competition="live").result(7, 7).close()
    log.add("bets_opened").wager("s3-banker", 100, 50)
    assert alerts_of(log) == []


@pytest.mark.parametrize("hidden", ["c1", "c3", None])
def test_rule_nz_secretary_11b_8_natural_tie_of_which_a_card_was_not_read_may_give_the_bonus_back(
    hidden: str | None,
) -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="C", dragon_bonus="one")).open("s3-dragon_player")
    for hand, card in zip(("player", "banker") * 2, ("9C", "9S", "KC", "10S"), strict=True):
        log.deal(hand, card)
    for name in ("c1", "c3", "c2", "c4"):
        log.add("card_turned", card_id=name, card=None if name == hidden else str(log.face(name)), by="dealer")
    assert alerts_of(log.result(9, 9).wager("s3-dragon_player", 100, 0).close()) == []


def test_rule_nz_secretary_11b_8_bonus_is_not_given_back_on_a_tie_of_three_cards_whatever_was_not_read() -> None:
    log = TableLog(rules_of("nz-secretary", dealing_style="C", dragon_bonus="one")).open("s3-dragon_player")
    log.four("P 2C KD | B 2S 3S").deal("player", "4H").deal("banker", None, face_up=True)
    codes = [alert.code for alert in alerts_of(log.result(6, 6).wager("s3-dragon_player", 100, 0).close())]
    assert codes == ["late_bet.removed"]


@pytest.mark.parametrize("rulebook_id", NZ)
@pytest.mark.parametrize("is_announced", [False, True])
def test_rule_nz_5_16_wager_is_altered_once_the_cards_tie(rulebook_id: str, is_announced: bool) -> None:
    log = tied(rulebook_id, "s3-banker")
    if is_announced:
        log.result(7, 7)
    assert alerts_of(log.wager("s3-banker", 100, 0).close()) == []


@pytest.mark.parametrize("rulebook_id", NZ)
def test_tie_counts_from_its_announcement_where_results_are_announced(rulebook_id: str) -> None:
    log = log_of(rulebook_id).legal_round("P KH 6C | B 3D 4H").open("s3-banker").four("P KH 7C | B 3D 4H")
    assert codes_of(log.wager("s3-banker", 100, 0).result(7, 7).close()) == ["late_bet.removed"]


def test_dealer_who_puts_back_what_he_lifted_leaves_the_wager_as_it_lay() -> None:
    log = dealt("nz-authority", "s3-banker").wager("s3-banker", 100, 50, by="dealer")
    log.wager("s3-banker", 50, 100, by="dealer").result(7, 6).settle("s3-banker", "collected", 100).close()
    assert alerts_of(log) == []


def test_wager_that_a_second_device_reports_after_the_call_is_not_late() -> None:
    log = log_of("nz-authority").add("bets_opened").wager("s3-banker", 0, 100, source="signal").add("no_more_bets")
    log.four("P KH 7C | B 3D 3H").wager("s3-banker", 0, 100, source="camera").close()
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", ["sg-rws", "nz-authority"])
def test_rule_sg_5_12_player_may_take_a_wager_back_after_a_misdeal(rulebook_id: str) -> None:
    log = log_of(rulebook_id).open("s3-banker").deal("player", "2H").deal("player", "9D").wager("s3-banker", 100, 0)
    late = [code for code in codes_of(log.close()) if code.startswith("late_bet")]
    assert late == ([] if rulebook_id == "sg-rws" else ["late_bet.removed"])
