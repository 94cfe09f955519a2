"""Cards that differ from the bare cloth are found at their true angle, whatever the detector's boxes say."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.plane.test_change_gate import SIZE_MM, straight_down
from thirdcard.vision.cards.background_difference import Leftovers, true_rectangle
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.frames import Image
from thirdcard.vision.plane.rectify import Rectifier

CARD_MM = (63.0, 88.0)
BOX = np.array([[400.0, 200], [760, 200], [760, 360], [400, 360]])
BARE = np.zeros((4, 4), bool)


def card_at(x_mm: float, y_mm: float, *, angle_deg: float = 0.0) -> NDArray[np.float64]:
    turn = np.deg2rad(angle_deg)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]])
    return np.asarray(corners @ axes + np.array([x_mm, y_mm]), np.float64)


def cloth(*cards: NDArray[np.float64]) -> Image:
    image = np.full((1080, 1920, 3), (60, 90, 40), np.uint8)
    for card in cards:
        cv2.fillPoly(image, [np.round(card + np.array([60.0, 90.0])).astype(np.int32)], (235, 240, 238))
    return image


def sight(corners: NDArray[np.float64]) -> CardSight:
    return CardSight(corners_mm=corners, face_up=True, score=0.8)


@pytest.fixture
def leftovers() -> Leftovers:
    kept = Leftovers({"box": BOX}, Rectifier(straight_down(), SIZE_MM), CARD_MM)
    assert not kept.is_known("box")
    kept.keep_bare("box", cloth())
    return kept


def test_bare_region_has_no_cards(leftovers: Leftovers) -> None:
    assert leftovers.refine("box", [], cloth(), BARE) == []


def test_sight_that_fits_is_kept_as_it_is(leftovers: Leftovers) -> None:
    upright = sight(card_at(450, 280))
    assert leftovers.refine("box", [upright], cloth(card_at(450, 280)), BARE) == [upright]


@pytest.mark.parametrize("angle_deg", [90.0, 78.0, 25.0])
def test_sight_at_a_wrong_angle_is_mended(leftovers: Leftovers, angle_deg: float) -> None:
    lies = card_at(650, 280, angle_deg=angle_deg)
    upright = sight(card_at(450, 280))
    kept, mended = leftovers.refine("box", [upright, sight(card_at(640, 285))], cloth(card_at(450, 280), lies), BARE)
    assert kept is upright
    assert np.allclose(mended.at_mm, [650, 280], atol=3.0)
    long_side = mended.corners_mm[2] - mended.corners_mm[1]
    found_deg = np.rad2deg(np.arctan2(-long_side[0], long_side[1]))
    assert abs((found_deg - angle_deg + 90) % 180 - 90) < 5


def test_card_that_the_detector_missed_is_found(leftovers: Leftovers) -> None:
    (found,) = leftovers.refine("box", [], cloth(card_at(560, 280)), BARE)
    assert np.allclose(found.at_mm, [560, 280], atol=3.0)


def test_nothing_is_said_where_something_lies_over_the_region(leftovers: Leftovers) -> None:
    covered = np.ones((4, 4), bool)
    under = sight(card_at(560, 280))
    assert leftovers.refine("box", [under], cloth(card_at(600, 280)), covered) == [under]


def test_true_rectangle_has_the_card_s_size_at_the_box_s_angle() -> None:
    rectangle = true_rectangle(card_at(10, 20, angle_deg=30) * 1.0, CARD_MM)
    assert np.allclose(rectangle, card_at(10, 20, angle_deg=30), atol=1e-6)


@pytest.mark.parametrize(
    "cards",
    [[(500, 280, 0), (565, 280, 0)], [(470, 280, 0), (535, 280, 0), (600, 280, 0)], [(480, 280, 90), (570, 280, 90)]],
)
def test_cards_that_lie_in_a_row_are_told_apart(leftovers: Leftovers, cards: list[tuple[int, int, int]]) -> None:
    lying = [card_at(x, y, angle_deg=turn) for x, y, turn in cards]
    found = leftovers.refine("box", [], cloth(*lying), BARE)
    assert sorted(round(card.at_mm[0] / 5) * 5 for card in found) == [x for x, _, _ in cards]
    assert not any(card.is_side_sure for card in found)


def test_sight_of_another_card_stays_where_one_is_mended(leftovers: Leftovers) -> None:
    lies, printed = card_at(600, 280, angle_deg=20), card_at(460, 280)
    image = cloth(printed, lies)
    cv2.circle(image, (520, 370), 16, (60, 90, 40), -1)
    other = sight(printed)
    found = leftovers.refine("box", [other, sight(card_at(606, 283))], image, BARE)
    assert any(card is other for card in found) and len(found) == 2


def test_rim_that_a_fitting_box_leaves_of_its_card_makes_no_row_with_the_card_beside_it(leftovers: Leftovers) -> None:
    fits, awry = sight(card_at(500, 285)), sight(card_at(563, 320))
    (*kept, found) = leftovers.refine("box", [fits, awry], cloth(card_at(500, 280), card_at(563, 280)), BARE)
    assert kept == [fits]
    assert np.allclose(found.at_mm, [563, 280], atol=5.0)


def test_print_under_what_just_moved_is_no_card(leftovers: Leftovers) -> None:
    assert leftovers.refine("box", [sight(card_at(560, 280))], cloth(), ~BARE) == []


def test_bare_view_follows_the_light_but_takes_no_card_in(leftovers: Leftovers) -> None:
    dim = cloth().astype(np.int16)
    for step in range(8):
        dim[:, :700] -= 4
        image = np.clip(dim, 0, 255).astype(np.uint8)
        assert leftovers.refine("box", [], image, BARE) == [], step
        leftovers.follow_light("box", image)
    cv2.fillPoly(image, [np.round(card_at(560, 280) + np.array([60.0, 90.0])).astype(np.int32)], (235, 240, 238))
    leftovers.follow_light("box", image)
    assert len(leftovers.refine("box", [], image, BARE)) == 1


def test_print_in_an_arm_s_shadow_is_no_card() -> None:
    lines = cloth()
    cv2.polylines(
        lines, [np.round(card_at(560, 280) + np.array([60.0, 90.0])).astype(np.int32)], True, (40, 190, 220), 3
    )
    kept = Leftovers({"box": BOX}, Rectifier(straight_down(), SIZE_MM), CARD_MM)
    kept.keep_bare("box", lines)
    shaded = lines.copy()
    shaded[:, :660] = (shaded[:, :660] * 0.5).astype(np.uint8)
    assert kept.refine("box", [sight(card_at(560, 280))], shaded, BARE) == []
    cv2.fillPoly(shaded, [np.round(card_at(560, 280) + np.array([60.0, 90.0])).astype(np.int32)], (80, 30, 30))
    assert len(kept.refine("box", [sight(card_at(560, 280))], shaded, BARE)) == 1
