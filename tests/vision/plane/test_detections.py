"""Oriented boxes: what is refused, the order of corners, suppression, tiles that cover regions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.cameras import card_corners
from thirdcard.vision.detections import (
    CARD_BACK,
    CARD_FACE,
    CHIPS,
    Detections,
    concatenate,
    order_corners,
    polygon_iou,
    suppress,
)
from thirdcard.vision.plane.tiling import cover, holds


def boxes(*rows: tuple[tuple[float, float], float, int, float]) -> Detections:
    """Cards at (centre, angle) with a label and a score."""
    corners = np.array([card_corners(centre, angle) for centre, angle, _, _ in rows]).reshape(-1, 4, 2)
    return Detections(corners, np.array([row[2] for row in rows]), np.array([row[3] for row in rows]))


@pytest.mark.parametrize(
    ("corners", "label", "score", "text"),
    [
        pytest.param(np.zeros((1, 4)), np.zeros(1, int), np.zeros(1), "corners_mm: shape", id="corners"),
        pytest.param(np.zeros((2, 4, 2)), np.zeros(1, int), np.zeros(1), "corners_mm: shape", id="count"),
        pytest.param(np.zeros((1, 4, 2)), np.zeros(1), np.zeros(1), "label: shape", id="label_floats"),
        pytest.param(np.zeros((1, 4, 2)), np.full(1, 7), np.zeros(1), "must be 0 to 4", id="label_unknown"),
        pytest.param(np.zeros((1, 4, 2)), np.zeros(1, int), np.zeros(2), "score: shape", id="score"),
        pytest.param(np.full((1, 4, 2), np.nan), np.zeros(1, int), np.zeros(1), "finite", id="nan"),
    ],
)
def test_detections_of_a_wrong_shape_are_refused(
    corners: np.ndarray, label: np.ndarray, score: np.ndarray, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        Detections(corners, label, score)


def test_detections_are_read_only_and_selected_by_label() -> None:
    found = boxes(((0, 0), 0, CARD_FACE, 0.9), ((200, 0), 0, CHIPS, 0.8), ((400, 0), 0, CARD_BACK, 0.7))
    assert found.of(CARD_FACE, CARD_BACK).score.tolist() == [0.9, 0.7]
    assert np.allclose(found.of(CHIPS).centres_mm, [[200, 0]])
    assert np.allclose(found.sizes_mm, [[63, 88]] * 3)
    with pytest.raises(ValueError, match="read-only"):
        found.score[0] = 1.0


def test_empty_detections_have_no_rows_and_join_with_others() -> None:
    some = boxes(((0, 0), 0, CARD_FACE, 0.9))
    assert len(Detections.empty()) == 0
    assert len(concatenate([])) == 0
    assert len(concatenate([Detections.empty(), some, Detections.empty()])) == 1
    assert len(suppress(Detections.empty())) == 0


@given(st.floats(-180, 180), st.integers(0, 3), st.booleans())
def test_corners_are_ordered_clockwise_with_a_short_side_first(angle: float, start: int, mirrored: bool) -> None:
    corners = np.roll(card_corners((10, 20), angle), start, axis=0)
    ordered = order_corners(corners[None, ::-1] if mirrored else corners[None])[0]
    assert np.linalg.norm(ordered[1] - ordered[0]) == pytest.approx(63)
    first, second = ordered[1] - ordered[0], ordered[2] - ordered[1]
    assert first[0] * second[1] - first[1] * second[0] > 0
    assert {tuple(np.round(point, 6)) for point in ordered} == {tuple(np.round(point, 6)) for point in corners}


def test_suppression_keeps_the_best_of_boxes_on_one_card() -> None:
    found = boxes(
        ((0, 0), 0, CARD_FACE, 0.6),
        ((3, 2), 4, CARD_FACE, 0.9),
        ((1, 1), 178, CARD_FACE, 0.7),
        ((70, 0), 0, CARD_FACE, 0.5),
    )
    assert suppress(found).score.tolist() == [0.9, 0.5]


def test_suppression_keeps_a_card_laid_across_another() -> None:
    found = boxes(((0, 0), 0, CARD_FACE, 0.9), ((10, 25), 90, CARD_FACE, 0.8))
    assert len(suppress(found)) == 2


def test_suppression_across_labels_keeps_one_of_face_and_back() -> None:
    found = boxes(((0, 0), 0, CARD_FACE, 0.5), ((1, 0), 0, CARD_BACK, 0.8), ((0, 1), 0, CHIPS, 0.4))
    assert suppress(found).label.tolist() == [CARD_BACK, CARD_FACE, CHIPS]
    assert suppress(found, across_labels=((CARD_FACE, CARD_BACK),)).label.tolist() == [CARD_BACK, CHIPS]


PLACES = st.tuples(
    st.tuples(st.floats(0, 250), st.floats(0, 250)),
    st.floats(0, 180),
    st.sampled_from((CARD_FACE, CARD_BACK)),
    st.integers(1, 99).map(lambda percent: percent / 100),
)


@given(rows=st.lists(PLACES, min_size=1, max_size=12), iou=st.sampled_from((0.3, 0.5, 0.8)))
def test_suppression_drops_what_overlaps_a_better_box_of_its_label(
    rows: list[tuple[tuple[float, float], float, int, float]], iou: float
) -> None:
    found = boxes(*rows)
    corners = found.corners_mm.astype(np.float32)
    kept: list[int] = []
    for i in np.argsort(-found.score, kind="stable"):
        rivals = [j for j in kept if found.label[j] == found.label[i]]
        if all(polygon_iou(corners[j], corners[i]) <= iou for j in rivals):
            kept.append(int(i))
    assert np.array_equal(suppress(found, iou=iou).corners_mm, found.corners_mm[kept])


def test_overlap_of_polygons_is_the_share_of_their_common_area() -> None:
    square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float32)
    assert polygon_iou(square, square) == pytest.approx(1)
    assert polygon_iou(square, square + np.array([1, 0], np.float32)) == pytest.approx(1 / 3)
    assert polygon_iou(square, square + np.array([5, 0], np.float32)) == 0


@given(st.lists(st.tuples(st.floats(0, 1500), st.floats(0, 700), st.floats(1, 1200), st.floats(1, 900)), max_size=5))
def test_tiles_hold_every_point_of_the_regions_with_room_for_a_card(rects: list[tuple[float, ...]]) -> None:
    regions = [(x, y, x + width, y + height) for x, y, width, height in rects]
    looks = cover(regions, 640.0, step_mm=64.0)
    for look in looks:
        width, height = look.size_mm
        assert {width % 64, height % 64} == {0}
        assert max(width, height) <= 640
        tile = (*look.origin_mm, look.origin_mm[0] + width, look.origin_mm[1] + height)
        assert min(look.core_mm[0] - tile[0], look.core_mm[1] - tile[1]) >= 50 - 1e-6
        assert min(tile[2] - look.core_mm[2], tile[3] - look.core_mm[3]) >= 50 - 1e-6
    for x0, y0, x1, y1 in regions:
        grid = np.stack(np.meshgrid(np.linspace(x0, x1, 7), np.linspace(y0, y1, 7)), axis=-1).reshape(-1, 2)
        assert np.any([holds(look.core_mm, grid, slack_mm=1e-6) for look in looks], axis=0).all()


def test_a_whole_small_table_takes_eight_tiles_and_near_regions_share_one() -> None:
    assert len(cover([(0, 0, 2130, 1070)], 640.0, step_mm=64.0)) == 8
    regions = [(100.0, 100.0, 160.0, 190.0), (300.0, 350.0, 360.0, 440.0), (1500.0, 100.0, 1560.0, 190.0)]
    assert [look.size_mm for look in cover(regions, 640.0, step_mm=64.0)] == [(384.0, 512.0), (192.0, 256.0)]
