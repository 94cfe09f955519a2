"""Cards that differ from the bare cloth are found at their true angle, whatever the detector's boxes say."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.plane.test_change_gate import SIZE_MM, straight_down
from thirdcard.vision.cards.background_difference import Leftovers, true_rectangle
from thirdcard.vision.cards.table_backs import FoundBack, TableBacks
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import card_crop
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


def scored(corners: NDArray[np.float64], score: float) -> CardSight:
    return CardSight(corners_mm=corners, face_up=False, score=score)


@pytest.mark.parametrize(
    ("lying", "is_kept"),
    [
        pytest.param([(490, 280), (564, 280)], False, id="two-cards-and-the-cloth-between-them"),
        pytest.param([(490, 280), (564, 280), (527, 280)], True, id="a-card-between-them"),
    ],
)
def test_box_made_of_two_cards_and_the_cloth_between_is_no_card(
    leftovers: Leftovers, lying: list[tuple[int, int]], is_kept: bool
) -> None:
    image = cloth(*(card_at(x, y) for x, y in lying))
    between = scored(card_at(527, 280), 0.58)
    found = leftovers.refine(
        "box", [scored(card_at(490, 280), 0.8), between, scored(card_at(564, 280), 0.7)], image, BARE
    )
    assert any(card is between for card in found) is is_kept
    assert len(found) == len(lying)


def test_box_beside_a_better_one_on_bare_cloth_is_no_card(leftovers: Leftovers) -> None:
    lies, half_beside = scored(card_at(500, 280), 0.9), scored(card_at(530, 280), 0.5)
    assert leftovers.refine("box", [lies, half_beside], cloth(card_at(500, 280)), BARE) == [lies]


def striped() -> Image:
    """The picture of a back, 63 x 88 px."""
    back = np.full((88, 63, 3), 235, np.uint8)
    back[5:-5, 5:-5] = (40, 30, 200)
    for i, turn in enumerate((-30, 0, 30)):
        corners = cv2.boxPoints(((18.0 + 13 * i, 40.0 + 4 * i), (20.0, 34.0), float(turn)))
        cv2.fillPoly(back, [corners.astype(np.int32)], (225, 235, 235))
    return back


def backs_at(*middles: tuple[int, int]) -> Image:
    image, back = cloth(), striped()
    for x, y in middles:
        image[y + 90 - 44 : y + 90 + 44, x + 60 - 31 : x + 60 + 32] = back
    return image


@pytest.fixture
def knowing() -> Leftovers:
    """Leftovers that know the table's back."""
    backs = TableBacks(("7H", "back", "unclear"), (32, 44))
    for number, x in enumerate((450, 560)):
        crop = card_crop(backs_at((x, 280)), straight_down(), card_at(x, 280))
        assert crop is not None
        backs.lies(number, crop)
    kept = Leftovers({"box": BOX}, Rectifier(straight_down(), SIZE_MM), CARD_MM, backs)
    kept.keep_bare("box", cloth())
    return kept


def test_table_s_own_backs_are_found_by_their_picture_where_they_touch(knowing: Leftovers) -> None:
    for _ in range(2):
        found = knowing.refine("box", [], backs_at((470, 270), (533, 284), (660, 280)), BARE)
        assert sorted((round(card.at_mm[0]), round(card.at_mm[1])) for card in found) == [
            pytest.approx(place, abs=2) for place in [(470, 270), (533, 284), (660, 280)]
        ]
        assert not any(card.face_up for card in found)
        assert all(card.log_probs is not None and int(card.log_probs.argmax()) == 1 for card in found)
    assert knowing.refine("box", [], cloth(), BARE) == []


def test_box_that_hardly_looks_like_a_card_gives_way_to_the_back_that_lies_there(knowing: Leftovers) -> None:
    weak, sure = scored(card_at(468, 275), 0.4), scored(card_at(660, 280), 0.8)
    found = knowing.refine("box", [weak, sure], backs_at((470, 280), (660, 280)), BARE)
    assert any(card is sure for card in found)
    assert len(found) == 2
    (back,) = (card for card in found if card is not sure)
    assert np.allclose(back.at_mm, [470, 280], atol=2.0)


@pytest.mark.parametrize(
    ("places", "has_hand"),
    [
        pytest.param((458, 491, 522), False, id="three for two"),
        pytest.param((462, 505), False, id="two at wrong places"),
        pytest.param((470, 505), True, id="one of them partly under a hand"),
    ],
)
def test_boxes_that_overlap_give_way_to_the_backs_that_lie_there(
    knowing: Leftovers, places: tuple[int, ...], has_hand: bool
) -> None:
    image = backs_at((470, 280), (533, 280))
    if has_hand:
        image[310:360, 500:560] = (90, 120, 180)
    found = knowing.refine("box", [scored(card_at(x, 280), 0.65 + x / 1e4) for x in places], image, BARE)
    assert sorted(round(card.at_mm[0]) for card in found) == pytest.approx([470, 533], abs=4)


def test_backs_that_overlap_stay_where_each_shows(knowing: Leftovers) -> None:
    image = backs_at((470, 280), (505, 280))
    sights = [scored(card_at(470, 280), 0.7), scored(card_at(505, 280), 0.8)]
    assert len(knowing.refine("box", sights, image, BARE)) == 2


@pytest.mark.parametrize(
    ("matched", "boxes", "found"),
    [
        pytest.param((492, 280), ((470, 0.9), (529, 0.75)), [492, 529], id="one of them some stripes off"),
        pytest.param((492, 296), ((470, 0.9), (530, 0.9)), [470, 530], id="across both and the cloth below"),
    ],
)
def test_picture_that_repeats_itself_makes_no_third_back_of_two(
    knowing: Leftovers,
    monkeypatch: pytest.MonkeyPatch,
    matched: tuple[int, int],
    boxes: tuple[tuple[int, float], ...],
    found: list[int],
) -> None:
    """A striped back fits at many places, 22 mm off or more."""
    off_px = (card_at(*matched) - np.array(knowing.box_mm("box")[:2])) * knowing._rectifier.px_per_mm
    monkeypatch.setattr(TableBacks, "find", lambda *_: [FoundBack(off_px, 0.9)])
    sights = [scored(card_at(x, 280), score) for x, score in boxes]
    refined = knowing.refine("box", sights, backs_at((470, 280), (533, 280)), BARE)
    assert sorted(round(card.at_mm[0]) for card in refined) == found


def test_weak_box_of_another_card_stays_beside_a_known_back(knowing: Leftovers) -> None:
    image = backs_at((470, 280))
    image[200:288, 655:718] = (235, 240, 238)
    open_card = scored(card_at(626, 154), 0.4)
    assert any(card is open_card for card in knowing.refine("box", [open_card], image, BARE))


def test_card_whose_rim_and_print_have_the_cloth_s_colour_is_found_by_the_rest_of_it(leftovers: Leftovers) -> None:
    image = cloth(card_at(560, 280))
    middle = (560 + 60, 280 + 90)
    cv2.rectangle(image, (middle[0] - 31, middle[1] - 44), (middle[0] + 31, middle[1] + 44), (60, 90, 40), 7)
    for x in (-15, 10):
        cv2.line(image, (middle[0] + x, middle[1] - 30), (middle[0] + x + 8, middle[1] + 30), (60, 90, 40), 3)
    (found,) = leftovers.refine("box", [], image, BARE)
    assert np.allclose(found.at_mm, [560, 280], atol=3.0)
    assert leftovers.is_hidden("box", card_at(560, 280), image)


def test_thing_that_is_smaller_than_a_card_within_its_rim_is_none(leftovers: Leftovers) -> None:
    image = cloth()
    cv2.rectangle(image, (599, 337), (641, 403), (235, 240, 238), -1)
    assert leftovers.refine("box", [], image, BARE) == []
    assert not leftovers.is_hidden("box", card_at(560, 280), image)


def dark_back(x_mm: float) -> Image:
    """A back in the cloth's colour with two stripes, which differ from it on a quarter of the card."""
    image = cloth()
    for x in (x_mm - 15, x_mm + 15):
        stripe = card_at(x, 280) * np.array([0.0, 1.0]) + np.array([[x - 4, 0], [x + 4, 0], [x + 4, 0], [x - 4, 0]])
        cv2.fillPoly(image, [np.round(stripe + np.array([60.0, 90.0])).astype(np.int32)], (100, 140, 80))
    return image


@pytest.mark.parametrize(
    ("image", "others_mm", "is_left"),
    [
        pytest.param(cloth(), [], True, id="bare"),
        pytest.param((cloth() * 0.6).astype(np.uint8), [], True, id="in shadow"),
        pytest.param(cloth(card_at(640, 280)), [card_at(640, 280)], True, id="moved beside it"),
        pytest.param(cloth(card_at(600, 280)), [card_at(600, 280)], True, id="moved half over it"),
        pytest.param(cloth(card_at(618, 280)), [], True, id="the rim of a neighbour that is not seen"),
        pytest.param(dark_back(560), [], False, id="a back in the cloth's colour"),
        pytest.param(dark_back(560), [card_at(640, 280)], False, id="the same, another beside it"),
        pytest.param(dark_back(560), [card_at(590, 280)], False, id="the same, another half over it"),
        pytest.param(dark_back(560), [card_at(562, 280)], False, id="the same, found again"),
    ],
)
def test_place_is_left_once_the_cloth_shows(
    leftovers: Leftovers, image: Image, others_mm: list[NDArray[np.float64]], is_left: bool
) -> None:
    assert leftovers.is_left("box", card_at(560, 280), others_mm, image) is is_left


@pytest.mark.parametrize(("image", "blends"), [(dark_back(560), True), (cloth(card_at(568, 286)), False)])
def test_card_in_the_cloth_s_colour_blends_and_one_beside_its_box_does_not(
    leftovers: Leftovers, image: Image, blends: bool
) -> None:
    assert leftovers.blends("box", card_at(560, 280), image) is blends
