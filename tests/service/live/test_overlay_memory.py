"""What is drawn over a clip: remembered frame by frame, written once, in the clip's own time and pixels."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.repository import DEMO_TABLE
from tests.service.hand_clock import NOON
from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.round.round import RoundPhase, RoundState, Wager
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.media.overlay import Outline
from thirdcard.service.media.overlay_file import write_overlay
from thirdcard.service.media.overlay_memory import (
    BEHIND,
    REMEMBERED,
    STILL_MM,
    UNSEEN,
    AreaText,
    OverlayMemory,
    area_texts,
    hand_boxes,
    hand_outlines,
    lie_alike,
)

NINE = (AreaText("player-box", "7H 2S = 9"),)


def card(x_mm: float = 100.0, text: str = "7H") -> Outline:
    return Outline(polygon_mm=((x_mm, 100.0), (x_mm + 63, 100.0), (x_mm + 63, 188.0), (x_mm, 188.0)), text=text)


def s(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


@pytest.fixture(scope="module")
def table() -> TableConfig:
    return load_table(DEMO_TABLE)


def test_only_changes_are_kept_and_each_holds_until_the_next() -> None:
    memory = OverlayMemory()
    for frame in range(30):
        memory.remember(NOON + s(frame / 10), (card(100.0 + 0.01 * frame),), ())
    memory.remember(NOON + s(3), (card(150.0),), ())
    found = memory.between(NOON + s(1), NOON + s(9)).cards
    assert [(since.at, since.what) for since in found] == [
        (NOON + s(1), (card(100.0),)), (NOON + s(3), (card(150.0),)),
    ]  # fmt: skip


def test_what_the_referee_knows_is_dated_back() -> None:
    memory = OverlayMemory()
    memory.remember(NOON, (), ())
    memory.remember(NOON + s(1.5), (), NINE)
    assert [since.at for since in memory.between(NOON, NOON + s(9)).areas] == [NOON, NOON + s(1.5) - BEHIND]


def test_nothing_is_claimed_of_time_in_which_nobody_looked() -> None:
    memory = OverlayMemory()
    memory.remember(NOON, (card(),), NINE)
    memory.remember(NOON + s(30), (card(),), NINE)
    found = memory.between(NOON, NOON + s(60))
    assert [(since.at - NOON, bool(since.what)) for since in found.cards] == [
        (s(0), True), (UNSEEN, False), (s(30), True),
    ]  # fmt: skip
    assert [bool(since.what) for since in found.areas] == [True, False, True]


def test_nothing_is_known_of_the_time_before_the_first_frame_and_of_long_ago() -> None:
    memory = OverlayMemory()
    assert memory.between(NOON, NOON + s(9)).cards == []
    for minute in range(12):
        memory.remember(NOON + s(60 * minute), (card(float(minute)),), ())
    assert memory.between(NOON, NOON + s(60)).cards == []
    assert memory.between(NOON + s(11 * 60) - REMEMBERED, NOON + s(11 * 60)).cards != []


def test_texts_say_hands_with_their_total_and_wagers_as_far_as_they_are_known(table: TableConfig) -> None:
    wagers = [area for area in table.layout.of_kind("wager") if area.seat is not None][:3]
    values = ((500, 5), (None, 3), (None, None))
    lie = {
        area.id: Wager(area.id, area.seat, area.bet, value, chips)  # type: ignore[arg-type]
        for area, (value, chips) in zip(wagers, values, strict=True)
    }
    hand = tuple(map(parse_card, ("7H", "2S")))
    state = RoundState(round=1, phase=RoundPhase.DEALING, player=hand, banker=(None,), wagers=lie)
    boxes = [area.id for area in table.layout.of_kind("hand")]
    texts = [(one.area, one.text) for one in area_texts(table.layout, state)]
    assert texts[:2] == list(zip(boxes, ("7H 2S = 9", "?"), strict=False))
    assert texts[-3:] == list(zip([area.id for area in wagers], ("500", "3 chips", "?"), strict=True))


def test_hands_are_written_onto_pictures_with_their_points(table: TableConfig) -> None:
    hands = [tuple(map(parse_card, text.split())) for text in ("7H 2S", "KD")]
    state = RoundState(round=1, phase=RoundPhase.DEALING, player=hands[0], banker=(*hands[1], None), wagers={})
    assert [outline.text for outline in hand_outlines(table.layout, state)] == ["7H 2S = 9", "KD ?"]
    assert hand_outlines(table.layout, replace(state, player=(), banker=())) == ()


@pytest.mark.parametrize(("moved_mm", "are_alike"), [(STILL_MM - 0.1, True), (STILL_MM + 0.1, False)])
def test_card_that_hardly_moved_lies_where_it_lay(moved_mm: float, *, are_alike: bool) -> None:
    assert lie_alike([card(100.0)], [card(100.0 + moved_mm)]) is are_alike
    assert not lie_alike([card()], [card(text="8H")])
    assert not lie_alike([card()], [])


def test_moment_of_a_fault_shows_what_lay_there_then(table: TableConfig) -> None:
    memory, box = OverlayMemory(), table.layout.of_kind("hand")[0]
    assert memory.seen_at(NOON, table.layout) == ()
    memory.remember(NOON, (card(),), ())
    memory.remember(NOON + s(1.5), (card(300.0),), (AreaText(box.id, "7H = 7"),))
    assert memory.seen_at(NOON + s(0.4), table.layout) == (card(),)
    hand, moved = memory.seen_at(NOON + s(1.6), table.layout)
    assert (hand.text, moved) == ("7H = 7", card(300.0))


def test_still_shows_the_hands_of_its_moment(table: TableConfig) -> None:
    box = table.layout.of_kind("hand")[0]
    (outline,) = hand_boxes(table.layout, [AreaText(box.id, "7H 2S = 9"), AreaText("no such", "x")])
    assert (outline.text, outline.polygon_mm[0]) == ("7H 2S = 9", tuple(map(float, box.polygon_mm[0])))


def test_file_has_the_pixels_and_seconds_of_the_clip(table: TableConfig, tmp_path: Path) -> None:
    memory = OverlayMemory()
    memory.remember(NOON, (card(),), NINE)
    memory.remember(NOON + s(1.5), (card(300.0, "KD"),), NINE)
    camera, began = table.cameras[0].calibration, NOON + s(0.5)
    question = table.layout.of_kind("wager")[0].id
    path = tmp_path / "1.json"
    stretch = memory.between(began, NOON + s(9))
    write_overlay(path, stretch, began=began, layout=table.layout, calibration=camera, questioned=question)
    body = json.loads(path.read_text(encoding="utf-8"))
    assert body["size"] == list(camera.image_size_wh_px)
    assert [area["id"] for area in body["areas"] if area["questioned"]] == [question]
    assert [(since["t"], [one["text"] for one in since["shown"]]) for since in body["cards"]] == [
        (0.0, ["7H"]), (1.0, ["KD"]),
    ]  # fmt: skip
    assert body["texts"] == [{"t": 0.0, "shown": {"player-box": "7H 2S = 9"}}]
    corner = body["cards"][1]["shown"][0]["polygon"][0]
    back = camera.layout_from_image(np.array([corner]))
    assert np.allclose(back, [[300.0, 100.0]], atol=0.5)
