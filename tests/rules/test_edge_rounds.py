"""Rounds at the edges of the texts: legal ones that look wrong, and faults that something else explains."""

from __future__ import annotations

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, codes_of, rules_of, run
from thirdcard.rules.referee import Referee


def doubted(log: TableLog) -> set[str]:
    return {doubt.code for doubt in run(log.rules, log.events)[1][0].undetermined}


def lost_for_a_moment(log: TableLog) -> TableLog:
    return log.add("camera_lost", camera="overhead").add("camera_back", camera="overhead")


def faults(log: TableLog) -> list[str]:
    return [code for code in codes_of(log) if not code.startswith("camera.")]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_card_that_a_lost_camera_did_not_see_may_be_whose_turn_it_was(rulebook_id: str) -> None:
    log = lost_for_a_moment(TableLog(rules_of(rulebook_id)).open().deal("player", "6H"))
    log.deal("player", "KD").deal("banker", "7H").turn_all().result(6, 7).close()
    assert faults(log) == []
    assert "misdeal.order" in doubted(log)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_players_third_card_may_have_come_while_a_camera_was_lost(rulebook_id: str) -> None:
    log = lost_for_a_moment(TableLog(rules_of(rulebook_id)).open().four("P KH 3C | B 3D KS"))
    log.third("banker", "6S").result(3, 9).close()
    assert faults(log) == []
    assert "misdeal.third_card_missing" in doubted(log)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_order_that_was_wrong_before_the_camera_was_lost_is_told(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().deal("player", "6H").deal("player", "KD")
    lost_for_a_moment(log).deal("player", "AD").deal("banker", "7C").turn_all().close()
    assert faults(log) == ["misdeal.order"]
    assert "misdeal.order" not in doubted(log)


def test_rule_tas_14_6_wagers_in_a_coup_that_becomes_void_were_not_forbidden() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").deal("player", "6H").deal("banker", "KS", together_with="c1")
    log.deal("player", "KD").deal("banker", "7H").result(6, 7).settle("s3-banker", "paid", 95).close()
    alerts, records = run(log.rules, log.events)
    assert [alert.code for alert in alerts] == ["misdeal.simultaneous", "payout.loser_paid"]
    assert records[0].void


@pytest.mark.parametrize("bet", ["dragon_player", "dragon_banker"])
def test_rule_nz_secretary_11b_8_dragon_bonus_of_a_natural_tie_may_be_taken_back(bet: str) -> None:
    log = TableLog(rules_of("nz-secretary", dragon_bonus="one"))
    assert codes_of(log.legal_round("P KH 9C | B 4D 5H", f"s3-{bet}")) == []


@pytest.mark.parametrize("bet", ["dragon_player", "dragon_banker"])
def test_rule_nz_secretary_11b_8_dragon_bonus_of_another_tie_may_not(bet: str) -> None:
    log = TableLog(rules_of("nz-secretary", dragon_bonus="one")).open(f"s3-{bet}").four("P KH 7C | B 3D 4H")
    assert codes_of(log.result(7, 7).wager(f"s3-{bet}", 100, 0).close()) == ["late_bet.removed"]


def test_rule_nz_secretary_14_7_wager_that_is_void_without_its_ante_may_be_taken_back() -> None:
    log = TableLog(rules_of("nz-secretary", ante=5)).legal_round("P KH 6C | B 3D 4H", "s3-banker")
    assert codes_of(log) == []


def test_rule_nz_secretary_14_7_wager_with_its_ante_may_not() -> None:
    log = TableLog(rules_of("nz-secretary", ante=5)).add("bets_opened").wager("s3-ante", 0, 5)
    log.wager("s3-player", 0, 100).add("no_more_bets").four("P KH 6C | B 3D 4H").result(6, 7)
    log.settle("s3-ante", "collected", 5).wager("s3-player", 100, 0).close()
    assert codes_of(log) == ["late_bet.removed"]


@pytest.mark.parametrize("rulebook_id", ["nz-authority", "nz-secretary", "sg-rws"])
def test_unseen_excess_card_begins_the_next_round(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id, dealing_style="B")).open().four("P KH 7C | B 3D 4H")
    log.deal("player", None, face_up=False).result(7, 7).close()
    log.add("bets_opened").wager("s3-player", 0, 100).add("no_more_bets").add("card_moved", card_id="c5", hand="player")
    log.deal("banker", "2H").deal("player", "6H").deal("banker", "5H").turn("c5", "2S").turn_all().result(8, 7)
    alerts, records = run(log.rules, log.settle("s3-player", "paid", 100).close().events)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_not_due"]
    assert [str(card) for card in records[1].player] == ["2S", "6H"]
    assert [remedy.state for remedy in records[1].remedies] == ["done"]


def standing_at_the_end(log: TableLog) -> list[str]:
    referee = Referee(log.rules)
    for event in log.events:
        referee.observe(event)
    return [alert.code for alert in referee.standing.values()]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_order_of_cards_that_turn_out_to_have_come_together_is_not_known(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().deal("player", "6H").deal("banker", "7H").deal("banker", "KS")
    log.deal("player", "KD", together_with="c3").turn_all()
    assert standing_at_the_end(log) == ["misdeal.simultaneous"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_bankers_third_card_may_come_together_with_the_players(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open().four("P KH 3C | B 3D KS").third("banker", "6S")
    log.third("player", "5H", together_with="c5")
    assert "misdeal.third_card_missing" not in standing_at_the_end(log)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("order", [("c5", "c6"), ("c6", "c5")])
def test_third_cards_that_were_dealt_crosswise_and_put_right_are_judged_again(
    rulebook_id: str, order: tuple[str, str]
) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").four("P 2H 2S | B 3D 2C").third("banker", "5H")
    log.third("player", "KD")
    for card_id in order:
        log.add("card_moved", card_id=card_id, hand="player" if card_id == "c5" else "banker")
    alerts, records = run(log.rules, log.result(9, 5).settle("s3-banker", "paid", 95).close().events)
    assert [alert.code for alert in alerts] == ["misdeal.third_card_missing", "payout.loser_paid"]
    assert (records[0].complete, records[0].player_total, records[0].banker_total) == (True, 9, 5)
    assert {str(remedy.state) for remedy in records[0].remedies} <= {"done"}
