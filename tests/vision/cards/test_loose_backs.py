"""A table's own back is found by its picture where no card belongs, at any angle, and again where it lies."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.cards.test_background_difference import CARD_MM, backs_at, card_at, cloth, striped
from tests.vision.plane.test_change_gate import SIZE_MM, straight_down
from thirdcard.vision.cards.loose_backs import LOST_LOOKS, PILE_S, CropOf, LooseBacks, Piles, joined, own_backs
from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.plane.rectify import Rectifier


def _watch(shown: int = 2) -> LooseBacks:
    backs = TableBacks(("7H", "back", "unclear"), (32, 44))
    for number, x in enumerate((450, 560)[:shown]):
        crop = card_crop(backs_at((x, 280)), straight_down(), card_at(x, 280))
        assert crop is not None
        backs.lies(number, crop)
    return LooseBacks(backs, Rectifier(straight_down(), SIZE_MM), CARD_MM)


def _turned_back(x: int, y: int, angle_deg: float) -> Image:
    """The cloth with one back, turned clockwise in the picture."""
    image, back = cloth(), striped()
    matrix = cv2.getRotationMatrix2D((31.0, 43.5), -angle_deg, 1.0)
    matrix[:, 2] += np.array([x + 60 - 31.0, y + 90 - 43.5])
    size = (image.shape[1], image.shape[0])
    lies = cv2.warpAffine(np.full(back.shape[:2], 255, np.uint8), matrix, size)
    return np.where(lies[..., None] > 127, cv2.warpAffine(back, matrix, size), image).astype(np.uint8)


def _look(watch: LooseBacks, image: Image, *things: NDArray[np.float64], covered: bool = False) -> list[CardSight]:
    return watch.update(image, things, lambda corners: covered)


@pytest.mark.parametrize("angle_deg", [0, 20, -35, 75, 90])
def test_back_that_lies_askew_is_found_though_its_angle_is_known_roughly(angle_deg: float) -> None:
    thing = card_at(906, 406, angle_deg=angle_deg + 9)
    (back,) = _look(_watch(), _turned_back(900, 400, angle_deg), thing)
    assert np.linalg.norm(back.at_mm - [900, 400]) < 4
    assert not back.face_up
    assert back.log_probs is not None and int(back.log_probs.argmax()) == 1


def test_what_shows_another_picture_is_no_back() -> None:
    assert _look(_watch(), cloth(card_at(900, 400)), card_at(900, 400)) == []
    assert _look(_watch(shown=1), _turned_back(900, 400, 0), card_at(900, 400)) == []


def test_back_is_found_again_where_it_lies_until_it_is_gone() -> None:
    watch, lying = _watch(), _turned_back(900, 400, 20)
    _look(watch, lying, card_at(900, 400, angle_deg=20))
    assert len(_look(watch, lying)) == 1
    assert _look(watch, cloth(), covered=True) == []
    assert len(_look(watch, lying)) == 1
    for _ in range(LOST_LOOKS):
        assert _look(watch, cloth()) == []
    assert _look(watch, lying) == []


def test_back_that_the_detector_hardly_sees_is_the_one_found_by_its_picture() -> None:
    seen = CardSight(corners_mm=card_at(905, 405), face_up=False, score=0.4)
    other = CardSight(corners_mm=card_at(600, 400), face_up=True, score=0.9)
    (back,) = _look(_watch(), _turned_back(900, 400, 0), card_at(900, 400))
    assert joined([seen, other], [back]) == [other, back]
    assert joined([seen, other], []) == [seen, other]


def test_back_keeps_its_place_while_something_covers_it() -> None:
    watch, lying = _watch(), _turned_back(900, 400, 0)
    _look(watch, lying, card_at(900, 400))
    _look(watch, cloth(), covered=True)
    (place,) = watch.places_mm
    assert np.linalg.norm(place.mean(axis=0) - [900, 400]) < 4


RACK = {"rack": np.array([[400.0, 200.0], [520.0, 200.0], [520.0, 360.0], [400.0, 360.0]])}


def _sight(x: float, y: float, *, score: float = 0.6, face_up: bool = False) -> CardSight:
    return CardSight(corners_mm=card_at(x, y), face_up=face_up, score=score, is_like_cut_card=True)


def _crop_of(image: Image) -> CropOf:
    return lambda corners: card_crop(image, straight_down(), corners)


def test_back_in_the_rack_tells_a_card_from_a_cutting_card_elsewhere() -> None:
    backs, image = TableBacks(("7H", "back", "unclear"), (32, 44)), backs_at((450, 280), (900, 400))
    cv2.fillPoly(image, [np.round(np.add(card_at(1200, 400), (60, 90))).astype(np.int32)], (30, 200, 230))
    laid = [_sight(900, 400), _sight(1200, 400)]
    assert own_backs(laid, _crop_of(image), backs) == []
    Piles(backs, RACK).update([_sight(450, 280), *laid], 0.0, _crop_of(image), lambda corners: False)
    (own,) = own_backs(laid, _crop_of(image), backs)
    assert own.at_mm == pytest.approx((900, 400), abs=1)
    assert not own.is_like_cut_card
    assert own.log_probs is not None and int(own.log_probs.argmax()) == 1


@pytest.mark.parametrize(
    ("sight", "is_hidden"),
    [
        pytest.param(_sight(450, 280, score=0.3), False, id="doubtful"),
        pytest.param(_sight(450, 280, face_up=True), False, id="open"),
        pytest.param(_sight(900, 400), False, id="elsewhere"),
        pytest.param(_sight(450, 280), True, id="under-a-hand"),
    ],
)
def test_only_a_back_in_plain_sight_in_the_rack_is_learnt(sight: CardSight, is_hidden: bool) -> None:
    backs, image = TableBacks(("7H", "back", "unclear"), (32, 44)), backs_at((450, 280), (900, 400))
    Piles(backs, RACK).update([sight], 0.0, _crop_of(image), lambda corners: is_hidden)
    assert not backs.are_known


def test_rack_is_looked_at_again_after_a_while() -> None:
    backs, image, asked = TableBacks(("7H", "back", "unclear"), (32, 44)), backs_at((450, 280)), []

    def crop_of(corners: NDArray[np.float64]) -> Image | None:
        asked.append(corners)
        return card_crop(image, straight_down(), corners)

    piles = Piles(backs, RACK)
    for t in (0.0, 1.0, PILE_S - 0.1, PILE_S, PILE_S + 1):
        piles.update([_sight(450, 280)], t, crop_of, lambda corners: False)
    assert len(asked) == 2
