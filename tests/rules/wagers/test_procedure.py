"""Hands that are played without wagers: when they are, and chips that lie there all the same."""

from __future__ import annotations

import pytest

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run
from thirdcard.rules.round.records import RoundRecord


def disclosed_excess(rulebook_id: str) -> TableLog:
    """A round that ends with a seen card that the Player was not due."""
    return TableLog(rules_of(rulebook_id)).open().four("P KH 7C | B 3D 4H").third("player", "6S").result(7, 7).close()


def last_record(log: TableLog) -> RoundRecord:
    return run(log.rules, log.events)[1][-1]


@pytest.mark.parametrize(
    ("rulebook_id", "rule"), [("nz-authority", "12.1(b)"), ("nz-secretary", "12.1(b)"), ("tas", "14.1")]
)
def test_rule_next_hand_is_played_without_wagers(rulebook_id: str, rule: str) -> None:
    log = disclosed_excess(rulebook_id).add("card_moved", card_id="c5", hand="player").wager("s3-banker", 0, 100)
    log.deal("banker", "2C")
    t = log.t
    log.deal("player", "AC").deal("banker", "5D").result(7, 7).close()
    alerts, records = run(log.rules, log.events)
    found = [alert for alert in alerts if alert.round == 2]
    assert [(alert.code, alert.t, alert.rule) for alert in found] == [("procedure.void_hand_wagered", t, rule)]
    assert [record.void for record in records] == [False, True]
    assert [due.outcome for due in records[1].due] == ["void"]


def test_rule_tas_14_4_a_card_found_face_up_that_the_coup_cannot_use_starts_a_hand_without_wagers() -> None:
    log = TableLog(rules_of("tas", dealing_style="B")).open("s1-player").four("P 6H KS | B KD 7C")
    log.deal(None, "5D", face_up=True, found_face_up=True).result(6, 7).settle("s1-player", "collected", 100).close()
    log.add("bets_opened").wager("s1-banker", 0, 50).add("card_moved", card_id="c5", hand="player")
    log.deal("banker", "9D").deal("player", "3C").deal("banker", "KC").turn_all().result(8, 9)
    alerts, records = run(log.rules, log.settle("s1-banker", "returned", 50).close().events)
    assert [(one.code, one.round, one.remedy.rule) for one in alerts] == [
        ("misdeal.extra_card", 1, "14.4"), ("procedure.void_hand_wagered", 2, "14.1"),
    ]  # fmt: skip
    assert alerts[1].rule == "14.4"
    assert [record.void for record in records] == [False, True]


@pytest.mark.parametrize("rulebook_id", [*NZ, "tas"])
@pytest.mark.parametrize(
    ("source", "codes", "state"), [(None, ["misdeal.order"], "not_done"), ("camera", [], "undetermined")]
)
def test_rule_nz_12_1_b_the_hand_without_wagers_starts_with_the_exposed_card(
    rulebook_id: str, source: str | None, codes: list[str], state: str
) -> None:
    log = disclosed_excess(rulebook_id).add("void_hand_announced")
    for hand, card in zip(("player", "banker") * 2, ("2C", "3D", "5C", "4H"), strict=True):
        log.deal(hand, card, source=source)
    alerts, records = run(log.rules, log.result(7, 7).close().events)
    assert [one.code for one in alerts if one.round == 2] == codes
    assert [str(one.state) for one in records[1].remedies if one.action == "void_next_hand"][:1] == [state]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("kind", ["shoe_opened", "camera_lost"])
def test_new_cards_or_a_lost_camera_leave_it_open_which_card_comes_first(rulebook_id: str, kind: str) -> None:
    log = disclosed_excess(rulebook_id).add(kind, **({"decks": 8} if kind == "shoe_opened" else {"camera": "a"}))
    assert "misdeal.order" not in codes_of(log.open().four("P 6H KD | B 3S 4C").result(6, 7).close())


@pytest.mark.parametrize("rulebook_id", ["sg-rws", "nsw"])
def test_rule_sg_5_7_the_house_decides_what_becomes_of_a_card_in_excess(rulebook_id: str) -> None:
    log = disclosed_excess(rulebook_id).open().four("P 6H KD | B 3S 4C").result(6, 7).close()
    assert [one.code for one in alerts_of(log) if one.round == 2] == []


@pytest.mark.parametrize("rulebook_id", [*NZ, "tas"])
def test_next_hand_without_chips_is_right_and_the_one_after_is_a_usual_one(rulebook_id: str) -> None:
    log = disclosed_excess(rulebook_id).add("void_hand_announced").add("card_moved", card_id="c5", hand="player")
    log.deal("banker", "2C").deal("player", "AC").deal("banker", "5D").result(7, 7).close()
    log.legal_round("P 6H KD | B 3S 4C", "s3-banker")
    alerts, records = run(log.rules, log.events)
    assert [alert.code for alert in alerts if alert.round > 1] == []
    assert [record.void for record in records] == [False, True, False]


def test_new_cards_lift_the_order() -> None:
    log = disclosed_excess("nz-authority").add("shoe_opened", decks=8).legal_round("P 6H KD | B 3S 4C", "s3-banker")
    assert not last_record(log).void


@pytest.mark.parametrize("rulebook_id", NZ)
def test_rule_nz_12_3_chips_after_the_exposed_first_card(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").deal("player", "6H", found_face_up=True)
    log.wager("s3-banker", 100, 0).deal("banker", "3S").wager("s4-banker", 0, 50)
    t = log.t
    log.deal("player", "KD").deal("banker", "4C").result(6, 7).close()
    alerts, records = run(log.rules, log.events)
    assert [(alert.code, alert.area, alert.t) for alert in alerts[1:]] == [
        ("procedure.void_hand_wagered", "s4-banker", t)
    ]
    assert (alerts[1].rule, records[0].void) == ("12.3", True)


def test_chips_whose_value_is_known_between_bounds_alone_lie_there() -> None:
    log = TableLog(rules_of("tas")).add("void_hand_announced")
    log.add(
        "wager_changed", area="s6-banker", seat=6, bet="banker", before=0, after_low=5, after_high=3500, by="unknown"
    )
    log.deal("player", "6H")
    assert codes_of(log) == ["procedure.void_hand_wagered"]


def test_chips_that_are_known_between_bounds_and_stay_from_the_round_before_lie_there() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened")
    log.add(
        "wager_changed", area="s6-banker", seat=6, bet="banker", before=0, after_low=5, after_high=3500, by="seat:6"
    )
    log.add("no_more_bets").four("P 6H KD | B 3S 4C").result(6, 7).settle("s6-banker", "paid", None).close()
    log.add("void_hand_announced")
    found = run(log.rules, log.deal("player", "6H").events)[0]
    assert [alert.code for alert in found if alert.code.startswith("procedure")] == ["procedure.void_hand_wagered"]


@pytest.mark.parametrize(("source", "codes"), [("camera", []), ("person", ["payout.push_taken", "payout.loser_paid"])])
def test_hand_that_nobody_settled_as_void_was_read_to_be_void(source: str, codes: list[str]) -> None:
    log = disclosed_excess("nz-authority").open("s3-banker", "s4-player").four("P 6H KD | B 3S 4C").result(6, 7)
    log.settle("s4-player", "collected", None, source=source).settle("s3-banker", "paid", 95, source=source).close()
    found = [alert.code for alert in run(log.rules, log.events)[0] if alert.code.startswith("payout.")]
    assert sorted(found) == sorted(codes)


@pytest.mark.parametrize("rulebook_id", ["sg-rws", "nsw"])
def test_rulebooks_without_void_hands_ask_nothing(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("void_hand_announced").wager("s3-banker", 0, 100).deal("player", "6H")
    assert codes_of(log) == []


def test_announcement_after_the_result_is_for_the_coming_hand() -> None:
    log = TableLog(rules_of("tas")).open().four("P 6H KD | B 3S 4C").result(6, 7).add("void_hand_announced").close()
    log.legal_round("P 6H KD | B 3S 4C")
    assert [record.void for record in run(log.rules, log.events)[1]] == [False, True]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_rule_nz_8_2_no_call_is_told_at_the_first_card(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").deal("player", "5H").deal("banker", "6D")
    alerts = alerts_of(log)
    expected = [("procedure.no_call", 2.0, "8.2")] if rulebook_id in NZ else []
    assert [(alert.code, alert.t, alert.rule) for alert in alerts] == expected


@pytest.mark.parametrize("rulebook_id", NZ)
@pytest.mark.parametrize("source", ["signal", "camera", "inferred"])
def test_rule_nz_8_2_a_call_however_known_is_a_call(rulebook_id: str, source: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("no_more_bets", source=source).deal("player", "5H")
    assert alerts_of(log) == []


@pytest.mark.parametrize("rulebook_id", NZ)
def test_no_call_is_asked_in_each_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round("P 6H KD | B 3S 4C").deal("player", "5H")
    assert [(alert.code, alert.round) for alert in alerts_of(log)] == [("procedure.no_call", 2)]


@pytest.mark.parametrize("rulebook_id", NZ)
def test_no_call_is_not_alleged_of_a_void_hand_or_a_lost_camera(rulebook_id: str) -> None:
    assert alerts_of(TableLog(rules_of(rulebook_id)).add("void_hand_announced").deal("player", "5H")) == []
    log = TableLog(rules_of(rulebook_id)).add("camera_lost", camera="overhead").deal("player", "5H")
    assert codes_of(log) == ["camera.lost"]


def called_late(rulebook_id: str, *, source: str = "inferred", **more: bool) -> TableLog:
    """Two rounds; how calls are made at this table shows in the second."""
    log = TableLog(rules_of(rulebook_id)).add("bets_opened").wager("s1-player", 0, 100)
    log.add("no_more_bets", source=source, within_s=1.5).four("P 6H KS | B KD 7C").result(6, 7)
    log.settle("s1-player", "collected", 100).close().add("bets_opened").wager("s1-player", 0, 100)
    log.add("no_more_bets", source="camera", confidence=0.99, **more)
    return log.four("P 6D KS | B KD 7C").result(6, 7).settle("s1-player", "collected", 100).close()


@pytest.mark.parametrize("rulebook_id", NZ)
def test_rule_nz_8_2_a_call_shows_that_the_round_before_had_none(rulebook_id: str) -> None:
    log = called_late(rulebook_id, was_missing=True)
    first_card, call = (next(event.t for event in log.events[since:] if event.type == kind)
                        for since, kind in ((0, "card_dealt"), (5, "no_more_bets")))  # fmt: skip
    (alert,) = alerts_of(log)
    assert (alert.code, alert.round, alert.t, alert.noticed_at) == ("procedure.no_call", 1, first_card, call)


def test_call_of_the_round_before_is_missing_only_where_the_log_says_so() -> None:
    assert codes_of(called_late("nz-authority")) == []
    assert codes_of(called_late("sg-rws", was_missing=True)) == [], "no rule orders the call"
    assert codes_of(called_late("nz-authority", source="signal", was_missing=True)) == [], "it was called"
