"""What a scripted round leaves in the table log, and that the referee says the same of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.datasets.scenarios import clean_round, play, script_of
from tests.repository import SCRIPTS
from thirdcard.datasets.script.judgement import judged_alerts
from thirdcard.datasets.script.plan import DealingShoe, banker_draws, parse_hands, player_draws
from thirdcard.datasets.script.recording import write_table
from thirdcard.datasets.script.render import prepare
from thirdcard.datasets.script.script import load_script


def types_of(lines: list[dict[str, Any]]) -> list[str]:
    return [line["type"] for line in lines]


def test_clean_round_logs_wager_call_cards_result_payment_and_clearing() -> None:
    truth = play(script_of(clean_round())).chronicle.truth()

    assert types_of(truth) == [
        "bets_opened", "wager_changed", "no_more_bets", "card_dealt", "card_dealt", "card_dealt", "card_dealt",
        "result_announced", "wager_settled", "wager_changed", "wager_changed", "card_removed", "card_removed",
        "card_removed", "card_removed", "round_closed",
    ]  # fmt: skip
    assert [line["card"] for line in truth if line["type"] == "card_dealt"] == ["8H", "KS", "10D", "7D"]
    assert [line["amount"] for line in truth if line["type"] == "wager_settled"] == [100]
    assert truth == sorted(truth, key=lambda line: line["t"])


def test_style_c_deals_face_down_and_turns_player_first() -> None:
    truth = play(script_of(clean_round(), rulebook="nz-authority", style="C")).chronicle.truth()

    assert [line["face_up"] for line in truth if line["type"] == "card_dealt"] == [False] * 4
    assert [line["card"] for line in truth if line["type"] == "card_turned"] == ["8H", "10D", "KS", "7D"]


def test_same_seed_gives_same_truth_and_scene() -> None:
    first, second = play(script_of({}, {})), play(script_of({}, {}))

    assert first.chronicle.truth() == second.chronicle.truth()
    assert first.timeline.scene_at(7.3) == second.timeline.scene_at(7.3)


def test_signals_are_only_what_devices_report() -> None:
    chronicle = play(script_of(clean_round(), devices=["round_closed"], call="none")).chronicle

    assert types_of(chronicle.reported()) == ["round_closed"]
    assert [line["source"] for line in chronicle.truth() if line["type"] == "no_more_bets"] == ["person"]


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_script_declares_what_the_referee_finds(path: Path) -> None:
    script = load_script(path)
    _, performance = prepare(script, path.parent)

    alerts = judged_alerts(script, performance.chronicle)
    assert len(alerts) == len(performance.chronicle.alerts)
    assert all(alert["message"] for alert in alerts)


@pytest.mark.parametrize(
    ("happening", "codes"),
    [
        pytest.param({"kind": "order", "card": 3}, ["misdeal.order"], id="order"),
        pytest.param(
            {"kind": "third_card_not_due", "hand": "player", "then": "banker"},
            ["misdeal.third_card_not_due"],
            id="not due, given to the Banker",
        ),
        pytest.param({"kind": "third_card_missing", "hand": "banker"}, ["misdeal.third_card_missing"], id="missing"),
        pytest.param(
            {"kind": "extra_card", "hand": "player"}, ["misdeal.extra_card", "exposed_card.excess"], id="fourth card"
        ),
        pytest.param(
            {"kind": "extra_card", "at": "rail"}, ["misdeal.extra_card", "exposed_card.excess"], id="to no hand"
        ),
        pytest.param(
            {"kind": "extra_card", "at": "rail", "face_up": False}, ["misdeal.extra_card"], id="to no hand, unseen"
        ),
        pytest.param(
            {"kind": "extra_card", "at": "area", "turned": True},
            ["misdeal.extra_card", "exposed_card.excess"],
            id="to no hand, turned",
        ),
        pytest.param({"kind": "wrong_result"}, ["misdeal.wrong_result"], id="wrong result"),
        pytest.param(
            {
                "kind": "late_bet",
                "action": "moved",
                "seat": 2,
                "bet": "player",
                "to": "banker",
                "when": {"after": "card", "card": 3, "seconds": 1.0},
            },
            ["late_bet.moved"],
            id="moved",
        ),
        pytest.param({"kind": "reach", "seat": 4, "bet": "tie", "when": {"after": "card", "card": 2}}, [], id="reach"),
    ],
)
def test_happening_raises_its_alerts(happening: dict[str, Any], codes: list[str]) -> None:
    script = script_of({"happenings": [happening]})

    alerts = judged_alerts(script, play(script).chronicle)

    assert sorted(str(alert["code"]) for alert in alerts) == sorted(codes)


def test_near_miss_is_placed_just_before_the_call() -> None:
    near = {"kind": "change", "action": "placed", "seat": 5, "bet": "tie", "value": 25}
    script = script_of(clean_round(happenings=[near | {"when": {"after": "call", "seconds": -0.8}}]))

    truth = play(script).chronicle.truth()

    call = next(line["t"] for line in truth if line["type"] == "no_more_bets")
    placed = next(line["t"] for line in truth if line.get("area") == "s5-tie")
    assert call - placed == pytest.approx(0.8, abs=0.02)
    assert judged_alerts(script, play(script).chronicle) == []


def test_drawn_hands_are_what_the_table_of_play_deals() -> None:
    shoe = DealingShoe(8, np.random.default_rng(1))
    for _ in range(200):
        hands = shoe.draw_hands(lambda hands: True, None, "test")
        assert (len(hands.player) == 3) == player_draws(hands)
        assert (len(hands.banker) == 3) == banker_draws(hands)


def test_notation_reads_both_hands() -> None:
    hands = parse_hands("P 2H 3D QC | B KS 6D", "here")

    assert [str(card) for card in (*hands.player, *hands.banker)] == ["2H", "3D", "QC", "KS", "6D"]


def test_gesture_is_halfway_at_the_call_and_over_before_the_first_card() -> None:
    performance = play(script_of(clean_round(), call="gesture"))
    truth = performance.chronicle.truth()
    call = next(line for line in truth if line["type"] == "no_more_bets")
    first = next(line for line in truth if line["type"] == "card_dealt")

    tips = [
        (t, arm.tip_mm)
        for t in np.arange(call["t"] - 1.0, first["t"] + 0.5, 0.1)
        for arm in performance.timeline.scene_at(float(t)).arms
        if arm.owner == "dealer" and arm.tip_mm[1] > 250
    ]

    assert call["source"] == "camera"
    assert [line["type"] for line in performance.chronicle.reported()].count("no_more_bets") == 0
    assert np.ptp([tip[0] for _, tip in tips]) > 800
    assert tips[0][0] < call["t"] < tips[-1][0]


def test_nudged_stack_moves_a_little_and_changes_no_wager() -> None:
    nudge = {"kind": "nudge", "seat": 3, "bet": "player", "when": {"after": "card", "card": 2, "seconds": 0.5}}
    still, nudged = play(script_of(clean_round())), play(script_of(clean_round(happenings=[nudge])))

    assert types_of(nudged.chronicle.truth()) == types_of(still.chronicle.truth())
    spots = [span.path.end.pose.at_mm for span in nudged.timeline.stacks if span.area == "s3-player"]
    moved = [float(np.hypot(*np.subtract(a, b))) for a, b in pairwise(spots)]
    assert any(0.0 < way < 9.0 for way in moved)


@pytest.mark.parametrize(
    ("call", "gesture", "said"), [("gesture", False, True), ("lamp", True, True), ("lamp", False, False)]
)
def test_table_says_whether_the_dealer_calls_by_a_gesture(call: str, gesture: bool, said: bool, tmp_path: Path) -> None:
    script = script_of(clean_round(), call=call, gesture=gesture)
    camera = prepare(script, tmp_path)[0].world.camera

    write_table(script, camera, tmp_path, tmp_path)

    table = yaml.safe_load((tmp_path / "table.yaml").read_text(encoding="utf-8"))
    assert (table.get("gestures") == ["no_more_bets"]) is said
