"""Every cell of the table of play, in every rulebook."""

from __future__ import annotations

from itertools import product

import pytest

from tests.rules.builders import RULEBOOKS
from thirdcard.rules.errors import DecisionError
from thirdcard.rules.rulebook.load import load_rulebook

ALL_POINTS = range(10)
COMBINATIONS = list(product(ALL_POINTS, ALL_POINTS, (None, *ALL_POINTS)))

# The printed table: the Banker's points, then D or S for the Player's third card 0 to 9 and for none.
PRINTED = {
    0: "DDDDDDDDDD D",
    1: "DDDDDDDDDD D",
    2: "DDDDDDDDDD D",
    3: "DDDDDDDDSD D",
    4: "SSDDDDDDSS D",
    5: "SSSSDDDDSS D",
    6: "SSSSSSDDSS S",
    7: "SSSSSSSSSS S",
}


def can_occur(player: int, banker: int, third: int | None) -> bool:
    player_draws = player <= 5 and banker <= 7
    return player_draws == (third is not None)


def printed_decision(player: int, banker: int, third: int | None) -> bool:
    if player >= 8 or banker >= 8:
        return False
    drawn, none = PRINTED[banker].split()
    return (none if third is None else drawn[third]) == "D"


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_banker_every_possible_combination_gets_the_printed_decision(rulebook_id: str) -> None:
    table = load_rulebook(rulebook_id).table
    possible = [cell for cell in COMBINATIONS if can_occur(*cell)]
    assert len(possible) == 532
    wrong = [cell for cell in possible if table.banker(*cell).draws != printed_decision(*cell)]
    assert wrong == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_banker_every_impossible_combination_is_refused(rulebook_id: str) -> None:
    table = load_rulebook(rulebook_id).table
    impossible = [cell for cell in COMBINATIONS if not can_occur(*cell)]
    assert len(impossible) == 568
    for player, banker, third in impossible:
        with pytest.raises(DecisionError, match=f"Player {player} and Banker {banker}"):
            table.banker(player, banker, third)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_player_draws_on_0_to_5_unless_a_natural_stands(rulebook_id: str) -> None:
    table = load_rulebook(rulebook_id).table
    for player, banker in product(ALL_POINTS, ALL_POINTS):
        assert table.player(player, banker).draws == (player <= 5 and banker <= 7)


@pytest.mark.parametrize(
    ("rulebook_id", "cell", "rule"),
    [
        pytest.param("nz-authority", (8, 2, None), "9.2", id="nz-authority-9.2-natural"),
        pytest.param("nz-authority", (6, 2, None), "9.5", id="nz-authority-9.5-player-stands"),
        pytest.param("nz-authority", (5, 6, 6), "9.4", id="nz-authority-9.4-player-drew"),
        pytest.param("nz-secretary", (5, 6, 6), "9.4", id="nz-secretary-9.4-player-drew"),
        pytest.param("sg-rws", (6, 5, None), "3.13", id="sg-rws-3.13-player-stands"),
        pytest.param("sg-rws", (5, 5, 6), "3.15", id="sg-rws-3.15-player-drew"),
        pytest.param("tas", (5, 5, 6), "11", id="tas-11"),
        pytest.param("nsw", (5, 5, 6), None, id="nsw-silent"),
    ],
)
def test_banker_decision_names_its_rule(rulebook_id: str, cell: tuple[int, int, int | None], rule: str | None) -> None:
    assert load_rulebook(rulebook_id).table.banker(*cell).rule == rule
