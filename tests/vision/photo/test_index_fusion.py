"""Whole-card readings and corner indices of one photograph, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.cameras import card_corners
from thirdcard.vision.inference.index_finder import Indices
from thirdcard.vision.inference.reader import Readings
from thirdcard.vision.photo.index_fusion import ReadIndex, WholeCard, join, read_indices
from thirdcard.vision.photo.recognised import Recognised

UP, DOWN = (0.0, -1.0), (0.0, 1.0)
CARD = card_corners((200, 200), 0, (126, 176))
FACES = ("7H", "7D", "QS", "2C", "9S", "4D", "KD")


def shares_of(label: str | None, confidence: float, other: str | None = None) -> np.ndarray:
    """A reading of a face, or of none; the rest goes to `other` or to nothing."""
    return np.array([confidence * (face == label) + (1 - confidence) * (face == other) for face in FACES])


def whole(label: str | None, confidence: float = 0.9, *, other: str | None = None, face_up: bool = True) -> WholeCard:
    card = Recognised("card", label, face_up, confidence, CARD)
    return WholeCard(card, shares_of(label, confidence, other))


def index(
    label: str,
    at: tuple[float, float],
    confidence: float = 0.95,
    up: tuple[float, float] = UP,
    *,
    height: float = 32.0,
    other: str | None = None,
) -> ReadIndex:
    found = Indices(np.array([at]), np.array([up]), np.array([[height / 2, height]]), np.array([0.9]))
    shares = shares_of(label, confidence, other)
    return ReadIndex(shares, found.centres_px[0], found.ups[0], height, found.corners_px[0])


def joined(cards: list[WholeCard], indices: list[ReadIndex]) -> list[Recognised]:
    return join(cards, indices, FACES)


TOP_LEFT, BOTTOM_RIGHT = (148.0, 134.0), (252.0, 266.0)


def labels(cards: list[Recognised]) -> list[str | None]:
    return sorted((card.label for card in cards), key=str)


def test_indices_that_agree_confirm_the_card_they_lie_in() -> None:
    indices = [index("7H", TOP_LEFT, 0.98), index("7H", BOTTOM_RIGHT, 0.9, DOWN)]
    (card,) = joined([whole("7H", 0.6)], indices)
    assert card.label == "7H" and card.confidence > 0.99
    assert np.array_equal(card.polygon_px, CARD)


def test_two_opposite_indices_without_a_whole_are_one_card() -> None:
    (card,) = joined([], [index("7H", TOP_LEFT), index("7H", BOTTOM_RIGHT, up=DOWN)])
    assert card.label == "7H"
    assert np.allclose(card.polygon_px[[0, 2]], [[140, 118], [260, 282]])


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(index("7D", BOTTOM_RIGHT, up=DOWN), id="another-face"),
        pytest.param(index("7H", BOTTOM_RIGHT, up=UP), id="the-same-way-up"),
        pytest.param(index("7H", (44.0, 2.0), up=DOWN), id="on-the-wrong-side"),
        pytest.param(index("7H", (900.0, 900.0), up=DOWN), id="too-far"),
        pytest.param(index("7H", BOTTOM_RIGHT, up=DOWN, height=80), id="of-another-size"),
    ],
)
def test_indices_that_cannot_be_of_one_card_are_two(second: ReadIndex) -> None:
    assert len(joined([], [index("7H", TOP_LEFT), second])) == 2


def test_card_of_which_only_an_index_shows_is_as_large_as_that() -> None:
    (card,) = joined([], [index("QS", (50.0, 60.0))])
    assert np.allclose(card.polygon_px, [[42, 44], [58, 44], [58, 76], [42, 76]])


@pytest.mark.parametrize("said", ["KD", None])
def test_whole_card_over_a_fan_yields_to_its_indices(said: str | None) -> None:
    fan = [index("2C", (150.0, 150.0)), index("9S", (180.0, 150.0)), index("4D", (210.0, 150.0))]
    assert labels(joined([whole(said)], fan)) == ["2C", "4D", "9S"]


def test_back_over_a_fan_yields_to_its_indices() -> None:
    fan = [index("2C", (150.0, 150.0)), index("9S", (180.0, 150.0))]
    assert labels(joined([whole(None, face_up=False)], fan)) == ["2C", "9S"]


def test_card_that_agrees_with_an_index_in_a_fan_shrinks_to_it() -> None:
    fan = [index("2C", TOP_LEFT), index("9S", (190.0, 140.0)), index("4D", (230.0, 140.0))]
    cards = joined([whole("2C")], fan)
    two = next(card for card in cards if card.label == "2C")
    assert labels(cards) == ["2C", "4D", "9S"]
    assert np.ptp(two.polygon_px[:, 0]) == pytest.approx(16)


def test_card_whose_both_indices_show_is_not_covered_by_what_looks_like_others() -> None:
    court = [index("9S", (190.0, 190.0)), index("4D", (215.0, 205.0), up=DOWN)]
    (card,) = joined([whole("KD")], [index("KD", TOP_LEFT), index("KD", BOTTOM_RIGHT, up=DOWN), *court])
    assert card.label == "KD" and np.array_equal(card.polygon_px, CARD)


def test_doubtful_index_names_no_card_that_cannot_be_read() -> None:
    assert labels(joined([whole(None, 0.4)], [index("4D", TOP_LEFT, 0.6)])) == ["4D"]


def test_unread_card_takes_the_name_of_its_index() -> None:
    (card,) = joined([whole(None, 0.8)], [index("QS", TOP_LEFT, 0.9)])
    assert card.label == "QS" and 0.8 < card.confidence < 1
    assert np.array_equal(card.polygon_px, CARD)


@pytest.mark.parametrize(("sure", "expected"), [(0.95, "7H"), (0.6, "7D")])
def test_look_at_the_whole_and_the_card_s_own_index_are_pooled(sure: float, expected: str) -> None:
    (card,) = joined([whole("7H", sure, other="7D")], [index("7D", TOP_LEFT, 0.8, other="7H")])
    assert card.label == expected


def test_two_looks_that_differ_as_surely_leave_a_card_unread() -> None:
    (card,) = joined([whole("7H", 0.9)], [index("QS", TOP_LEFT, 0.9)])
    assert card.label is None and card.face_up


def test_indices_in_doubt_between_two_suits_help_each_other() -> None:
    first = index("7D", TOP_LEFT, 0.55, other="7H")
    (card,) = joined([], [first, index("7H", BOTTOM_RIGHT, 0.8, DOWN, other="7D")])
    assert card.label == "7H"


def test_index_in_doubt_is_no_card_by_itself() -> None:
    assert joined([], [index("7D", TOP_LEFT, 0.45)]) == []


def test_unread_part_of_a_card_that_its_index_names_is_dropped() -> None:
    part = WholeCard(Recognised("card", None, True, 0.3, CARD[:1] + (CARD - CARD[0]) * 0.3), shares_of(None, 0.0))
    assert labels(joined([whole("7H"), part], [index("7H", TOP_LEFT)])) == ["7H"]


def test_index_of_a_card_that_lies_on_another_is_a_card_of_its_own() -> None:
    over = index("QS", (205.0, 205.0), 0.95, (1.0, 0.0))
    assert labels(joined([whole("7H", 0.99)], [over])) == ["7H", "QS"]


def test_doubtful_index_within_a_clear_card_is_dropped() -> None:
    assert labels(joined([whole("7H", 0.99)], [index("QS", (205.0, 205.0), 0.6)])) == ["7H"]


def test_card_without_indices_stays_as_it_was_read() -> None:
    card = whole("7H", 0.6)
    assert joined([card], []) == [card.card]


def test_index_far_smaller_than_those_round_it_is_print() -> None:
    middles = np.array([[50.0, 50.0], [80.0, 50.0], [110.0, 50.0], [95.0, 80.0], [900.0, 900.0]])
    sizes = np.array([[12.0, 30.0], [12.0, 28.0], [12.0, 33.0], [4.0, 9.0], [4.0, 9.0]])
    found = Indices(middles, np.tile(UP, (5, 1)), sizes, np.ones(5))
    readings = Readings(np.log(np.tile([0.9, 0.05, 0.05], (5, 1))), ("7H", "QS", "unclear"))
    assert sorted(float(each.height_px) for each in read_indices(found, readings)) == [9.0, 28.0, 30.0, 33.0]


def test_index_that_is_too_large_for_a_box_is_not_its_own() -> None:
    part = WholeCard(Recognised("card", None, True, 0.4, card_corners((200, 200), 0, (60, 80))), shares_of(None, 0.0))
    (card,) = joined([part], [index("KD", (185.0, 190.0), height=60)])
    assert np.ptp(card.polygon_px[:, 1]) == pytest.approx(60)


def test_indices_that_show_no_face_are_left_out() -> None:
    found = Indices(np.zeros((3, 2)), np.tile(UP, (3, 1)), np.full((3, 2), 9.0), np.ones(3))
    shares = np.array([[0.4, 0.35, 0.25], [0.9, 0.05, 0.05], [0.1, 0.1, 0.8]])
    read = read_indices(found, Readings(np.log(shares), ("7H", "QS", "unclear")))
    assert np.allclose([each.shares for each in read], [[0.9, 0.05], [0.4, 0.35]])
