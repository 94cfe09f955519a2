"""A round that the house lawfully stops accuses nobody, and its wagers are void."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.builders import NZ, RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run
from tests.rules.test_referee import played
from tests.rules.variants import variants_of
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.log.events import RoundClosed
from thirdcard.rules.round.records import RemedyState, RoundRecord
from thirdcard.rules.round.round import ROUND_OPENERS

VOIDING = ("tas", *NZ)
EACH_RULEBOOK = pytest.mark.parametrize("rulebook_id", RULEBOOKS)


def begun(rulebook_id: str, *areas: str, **options: Any) -> TableLog:
    """Two cards of a round."""
    log = TableLog(rules_of(rulebook_id, **options)).open(*areas)
    return log.deal("player", "2H").deal("banker", "KD").turn_all()


def astray(rulebook_id: str, *areas: str) -> TableLog:
    """Three cards of a round, of which the second went to the wrong hand."""
    log = TableLog(rules_of(rulebook_id)).open(*areas)
    return log.deal("player", "2H").deal("player", "KD").deal("banker", "3S").turn_all()


def cleared(log: TableLog, *card_ids: str) -> TableLog:
    """The cards go to the discard rack."""
    for card_id in card_ids:
        log.add("card_removed", card_id=card_id, to="discard")
    return log.close()


def first_round(log: TableLog) -> RoundRecord:
    return run(log.rules, log.events)[1][0]


def outcomes(record: RoundRecord) -> set[tuple[str, str]]:
    return {(str(due.outcome), str(due.pays)) for due in record.due}


@EACH_RULEBOOK
@pytest.mark.parametrize("dealt", range(7))
def test_round_that_the_house_declared_void_accuses_nobody(rulebook_id: str, dealt: int) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker", "s4-player", "s5-tie")
    sides = ("player", "banker", "player", "banker", "player", "banker")
    for hand, card in list(zip(sides, ("2H", "KD", "3S", "4C", "4H", "QD"), strict=True))[:dealt]:
        log.deal(hand, card).turn_all()
    log.add("round_voided", reason="power failure")
    for area in ("s3-banker", "s4-player", "s5-tie"):
        log.settle(area, "returned", 100)
    cleared(log, *(f"c{i + 1}" for i in range(dealt)))
    assert alerts_of(log) == []
    record = first_round(log)
    assert record.void and outcomes(record) == {("void", "0")} and len(record.due) == 3


@EACH_RULEBOOK
@pytest.mark.parametrize("returned_first", [True, False])
def test_wagers_of_a_voided_round_may_come_back_before_or_after_it_is_declared(
    rulebook_id: str, returned_first: bool
) -> None:
    log = begun(rulebook_id, "s3-banker")
    if returned_first:
        log.settle("s3-banker", "returned", 100).add("round_voided")
    else:
        log.add("round_voided").settle("s3-banker", "returned", 100)
    assert alerts_of(log.close()) == []


@EACH_RULEBOOK
@pytest.mark.parametrize(("action", "code"), [("collected", "payout.push_taken"), ("paid", "payout.loser_paid")])
def test_wager_of_a_voided_round_that_is_won_or_lost_is_told(rulebook_id: str, action: str, code: str) -> None:
    log = begun(rulebook_id, "s3-tie").add("round_voided").settle("s3-tie", action, 100).close()
    assert [(alert.code, alert.t) for alert in alerts_of(log)] == [(code, log.t - 1)]


@EACH_RULEBOOK
@pytest.mark.parametrize("action", ["collected", "paid"])
def test_wager_that_was_settled_before_the_round_was_voided_and_came_back_is_nobodys_fault(
    rulebook_id: str, action: str
) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").four("P KH 7C | B 3D 5H").result(7, 8)
    log.settle("s3-banker", action, 95 if action == "paid" else 100).add("round_voided")
    assert codes_of(log.settle("s3-banker", "returned", 100).close()) == []


@EACH_RULEBOOK
def test_loser_collected_before_the_round_was_voided_and_kept_is_told(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player").four("P KH 7C | B 3D 5H").result(7, 8)
    log.settle("s3-player", "collected", 100).add("round_voided").close()
    assert codes_of(log) == ["payout.push_taken"]
    assert first_round(log).void


@EACH_RULEBOOK
def test_players_take_their_chips_after_the_round_was_voided_and_bet_anew(rulebook_id: str) -> None:
    log = begun(rulebook_id, "s3-banker", "s4-tie").add("round_voided").wager("s3-banker", 100, 0)
    log.wager("s4-tie", 100, 50).wager("s4-player", 0, 100).close().add("no_more_bets")
    log.four("P KH 7C | B 3D 5H").result(7, 8).settle("s4-tie", "collected", 50)
    assert codes_of(log.settle("s4-player", "collected", 100).close()) == []


@EACH_RULEBOOK
def test_what_was_done_wrong_before_the_round_was_voided_stays_told(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-tie").wager("s3-tie", 100, 300).add("round_voided").close()
    assert codes_of(log) == ["misdeal.order", "late_bet.increased"]


@EACH_RULEBOOK
def test_cards_that_leave_the_shoe_after_the_round_was_voided_are_no_misdeal(rulebook_id: str) -> None:
    log = begun(rulebook_id).add("round_voided").deal("banker", "3S").deal("banker", "9S")
    assert codes_of(log.turn_all().result(1, 9).close()) == []


@EACH_RULEBOOK
def test_card_missing_when_the_result_came_stays_told_though_the_round_is_voided_then(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-tie").four("P KH 3C | B 3D 4H").result(3, 7).add("round_voided")
    assert codes_of(log.settle("s3-tie", "returned", 100).close()) == ["misdeal.third_card_missing"]
    assert first_round(log).void


@EACH_RULEBOOK
def test_round_after_a_voided_one_is_judged_as_any_other(rulebook_id: str) -> None:
    log = begun(rulebook_id, "s3-tie").add("round_voided").settle("s3-tie", "returned", 100).close()
    log.open("s3-tie").four("P KH 3C | B 3D 4H").result(3, 7).settle("s3-tie", "collected", 100).close()
    alerts, records = run(log.rules, log.events)
    assert [(alert.code, alert.round) for alert in alerts] == [("misdeal.third_card_missing", 2)]
    assert [record.void for record in records] == [True, False]


@EACH_RULEBOOK
def test_declaration_between_rounds_changes_nothing(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("round_voided").legal_round("P KH 7C | B 3D 5H", "s3-tie")
    alerts, records = run(log.rules, log.add("round_voided").events)
    assert (alerts, [record.void for record in records]) == ([], [False])


@EACH_RULEBOOK
def test_round_is_not_begun_by_its_being_voided(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).add("round_voided").add("round_closed")
    assert run(log.rules, log.events) == ([], [])
    assert all(kind.type not in ("round_voided", "return_ordered") for kind in ROUND_OPENERS)


@EACH_RULEBOOK
def test_round_without_wagers_may_be_voided(rulebook_id: str) -> None:
    log = begun(rulebook_id).add("round_voided").close()
    assert alerts_of(log) == [] and first_round(log).void


@pytest.mark.parametrize("rulebook_id", NZ)
def test_void_hand_that_is_voided_needs_no_further_card(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().deal("player", "6H", found_face_up=True).add("round_voided").close()
    assert codes_of(log) == ["exposed_card.first_card"]


@EACH_RULEBOOK
def test_round_with_a_misdeal_whose_wagers_came_back_and_whose_cards_were_cleared_is_void(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-banker").settle("s3-banker", "returned", 100)
    cleared(log, "c1", "c2", "c3")
    assert codes_of(log) == ["misdeal.order"]
    record = first_round(log)
    assert record.void and outcomes(record) == {("void", "0")}


@EACH_RULEBOOK
def test_round_with_a_misdeal_without_wagers_may_be_stopped(rulebook_id: str) -> None:
    log = cleared(astray(rulebook_id), "c1", "c2", "c3")
    assert codes_of(log) == ["misdeal.order"] and first_round(log).void


@EACH_RULEBOOK
def test_wagers_that_the_dealer_pushed_back_are_returned(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-banker").wager("s3-banker", 100, 0, by="dealer")
    assert codes_of(cleared(log, "c1", "c2", "c3")) == ["misdeal.order"] and first_round(log).void


@EACH_RULEBOOK
def test_round_with_a_misdeal_of_which_a_wager_is_left_is_not_void(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-banker", "s4-tie").settle("s3-banker", "returned", 100)
    assert "misdeal.short_hand" in codes_of(cleared(log, "c1", "c2", "c3"))
    assert not first_round(log).void


@EACH_RULEBOOK
def test_round_without_a_misdeal_is_not_void_though_its_wagers_came_back(rulebook_id: str) -> None:
    log = cleared(begun(rulebook_id, "s3-banker").settle("s3-banker", "returned", 100), "c1", "c2")
    assert set(codes_of(log)) == {"misdeal.short_hand"} and not first_round(log).void


@EACH_RULEBOOK
def test_round_with_a_misdeal_that_went_on_to_a_result_is_not_void(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-banker").settle("s3-banker", "returned", 100).result(2, 3)
    assert "misdeal.short_hand" in codes_of(cleared(log, "c1", "c2", "c3"))
    assert not first_round(log).void


@pytest.mark.parametrize("rulebook_id", VOIDING)
def test_rule_void_round_orders_are_done_where_the_house_voids_the_round(rulebook_id: str) -> None:
    log = astray(rulebook_id, "s3-banker").add("round_voided").settle("s3-banker", "returned", 100).close()
    assert [one.state for one in first_round(log).remedies] == [RemedyState.DONE]
    log = astray(rulebook_id, "s3-banker").add("round_voided").settle("s3-banker", "collected", 100).close()
    assert [one.state for one in first_round(log).remedies] == [RemedyState.NOT_DONE]


@pytest.mark.parametrize("rulebook_id", VOIDING)
def test_no_card_of_a_voided_round_begins_the_next(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-tie").four("P KH 7C | B 3D 4H").third("player", "6S")
    log.add("round_voided").settle("s3-tie", "returned", 100).close().legal_round("P KH 7D | B 3D 4S", "s3-tie")
    alerts, records = run(log.rules, log.events)
    assert {alert.code for alert in alerts} == {"misdeal.third_card_not_due", "exposed_card.excess"}
    assert not records[1].void and records[1].remedies == ()


def test_rule_tas_14_6_coup_whose_order_is_lost_need_not_be_played_to_its_end() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").deal("player", "2H").deal("banker", "KD", together_with="c1")
    log.settle("s3-banker", "returned", 100).close()
    assert codes_of(log) == ["misdeal.simultaneous"] and first_round(log).void


def test_rule_sg_5_5_2_round_with_a_foreign_card_need_not_be_played_to_its_end() -> None:
    log = TableLog(rules_of("sg-rws")).legal_round("P 6H KD | B 3S 4C").open("s3-tie").deal("player", "6H")
    log.deal("banker", "6H").settle("s3-tie", "returned", 100).close()
    alerts, records = run(log.rules, log.events, decks=1)
    assert {alert.code for alert in alerts} == {"misdeal.foreign_card"} and records[1].void


def test_rule_sg_5_16_two_faults_that_void_a_round_forbid_nobody_to_have_bet() -> None:
    log = TableLog(rules_of("sg-rws")).legal_round("P 6H KD | B 3S 4C").open("s3-tie").deal("player", "6H")
    log.deal("banker", "3S").deal("player", "AD").deal("banker", "4C").result(7, 7).settle("s3-tie", "returned", 100)
    assert {alert.code for alert in alerts_of(log.close(), decks=1)} == {"misdeal.foreign_card"}


@EACH_RULEBOOK
@settings(max_examples=30, deadline=None)
@given(cards=st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True), data=st.data())
def test_lawful_round_voided_at_any_moment_accuses_nobody(
    rulebook_id: str, cards: list[Card], data: st.DataObject
) -> None:
    rules = rules_of(rulebook_id, **data.draw(variants_of(rulebook_id)))
    whole = TableLog(rules).legal_round(played(cards), "s1-player", "s2-tie")
    log = TableLog(rules)
    log.events = whole.events[: data.draw(st.integers(3, len(whole.events) - 1))]
    log.t = log.events[-1].t
    log.add("round_voided").settle("s1-player", "returned", 100).settle("s2-tie", "returned", 100).close()
    assert isinstance(log.events[-1], RoundClosed)
    assert alerts_of(log) == []
    assert first_round(log).void
