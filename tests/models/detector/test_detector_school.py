"""The school laid out for training, and the figures that judge a detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.vision.cameras import card_corners
from thirdcard.models.detector.detector_evaluate import (
    Sample,
    average_precision,
    draw,
    match,
    mistakes,
    parse_labels,
    read_samples,
    summarise,
)
from thirdcard.models.detector.detector_school import is_for_checking, lay_out, taught_lines
from thirdcard.models.publishing import write_entry
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, LABELS, Detections

INSIDE = "0 0.1 0.1 0.2 0.1 0.2 0.3 0.1 0.3"
OUTSIDE = "2 -0.2 0.1 0.1 0.1 0.1 0.3 -0.2 0.3"


def make_school(folder: Path, worlds: int) -> Path:
    for kind in ("images", "labels"):
        (folder / kind / "train").mkdir(parents=True)
    for world in range(worlds):
        stem = f"train-5-{world:06d}-000-0"
        (folder / "images" / "train" / f"{stem}.jpg").write_bytes(b"picture")
        (folder / "labels" / "train" / f"{stem}.txt").write_text(f"{INSIDE}\n{OUTSIDE}\n")
    return folder


def cards(*rows: tuple[float, float, int, float]) -> Detections:
    corners = np.array([card_corners((x, y), 0, (31, 44)) for x, y, _, _ in rows]).reshape(-1, 4, 2)
    return Detections(corners, np.array([row[2] for row in rows], np.int64), np.array([row[3] for row in rows], float))


def test_school_is_laid_out_with_whole_worlds_kept_for_checking(tmp_path: Path) -> None:
    school = make_school(tmp_path / "school", 42)
    document = yaml.safe_load(lay_out([school], tmp_path / "run").read_text())
    trained = (tmp_path / "run" / document["train"]).read_text().split()
    checked = (tmp_path / "run" / document["val"]).read_text().split()
    assert (len(trained), len(checked)) == (39, 3)
    assert all(is_for_checking(Path(path).stem) for path in checked)
    assert all(Path(path).is_file() for path in trained)
    label = Path(trained[0].replace("/images/", "/labels/")).with_suffix(".txt")
    assert label.read_text() == f"{INSIDE}\n"


def test_school_itself_stays_as_it_was(tmp_path: Path) -> None:
    school = make_school(tmp_path / "school", 3)
    before = {path: path.read_bytes() for path in school.rglob("*") if path.is_file()}
    lay_out([school], tmp_path / "run")
    lay_out([school], tmp_path / "run")
    assert {path: path.read_bytes() for path in school.rglob("*") if path.is_file()} == before


def test_another_school_laid_out_in_the_same_place_is_taken(tmp_path: Path) -> None:
    first, second = make_school(tmp_path / "first", 3), make_school(tmp_path / "second", 5)
    lay_out([first], tmp_path / "run")
    lay_out([second], tmp_path / "run")
    assert len((tmp_path / "run" / "train.txt").read_text().split()) == 4
    assert (tmp_path / "run" / "school-0" / "images").resolve() == second / "images"


def test_boxes_with_their_middle_beyond_the_tile_are_not_taught() -> None:
    assert taught_lines([INSIDE, OUTSIDE, ""]) == [INSIDE]


def test_held_out_samples_are_read_with_their_truth(tmp_path: Path) -> None:
    import cv2

    for kind in ("images", "labels"):
        (tmp_path / kind / "val").mkdir(parents=True)
    cv2.imwrite(str(tmp_path / "images" / "val" / "held-1-000000-0.jpg"), np.full((320, 320, 3), 90, np.uint8))
    (tmp_path / "labels" / "val" / "held-1-000000-0.txt").write_text(f"{INSIDE}\n{OUTSIDE}\n")
    (sample,) = read_samples(tmp_path)
    assert sample.truth.label.tolist() == [CARD_FACE]
    assert np.allclose(sample.truth.centres_mm, [[48, 64]])


def test_detections_are_matched_to_the_object_they_overlap_most() -> None:
    truth = cards((50, 50, CARD_FACE, 1), (90, 50, CARD_FACE, 1), (200, 50, CARD_BACK, 1))
    found = cards(
        (88, 51, CARD_FACE, 0.8), (50, 50, CARD_FACE, 0.9), (52, 50, CARD_FACE, 0.5), (200, 50, CARD_FACE, 0.7)
    )
    result = match(Sample(Path("x"), np.zeros((320, 320, 3), np.uint8), truth), found)
    assert result.truth_of.tolist() == [1, 0, -1, -1]
    assert result.found_of.tolist() == [1, 0, -1]
    assert mistakes(result, 0.3) == 3
    assert mistakes(result, 0.6) == 2
    assert draw(result, 0.3).shape == (640, 1280, 3)


def test_average_precision_of_right_wrong_right_is_five_sixths() -> None:
    truth = cards((50, 50, CARD_FACE, 1), (200, 50, CARD_FACE, 1))
    found = cards((50, 50, CARD_FACE, 0.9), (120, 200, CARD_FACE, 0.8), (200, 50, CARD_FACE, 0.7))
    result = match(Sample(Path("x"), np.zeros((320, 320, 3), np.uint8), truth), found)
    assert average_precision([result], CARD_FACE) == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert np.isnan(average_precision([result], CARD_BACK))
    figures = summarise([result], 0.75)["classes"][LABELS[CARD_FACE]]
    assert (figures["recall"], figures["precision"]) == (0.5, 0.5)


def test_average_precision_of_a_blind_detector_is_nought() -> None:
    truth = cards((50, 50, CARD_FACE, 1))
    result = match(Sample(Path("x"), np.zeros((320, 320, 3), np.uint8), truth), Detections.empty())
    assert average_precision([result], CARD_FACE) == 0.0


def test_labels_are_read_into_pixels() -> None:
    truth = parse_labels([INSIDE], 320, 320)
    assert np.allclose(truth.sizes_mm, [[32, 64]])
    assert len(parse_labels([], 320, 320)) == 0


def test_registry_keeps_the_other_entry(tmp_path: Path) -> None:
    path = tmp_path / "registry.yaml"
    write_entry(path, "reader", {"weights": "r.onnx"})
    write_entry(path, "detector", {"weights": "d.onnx"})
    write_entry(path, "reader", {"weights": "s.onnx"})
    assert yaml.safe_load(path.read_text()) == {"detector": {"weights": "d.onnx"}, "reader": {"weights": "s.onnx"}}
    assert path.read_text().startswith("# The models that run")
