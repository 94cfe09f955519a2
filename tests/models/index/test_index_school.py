"""The school of the index finder and reader: scenes tell the truth of what they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thirdcard.datasets.decks.cards import CARDS
from thirdcard.models.index.index_bank import IndexBank, measure, room_of, tight_box
from thirdcard.models.index.index_evaluate import NOT_ASKED, match
from thirdcard.models.index.index_finder_evaluate import count_found
from thirdcard.models.index.index_finder_school import half_turned, judge, target
from thirdcard.models.index.index_places import draw_places
from thirdcard.models.index.index_reader_crops import CLASSES, UNCLEAR, IndexCropSchool
from thirdcard.models.index.index_scenes import IndexScene, SceneLesson, SceneSchool, index_frames
from thirdcard.models.reader.reader_bank import build_bank, open_bank
from thirdcard.vision.inference.index_finder import Indices, decode_indices

LESSON = SceneLesson(backdrops=3, side_px=192)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> IndexBank:
    path = tmp_path_factory.mktemp("bank") / "two.npy"
    build_bank(path, ["machine:1", "machine:9001"], artwork=None, photos=None)
    drawn = open_bank(path)
    corners = np.array([len(boxes) for boxes in drawn.index_boxes_mm])
    return IndexBank(bank=drawn, boxes_mm=measure(drawn), corners=corners)


@pytest.fixture(scope="module")
def scenes(bank: IndexBank) -> list[IndexScene]:
    school = SceneSchool([bank], seed=4, lesson=LESSON)
    return [school.scene() for _ in range(30)]


def test_index_boxes_are_tight_round_the_ink(bank: IndexBank) -> None:
    assert np.isfinite(bank.boxes_mm).all()
    width, height = (bank.boxes_mm[..., 2:] - bank.boxes_mm[..., :2]).transpose(2, 0, 1)
    assert (width < height).all() and height.max() < 40 and width.min() > 1


def test_box_of_a_blank_face_is_its_room() -> None:
    assert tight_box(np.full((176, 126, 3), 250, np.uint8), (1.0, 2.0, 9.0, 20.0)) == (1.0, 2.0, 9.0, 20.0)


def test_decks_whose_index_bears_no_sign_have_no_room() -> None:
    assert room_of("kde:oxygen-white", (0, 0, 1, 1)) is None
    assert room_of("gnome:tango", (0, 0, 1, 1)) == (1.0, 4.2, 17.0, 33.2)


@pytest.mark.parametrize(("corners", "expected"), [(2, 2), (4, 4)])
def test_every_corner_s_index_is_upright_or_on_its_head(corners: int, expected: int) -> None:
    frames = index_frames(np.array([2, 3, 8, 20], np.float32), corners)
    assert len(frames) == expected
    ups = [np.sign(frame[0, 1] - frame[3, 1]) for frame in frames]
    assert sorted(ups) == [-1.0] * (expected // 2) + [1.0] * (expected // 2)


def test_places_are_finite_and_many_kinds(bank: IndexBank) -> None:
    rng = np.random.default_rng(0)
    drawn = [draw_places(rng) for _ in range(200)]
    assert all(places.shape[1] == 3 and np.isfinite(places).all() for places in drawn)
    assert {1, 2, 13} <= {len(places) for places in drawn}


def test_same_seed_draws_the_same_scenes(bank: IndexBank) -> None:
    first, second = (SceneSchool([bank], seed=5, lesson=LESSON).scene() for _ in range(2))
    assert np.array_equal(first.picture, second.picture) and np.array_equal(first.shown, second.shown)


def test_scenes_hold_indices_that_show_and_such_as_are_covered(scenes: list[IndexScene]) -> None:
    shown = np.concatenate([scene.shown for scene in scenes])
    assert (shown > 0.95).sum() > 30 and (shown < 0.05).sum() > 30
    for scene in scenes:
        assert scene.picture.shape == (192, 192, 3)
        assert np.allclose(np.linalg.norm(scene.ups, axis=1), 1)
        assert ((scene.labels >= 0) & (scene.labels < len(CARDS))).all()


def test_network_that_told_the_target_would_find_every_index(scenes: list[IndexScene]) -> None:
    for scene in scenes:
        wanted = target(scene)
        told = np.concatenate([np.where(wanted[:1] >= 1, 5, -9).astype(np.float32), wanted[3:]])
        counted = count_found([decode_indices(told, score=0.3)], [scene])
        assert (counted.found, counted.upright, counted.false) == (counted.wanted, counted.wanted, 0)


def test_half_a_turn_of_a_lesson_turns_its_directions(scenes: list[IndexScene]) -> None:
    pictures, targets = np.stack([s.picture for s in scenes[:4]]), np.stack([target(s) for s in scenes[:4]])
    once = half_turned(pictures, targets)
    assert np.array_equal(once[1][:, 7, ::-1, ::-1], -targets[:, 7])
    twice = half_turned(*once)
    assert np.array_equal(twice[0], pictures) and np.array_equal(twice[1], targets)


def test_covered_index_is_not_to_be_found() -> None:
    at = np.array([[50.0, 50.0]] * 3)
    up, size = np.array([[0.0, -1.0]] * 3), np.array([[10.0, 20.0]] * 3)
    blank = np.zeros((96, 96, 3), np.uint8)
    scene = IndexScene(blank, at, up, size, np.array([0, 1, 2]), np.array([1.0, 0.5, 0.1]), 0.3)
    assert judge(scene).tolist() == [1, 0, -1]


def test_finds_are_held_against_what_shows_once() -> None:
    at, up, size = np.array([[50.0, 50.0], [90.0, 50.0]]), np.array([[0.0, -1.0]] * 2), np.array([[10.0, 20.0]] * 2)
    scene = IndexScene(np.zeros((96, 96, 3), np.uint8), at, up, size, np.array([7, 8]), np.array([1.0, 0.5]), 0.3)
    finds = np.array([[51.0, 50.0], [52.0, 50.0], [90.0, 50.0], [20.0, 20.0]])
    found = Indices(finds, np.array([[0.0, -1.0]] * 4), np.array([[10.0, 20.0]] * 4), np.ones(4))
    labels, rows = match(found, scene)
    assert labels.tolist() == [7, UNCLEAR, NOT_ASKED, UNCLEAR]
    assert rows.tolist() == [0, -1, 1, -1]


def test_crops_have_the_readers_form_and_all_kinds(bank: IndexBank) -> None:
    pictures, labels, heights = IndexCropSchool([bank], seed=6, lesson=LESSON).batch(400)
    assert pictures.shape == (400, 64, 48, 3) and pictures.dtype == np.uint8
    assert len(set(labels.tolist())) > 40 and 0.1 < (labels == UNCLEAR).mean() < 0.6
    assert heights[labels != UNCLEAR].min() >= 7
    assert CLASSES[:52] == CARDS and CLASSES[UNCLEAR] == "unclear"


def test_bank_of_an_unknown_deck_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="name = gnome:paris"):
        build_bank(tmp_path / "x.npy", ["gnome:paris"], artwork=tmp_path, photos=None, size_wh_px=(63, 88))
