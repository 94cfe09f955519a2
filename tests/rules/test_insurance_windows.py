"""When insurance may be bet, and which rule is broken where it may not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.builders import TableLog, alerts_of, rules_of
from tests.rules.test_referee import played
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.hand import point_count
from thirdcard.rules.game.notation import parse_round
from thirdcard.rules.game.words import Bet, Side
from thirdcard.rules.rulebook.model import WindowStart


def after_both_thirds(*, is_waived: str | None) -> TableLog:
    """Both third cards lie face down, then the Banker's is handed over or shown; then the Player's is opened."""
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open("s3-player").four("P KH 3C | B KD AS")
    log.deal("player", "4S").deal("banker", "2C")
    if is_waived == "passed":
        log.add("card_passed", card_id="c6", to="seat:3")
    elif is_waived == "shown":
        log.turn("c6")
    return log.turn("c5")


def late(log: TableLog) -> list[tuple[str, str | None]]:
    log.wager("s3-insurance_player", 0, 20)
    return [(alert.code, alert.rule) for alert in alerts_of(log)]


@pytest.mark.parametrize("how", ["passed", "shown"])
def test_rule_sg_3_14_banker_s_third_before_the_player_s_waives_insurance(how: str) -> None:
    assert late(after_both_thirds(is_waived=how)) == [("late_bet.placed", "3.14")]


def test_rule_sg_5_3_next_card_closes_insurance_without_a_waiver() -> None:
    assert late(after_both_thirds(is_waived=None)) == [("late_bet.placed", "5.3")]


@pytest.mark.parametrize(
    ("text", "rule"), [("P KH 3C | B KD 6S", "5.3"), ("P KH 3C | B KD 4S", "3.12")], ids=["was-offered", "never-was"]
)
def test_rule_sg_5_3_insurance_that_was_offered_before_the_player_s_third_comes_too_late(text: str, rule: str) -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-banker").four(text).third("player", "6S")
    log.wager("s3-insurance_banker", 0, 20)
    assert [(alert.code, alert.rule) for alert in alerts_of(log)] == [("late_bet.placed", rule)]


def test_rule_sg_3_14_player_s_third_opened_first_waives_nothing() -> None:
    log = TableLog(rules_of("sg-rws", dealing_style="B")).open("s3-player").four("P KH 3C | B KD AS")
    log.deal("player", "4S").turn("c5").wager("s3-insurance_player", 0, 20).deal("banker", "2C")
    assert alerts_of(log.add("card_passed", card_id="c6", to="seat:3").turn("c6")) == []


def test_rule_sg_3_14_the_waiver_ends_with_the_round() -> None:
    log = after_both_thirds(is_waived="shown").result(7, 3).close().open("s3-player").four("P KH 3C | B KD AS")
    log.third("player", "4S").third("banker", "2C")
    assert late(log)[-1] == ("late_bet.placed", "5.3")


@pytest.mark.parametrize("text", ["P KH 7C | B KD 3S", "P KH 2C | B KD 3S"], ids=["in-a-row", "in-no-row"])
def test_rule_sg_4_2_2_no_insurance_may_be_bet_where_none_is_offered(text: str) -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).open("s3-player").four(text)
    assert late(log) == [("late_bet.placed", "4.2.2")]


@pytest.mark.parametrize("area", ["s3-insurance_player", "s3-insurance_banker"])
def test_rule_sg_4_2_2_insurance_that_lies_there_when_betting_closes_is_not_offered(area: str) -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).open("s3-player", area).four("P KH 7C | B KD 3S")
    log.third("banker", "KC").result(7, 3).settle("s3-player", "paid", 100).settle(area, "paid", 300).close()
    told = [("wager.not_offered", "4.2.2", 4.0), ("payout.loser_paid", "5.14", log.t - 1)]
    assert [(alert.code, alert.rule, alert.t) for alert in alerts_of(log)] == told


def test_rule_sg_4_2_2_insurance_taken_back_before_betting_closes_is_nobodys_fault() -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).add("bets_opened").wager("s3-insurance_player", 0, 20)
    assert alerts_of(log.wager("s3-insurance_player", 20, 0).add("no_more_bets").four("P KH 7C | B KD 3S")) == []


def test_rule_sg_4_2_2_insurance_left_lying_may_be_taken_back() -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).wager("s3-insurance_player", 20, 0)
    assert alerts_of(log) == []


def insure(log: TableLog, after: WindowStart, points: dict[Side, int], stakes: dict[str, int]) -> None:
    """Bet 5 on each insurance that the table offers just now, beside the 100 that it insures."""
    rule = log.rules.insurance
    assert rule is not None
    for row in rule.rows:
        if row.after is after and points[Side.PLAYER] in row.player and points[Side.BANKER] in row.banker:
            area = "s1-insurance_player" if row.bet is Bet.INSURANCE_PLAYER else "s2-insurance_banker"
            lies = stakes.get(area, 0)
            log.wager(area, lies, lies + 5)
            stakes[area] = lies + 5


def insured_round(log: TableLog, text: str) -> TableLog:
    """A round with insurance bet whenever it is offered, settled as it is due."""
    hands, stakes = parse_round(text), dict[str, int]()
    faces = {Side.PLAYER: list(hands.player), Side.BANKER: list(hands.banker)}
    points = {side: point_count([card for card in cards[:2] if card]) for side, cards in faces.items()}
    log.open("s1-player", "s2-banker").four(" | ".join(" ".join(hand.split()[:3]) for hand in text.split("|")))
    insure(log, WindowStart.FOUR_CARDS, points, stakes)
    for side, cards in faces.items():
        if len(cards) == 3:
            log.third(side, str(cards[2]))
            points[side] = point_count([card for card in cards if card])
        if side is Side.PLAYER and len(cards) == 3:
            insure(log, WindowStart.PLAYER_THIRD, points, stakes)
    return log.result(points[Side.PLAYER], points[Side.BANKER]).settle_due().close()


@pytest.mark.parametrize("style", ["A", "B"])
@settings(max_examples=60, deadline=None)
@given(cards=st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True))
def test_rule_sg_3_12_insurance_bet_whenever_it_is_offered_gives_no_alert(style: str, cards: list[Card]) -> None:
    log = insured_round(TableLog(rules_of("sg-rws", dealing_style=style)), played(cards))
    assert alerts_of(log, limits={"minimum": 25, "maximum": 500, "differential": 500}) == []


@pytest.mark.parametrize(("third", "is_late"), [("6S", True), ("5S", False)], ids=["on-9", "on-8"])
def test_rule_sg_3_17_a_tie_gives_insurance_back_unless_it_pays_it(third: str, is_late: bool) -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player").four("P KH 3C | B KD 2S").third("player", third)
    log.wager("s3-insurance_player", 0, 10).third("banker", "7H" if is_late else "6H")
    log.result(9, 9) if is_late else log.result(8, 8)
    log.settle("s3-player", "returned", 100)
    log.settle("s3-insurance_player", "collected" if is_late else "returned", 10).close()
    assert [alert.code for alert in alerts_of(log)] == (["payout.winner_unpaid"] if is_late else [])


def test_insurance_that_was_paid_and_taken_away_is_still_judged() -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player").four("P KH 7C | B KD 5S").wager("s3-insurance_player", 0, 10)
    log.third("banker", "3H").result(7, 8).settle("s3-player", "collected", 100)
    log.settle("s3-insurance_player", "paid", 30).wager("s3-insurance_player", 10, 0).close()
    assert [alert.code for alert in alerts_of(log)] == ["payout.wrong_amount"]
