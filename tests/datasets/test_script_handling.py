"""Cards that are passed to players: what the table log says of it, and the faults that a script can want."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.datasets.scenarios import play, script_of
from thirdcard.datasets.script.errors import ScriptError
from thirdcard.datasets.script.judgement import judged_alerts
from thirdcard.datasets.script.script import Script

WAGERS = [
    {"seat": 3, "bet": "player", "value": 100},
    {"seat": 5, "bet": "banker", "value": 200},
    {"seat": 2, "bet": "player", "value": 100},
]


def handled(*happenings: dict[str, Any], rulebook: str = "nz-authority", **more: Any) -> Script:
    spec = {"cards": "P 2H 3D 4C | B KS 6D", "wagers": WAGERS, "happenings": list(happenings)}
    return script_of(spec, rulebook=rulebook, style="B", **{"handling": "players"} | more)


def passed(script: Script) -> list[tuple[str, str]]:
    truth = play(script).chronicle.truth()
    return [(line["card_id"], line["to"]) for line in truth if line["type"] == "card_passed"]


def test_hands_go_to_the_highest_wager_at_the_lowest_seat_and_come_back_one_after_the_other() -> None:
    assert passed(handled()) == [
        ("c1", "seat:2"), ("c3", "seat:2"), ("c1", "dealer"), ("c3", "dealer"),
        ("c2", "seat:5"), ("c4", "seat:5"), ("c2", "dealer"), ("c4", "dealer"),
        ("c5", "seat:2"), ("c5", "dealer"),
    ]  # fmt: skip


def test_player_turns_what_he_was_passed() -> None:
    truth = play(handled()).chronicle.truth()

    turned = [(line["card_id"], line["by"]) for line in truth if line["type"] == "card_turned"]
    assert turned == [("c1", "seat:2"), ("c3", "seat:2"), ("c2", "seat:5"), ("c4", "seat:5"), ("c5", "seat:2")]


def test_dealer_turns_the_cards_where_players_do_not_handle_them() -> None:
    truth = play(handled(handling="dealer")).chronicle.truth()

    assert {line["by"] for line in truth if line["type"] == "card_turned"} == {"dealer"}
    assert all(line["type"] != "card_passed" for line in truth)


def test_cards_lie_before_the_seat_clear_of_all_areas_and_come_back_to_their_boxes() -> None:
    performance = play(handled())
    times = [line["t"] for line in performance.chronicle.truth() if line["type"] == "card_passed"]

    def places(t: float) -> dict[str, tuple[float, float]]:
        return {card.object_id: card.at_mm for card in performance.timeline.scene_at(t).cards}

    before, out, back = places(times[0] - 1.5), places(times[0] + 0.05), places(times[3] + 1.5)
    assert out["c1"][1] > 400 and out["c3"][1] > 400
    assert all(np.hypot(*np.subtract(before[card], back[card])) < 3 for card in ("c1", "c3"))


@pytest.mark.parametrize(
    ("happening", "rulebook", "alert"),
    [
        pytest.param({"kind": "wrong_handler", "hand": "player"}, "nz-authority", "procedure.wrong_handler", id="nz"),
        pytest.param(
            {"kind": "wrong_handler", "hand": "banker", "seat": 2}, "tas", "procedure.wrong_handler", id="tas"
        ),
        pytest.param({"kind": "both_hands_out"}, "nz-authority", "procedure.both_hands_out", id="both out"),
        pytest.param({"kind": "card_off_table", "hand": "player"}, "tas", "procedure.card_off_table", id="off table"),
    ],
)
def test_fault_of_handling_is_declared_and_found_once(happening: dict[str, Any], rulebook: str, alert: str) -> None:
    script = handled(happening, rulebook=rulebook)

    assert [line["code"] for line in judged_alerts(script, play(script).chronicle)] == [alert]


def test_hand_passed_out_in_style_c_is_at_the_wrong_handler() -> None:
    spec = {"wagers": WAGERS, "happenings": [{"kind": "wrong_handler", "hand": "player", "seat": 3}]}
    script = script_of(spec, rulebook="nz-authority", style="C")

    (alert,) = judged_alerts(script, play(script).chronicle)
    assert (alert["code"], alert["seat"]) == ("procedure.wrong_handler", 3)


def test_hands_cannot_both_be_out_where_nobody_is_passed_any() -> None:
    with pytest.raises(ScriptError, match="needs handling: players"):
        play(handled({"kind": "both_hands_out"}, handling="dealer"))
