"""Where things are while a script plays: cards in their boxes, chips in their areas, hands on what they carry."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.datasets.scenarios import HERE, clean_round, play, script_of
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.script.motion import Pose, path_of


def test_path_eases_between_keys_and_stands_before_and_after() -> None:
    path = path_of([(1.0, Pose(0.0, 0.0)), (2.0, Pose(10.0, 20.0))])

    assert path.at(0.0).at_mm == (0.0, 0.0)
    assert path.at(1.5).at_mm == (5.0, 10.0)
    assert path.at(1.1).x_mm < 1.0
    assert path.at(9.0).at_mm == (10.0, 20.0)


def test_cards_rest_in_their_boxes_when_the_result_is_announced() -> None:
    layout = load_layout("mini-7", HERE)
    played = play(script_of({"cards": "P 2H 3D QC | B KS 2D 9S"}))
    announced = next(line["t"] for line in played.chronicle.truth() if line["type"] == "result_announced")

    scene = played.timeline.scene_at(announced)

    boxes = {card.card: area.hand for card in scene.cards for area in layout.of_kind("hand") if area.contains(
        np.array([card.at_mm])).all()}  # fmt: skip
    assert boxes == {"2H": "player", "3D": "player", "QC": "player", "KS": "banker", "2D": "banker", "9S": "banker"}
    assert all(card.face_up and card.turn == 0.0 and card.height_mm == 0.0 for card in scene.cards)
    third = [card.angle_deg for card in scene.cards if card.card in ("QC", "9S")]
    assert third == pytest.approx([90.0, 90.0], abs=11.0)


def test_wager_stands_wholly_inside_its_area() -> None:
    layout = load_layout("mini-7", HERE)
    played = play(script_of(clean_round()))
    dealt = next(line["t"] for line in played.chronicle.truth() if line["type"] == "card_dealt")

    stacks = [stack for stack in played.timeline.scene_at(dealt).stacks if stack.area == "s3-player"]

    x, y = stacks[0].at_mm
    rim = [(x + 19.5 * math.cos(a), y + 19.5 * math.sin(a)) for a in np.linspace(0, 2 * math.pi, 16)]
    assert layout.area("s3-player").contains(np.array(rim)).all()
    assert len(stacks) == 1


def test_carried_chips_move_with_a_hand() -> None:
    played = play(script_of(clean_round()))
    rests = next(line["t"] for line in played.chronicle.truth() if line["type"] == "wager_changed")

    for t in (rests - 0.3, rests - 0.15):
        scene = played.timeline.scene_at(t)
        carried = [stack for stack in scene.stacks if stack.height_mm > 0]
        hands = [arm.tip_mm for arm in scene.arms if arm.owner == "seat:3"]
        assert len(carried) == 1
        assert math.dist(carried[0].at_mm, hands[0]) < 30.0


def test_no_object_is_there_twice() -> None:
    played = play(script_of({}, {"happenings": [{"kind": "extra_card", "hand": "banker"}]}))

    for t in np.arange(0.0, played.timeline.end, 0.21):
        scene = played.timeline.scene_at(float(t))
        names = [card.object_id for card in scene.cards] + [stack.object_id for stack in scene.stacks]
        names += [arm.object_id for arm in scene.arms]
        assert len(names) == len(set(names))


def test_table_is_clear_at_the_end() -> None:
    played = play(script_of({}, {}))

    last = played.timeline.scene_at(played.timeline.end)

    assert last.cards == ()
    assert [stack for stack in last.stacks if stack.area] == []
    assert last.discard_count == sum(line["type"] == "card_dealt" for line in played.chronicle.truth())


def test_lamp_is_lit_from_call_to_close() -> None:
    played = play(script_of(clean_round(), call="lamp"))
    truth = played.chronicle.truth()
    call = next(line["t"] for line in truth if line["type"] == "no_more_bets")
    closed = next(line["t"] for line in truth if line["type"] == "round_closed")

    lit = [played.timeline.scene_at(t).lamp_lit for t in (call - 0.1, call + 0.1, closed - 0.1, closed + 0.1)]

    assert lit == [False, True, True, False]
