"""A bet that the first four cards decide is settled while third cards are still to come."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.builders import TableLog, alerts_of, codes_of, rules_of
from tests.rules.test_established_outcomes import FIRST_CARD_BETS

CARDS = {"misdeal.third_card_missing", "misdeal.wrong_result", "misdeal.short_hand"}
PAIR, NO_PAIR = "P 2H 2S 6H | B KD 6C QH", "P 2H 3S 6H | B KD 6C QH"
"""Both hands draw."""


def paid(rulebook_id: str) -> int:
    """What 100 on a mixed pair win."""
    return {"sg-rws": 1100, "tas": 600, "nz-secretary": 1100}[rulebook_id]


def table(rulebook_id: str, *areas: str, **more: Any) -> TableLog:
    return TableLog(rules_of(rulebook_id, **FIRST_CARD_BETS[rulebook_id], **more)).open(*areas)


def four(log: TableLog, text: str) -> TableLog:
    return log.four(" | ".join(" ".join(hand.split()[:3]) for hand in text.split("|")))


def of_cards(log: TableLog) -> list[str]:
    return [code for code in codes_of(log) if code in CARDS]


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
@pytest.mark.parametrize("text", [PAIR, NO_PAIR], ids=["won", "lost"])
@pytest.mark.parametrize("after", ["four-cards", "player-s-third"])
def test_pair_that_is_settled_before_the_third_cards_says_nothing_of_the_hands(
    rulebook_id: str, text: str, after: str
) -> None:
    log = four(table(rulebook_id, "s3-player_pair", "s4-banker"), text)
    act = ("paid", paid(rulebook_id)) if text == PAIR else ("collected", 100)
    if after == "four-cards":
        log.settle("s3-player_pair", *act)
    log.third("player", "6H")
    if after != "four-cards":
        log.settle("s3-player_pair", *act)
    log.third("banker", "QH").result(0 if text == PAIR else 1, 6).settle("s4-banker", "paid", 50).close()
    assert of_cards(log) == []
    if rulebook_id == "sg-rws":
        assert codes_of(log) == []


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_third_card_that_never_comes_is_told_at_the_result_though_a_pair_was_settled(rulebook_id: str) -> None:
    log = four(table(rulebook_id, "s3-player_pair"), PAIR).settle("s3-player_pair", "paid", paid(rulebook_id))
    log.result(4, 6)
    t = log.t
    told = [(alert.code, alert.t) for alert in alerts_of(log.close()) if alert.code in CARDS]
    assert told == [("misdeal.third_card_missing", t)]


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_result_is_held_against_the_cards_that_lay_there_when_it_was_announced(rulebook_id: str) -> None:
    log = four(table(rulebook_id, "s3-player_pair"), PAIR).settle("s3-player_pair", "paid", paid(rulebook_id))
    log.third("player", "6H").third("banker", "QH").result(4, 6).close()
    assert of_cards(log) == ["misdeal.wrong_result"]


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_result_is_held_against_all_cards_though_a_hand_was_settled_before_its_third(rulebook_id: str) -> None:
    log = four(table(rulebook_id, "s4-player"), PAIR).settle("s4-player", "collected", 100)
    log.third("player", "6H").third("banker", "QH").result(0, 6).close()
    assert of_cards(log) == ["misdeal.third_card_missing"]


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_pair_that_is_settled_before_the_fourth_card_is_not_decided_by_four(rulebook_id: str) -> None:
    log = table(rulebook_id, "s3-player_pair").deal("player", "2H").deal("banker", "KD").deal("player", "2S")
    log.settle("s3-player_pair", "paid", paid(rulebook_id)).deal("banker", "6C")
    assert of_cards(log) == ["misdeal.short_hand"]


@pytest.mark.parametrize("by", ["dealer", "unknown"])
@pytest.mark.parametrize("chips_first", [True, False])
def test_rule_sg_3_10_winnings_of_a_pair_that_is_paid_early_are_no_late_wager(by: str, chips_first: bool) -> None:
    log = four(table("sg-rws", "s3-player_pair"), PAIR)
    if chips_first:
        log.wager("s3-player_pair", 100, 1200, by="dealer").settle("s3-player_pair", "paid", 1100)
    else:
        log.settle("s3-player_pair", "paid", 1100).wager("s3-player_pair", 100, 1200, by=by)
    log.wager("s3-player_pair", 1200, 0).third("player", "6H").third("banker", "QH").result(0, 6).close()
    assert codes_of(log) == []


@pytest.mark.parametrize(
    ("text", "act", "codes"),
    [
        pytest.param(PAIR, ("paid", 1000), ["payout.wrong_amount"], id="too-little"),
        pytest.param(PAIR, ("collected", 100), ["payout.winner_unpaid"], id="winner-taken"),
        pytest.param(NO_PAIR, ("paid", 1100), ["payout.loser_paid"], id="loser-paid"),
        pytest.param(NO_PAIR, ("collected", 100), [], id="loser-taken"),
    ],
)
def test_rule_sg_4_1_1_pair_that_is_settled_early_is_judged_as_any_other(
    text: str, act: tuple[str, int], codes: list[str]
) -> None:
    log = four(table("sg-rws", "s3-player_pair"), text).settle("s3-player_pair", *act)
    log.third("player", "6H").third("banker", "QH").result(0 if text == PAIR else 1, 6).close()
    assert codes_of(log) == codes


def test_rule_sg_5_9_pair_may_be_settled_while_the_other_hand_lies_face_down() -> None:
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open("s3-player_pair")
    for side, card in zip(("player", "banker") * 2, ("2H", "KD", "2S", "6C"), strict=True):
        log.deal(side, card)
    log.turn("c1").turn("c3").settle("s3-player_pair", "paid", 1100).turn("c2").turn("c4")
    log.third("player", "6H").third("banker", "QH").result(0, 6).close()
    assert codes_of(log) == []


@pytest.mark.parametrize(
    ("bet", "text", "is_decided"),
    [
        pytest.param("super_six", "P KH 7C | B KD 3H", True, id="super-six-cannot-beat-a-seven"),
        pytest.param("super_six", "P KH 3C | B KD 3H", False, id="super-six-may-still-win"),
        pytest.param("tie", "P KH 7C | B KD 3H", False, id="tie-may-still-come"),
        pytest.param("player", "P KH 7C | B KD 3H", False, id="a-hand-may-still-lose"),
    ],
)
def test_only_what_the_cards_decide_says_nothing_of_the_hands(bet: str, text: str, is_decided: bool) -> None:
    log = TableLog(rules_of("sg-rws")).open(f"s3-{bet}").four(text).settle(f"s3-{bet}", "collected", 100)
    assert of_cards(log) == ([] if is_decided else ["misdeal.third_card_missing"])


@pytest.mark.parametrize(
    ("bet", "text", "is_decided"),
    [
        pytest.param("match_player", NO_PAIR, True, id="no-match"),
        pytest.param("match_player", PAIR, True, id="a-match-that-may-become-a-triple"),
        pytest.param("dragon_banker", "P KH 7C | B KD 3H", True, id="the-banker-cannot-win-by-four"),
        pytest.param("dragon_player", "P KH 7C | B KD 3H", False, id="the-player-may-still"),
    ],
)
def test_rule_nz_secretary_11_side_bet_that_four_cards_decide_says_nothing_of_the_hands(
    bet: str, text: str, is_decided: bool
) -> None:
    log = TableLog(rules_of("nz-secretary", lucky_match="one", dragon_bonus="one")).open(f"s3-{bet}")
    four(log, text).settle(f"s3-{bet}", "collected", 100)
    assert of_cards(log) == ([] if is_decided else ["misdeal.third_card_missing"])


@pytest.mark.parametrize("rulebook_id", FIRST_CARD_BETS)
def test_pair_of_cards_that_went_astray_is_not_decided(rulebook_id: str) -> None:
    log = table(rulebook_id, "s3-player_pair").deal("player", "2H").deal("player", "KD").deal("banker", "2S")
    log.deal("banker", "6C").settle("s3-player_pair", "paid", paid(rulebook_id)).result(2, 8).close()
    assert "misdeal.order" in codes_of(log)


@pytest.mark.parametrize("ends", ["paid", "closed"])
def test_drawing_had_ended_when_the_first_wager_was_returned_for_a_tie(ends: str) -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player", "s4-tie").four("P 2H 2S | B KD 4C")
    log.settle("s3-player", "returned", 100)
    t = log.t
    if ends == "paid":
        log.settle("s4-tie", "paid", 800)
    told = [(alert.code, alert.t) for alert in alerts_of(log.close()) if alert.code in CARDS]
    assert told == [("misdeal.third_card_missing", t)]


@pytest.mark.parametrize(
    "text", [pytest.param("P 2H 2S | B KD 4C", id="tie-so-far"), pytest.param("P 2H 2S | B KD 3C", id="no-tie")]
)
def test_late_wager_that_is_returned_before_a_third_card_ends_no_drawing(text: str) -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player", "s4-tie").four(text).settle("s3-player", "returned", 100)
    log.third("player", "6H").third("banker", "QH").settle("s4-tie", "collected", 100).close()
    assert of_cards(log) == []


def test_wager_returned_before_another_card_is_no_push_of_the_tie_that_follows() -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player", "s4-banker", "s5-tie").four("P 2H AS | B KD 3C")
    log.settle("s3-player", "returned", 100).third("player", "10H").settle("s4-banker", "returned", 100)
    t = log.t
    log.settle("s5-tie", "paid", 800)
    told = [(alert.code, alert.t) for alert in alerts_of(log.close()) if alert.code in CARDS]
    assert told == [("misdeal.third_card_missing", t)]
