"""Parts of a cloth are cut out upright, and their words are read whichever way they face."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.calibration.cameras import camera_over
from tests.vision.printed_cloth import LAYOUT, cloth, seen
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.cloth_words import (
    HEIGHT_PX,
    HIGHEST,
    LONGEST,
    WIDTH_PX,
    ClothWordReader,
    masked,
    piece_crop,
    pieces,
    standing_out,
)
from thirdcard.vision.inference.model_spec import load_model_spec


def rectangle(width: float, height: float, turn_deg: float = 0.0) -> NDArray[np.float64]:
    """A rectangle round (200, 150)."""
    turn = np.radians(turn_deg)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, height / 2)
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.asarray(corners @ spin + (200, 150), np.float64)


def view_with_arrow(turn_deg: float) -> Image:
    """A dark view with a bright bar on the right half of a turned part."""
    view = np.full((300, 400, 3), 20, np.uint8)
    turn = np.radians(turn_deg)
    bar = rectangle(40, 10, turn_deg) + 30 * np.array([np.cos(turn), np.sin(turn)])
    cv2.fillPoly(view, [np.round(bar).astype(np.int32)], (250, 250, 250))
    return view


@pytest.mark.parametrize("turn_deg", [0.0, 25.0, 90.0, 160.0])
def test_part_is_looked_at_from_both_sides(turn_deg: float) -> None:
    view, part = view_with_arrow(turn_deg), rectangle(120, 60, turn_deg)
    crops = [piece_crop(view, part, frame, 4.0) for frame in pieces(part, 4.0, is_across=False)]
    assert [crop.shape for crop in crops] == [(HEIGHT_PX, WIDTH_PX, 3)] * 2
    right = [crop[HEIGHT_PX // 2, 3 * WIDTH_PX // 4].mean() for crop in crops]
    left = [crop[HEIGHT_PX // 2, WIDTH_PX // 4].mean() for crop in crops]
    assert sum(value > 200 for value in right) == sum(value > 200 for value in left) == 1


def test_long_part_is_cut_into_pieces_that_overlap() -> None:
    frames = list(pieces(rectangle(320, 40), 0.0, is_across=False))[::2]
    assert all(frame.size == pytest.approx((LONGEST * 40, 40)) for frame in frames)
    apart = np.diff([frame.middle[0] for frame in frames])
    assert 0 < np.abs(apart).max() <= LONGEST * 40 / 2 + 1e-6
    assert [frame.size for frame in pieces(rectangle(100, 60), 0.0, is_across=False)] == [pytest.approx((100, 60))] * 2


def test_pieces_across_a_part_are_as_wide_as_it_and_cover_it() -> None:
    frames = list(pieces(rectangle(120, 40, 90.0), 0.0, is_across=True))[::2]
    assert all(frame.size == pytest.approx((40, HIGHEST * 40)) for frame in frames)
    ends = [frame.middle[1] for frame in frames]
    assert min(ends) - HIGHEST * 20 == pytest.approx(90) and max(ends) + HIGHEST * 20 == pytest.approx(210)


def test_what_lies_beyond_the_part_is_painted_over() -> None:
    crop = np.full((HEIGHT_PX, WIDTH_PX, 3), 60, np.uint8)
    crop[:8] = 255
    shown = masked(crop, np.array([[10.0, 14.0], [80.0, 14.0], [80.0, 40.0], [10.0, 40.0]]), 2.0)
    assert shown.max() == 60
    assert crop.max() == 255
    assert np.array_equal(masked(crop, np.full((3, 2), -50.0), 2.0), crop)


def test_faint_print_stands_out_like_bright_print() -> None:
    def letters(level: int) -> Image:
        crop = np.full((HEIGHT_PX, WIDTH_PX, 3), 60, np.uint8)
        cv2.putText(crop, "ABC", (12, 34), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (level,) * 3, 2)
        return crop

    faint, bright = standing_out(letters(100)), standing_out(letters(240))
    assert np.corrcoef(faint[..., 1].ravel(), bright[..., 1].ravel())[0, 1] > 0.98
    assert abs(int(faint[..., 1].max()) - int(bright[..., 1].max())) < 40
    assert standing_out(np.full((HEIGHT_PX, WIDTH_PX, 3), 60, np.uint8))[..., :2].max() == 0


def test_words_of_a_printed_cloth_are_read() -> None:
    camera = camera_over(LAYOUT)
    image = np.asarray(cv2.cvtColor(seen(camera, cloth(1, has_lines=True)), cv2.COLOR_GRAY2BGR), np.uint8)
    reader = ClothWordReader.open()
    areas = [area for area in LAYOUT.of_kind("wager") if area.bet in reader.labels]
    (shares,) = reader.read(image, camera, LAYOUT.size_mm, [[area.polygon_mm for area in areas]])
    assert shares.shape == (len(areas), len(reader.labels) - 1)
    right = [reader.labels[row.argmax()] == area.bet for row, area in zip(shares, areas, strict=True)]
    assert np.mean(right) > 0.8


def test_part_that_the_camera_does_not_see_is_not_read() -> None:
    reader = ClothWordReader.open()
    camera = camera_over(LAYOUT)
    image = np.full((1080, 1920, 3), 80, np.uint8)
    outside = np.array([[-3000.0, 0.0], [-2800.0, 0.0], [-2800.0, 100.0], [-3000.0, 100.0]])
    (shares,) = reader.read(image, camera, LAYOUT.size_mm, [[outside]])
    assert shares.shape == (1, len(reader.labels) - 1) and not shares.any()
    assert reader.read(image, camera, LAYOUT.size_mm, []) == []
    assert reader.read(image, camera, LAYOUT.size_mm, [[]])[0].shape == (0, len(reader.labels) - 1)


def test_reader_of_another_shape_is_refused() -> None:
    spec = load_model_spec("cloth_words")
    with pytest.raises(ModelError, match=r"cloth_words\.input\.shape = .*; must be \[null, 3, 48, 96\]"):
        ClothWordReader.open(replace(spec, classes=spec.classes[::-1]))
