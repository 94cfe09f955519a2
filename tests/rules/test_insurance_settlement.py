"""What insurance is owed: every row of the table in sg-rws 4.1.2, and what Ties and windows do to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tests.rules.builders import TableLog, rules_of, run
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
