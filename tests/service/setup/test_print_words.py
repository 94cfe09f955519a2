"""Boxes and bets that are swapped against the words on the cloth are reported; nothing else is."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from tests.vision.printed_cloth import LAYOUT, cloth, seen
from thirdcard.calibration.layout import Area, Layout
from thirdcard.service.setup.print_words import OTHER_SIDE, swapped_print, word_problems
from thirdcard.vision.frames import Image

CAMERA = camera_over(LAYOUT)
SEEDS = (1, 2, 5)
"""Cloths in three fonts."""


@cache
def picture(seed: int, *, has_words: bool = True, upside_down: bool = False) -> Image:
    """The camera's picture of a bare cloth; without words it has no print but crosses and numbers."""
    camera = camera_over(LAYOUT, roll_deg=180.0) if upside_down else CAMERA
    return np.asarray(cv2.cvtColor(seen(camera, cloth(seed, has_lines=has_words)), cv2.COLOR_GRAY2BGR), np.uint8)


def swapped(area: Area, *, boxes: bool = False, bets: bool = False) -> Area:
    hand, bet = str(area.hand), str(area.bet)
    if boxes and hand in OTHER_SIDE:
        return replace(area, hand=OTHER_SIDE[hand])
    if bets and bet in OTHER_SIDE:
        return replace(area, bet=OTHER_SIDE[bet])
    return area


def layout(*, boxes: bool = False, bets: bool = False, seats: range = range(1, 15)) -> Layout:
    """The layout with its boxes swapped, or the bets of some seats."""
    areas = (swapped(area, boxes=boxes, bets=bets and area.seat in seats) for area in LAYOUT.areas)
    return replace(LAYOUT, areas=tuple(areas))


def found(image: Image, drawn: Layout) -> list[str]:
    return [one.name for one in swapped_print(image, CAMERA, drawn)]


@pytest.mark.parametrize("seed", SEEDS)
def test_layout_that_agrees_with_the_words_is_not_reported(seed: int) -> None:
    assert found(picture(seed), LAYOUT) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_swapped_boxes_and_bets_are_reported_each_by_itself(seed: int) -> None:
    assert found(picture(seed), layout(boxes=True)) == ["boxes_swapped"]
    assert found(picture(seed), layout(bets=True)) == ["bets_swapped"]
    assert found(picture(seed), layout(boxes=True, bets=True)) == ["boxes_swapped", "bets_swapped"]


def test_words_are_read_from_the_other_side_of_the_table_too() -> None:
    camera = camera_over(LAYOUT, roll_deg=180.0)
    image = picture(SEEDS[0], upside_down=True)
    assert [one.name for one in swapped_print(image, camera, layout(bets=True))] == ["bets_swapped"]
    assert swapped_print(image, camera, LAYOUT) == ()


@pytest.mark.parametrize(
    ("drawn", "image"),
    [
        pytest.param(layout(boxes=True, bets=True), picture(1, has_words=False), id="no words"),
        pytest.param(layout(bets=True, seats=range(1, 4)), picture(1), id="only three of seven seats"),
        pytest.param(replace(LAYOUT, areas=LAYOUT.of_kind("shoe")), picture(1), id="no boxes and no bets"),
        pytest.param(layout(boxes=True, bets=True), np.full((1080, 1920, 3), 90, np.uint8), id="no cloth"),
    ],
)
def test_what_may_have_another_reason_is_not_reported(drawn: Layout, image: Image) -> None:
    assert found(image, drawn) == []


def test_swapped_bets_are_told_with_an_area_and_their_number() -> None:
    (told,) = word_problems(picture(1), CAMERA, layout(bets=True), "layout.yaml")
    area = next(area for area in LAYOUT.areas if f".{area.id}." in told.key)
    assert str(told.grade) == "doubtful" and told.key == f"areas.{area.id}.bet"
    assert told.value == OTHER_SIDE[str(area.bet)]
    assert told.say.startswith(
        f"the cloth reads {str(area.bet).upper()} there: Player's and Banker's bets look swapped"
    )
    assert "areas whose word can be read" in told.say


def test_swapped_boxes_are_told_with_a_box() -> None:
    (told,) = word_problems(picture(1), CAMERA, layout(boxes=True), "layout.yaml")
    assert told.key in ("areas.player-box.hand", "areas.banker-box.hand")
    assert "card boxes look swapped" in str(told) and str(told).startswith("layout.yaml: areas.")
