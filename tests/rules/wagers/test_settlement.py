"""What each wager is due, exact, in each rulebook and variant."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run
from thirdcard.rules.game.words import Bet, Settling
from thirdcard.rules.round.records import format_round

BANKER_WINS_6 = "P 2H 3D 10S | B 2C 4D"
BANKER_WINS_7 = "P 6H KD | B 3S 4C"
BANKER_WINS_6_ON_THREE = "P 5H KD KC | B 2C KD 4H"
BANKER_WINS_9_ON_THREE = "P 2H KD 4S | B 3C 2D 4H"
TIE_ON_6 = "P 6H KD | B 6S QC"
NATURAL_TIE = "P 8H KD | B 8C KH"
PLAYER_WINS_7 = "P 7H KD | B 6C KH"
PLAYER_WINS_9_ON_THREE = "P 2H 3D 4S | B 3C 4D"
PLAYER_NATURAL = "P 9H KD | B 3C 4D"
BANKER_NATURAL = "P 3C 4D | B 9H KD"
PAIRS = {  # the two first cards, the same kind for both hands
    "mixed": "P QH QS 9C | B 3C 3D",
    "coloured": "P QH QD 9C | B 3C 3S",
    "perfect": "P QH QH 9C | B 3C 3C",
    "none": "P QH KD 9C | B 3C 4D",
}
BY_MARGIN = {  # not naturals, the Player ahead by so many
    9: "P 2H 3D 4S | B KC QD KH",
    8: "P 2H 3D 4S | B KC QD AH",
    7: "P 2H 3D 4S | B 2C KD KH",
    6: "P 2H 3D 3S | B 2C KD KH",
    5: "P 2H 3D 2S | B 2C KD KH",
    4: "P 2H 3D AS | B 2C KD KH",
    3: "P 2H 3D KS | B 2C KD KH",
}
BY_MARGIN_OF_BANKER = {  # not naturals, the Banker ahead by so many
    9: "P KH QD KS | B 2C KD 7H",
    8: "P KH QD AS | B 2C AD 6H",
    7: "P KH QD KS | B 3C 4D",
    6: "P KH QD KS | B 2C 4D",
    5: "P KH QD KS | B 2C KD 3H",
    4: "P KH QD KS | B 2C KD 2H",
    3: "P KH QD KS | B 2C KD AH",
}
CASES = [
    pytest.param("nz-authority", {}, PLAYER_NATURAL, "player", "win", "100", id="nz-authority-5.10a"),
    pytest.param("nz-authority", {}, BANKER_WINS_7, "banker", "win", "95", id="nz-authority-5.10b"),
    pytest.param("nz-authority", {}, BANKER_WINS_6, "banker", "win", "95", id="nz-authority-5.10b-on-6"),
    pytest.param("nz-authority", {"banker_pay": "six_half"}, BANKER_WINS_6, "banker", "win", "50", id="nz-5.11-on-6"),
    pytest.param("nz-authority", {"banker_pay": "six_half"}, BANKER_WINS_7, "banker", "win", "100", id="nz-5.11"),
    pytest.param("nz-authority", {}, TIE_ON_6, "banker", "push", "0", id="nz-authority-5.1a"),
    pytest.param("nz-authority", {}, TIE_ON_6, "player", "push", "0", id="nz-authority-5.1b"),
    pytest.param("nz-authority", {}, TIE_ON_6, "tie", "win", "800", id="nz-authority-5.10c"),
    pytest.param("nz-authority", {}, BANKER_WINS_7, "tie", "lose", "0", id="nz-authority-5.1c"),
    pytest.param("nz-authority", {}, BANKER_WINS_7, "player", "lose", "0", id="nz-authority-player-loses"),
    pytest.param("sg-rws", {}, BANKER_WINS_6, "banker", "win", "50", id="sg-4.1.1-on-6"),
    pytest.param("sg-rws", {}, BANKER_WINS_6_ON_THREE, "banker", "win", "50", id="sg-4.1.1-on-6-with-three"),
    pytest.param("sg-rws", {}, BANKER_WINS_7, "banker", "win", "100", id="sg-4.1.1"),
    pytest.param("sg-rws", {}, PLAYER_NATURAL, "player", "win", "100", id="sg-4.1.1-player"),
    pytest.param("sg-rws", {}, TIE_ON_6, "tie", "win", "800", id="sg-4.1.1-tie"),
    pytest.param("sg-rws", {}, TIE_ON_6, "banker", "push", "0", id="sg-3.17"),
    pytest.param("sg-rws", {}, BANKER_WINS_6, "super_six", "win", "1200", id="sg-super-six-two-cards"),
    pytest.param("sg-rws", {}, BANKER_WINS_6_ON_THREE, "super_six", "win", "2000", id="sg-super-six-three-cards"),
    pytest.param("sg-rws", {}, TIE_ON_6, "super_six", "lose", "0", id="sg-super-six-tie"),
    pytest.param("sg-rws", {}, BANKER_WINS_7, "super_six", "lose", "0", id="sg-super-six-on-7"),
    pytest.param("sg-rws", {}, "P QH QD 9C | B 3C 4D", "player_pair", "win", "1100", id="sg-1.15-pair"),
    pytest.param("sg-rws", {}, "P QH KD 9C | B 3C 4D", "player_pair", "lose", "0", id="sg-1.15-no-pair"),
    pytest.param("sg-rws", {}, "P QH KD 9C | B 4C 4D", "banker_pair", "win", "1100", id="sg-1.15-banker-pair"),
    pytest.param("nsw", {}, BANKER_WINS_6, "banker", "win", "95", id="nsw-19-to-20"),
    pytest.param("nsw", {"even_money": True}, BANKER_WINS_6, "banker", "win", "50", id="nsw-even-money-6"),
    pytest.param("nsw", {"even_money": True}, BANKER_WINS_7, "banker", "win", "100", id="nsw-even-money"),
    pytest.param("nsw", {}, TIE_ON_6, "tie", "win", "800", id="nsw-tie"),
    pytest.param("nsw", {}, TIE_ON_6, "player", "push", "0", id="nsw-stand-off"),
    pytest.param("tas", {}, PLAYER_NATURAL, "player", "win", "100", id="tas-12.1"),
    pytest.param("tas", {}, BANKER_WINS_6, "banker", "win", "95", id="tas-12.2"),
    pytest.param("tas", {}, TIE_ON_6, "tie", "win", "800", id="tas-12.3"),
    pytest.param("tas", {"federal": True}, BANKER_WINS_6, "banker", "win", "50", id="tas-12.4-on-6"),
    pytest.param("tas", {"federal": True}, BANKER_WINS_7, "banker", "win", "100", id="tas-13"),
    pytest.param("tas", {}, TIE_ON_6, "banker", "push", "0", id="tas-6.8"),
    pytest.param("nz-secretary", {"tie_pays": 9}, TIE_ON_6, "tie", "win", "900", id="nz-secretary-5.10c-9-to-1"),
    pytest.param("nz-secretary", {}, TIE_ON_6, "tie", "win", "800", id="nz-secretary-5.10c-8-to-1"),
    pytest.param("nz-secretary", {}, BANKER_WINS_7, "banker", "win", "95", id="nz-secretary-5.10b"),
    pytest.param("nz-secretary", {"banker_pay": "six_half"}, BANKER_WINS_6, "banker", "win", "50", id="5.11"),
    pytest.param("nz-secretary", {"international": True}, BANKER_WINS_7, "banker", "win", "95", id="15.1-as-usual"),
]
TWO_TO_ONE = [
    pytest.param({}, TIE_ON_6, "banker", "lose", "0", id="13.2a"),
    pytest.param({}, TIE_ON_6, "player", "lose", "0", id="13.2b"),
    pytest.param({}, TIE_ON_6, "tie", "win", "800", id="13.2c"),
    pytest.param({}, PLAYER_WINS_9_ON_THREE, "player", "win", "200", id="13.3-player-9-on-three"),
    pytest.param({}, "P 2H 3D 3S | B 3C 4D", "player", "win", "200", id="13.3-player-8-on-three"),
    pytest.param({}, BANKER_WINS_9_ON_THREE, "banker", "win", "200", id="13.3-banker-9-on-three"),
    pytest.param({}, PLAYER_NATURAL, "player", "win", "100", id="13.3-natural"),
    pytest.param({}, PLAYER_WINS_7, "player", "win", "100", id="13.3-on-7"),
    pytest.param({}, BANKER_WINS_6, "banker", "win", "100", id="13.3-no-commission"),
    pytest.param({"banker_pay": "six_half"}, BANKER_WINS_6, "banker", "win", "50", id="13.4"),
    pytest.param({"banker_pay": "six_half"}, BANKER_WINS_9_ON_THREE, "banker", "win", "200", id="13.4-not-on-9"),
]


def due_text(rulebook_id: str, options: dict[str, Any], text: str, bet: str) -> str:
    """`win 95` of 100 on the bet in a legal round."""
    log = TableLog(rules_of(rulebook_id, **options)).legal_round(text, f"s3-{bet}")
    (due,) = run(log.rules, log.events)[1][0].due
    assert due.stake == 100
    return f"{due.outcome} {due.pays}"


@pytest.mark.parametrize(("rulebook_id", "options", "text", "bet", "outcome", "pays"), CASES)
def test_rule_due(rulebook_id: str, options: dict[str, Any], text: str, bet: str, outcome: str, pays: str) -> None:
    assert due_text(rulebook_id, options, text, bet) == f"{outcome} {pays}"


@pytest.mark.parametrize(("options", "text", "bet", "outcome", "pays"), TWO_TO_ONE)
def test_rule_13_two_to_one(options: dict[str, Any], text: str, bet: str, outcome: str, pays: str) -> None:
    assert due_text("nz-secretary", {"two_to_one": True} | options, text, bet) == f"{outcome} {pays}"


@pytest.mark.parametrize("bet", ["player_pair", "banker_pair"])
@pytest.mark.parametrize(
    ("rulebook_id", "options", "pays"),
    [
        pytest.param("nz-secretary", {"perfect_pair": "one"}, (5, 10, 30), id="11A.7-one"),
        pytest.param("nz-secretary", {"perfect_pair": "two"}, (6, 12, 25), id="11A.7-two"),
        pytest.param("nz-secretary", {"perfect_pair": "three"}, (5, 12, 25), id="11A.7-three"),
        pytest.param("nz-secretary", {"any_pair": "one"}, (11, 11, 11), id="11C.8-one"),
        pytest.param("nz-secretary", {"any_pair": "two"}, (10, 10, 10), id="11C.8-two"),
        pytest.param("tas", {"perfect_pair": True}, (6, 12, 25), id="tas-15.8"),
        pytest.param("sg-rws", {}, (11, 11, 11), id="sg-4.1.1"),
    ],
)
def test_rule_pairs(rulebook_id: str, options: dict[str, Any], pays: tuple[int, ...], bet: str) -> None:
    due = [due_text(rulebook_id, options, PAIRS[kind], bet) for kind in ("mixed", "coloured", "perfect", "none")]
    assert due == [*(f"win {100 * pay}" for pay in pays), "lose 0"]


@pytest.mark.parametrize(
    ("scale", "pays"),
    [
        pytest.param("one", {9: 30, 8: 10, 7: 6, 6: 4, 5: 2, 4: 1}, id="pay-table-1"),
        pytest.param("two", {9: 20, 8: 8, 7: 7, 6: 4, 5: 3, 4: 1}, id="pay-table-2"),
        pytest.param("three", {9: 30, 8: 10, 7: 4, 6: 4, 5: 2, 4: 2}, id="pay-table-3"),
    ],
)
def test_rule_11b_8_dragon_bonus(scale: str, pays: dict[int, int]) -> None:
    options = {"dragon_bonus": scale}
    for bet, rounds, other in (
        ("dragon_player", BY_MARGIN, BY_MARGIN_OF_BANKER),
        ("dragon_banker", BY_MARGIN_OF_BANKER, BY_MARGIN),
    ):
        due = {margin: due_text("nz-secretary", options, text, bet) for margin, text in rounds.items()}
        assert due == {margin: f"win {100 * pay}" for margin, pay in pays.items()} | {3: "lose 0"}
        assert due_text("nz-secretary", options, other[9], bet) == "lose 0"
        assert due_text("nz-secretary", options, NATURAL_TIE, bet) == "push 0"
        assert due_text("nz-secretary", options, TIE_ON_6, bet) == "lose 0"


@pytest.mark.parametrize("scale", ["one", "two", "three"])
def test_rule_11b_6_a_natural_winner_pays_evens_whatever_the_margin(scale: str) -> None:
    options = {"dragon_bonus": scale}
    assert due_text("nz-secretary", options, "P 9H KD | B KC QS", "dragon_player") == "win 100"
    assert due_text("nz-secretary", options, "P 9H KD | B 8C QS", "dragon_player") == "win 100"
    assert due_text("nz-secretary", options, BANKER_NATURAL, "dragon_banker") == "win 100"
    assert due_text("nz-secretary", options, BANKER_NATURAL, "dragon_player") == "lose 0"


@pytest.mark.parametrize(
    ("scale", "pays"),
    [pytest.param("one", (5, 10, 25, 100), id="scale-one"), pytest.param("two", (5, 10, 20, 500), id="scale-two")],
)
def test_rule_11d_8_lucky_match(scale: str, pays: tuple[int, ...]) -> None:
    options = {"lucky_match": scale}
    kinds = ("mixed", "coloured", "perfect")
    for bet in ("match_player", "match_banker"):
        due = [due_text("nz-secretary", options, PAIRS[kind], bet) for kind in kinds]
        assert due == [f"win {100 * pay}" for pay in pays[:3]]
        assert due_text("nz-secretary", options, PAIRS["none"], bet) == "lose 0"


def test_rule_11d_9_a_lucky_triple_is_paid_alone() -> None:
    text = "P QH QH QH | B AC AC AC"
    for scale, pays in (("one", 100), ("two", 500)):
        for bet in ("match_player", "match_banker"):
            assert due_text("nz-secretary", {"lucky_match": scale}, text, bet) == f"win {100 * pays}"
    assert due_text("nz-secretary", {"lucky_match": "one"}, "P QH QH QD | B 3C 4D", "match_player") == "win 2500"


@pytest.mark.parametrize("bet", ["dragon_player", "player_pair", "match_banker", "ante", "insurance_player"])
def test_bets_that_are_not_offered_are_left_out(bet: str) -> None:
    log = TableLog(rules_of("nz-secretary")).legal_round(BANKER_WINS_7, f"s3-{bet}")
    record = run(log.rules, log.events)[1][0]
    assert (record.due, record.due_open) == ((), ())


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


def open_dues(log: TableLog) -> dict[str, str]:
    """Area and why of each wager whose due is open in the first round."""
    return {due.area: due.why for due in run(log.rules, log.events)[1][0].due_open}


def dues(log: TableLog, **more: Any) -> dict[str, str]:
    """`win 95` by area, of the first round."""
    return {due.area: f"{due.outcome} {due.pays}" for due in run(log.rules, log.events, **more)[1][0].due}


def test_unread_third_card_leaves_open_only_what_rests_on_it() -> None:
    log = TableLog(rules_of("sg-rws")).open("s1-player_pair", "s2-banker_pair", "s3-tie", "s4-super_six", "s5-player")
    log.four("P QH QD | B 3C 4D").deal("player", None, face_up=False).result(0, 7).close()
    assert dues(log) == {"s1-player_pair": "win 1100", "s2-banker_pair": "lose 0", "s4-super_six": "lose 0"}
    assert open_dues(log) == {"s3-tie": "a card was not read", "s5-player": "a card was not read"}


def test_unread_first_card_leaves_the_other_hand_s_pair_settled() -> None:
    log = TableLog(rules_of("sg-rws")).open("s1-player_pair", "s2-banker_pair", "s3-banker").four("P 6H ? | B 4C 4D")
    log.close()
    assert dues(log) == {"s2-banker_pair": "win 1100"}
    assert set(open_dues(log)) == {"s1-player_pair", "s3-banker"}


def test_unread_card_that_cannot_change_the_result_leaves_nothing_open() -> None:
    log = TableLog(rules_of("nz-secretary", lucky_match="one")).open("s1-match_banker", "s2-match_player")
    log.four("P QH KD | B 9C KD").close()
    assert dues(log) == {"s1-match_banker": "lose 0", "s2-match_player": "lose 0"}
    log = TableLog(rules_of("tas")).open("s1-banker", "s2-tie").four("P 9H KD | B ? 7D").close()
    assert open_dues(log) == {"s1-banker": "a card was not read", "s2-tie": "a card was not read"}


def test_win_whose_odds_rest_on_an_unread_card_has_no_amount() -> None:
    log = TableLog(rules_of("nz-secretary", lucky_match="one")).open("s1-match_player")
    log.four("P QH QH | B 3C 4D").deal("player", None, face_up=False).close()
    (due,) = run(log.rules, log.events)[1][0].due
    assert (due.outcome, due.pays, due.stake) == (Settling.WIN, None, 100)


def test_missing_third_card_leaves_every_wager_open() -> None:
    log = TableLog(rules_of("sg-rws")).open("s1-player_pair", "s2-tie").four("P QH QD | B 3C 4D").result(0, 7).close()
    assert dues(log) == {}
    assert set(open_dues(log).values()) == {"the hands are not known to be complete"}


def test_record_lists_what_is_open() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four("P 6H ? | B 3S 4C").close()
    assert format_round(run(log.rules, log.events)[1][0])["due_open"] == [
        {"area": "s3-banker", "seat": 3, "bet": "banker", "stake": 100, "why": "a card was not read"}
    ]


def test_void_round_voids_wagers_whatever_the_cards() -> None:
    log = (
        TableLog(rules_of("nz-authority"))
        .add("void_hand_announced")
        .wager("s3-banker", 0, None)
        .four("P 6H ? | B 3S 4C")
    )
    assert dues(log.close()) == {"s3-banker": "void 0"}


EXACT = [
    pytest.param("nz-authority", {}, (25,), 530, "475", 30, id="nz-authority-5.13"),
    pytest.param("nz-secretary", {}, (25,), 530, "475", 30, id="nz-secretary-5.13"),
    pytest.param("nz-authority", {}, (5,), 100, "95", None, id="5.12-exact"),
    pytest.param("nz-authority", {}, (1,), 110, "95", 10, id="5.13-units"),
    pytest.param("nz-authority", {}, (), 110, "209/2", None, id="chips-not-known"),
    pytest.param("nz-authority", {"banker_pay": "six_half"}, (25,), 525, "525", None, id="5.12-except-5.11"),
    pytest.param("nz-secretary", {"two_to_one": True}, (25,), 525, "525", None, id="13.3-no-commission"),
    pytest.param("tas", {}, (25,), 530, "1007/2", None, id="tas-has-no-such-rule"),
    pytest.param("nz-authority", {}, (100, 250, 500, 2500), 5000, "4750", None, id="5.12-a-2.50-chip"),
    pytest.param("nz-secretary", {}, (100, 250, 500, 2500), 5000, "4750", None, id="5.12-a-2.50-chip-secretary"),
    pytest.param("nz-authority", {}, (100, 500, 2500), 5000, "3800", 1000, id="5.13-no-2.50-chip"),
    pytest.param("nz-authority", {}, (100, 250, 500), 5500, "4750", 500, id="5.13-beside-a-2.50-chip"),
    pytest.param("nz-authority", {}, (200, 950), 1000, "950", None, id="5.12-by-one-chip"),
    pytest.param("nz-authority", {}, (200, 950), 5000, "4750", None, id="5.12-by-several-chips"),
    pytest.param("nz-authority", {}, (1000, 2500, 3800), 6000, "3800", 2000, id="5.13-a-sum-that-no-chips-make-up"),
]


@pytest.mark.parametrize(("rulebook_id", "options", "chips", "stake", "pays", "void"), EXACT)
def test_rule_5_13_what_cannot_be_paid_exactly_is_void(
    rulebook_id: str, options: dict[str, Any], chips: tuple[int, ...], stake: int, pays: str, void: int | None
) -> None:
    log = TableLog(rules_of(rulebook_id, **options)).add("bets_opened").wager("s3-banker", 0, stake).add("no_more_bets")
    log.four(BANKER_WINS_7).result(6, 7).close()
    (due,) = run(log.rules, log.events, chips=chips)[1][0].due
    assert (due.stake, due.pays, due.void_stake) == (stake, Fraction(pays), void)


def test_rule_5_13_a_wager_too_small_to_be_paid_is_void_and_a_losing_one_loses_its_valid_part() -> None:
    log = TableLog(rules_of("nz-authority")).open("s3-banker").four(BANKER_WINS_7).result(6, 7).close()
    assert dues(log, chips=(25,)) == {"s3-banker": "void 0"}
    log = TableLog(rules_of("nz-authority")).open("s3-banker").four(PLAYER_WINS_7).result(7, 6).close()
    (due,) = run(log.rules, log.events, chips=(3,))[1][0].due
    assert (due.outcome, due.void_stake) == (Settling.LOSE, 40)


ANTES = [
    pytest.param({"ante": 5}, {"s3-banker": 100}, "void", id="14.7-none"),
    pytest.param({"ante": 5}, {"s3-banker": 100, "s3-ante": 5}, "win", id="14.5-paid"),
    pytest.param({"ante": 5}, {"s3-banker": 100, "s3-ante": 4}, "void", id="14.7-short"),
    pytest.param({"ante": 5}, {"s3-banker": 100, "s3-ante": None}, "win", id="not-read-is-not-missing"),
    pytest.param({"ante": 5}, {"s3-banker": 100, "s4-ante": 5}, "void", id="14.7-another-seat-s"),
    pytest.param({"ante": 5, "ante_waived_from": 100}, {"s3-banker": 100}, "win", id="14.4-waived"),
    pytest.param({"ante": 5, "ante_waived_from": 101}, {"s3-banker": 100}, "void", id="14.4-not-waived"),
    pytest.param({}, {"s3-banker": 100}, "win", id="no-ante"),
]


@pytest.mark.parametrize(("options", "wagers", "outcome"), ANTES)
def test_rule_14_7_wager_without_its_ante(options: dict[str, Any], wagers: dict[str, int | None], outcome: str) -> None:
    log = TableLog(rules_of("nz-secretary", **options)).add("bets_opened")
    for area, value in wagers.items():
        log.wager(area, 0, value)
    log.add("no_more_bets").four(BANKER_WINS_7).result(6, 7).close()
    assert dues(log)["s3-banker"].split()[0] == outcome


def test_rule_14_6_antes_are_collected_and_side_wagers_need_none() -> None:
    log = TableLog(rules_of("nz-secretary", ante=5, any_pair="one")).open("s3-player_pair", "s4-ante", "s4-banker")
    log.four("P 6H KD | B 3S 4C").result(6, 7).close()
    assert dues(log) == {"s3-player_pair": "lose 0", "s4-ante": "lose 0", "s4-banker": "win 95"}


def test_cards_that_left_together_and_lie_in_one_box_leave_every_wager_open() -> None:
    log = TableLog(rules_of("sg-rws")).open("s3-tie").deal("player", "6H").deal("player", "3S")
    log.deal("player", "KD").deal("player", "KC", together_with="c2").close()
    assert open_dues(log) == {"s3-tie": "the hands are not known to be complete"}
