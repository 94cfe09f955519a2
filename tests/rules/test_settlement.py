"""What each wager is due, exact, in each rulebook and variant."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.records import Settling, format_round
from rules.words import Bet
from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run

BANKER_WINS_6 = "P 2H 3D 10S | B 2C 4D"
BANKER_WINS_7 = "P 6H KD | B 3S 4C"
BANKER_WINS_6_ON_THREE = "P 5H KD KC | B 2C KD 4H"
TIE_ON_6 = "P 6H KD | B 6S QC"
PLAYER_WINS_9_ON_THREE = "P 2H 3D 4S | B 3C 4D"
PLAYER_NATURAL = "P 9H KD | B 3C 4D"
CASES = [
    pytest.param("nz-authority", {}, BANKER_WINS_7, "banker", "win", "95", id="nz-authority-5.10b"),
    pytest.param("nz-authority", {"banker_pay": "six_half"}, BANKER_WINS_6, "banker", "win", "50", id="nz-5.11-on-6"),
    pytest.param("nz-authority", {"banker_pay": "six_half"}, BANKER_WINS_7, "banker", "win", "100", id="nz-5.11"),
    pytest.param("nz-authority", {}, TIE_ON_6, "banker", "push", "0", id="nz-authority-5.1a"),
    pytest.param("nz-authority", {}, TIE_ON_6, "tie", "win", "800", id="nz-authority-5.10c"),
    pytest.param("nz-authority", {}, BANKER_WINS_7, "player", "lose", "0", id="nz-authority-player-loses"),
    pytest.param("sg-rws", {}, BANKER_WINS_6, "banker", "win", "50", id="sg-4.1.1-on-6"),
    pytest.param("sg-rws", {}, BANKER_WINS_6, "super_six", "win", "1200", id="sg-super-six-two-cards"),
    pytest.param("sg-rws", {}, BANKER_WINS_6_ON_THREE, "super_six", "win", "2000", id="sg-super-six-three-cards"),
    pytest.param("sg-rws", {}, TIE_ON_6, "super_six", "lose", "0", id="sg-super-six-tie"),
    pytest.param("sg-rws", {}, "P QH QD 9C | B 3C 4D", "player_pair", "win", "1100", id="sg-pair"),
    pytest.param("sg-rws", {}, "P QH KD 9C | B 3C 4D", "player_pair", "lose", "0", id="sg-no-pair"),
    pytest.param("nsw", {}, BANKER_WINS_6, "banker", "win", "95", id="nsw-19-to-20"),
    pytest.param("nsw", {"even_money": True}, BANKER_WINS_6, "banker", "win", "50", id="nsw-even-money-6"),
    pytest.param("tas", {}, BANKER_WINS_6, "banker", "win", "95", id="tas-12.2"),
    pytest.param("tas", {"federal": True}, BANKER_WINS_6, "banker", "win", "50", id="tas-12.4"),
    pytest.param("tas", {"perfect_pair": True}, "P QH QH 9C | B 3C 4D", "player_pair", "win", "2500", id="tas-15.8c"),
    pytest.param("tas", {"perfect_pair": True}, "P QH QD 9C | B 3C 4D", "player_pair", "win", "1200", id="tas-15.8b"),
    pytest.param("tas", {"perfect_pair": True}, "P QH QS 9C | B 3C 4D", "player_pair", "win", "600", id="tas-15.8a"),
    pytest.param("nz-secretary", {"tie_pays": 9}, TIE_ON_6, "tie", "win", "900", id="nz-secretary-9-to-1"),
    pytest.param("nz-secretary", {"two_to_one": True}, TIE_ON_6, "banker", "lose", "0", id="nz-secretary-13.2"),
    pytest.param(
        "nz-secretary", {"two_to_one": True}, PLAYER_WINS_9_ON_THREE, "player", "win", "200", id="nz-secretary-13.3"
    ),
    pytest.param("nz-secretary", {"two_to_one": True}, PLAYER_NATURAL, "player", "win", "100", id="13.3-natural"),
    pytest.param("nz-secretary", {"two_to_one": True}, BANKER_WINS_6, "banker", "win", "100", id="13.3-no-commission"),
    pytest.param(
        "nz-secretary", {"two_to_one": True, "banker_pay": "six_half"}, BANKER_WINS_6, "banker", "win", "50", id="13.4"
    ),
    pytest.param(
        "nz-secretary", {"dragon_bonus": "one"}, PLAYER_NATURAL, "dragon_player", "win", "100", id="11B-natural"
    ),
    pytest.param(
        "nz-secretary", {"dragon_bonus": "one"}, "P 8H KD | B 8C KH", "dragon_player", "push", "0", id="11B-natural-tie"
    ),
    pytest.param(
        "nz-secretary", {"dragon_bonus": "two"}, "P 2H 3D 4S | B 2C KD KH", "dragon_player", "win", "700", id="11B-by-7"
    ),
    pytest.param(
        "nz-secretary", {"dragon_bonus": "three"}, "P 2H 3D 4S | B 2C KD KH", "dragon_player", "win", "400", id="11B-3"
    ),
    pytest.param(
        "nz-secretary", {"any_pair": "two"}, "P QH QS 9C | B 3C 4D", "player_pair", "win", "1000", id="11C-two"
    ),
    pytest.param(
        "nz-secretary", {"lucky_match": "two"}, "P QH QH QH | B 3C 4D", "match_player", "win", "50000", id="11D-triple"
    ),
    pytest.param(
        "nz-secretary", {"lucky_match": "two"}, "P QH QH 2H | B 3C 4D", "match_player", "win", "2000", id="11D"
    ),
]


@pytest.mark.parametrize(("rulebook_id", "options", "text", "bet", "outcome", "pays"), CASES)
def test_rule_due(rulebook_id: str, options: dict[str, Any], text: str, bet: str, outcome: str, pays: str) -> None:
    log = TableLog(rules_of(rulebook_id, **options)).legal_round(text, f"s3-{bet}")
    record = run(log.rules, log.events)[1][0]
    assert [(due.outcome, due.pays, due.stake) for due in record.due] == [(outcome, Fraction(pays), 100)]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_round_record_as_it_leaves_the_program(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).legal_round(TIE_ON_6, "s3-tie")
    record = format_round(run(log.rules, log.events)[1][0])
    assert record == {
        "round": 1, "opened": 1.0, "closed": log.t, "player": ["6H", "KD"], "banker": ["6S", "QC"],
        "player_total": 6, "banker_total": 6, "winner": "tie", "complete": True, "void": False,
        "due": [{"area": "s3-tie", "seat": 3, "bet": "tie", "stake": 100, "outcome": "win", "pays": 800}],
    }  # fmt: skip


def test_pays_what_the_unit_cannot_express_is_a_fraction() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-banker", 0, 25).add("no_more_bets")
    log.four(BANKER_WINS_7).result(6, 7).close()
    assert format_round(run(log.rules, log.events)[1][0])["due"][0]["pays"] == "95/4"


def test_stake_is_what_lay_there_when_betting_closed() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four(BANKER_WINS_7).wager("s3-banker", 100, 300)
    log.wager("s4-banker", 0, 50).result(6, 7).close()
    assert [(due.area, due.stake) for due in run(log.rules, log.events)[1][0].due] == [("s3-banker", 100)]


def test_stake_that_was_not_read_has_no_amount() -> None:
    log = TableLog(rules_of("tas")).add("bets_opened").wager("s3-banker", 0, None).four(BANKER_WINS_7).close()
    due = run(log.rules, log.events)[1][0].due[0]
    assert (due.stake, due.pays, due.outcome) == (None, None, Settling.WIN)


def test_stake_left_from_the_round_before_counts() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four(BANKER_WINS_7).result(6, 7)
    log.settle("s3-banker", "paid", 95).close().legal_round(BANKER_WINS_7)
    records = run(log.rules, log.events)[1]
    assert [(due.area, due.stake) for due in records[1].due] == [("s3-banker", 100)]


def test_unread_card_leaves_winner_and_dues_open() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four("P 6H ? | B 3S 4C").close()
    record = run(log.rules, log.events)[1][0]
    assert (record.winner, record.player_total, record.complete, record.due) == (None, None, False, ())
    assert format_round(record)["player"] == ["6H", None]


def test_void_round_pays_nothing() -> None:
    log = TableLog(rules_of("nz-authority")).add("void_hand_announced").wager("s3-banker", 0, 100)
    log.four(BANKER_WINS_7).close()
    due = run(log.rules, log.events)[1][0].due[0]
    assert (due.outcome, due.pays, due.bet) == (Settling.VOID, Fraction(0), Bet.BANKER)
