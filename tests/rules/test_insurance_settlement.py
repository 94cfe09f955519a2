"""What insurance is owed: every row of the table in sg-rws 4.1.2, and what Ties and windows do to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, codes_of, rules_of, run
from tests.rules.witness import totals
from thirdcard.rules.game.third_card import POINTS
from thirdcard.rules.game.words import Outcome, Side
from thirdcard.rules.rulebook.model import InsuranceRow, WindowStart
from thirdcard.rules.wagers.insurance import INSURANCE

RULES = rules_of("sg-rws")
TABLE = RULES.rulebook.table
ROWS = RULES.insurance.rows if RULES.insurance else ()
# The table of 4.1.2 as printed: window, bet, Player's points, Banker's points, odds.
PRINTED = {
    ("four_cards", "insurance_banker", "01234", "5", "2"),
    ("four_cards", "insurance_banker", "012345", "6", "3"),
    ("four_cards", "insurance_banker", "012345", "7", "4"),
    ("four_cards", "insurance_player", "5", "4", "2"),
    ("four_cards", "insurance_player", "6", "012345", "3"),
    ("four_cards", "insurance_player", "7", "012345", "4"),
    ("player_third", "insurance_banker", "1", "1", "6"),
    ("player_third", "insurance_banker", "1", "23456", "7"),
    ("player_third", "insurance_banker", "2", "3456", "4"),
    ("player_third", "insurance_banker", "3", "4", "3/2"),
    ("player_third", "insurance_player", "5", "01234", "2"),
    ("player_third", "insurance_player", "6", "012345", "3"),
    ("player_third", "insurance_player", "7", "0123456", "4"),
    ("player_third", "insurance_player", "8", "0123456", "7"),
    ("player_third", "insurance_player", "9", "0123456", "8"),
}
Deal = tuple[int, int, int | None, int | None]
"""Two-card points of Player and Banker, points of their third cards."""


def face(points: int, suit: str = "C") -> str:
    return f"{'K' if points == 0 else 'A' if points == 1 else points}{suit}"


def deals() -> Iterator[Deal]:
    for player, banker in product(POINTS, repeat=2):
        for third in POINTS if TABLE.player(player, banker).draws else (None,):
            draws = TABLE.banker(player, banker, third).draws
            for last in POINTS if draws else (None,):
                yield player, banker, third, last


def outcomes_of(row: InsuranceRow) -> Iterator[tuple[Deal, Outcome]]:
    """One deal for each situation of the row and each way that it may end."""
    seen: set[tuple[int, int, Outcome]] = set()
    for player, banker, third, last in deals():
        total, other = (player + (third or 0)) % 10, (banker + (last or 0)) % 10
        winner = Outcome.TIE if total == other else Outcome.PLAYER if total > other else Outcome.BANKER
        is_third = row.after is WindowStart.PLAYER_THIRD
        points = (total if is_third else player, banker)
        further = last is not None and third is not None if is_third else third is not None or last is not None
        if points[0] in row.player and points[1] in row.banker and further and (*points, winner) not in seen:
            seen.add((*points, winner))
            yield (player, banker, third, last), winner


def log_of(deal: Deal, after: WindowStart, *areas: str) -> TableLog:
    """A round with these cards; 100 is staked on the areas just after those cards."""
    player, banker, third, last = deal
    log = TableLog(RULES).open("s3-player", "s3-banker")
    log.four(f"P {face(player)} KD | B {face(banker, 'H')} KS")
    if third is not None and after is WindowStart.PLAYER_THIRD:
        log.third("player", face(third, "S"))
    for area in areas:
        log.wager(area, 0, 100)
    if third is not None and after is WindowStart.FOUR_CARDS:
        log.third("player", face(third, "S"))
    if last is not None:
        log.third("banker", face(last, "D"))
    return log.result((player + (third or 0)) % 10, (banker + (last or 0)) % 10).close()


def due_of(log: TableLog, area: str) -> str:
    (due,) = [due for due in run(log.rules, log.events)[1][0].due if due.area == area]
    return f"{due.outcome} {due.pays}"


def test_rule_4_1_2_table_is_the_printed_one() -> None:
    rows = {
        (str(row.after), str(row.bet), "".join(map(str, sorted(row.player))), "".join(map(str, sorted(row.banker))),
         str(row.pays)) for row in ROWS
    }  # fmt: skip
    assert rows == PRINTED


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.bet}-{row.after}-{sorted(row.player)}-{sorted(row.banker)}"
)
def test_rule_4_1_2_every_row_in_every_outcome(row: InsuranceRow) -> None:
    insured, area, count = INSURANCE[row.bet], f"s3-{row.bet}", 0
    for deal, winner in outcomes_of(row):
        due = due_of(log_of(deal, row.after, area), area)
        if winner is Outcome.TIE:
            assert due == (f"win {100 * row.pays}" if row.wins_on_tie else "push 0"), (deal, "3.17, 4.2.1")
        elif winner == insured.value:
            assert due == "lose 0", deal
        else:
            assert due == f"win {100 * row.pays}", deal
        count += 1
    assert count >= len(row.player) * len(row.banker)


def test_rule_4_2_1_tie_on_9_pays_what_was_bet_on_9_and_returns_the_rest() -> None:
    log = TableLog(RULES).open("s3-player").four("P 5C KD | B 4H KS").wager("s3-insurance_player", 0, 100)
    log.third("player", "4S").wager("s3-insurance_player", 100, 150).third("banker", "5D").result(9, 9).close()
    assert due_of(log, "s3-insurance_player") == "win 400"  # 50 at 8 to 1; the 100 before are returned


def test_rule_3_12_insurance_bet_in_two_windows_is_paid_at_the_odds_of_each() -> None:
    log = TableLog(RULES).open("s3-player").four("P 5C KD | B 4H KS").wager("s3-insurance_player", 0, 100)
    log.third("player", "2S").wager("s3-insurance_player", 100, 150).third("banker", "5D").result(7, 9).close()
    assert due_of(log, "s3-insurance_player") == "win 400"  # 100 at 2 to 1, 50 at 4 to 1


def test_insurance_taken_back_in_part_is_owed_its_share() -> None:
    log = TableLog(RULES).open("s3-player").four("P 6C KD | B 5H KS").wager("s3-insurance_player", 0, 100)
    log.wager("s3-insurance_player", 100, 40).third("banker", "4D").result(6, 9).close()
    assert due_of(log, "s3-insurance_player") == "win 120"


def test_insurance_left_lying_from_the_round_before_is_open_where_its_hand_loses() -> None:
    log = TableLog(RULES).open("s3-player").four("P 6C KD | B 5H KS").wager("s3-insurance_player", 0, 100)
    log.third("banker", "4D").result(6, 9).close().legal_round("P 6C KD | B 5H KS 4D")
    record = run(log.rules, log.events)[1][1]
    assert [due.area for due in record.due] == ["s3-player"]
    assert [due.why for due in record.due_open] == ["no insurance is known to have been offered when it was bet"]


def test_insurance_whose_stake_was_not_read_wins_an_unknown_amount() -> None:
    log = TableLog(RULES).open("s3-player").four("P 6C KD | B 5H KS").wager("s3-insurance_player", 0, None)
    log.third("banker", "4D").result(6, 9).close()
    assert due_of(log, "s3-insurance_player") == "win None"


def test_insurance_bet_while_a_card_was_not_read_is_open_on_a_tie() -> None:
    log = TableLog(RULES).open("s3-player").four("P 5C KD | B 4H KS").deal("player", None, face_up=True)
    log.wager("s3-insurance_player", 0, 100).turn(f"c{5}", "4S").third("banker", "5D").result(9, 9).close()
    record = run(log.rules, log.events)[1][0]
    assert [due.why for due in record.due_open] == ["a card or the stake was not read when it was bet"]


def test_rule_4_2_2_no_insurance_where_the_house_offers_none() -> None:
    log = TableLog(rules_of("sg-rws", insurance=False)).open("s3-player").four("P 6C KD | B 5H KS")
    log.wager("s3-insurance_player", 0, 100).third("banker", "4D").result(6, 9).close()
    record = run(log.rules, log.events)[1][0]
    assert ([due.area for due in record.due], record.due_open) == (["s3-player"], ())


def test_insured_hands_are_the_two() -> None:
    assert set(INSURANCE.values()) == set(Side)


def uninsured(*, result: tuple[int, int] = (6, 8), **options: bool) -> TableLog:
    """The Player stands on 6 and loses; insurance was to be offered."""
    log = TableLog(rules_of("sg-rws", **options)).open("s3-player").four("P 6H KS | B KD 3C").third("banker", "5H")
    return log.result(*result)


def ordered(log: TableLog, area: str = "s3-player") -> TableLog:
    seat, bet = area.split("-")
    return log.add("return_ordered", area=area, seat=int(seat[1:]), bet=bet, reason="insurance was not offered")


def test_rule_sg_5_13_bet_that_was_not_insured_goes_back_by_order() -> None:
    log = ordered(uninsured()).settle("s3-player", "returned", 100).close()
    assert codes_of(log) == []
    assert due_of(log, "s3-player") == "void 0"


def test_rule_sg_5_13_bet_goes_back_by_order_alone() -> None:
    log = uninsured().settle("s3-player", "returned", 100).close()
    assert codes_of(log) == ["payout.loser_kept"]


@pytest.mark.parametrize(("action", "code"), [("collected", "payout.push_taken"), ("paid", "payout.loser_paid")])
def test_rule_sg_5_13_order_that_is_not_followed_is_told(action: str, code: str) -> None:
    (alert,) = alerts_of(ordered(uninsured()).settle("s3-player", action, 100).close())
    assert (alert.code, alert.rule, alert.remedy.action, alert.remedy.rule) == (code, "5.13", "supervisor", "5.13")


def test_rule_sg_5_13_bet_that_was_collected_before_the_order_goes_back() -> None:
    log = ordered(uninsured().settle("s3-player", "collected", 100)).settle("s3-player", "returned", 100).close()
    assert codes_of(log) == []


def test_rule_sg_5_13_player_may_take_what_goes_back() -> None:
    assert codes_of(ordered(uninsured()).wager("s3-player", 100, 0).close()) == []


def test_rule_sg_5_13_order_is_for_one_area_and_one_round() -> None:
    log = ordered(uninsured(), "s4-player").settle("s3-player", "returned", 100).close()
    log.open("s3-player").four("P 6H KS | B KD 3C").third("banker", "5H").result(6, 8)
    alerts = alerts_of(ordered(log, "s4-player").settle("s3-player", "returned", 100).close())
    assert [(alert.code, alert.round) for alert in alerts] == [("payout.loser_kept", n) for n in (1, 2)]


def test_rule_sg_5_13_does_not_apply_where_the_house_offers_no_insurance() -> None:
    log = ordered(uninsured(insurance=False)).settle("s3-player", "returned", 100).close()
    assert codes_of(log) == ["payout.loser_kept"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("text", ["P KH 8C | B 3D 4H", "P KH 7C | B 3D 5H", "P KH 7C | B 3D 4H"])
def test_wager_that_a_supervisor_orders_returned_goes_back_whatever_the_result(rulebook_id: str, text: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-player", "s4-banker").four(text)
    log = ordered(log.result(*totals(text))).settle("s3-player", "returned", 100).settle("s4-banker", "returned", 100)
    told = {"P KH 8C | B 3D 4H": ["payout.loser_kept"], "P KH 7C | B 3D 5H": ["payout.winner_unpaid"]}
    assert codes_of(log.close()) == told.get(text, [])


def insured(*, third: str = "KH") -> TableLog:
    """The Banker's 6 is insured against the Player's 4; the Player's third card follows."""
    log = TableLog(rules_of("sg-rws")).open("s3-banker").four("P 2H 2S | B KD 6C").wager("s3-insurance_banker", 0, 30)
    return log.third("player", third)


def late(log: TableLog) -> list[tuple[str, str | None, int | None]]:
    return [(alert.code, alert.rule, alert.seat) for alert in alerts_of(log)]


@pytest.mark.parametrize(("after", "code"), [(0, "late_bet.removed"), (10, "late_bet.reduced")])
@pytest.mark.parametrize("when", ["next-card", "result", "settled"])
def test_rule_sg_5_6_insurance_taken_back_after_its_window_is_late_and_stays_due(
    after: int, code: str, when: str
) -> None:
    log = insured()
    if when != "next-card":
        log.result(4, 6)
    if when == "settled":
        log.settle("s3-banker", "paid", 50)
    log.wager("s3-insurance_banker", 30, after)
    if when == "next-card":
        log.result(4, 6)
    if when != "settled":
        log.settle("s3-banker", "paid", 50)
    if after:
        log.settle("s3-insurance_banker", "collected", after)
    assert late(log.close()) == [(code, "5.6", 3)]
    assert due_of(log, "s3-insurance_banker") == "lose 0"


def test_rule_sg_5_6_insurance_that_wins_stays_due_though_it_was_taken_back_late() -> None:
    log = insured(third="3C").wager("s3-insurance_banker", 30, 0).result(7, 6).settle("s3-banker", "collected", 100)
    assert late(log.close()) == [("late_bet.removed", "5.6", 3)]
    assert due_of(log, "s3-insurance_banker") == "win 90"


def twice_insured() -> TableLog:
    """The Player is insured for 40 before his third card, for 20 more after it."""
    log = TableLog(rules_of("sg-rws")).open("s3-player").four("P 5C KD | B 4H KS").wager("s3-insurance_player", 0, 20)
    return log.third("player", "2S").wager("s3-insurance_player", 20, 25)


def test_insurance_may_be_taken_back_in_the_window_in_which_it_was_bet() -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player").four("P 5C KD | B 4H KS").wager("s3-insurance_player", 0, 20)
    log.wager("s3-insurance_player", 20, 5).wager("s3-insurance_player", 5, 0).third("player", "2S")
    assert codes_of(log) == []


@pytest.mark.parametrize(("after", "codes", "pays"), [(20, [], 40), (22, [], 48), (19, ["late_bet.reduced"], 60)])
def test_rule_sg_5_6_what_was_bet_in_an_earlier_window_stays_in_a_later_one(
    after: int, codes: list[str], pays: int
) -> None:
    log = twice_insured().wager("s3-insurance_player", 25, after).third("banker", "5D").result(7, 9).close()
    assert [code for code in codes_of(log) if code.startswith("late")] == codes
    assert due_of(log, "s3-insurance_player") == f"win {pays}"


def test_insurance_that_the_dealer_reduces_is_owed_less_and_is_nobodys_fault() -> None:
    log = insured(third="3C").wager("s3-insurance_banker", 30, 10, by="dealer").result(7, 6)
    log.settle("s3-banker", "collected", 100).settle("s3-insurance_banker", "paid", 30).close()
    assert codes_of(log) == []
    assert due_of(log, "s3-insurance_banker") == "win 30"


@pytest.mark.parametrize("by", ["seat:3", "dealer", "unknown"])
def test_insurance_that_was_paid_too_little_and_taken_away_before_the_close_is_judged(by: str) -> None:
    log = insured(third="3C").result(7, 6).settle("s3-banker", "collected", 100)
    log.settle("s3-insurance_banker", "paid", 60).wager("s3-insurance_banker", 30, 90, by="dealer")
    assert codes_of(log.wager("s3-insurance_banker", 90, 0, by=by).close()) == ["payout.wrong_amount"]


def test_insurance_after_the_result_is_late() -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-player").four("P KH 6C | B KD 5H").result(6, 5)
    log.wager("s3-insurance_player", 0, 20)
    assert "late_bet.placed" in codes_of(log)
