"""Labelled photographs against what was recognised, by hand."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from thirdcard.models.photo.photo_evaluation import (
    Showing,
    by_card_size,
    draw_mistakes,
    load_photographs,
    main,
    tables,
    turn_image,
)
from thirdcard.models.photo.photo_scoring import (
    LabelledCard,
    Score,
    box_of,
    scale_labels,
    score_photograph,
    turn_labels,
)
from thirdcard.vision.photo.recognised import Recognised

SEVEN = LabelledCard(label="7H", box_px=(100, 100, 160, 184))


def said(label: str | None, x: float = 100, y: float = 100, *, confidence: float = 0.9) -> Recognised:
    polygon = np.array([[x, y], [x + 60, y], [x + 60, y + 84], [x, y + 84]], np.float64)
    return Recognised("card", label, True, confidence, polygon)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([said("7H")], Score(right=1), id="right"),
        pytest.param([said("7D")], Score(wrong=1), id="wrong"),
        pytest.param([said("7D", confidence=0.995)], Score(wrong=1, sure_wrong=1), id="wrong-and-sure"),
        pytest.param([said(None)], Score(unread=1), id="unread"),
        pytest.param([], Score(not_found=1), id="not-found"),
        pytest.param([said("7H", 400)], Score(not_found=1, false=1), id="elsewhere"),
        pytest.param([said("7H"), said("7H", 104)], Score(right=1, false=1), id="twice"),
        pytest.param([said("7H"), said(None, 400)], Score(right=1), id="stray-without-a-face"),
    ],
)
def test_one_labelled_card(found: list[Recognised], expected: Score) -> None:
    score = score_photograph([SEVEN], found, is_complete=True)
    assert Score(**{name: getattr(score, name) for name in COUNTS}) == expected


COUNTS = ("right", "wrong", "unread", "not_found", "false", "sure_wrong")


def test_strays_are_not_held_against_a_picture_that_is_not_labelled_completely() -> None:
    assert score_photograph([SEVEN], [said("7H"), said("2C", 400)], is_complete=False).false == 0


def test_a_face_said_of_a_back_is_false_and_a_back_is_no_face() -> None:
    back = LabelledCard(label="BACK", box_px=SEVEN.box_px)
    assert score_photograph([back], [said("7H")], is_complete=True).false == 1
    assert score_photograph([back], [said(None)], is_complete=True).labelled == 0


def test_two_corner_indices_of_one_card_are_both_read() -> None:
    corners = [
        LabelledCard(label="7H", box_px=(102, 102, 112, 120), kind="index"),
        LabelledCard(label="7H", box_px=(148, 164, 158, 182), kind="index"),
    ]
    score = score_photograph(corners, [said("7H")], is_complete=True)
    assert (score.right, score.false) == (2, 0)


def test_index_goes_with_the_card_whose_corner_it_stands_in() -> None:
    corner = LabelledCard(label="QS", box_px=(142, 122, 152, 140), kind="index")
    score = score_photograph([corner], [said("7H"), said("QS", 140, 118)], is_complete=True)
    assert (score.right, score.wrong) == (1, 0)


def test_precision_and_recall_count_over_what_was_said_and_what_there_is() -> None:
    score = Score(right=6, wrong=1, unread=2, not_found=1, false=1)
    assert (score.precision, score.recall) == (0.75, 0.6)
    assert (Score().precision, Score().recall) == (None, None)


@pytest.mark.parametrize("degrees", [0, 45, 90, 135, 180, 225, 270, 315])
def test_labels_turn_with_the_picture(degrees: int) -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    image[100:184, 100:160] = 255
    turned = turn_image(image, 1.0, degrees)
    label = turn_labels([SEVEN], (300, 200), degrees)[0]
    ys, xs = np.nonzero(turned[:, :, 0] > 127)
    slack = 0.0 if degrees % 90 == 0 else 1.5
    assert label.box_px == pytest.approx((xs.min(), ys.min(), xs.max() + 1, ys.max() + 1), abs=slack)


def test_an_outline_that_is_turned_back_is_the_same() -> None:
    outline = ((100.0, 100.0), (150.0, 110.0), (160.0, 184.0), (105.0, 170.0))
    leaning = LabelledCard(label="7H", box_px=SEVEN.box_px, outline_px=outline)
    there = turn_labels([leaning], (400, 400), 90)
    back = turn_labels(there, (400, 400), 270)[0]
    assert np.allclose(back.outline_px, outline)


def test_labels_shrink_with_the_picture() -> None:
    assert scale_labels([SEVEN], 0.5)[0].box_px == (50, 50, 80, 92)


def test_box_of_a_polygon_is_upright() -> None:
    assert box_of(np.array([[5.0, 1.0], [9.0, 4.0], [6.0, 8.0], [2.0, 5.0]])) == (2.0, 1.0, 9.0, 8.0)


@pytest.fixture
def annotation_file(tmp_path: Path) -> Path:
    cv2.imwrite(str(tmp_path / "felt_1.jpg"), np.full((200, 300, 3), 90, np.uint8))
    thing = {"label": "7H", "bbox": [100, 100, 160, 184]}
    felt = {"image": "felt_1.jpg", "width": 300, "height": 200, "complete": True, "objects": [thing]}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([felt, {**felt, "image": "home_2.jpg"}]), encoding="utf-8")
    return path


def test_tables_and_pictures_of_mistakes(annotation_file: Path) -> None:
    photograph = load_photographs(annotation_file, select="felt_")[0]
    found = (said("7D"),)
    score = score_photograph(photograph.labels, found, is_complete=True)
    showing = Showing(photograph=photograph, turn_deg=90, scale=1.0, labels=photograph.labels, found=found, score=score)
    text = tables([showing])
    assert "| turned 90° | 1 | 0 | 1 |" in text
    assert by_card_size([showing])["labelled boxes 60 to 100 px wide"].wrong == 1
    assert draw_mistakes(showing).shape == (300, 200, 3)


def test_annotations_that_are_no_list_of_pictures_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.json").write_text('[{"width": 3}]', encoding="utf-8")
    assert main([str(tmp_path / "bad.json")]) == 2
    assert "bad.json" in capsys.readouterr().err
