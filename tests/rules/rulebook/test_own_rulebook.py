"""A house's own rulebook: short, with bets and commission of its own, and all its errors reported at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.rules.builders import TableLog, alerts_of
from thirdcard.rules.errors import RulebookError
from thirdcard.rules.game.words import Bet
from thirdcard.rules.odds.odds import reckon_odds
from thirdcard.rules.rulebook.load import load_rulebook, read_rulebook
from thirdcard.rules.rulebook.options import Rules, elect

OWN = """
id: lotus
title: Lotus room
decks: {rule: "1", allowed: [8], text: "Eight decks."}
table_of_play: {usual: true, rule: "2"}
betting:
  closes:
    - {moment: call, rule: "3", text: "Until the call."}
bets:
  player:
    cases: [{when: [winner=player], pays: 1:1, rule: "4"}, {when: [winner=tie], outcome: push, rule: "4"}]
  banker:
    commission:
      - {rate: 1/20, COMMISSION, rule: "4.1", text: "5 %."}
    cases: [{when: [winner=banker], pays: 1, rule: "4"}, {when: [winner=tie], outcome: push, rule: "4"}]
  tie:
    cases: [{when: [winner=tie], pays: 8 to 1, rule: "4"}]
  panda_8:
    name: Panda 8
    cases: [{when: [winner=player, player_points=8, player_cards=3], pays: 25 to 1, rule: "5"}]
  royal:
    closes: {moment: first_card, rule: "6.1", text: "Until the first card."}
    taken_back: {moment: call, rule: "6.2", text: "Taken back until the call."}
    cases: [{when: ["player_first_rank=J|Q|K", player_first_suit=H], pays: 12, rule: "6"}]
"""


def own(commission: str = "collected: at_once") -> Rules:
    return elect(read_rulebook(OWN.replace("COMMISSION", commission), "lotus.yaml"), {})


def told(log: TableLog) -> list[tuple[str, str | None, str | None]]:
    return [(alert.code, alert.rule, alert.bet and str(alert.bet)) for alert in alerts_of(log)]


def test_bets_of_its_own_have_exact_odds() -> None:
    returns = reckon_odds(own(), 8).returns
    assert round(-100 * float(returns[Bet("panda_8")]), 4) == 10.1876
    assert round(-100 * float(returns[Bet.BANKER]), 4) == 1.0579
    assert returns[Bet("royal")] == 13 * Fraction(3, 52) - 1


@pytest.mark.parametrize(
    ("rulebook_id", "bet", "edge"),
    [
        pytest.param("ez", "banker", 1.0183, id="EZ Banker"),
        pytest.param("ez", "dragon_7", 7.6113, id="Dragon 7"),
        pytest.param("ez", "panda_8", 10.1876, id="Panda 8"),
        pytest.param("macau", "banker", 1.0579, id="Banker with commission"),
        pytest.param("macau", "tie", 14.3596, id="Tie"),
    ],
)
def test_shipped_rulebooks_have_the_published_edges(rulebook_id: str, bet: str, edge: float) -> None:
    returns = reckon_odds(elect(load_rulebook(rulebook_id), {}), 8).returns
    assert round(-100 * float(returns[Bet(bet)]), 4) == edge


def test_bets_of_its_own_are_judged() -> None:
    log = TableLog(own()).add("bets_opened").wager("s3-panda_8", 0, 100).wager("s3-royal", 0, 50).add("no_more_bets")
    log.four("P KH 3C | B 2D 5D").deal("player", "5H").result(8, 7)
    log.settle("s3-panda_8", "paid", 2400).settle("s3-royal", "collected", 50).close()
    assert told(log) == [("payout.wrong_amount", "5", "panda_8"), ("payout.winner_unpaid", None, "royal")]


def test_bet_may_be_placed_and_taken_back_until_moments_of_its_own() -> None:
    log = TableLog(own()).add("bets_opened").wager("s3-royal", 0, 50).add("no_more_bets").wager("s3-royal", 50, 100)
    assert told(log) == []
    log.wager("s3-royal", 100, 50).four("P 9H 2C | B 2D 5D")
    assert told(log) == [("late_bet.reduced", "6.2", "royal")]
    log.wager("s3-royal", 50, 80)
    assert ("late_bet.increased", "6.1", "royal") in told(log)


COMMISSIONS = [
    pytest.param("collected: at_once", 950, id="at once"),
    pytest.param("collected: owed", 1000, id="owed"),
    pytest.param("minimum: 80", 920, id="minimum"),
    pytest.param("rounding: {to: 100, direction: up}", 900, id="rounded up"),
    pytest.param("rounding: {to: 100, direction: down}", 1000, id="rounded down"),
    pytest.param("rounding: {to: 40}", 960, id="rounded to the nearest"),
]


@pytest.mark.parametrize(("commission", "paid"), COMMISSIONS)
def test_commission_is_kept_as_the_file_says(commission: str, paid: int) -> None:
    def played(amount: int) -> list[Any]:
        log = TableLog(own(commission)).add("bets_opened").wager("s3-banker", 0, 1000).add("no_more_bets")
        log.four("P 10H 7C | B 4D 5D").result(7, 9)
        return told(log.settle("s3-banker", "paid", amount).close())

    assert played(paid) == []
    assert played(paid - 5) == [("payout.wrong_amount", "4", "banker")]


def test_all_that_is_wrong_is_told_in_one_go_with_its_line() -> None:
    wrong = OWN.replace("COMMISSION", "collected: later").replace("[8]", "8").replace("pays: 8 to 1", "pays: much")
    wrong = wrong.replace("winner=player, player_p", "winner=nobody, player_p").replace("  closes:", "  closed:")
    wrong += "notes: {}\nid: lotus\ntitel: x\n"
    with pytest.raises(RulebookError) as caught:
        read_rulebook(wrong, "lotus.yaml")
    found = "\n".join(caught.value.problems)
    for part in (
        "lotus.yaml:4: decks.allowed = 8; allowed: a list of numbers",
        "betting: closes is missing",
        "lotus.yaml:7: betting: closed is not known here",
        "lotus.yaml:14: bets.banker.commission[0].collected = later; allowed: at_once, owed",
        "lotus.yaml:17: bets.tie.cases[0].pays = much; allowed: a number",
        "lotus.yaml:20: bets.panda_8.cases[0].when = winner=nobody; allowed: winner= and one of player, banker, tie",
        "id stands twice",
        "titel is not known here",
        "perhaps title",
    ):
        assert part in found
    assert len(caught.value.problems) == 9


def test_rulebook_is_loaded_from_a_path(tmp_path: Path) -> None:
    path = tmp_path / "lotus.yaml"
    path.write_text(OWN.replace("COMMISSION", "minimum: 1"), encoding="utf-8")
    assert load_rulebook(str(path)).id == "lotus"
    path.write_text(path.read_text(encoding="utf-8").replace("id: lotus", "id: jade"), encoding="utf-8")
    assert load_rulebook(str(path)).id == "jade"
    with pytest.raises(RulebookError, match="no such file"):
        load_rulebook(str(tmp_path / "nowhere.yaml"))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(RulebookError, match="no text in UTF-8"):
        load_rulebook(str(path))
    with pytest.raises(RulebookError, match="cannot be read"):
        load_rulebook(f"{tmp_path}/")


@pytest.mark.parametrize(
    ("section", "words"),
    [
        pytest.param("4.3", "After the call nothing changes.", id="its own"),
        pytest.param("4.3(b)", "After the call nothing changes.", id="those of what it is a part of"),
        pytest.param("4.3(a)", "Nothing is placed.", id="a paragraph's own before the section's"),
        pytest.param("11.1", "No log shows it.", id="those of a note"),
        pytest.param("9.9", None, id="none"),
    ],
)
def test_section_has_its_words(section: str, words: str | None) -> None:
    texts = 'sections:\n  "4.3": "After the call nothing changes."\n  "4.3(a)": "Nothing is placed."\n'
    texts += 'notes: {"11.1": "No log shows it.", "4.3": "A note."}\n'
    text = OWN.replace("COMMISSION", "collected: at_once") + texts
    assert read_rulebook(text, "lotus.yaml").words_of(section) == words


def test_section_without_words_is_refused() -> None:
    with pytest.raises(RulebookError, match="sections.4.3 = 7"):
        read_rulebook(OWN.replace("COMMISSION", "collected: at_once") + 'sections: {"4.3": 7}\n', "lotus.yaml")
