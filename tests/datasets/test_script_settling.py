"""Lawful ways of settling that scripts may ask for, wagers that stay, and wagers beyond the notice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.datasets.scenarios import HANDS, play, script_of
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts, referee_alerts

TIE = "P 8H 10D | B KS 8C"
PLAYER = {"seat": 3, "bet": "player"}


def settled(kind: str, cards: str = HANDS, value: int = 500) -> dict[str, Any]:
    return {"cards": cards, "wagers": [PLAYER | {"value": value}], "happenings": [{"kind": kind} | PLAYER]}


def changes_of(*rounds: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Who changed seat 3's wager on the Player, from what to what; the referee must find nothing in it."""
    script = script_of(*rounds)
    chronicle = play(script).chronicle
    assert referee_alerts(script, chronicle) == []
    changes = [line for line in chronicle.truth() if line["type"] == "wager_changed" and line["area"] == "s3-player"]
    return [(line["by"], line["before"], line["after"]) for line in changes]


def test_stake_with_change_is_taken_and_comes_back_with_winnings() -> None:
    assert changes_of(settled("change_given")) == [
        ("seat:3", 0, 500),
        ("dealer", 500, 0),
        ("dealer", 0, 1000),
        ("seat:3", 1000, 0),
    ]


def test_stake_that_won_stays_and_is_collected_when_it_loses() -> None:
    lost = {"cards": "P KH 6D | B KS 7C", "wagers": []}

    assert changes_of(settled("left_in_place"), lost) == [
        ("seat:3", 0, 500),
        ("dealer", 500, 1000),
        ("seat:3", 1000, 500),
        ("dealer", 500, 0),
    ]


def test_stand_off_stays_untouched_into_the_next_round() -> None:
    won = {"cards": HANDS, "wagers": []}

    assert changes_of(settled("left_in_place", TIE), won) == [
        ("seat:3", 0, 500),
        ("dealer", 500, 1000),
        ("seat:3", 1000, 0),
    ]


@pytest.mark.parametrize(
    ("kind", "cards"),
    [
        pytest.param("left_in_place", "P KH 6D | B KS 7C", id="a wager that lost cannot stay"),
        pytest.param("change_given", TIE, id="nothing is paid for a stand-off"),
    ],
)
def test_way_of_settling_that_cannot_be_is_refused(kind: str, cards: str) -> None:
    with pytest.raises(ScriptError, match="no wager of the round can be settled so"):
        play(script_of(settled(kind, cards)))


@pytest.mark.parametrize("rulebook", ["nsw", "nz-authority", "nz-secretary", "sg-rws", "tas"])
@pytest.mark.parametrize(
    ("kind", "bet", "value"),
    [
        pytest.param("below_minimum", "player", 10, id="below"),
        pytest.param("above_maximum", "banker", 10_000, id="above"),
    ],
)
def test_wager_beyond_the_notice_is_declared_and_found(rulebook: str, kind: str, bet: str, value: int) -> None:
    wager = {"seat": 3, "bet": bet}
    script = script_of(
        {"cards": HANDS, "wagers": [wager | {"value": value}], "happenings": [{"kind": kind} | wager]},
        rulebook=rulebook,
        style="B" if rulebook == "nsw" else "A",
    )

    alerts = judged_alerts(script, play(script).chronicle)

    assert [(alert["code"], alert["area"]) for alert in alerts] == [(f"limit.{kind}", f"s3-{bet}")]
