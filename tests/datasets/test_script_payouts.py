"""Wagers that a scripted dealer settles wrongly, and that the referee says so of the true log."""

from __future__ import annotations

from typing import Any

import pytest

from tests.datasets.scenarios import HANDS, play, script_of
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts

WAGERS = [{"seat": 3, "bet": "player", "value": 100}, {"seat": 5, "bet": "banker", "value": 200}]
TIE = "P 8H 10D | B KS 8C"


def settled_wrongly(mistake: str, cards: str = HANDS, **more: Any) -> dict[str, Any]:
    return {"cards": cards, "wagers": WAGERS, "happenings": [{"kind": "payout", "mistake": mistake} | more]}


@pytest.mark.parametrize(
    ("mistake", "cards", "area"),
    [
        pytest.param("loser_paid", HANDS, "s5-banker", id="losing wager paid"),
        pytest.param("loser_kept", HANDS, "s5-banker", id="losing wager left"),
        pytest.param("winner_unpaid", HANDS, "s3-player", id="winning wager not paid"),
        pytest.param("wrong_amount", HANDS, "s3-player", id="paid twice what is due"),
        pytest.param("push_taken", TIE, "s3-player", id="stand-off collected"),
    ],
)
def test_mistake_in_settling_is_declared_and_found(mistake: str, cards: str, area: str) -> None:
    script = script_of(settled_wrongly(mistake, cards), {})

    alerts = judged_alerts(script, play(script).chronicle)

    assert [(alert["code"], alert["area"], alert["round"]) for alert in alerts] == [(f"payout.{mistake}", area, 1)]


def test_wager_that_was_left_is_taken_back_when_bets_open_again() -> None:
    truth = play(script_of(settled_wrongly("loser_kept"), {})).chronicle.truth()

    closed = next(line["t"] for line in truth if line["type"] == "round_closed")
    changes = [line for line in truth if line["type"] == "wager_changed" and line["area"] == "s5-banker"]
    assert (changes[1]["after"], changes[1]["by"]) == (0, "seat:5")
    assert changes[1]["t"] > closed


def test_mistake_that_no_wager_allows_is_refused() -> None:
    with pytest.raises(ScriptError, match="no wager of the round can be settled so"):
        play(script_of(settled_wrongly("push_taken")))
