"""Returns of insurance: published chances, and counts made another way."""

from __future__ import annotations

from fractions import Fraction

import pytest

from thirdcard.rules.game.third_card import POINTS
from thirdcard.rules.game.words import Bet
from thirdcard.rules.odds.insurance_odds import return_of_insurance
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.model import InsuranceRow, WindowStart

SG = load_rulebook("sg-rws")


def row_of(bet: str, after: str, player: int, banker: int) -> InsuranceRow:
    assert SG.insurance is not None
    (row,) = [
        row
        for row in SG.insurance.rows
        if (row.bet, row.after) == (Bet(bet), WindowStart(after)) and player in row.player and banker in row.banker
    ]
    return row


# Eight decks; expected values as Wizard of Odds prints them for the same table at Marina Bay Sands.
PUBLISHED = [
    pytest.param("insurance_banker", 0, 5, 0.001185, id="banker-5-player-0"),
    pytest.param("insurance_banker", 3, 5, -0.085786, id="banker-5-player-3"),
    pytest.param("insurance_banker", 0, 6, 0.024389, id="banker-6-player-0"),
    pytest.param("insurance_banker", 5, 6, 0.084397, id="banker-6-player-5"),
    pytest.param("insurance_banker", 4, 7, -0.156882, id="banker-7-player-4"),
    pytest.param("insurance_player", 5, 4, -0.018352, id="player-5-banker-4"),
]


@pytest.mark.parametrize(("bet", "player", "banker", "value"), PUBLISHED)
def test_rule_4_1_2_after_four_cards_is_as_published(bet: str, player: int, banker: int, value: float) -> None:
    row = row_of(bet, "four_cards", player, banker)
    assert float(return_of_insurance(row, player, banker, SG, 8)) == pytest.approx(value, abs=5e-7)


def test_rule_4_1_2_player_stands_and_banker_draws_follows_from_the_banker_s_one_card() -> None:
    """Player 7 of two cards, Banker 5: a 3 or 4 beats it, a 2 ties; counted over every way to hold 7 and 5."""
    decks, won, total = 2, Fraction(0), 0
    sizes = [(16 if points == 0 else 4) * decks for points in POINTS]
    for a, b, c, d in ((a, b, (7 - a) % 10, (5 - b) % 10) for a in POINTS for b in POINTS):
        left, ways = list(sizes), 1
        for points in (a, b, c, d):
            ways *= left[points]
            left[points] -= 1
        total += ways * sum(left)
        won += ways * (4 * (left[3] + left[4]) - (sum(left) - left[2] - left[3] - left[4]))
    assert return_of_insurance(row_of("insurance_player", "four_cards", 7, 5), 7, 5, SG, decks) == won / total


def test_rule_4_1_2_insured_9_wins_on_a_tie_alone() -> None:
    row = row_of("insurance_player", "player_third", 9, 0)
    value = return_of_insurance(row, 9, 0, SG, 8)
    ties = (value + 1) / 9
    assert Fraction(7, 100) < ties < Fraction(8, 100)
