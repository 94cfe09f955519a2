"""Random worlds, scenes and the tiles of the detector's school."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thirdcard.datasets.decks.backs import draw_back_like
from thirdcard.datasets.decks.cards import TEXTURE_SIZE_WH_PX
from thirdcard.datasets.decks.deck import machine_deck
from thirdcard.datasets.decks.picture_backs import draw_picture_back
from thirdcard.datasets.scene.errors import CameraPoseError, StyleError
from thirdcard.datasets.scene.looks import look_of
from thirdcard.datasets.scene.random_scene import random_scene
from thirdcard.datasets.scene.renderer import RenderedObject, SceneRenderer
from thirdcard.datasets.scene.tiles import CLASSES, TILE_PX, label_lines, school_tiles, taught_box
from thirdcard.datasets.scene.worlds import FIRST_HELD_OUT_SEED, Split, random_camera, random_world
from thirdcard.datasets.scene.write_school import Job, deck_of, prepare, run_job

ORIGIN = np.array([0.0, 0.0])


def _thing(**changes: object) -> RenderedObject:
    quad = np.array([[100.0, 100.0], [163.0, 100.0], [163.0, 188.0], [100.0, 188.0]])
    fields: dict[str, object] = {
        "kind": "card", "object_id": "a", "card": "7H", "face_up": True, "polygon_px": quad, "layout_polygon_mm": quad,
        "at_mm": (131.5, 144.0), "count": None, "value": None, "visible": 1.0,
    }  # fmt: skip
    return RenderedObject(**{**fields, **changes})  # type: ignore[arg-type]


def _moved(x: float, y: float, **changes: object) -> RenderedObject:
    quad = _thing().layout_polygon_mm + np.array([x, y])
    return _thing(layout_polygon_mm=quad, **changes)


@pytest.mark.parametrize("seed", range(12))
def test_random_camera_sees_the_whole_cloth(seed: int) -> None:
    camera = random_camera(np.random.default_rng(seed), (2300.0, 1200.0))
    corners = np.array([[0.0, 0.0], [2300.0, 0.0], [2300.0, 1200.0], [0.0, 1200.0]])
    seen = camera.image_from_layout(corners)
    width, height = camera.image_size_wh_px
    assert (seen > 0).all()
    assert (seen < [width, height]).all()
    centre = camera.camera_centre_mm
    assert centre is not None
    assert -centre[2] >= 1450


def test_splits_share_no_seed_print_or_cloth() -> None:
    looks = {}
    splits: tuple[Split, ...] = ("train", "held_out")
    for split in splits:
        worlds = [random_world(np.random.default_rng(seed), split, ["machine:1"]) for seed in range(25)]
        assert all((world.seed >= FIRST_HELD_OUT_SEED) == (split == "held_out") for world in worlds)
        looks[split] = {look_of(world.style, world.seed).cloth.family for world in worlds} - {"plain"}
    assert not looks["train"] & looks["held_out"]


def test_back_like_a_cloth_has_its_colour_and_no_rim() -> None:
    back = draw_back_like(np.random.default_rng(4), (120, 70, 40)).astype(float)
    assert np.abs(back.mean(axis=(0, 1)) - [120, 70, 40]).max() < 45
    assert np.abs(back[:20].mean(axis=(0, 1)) - back.mean(axis=(0, 1))).max() < 12


def test_backs_with_pictures_follow_from_the_seed_and_differ() -> None:
    faces = [machine_deck(3).face(card) for card in ("AS", "10H", "4D")]
    backs = [[draw_picture_back(np.random.default_rng(seed), faces) for seed in range(30)] for _ in range(2)]
    assert all(np.array_equal(first, second) for first, second in zip(*backs, strict=True))
    assert {back.shape for back in backs[0]} == {(*TEXTURE_SIZE_WH_PX[::-1], 3)}
    looks = np.array([back.astype(float).mean(axis=(0, 1)) for back in backs[0]])
    assert (np.ptp(looks, axis=0) > 120).all()


def test_school_has_backs_with_pictures_where_it_is_trained_on() -> None:
    decks = {}
    splits: tuple[Split, ...] = ("train", "held_out")
    for split in splits:
        worlds = [random_world(np.random.default_rng(seed), "train", ["machine:1"]) for seed in range(40)]
        decks[split] = [deck_of(world, split, ["machine:1"], None, backs_like_cloth=0.2).back() for world in worlds]
    own = machine_deck(1).back()
    kept = {split: sum(np.array_equal(back, own) for back in backs) for split, backs in decks.items()}
    assert 10 <= kept["train"] <= 30  # 0.8 x 0.65 of 40 are expected
    assert kept["held_out"] >= 26  # 0.8 of 40


def test_world_and_scene_follow_from_the_seed() -> None:
    first, second = (random_world(np.random.default_rng(5), "train", ["machine:1", "machine:2"]) for _ in range(2))
    assert (first.seed, first.deck, first.chips) == (second.seed, second.deck, second.chips)
    scenes = [random_scene(world, np.random.default_rng(6)) for world in (first, second)]
    assert scenes[0] == scenes[1]


def test_style_of_a_world_is_obeyed() -> None:
    look = look_of({"cloth_colour": "#102030", "light": 0.5, "noise": 2.5}, 7)
    assert tuple(look.cloth.colour) == (48.0, 32.0, 16.0)
    assert (look.light.level, look.lens.noise) == (0.5, 2.5)


@pytest.mark.parametrize(
    ("style", "complaint"),
    [
        pytest.param({"cloth": "green"}, "cloth = 'green'; no such look", id="unknown key"),
        pytest.param({"light": "dim"}, "light = 'dim'; must be a number", id="no number"),
        pytest.param({"rail_colour": "red"}, "rail_colour = 'red'; must be a colour", id="no colour"),
        pytest.param({"split": "test"}, "split = 'test'; must be one of held_out, train", id="no split"),
        pytest.param({"title": 8}, "title = 8; must be a text", id="no text"),
    ],
)
def test_style_with_an_unfit_entry_is_refused(style: dict[str, str | float], complaint: str) -> None:
    with pytest.raises(StyleError, match=complaint):
        look_of(style, 1)


def test_camera_that_cannot_see_the_cloth_is_refused() -> None:
    with pytest.raises(CameraPoseError, match="no camera can see all of it"):
        random_camera(np.random.default_rng(1), (200.0, 9000.0))


@pytest.mark.parametrize(
    ("thing", "label"),
    [
        pytest.param(_thing(), 0, id="face"),
        pytest.param(_thing(face_up=False, card=None), 1, id="back"),
        pytest.param(_thing(kind="chips", visible=0.31), 2, id="chips"),
        pytest.param(_thing(kind="cut_card"), 3, id="cut card"),
        pytest.param(_thing(kind="hand", visible=0.2), 4, id="hand"),
        pytest.param(_thing(visible=0.24), None, id="card nearly covered"),
        pytest.param(_thing(slant=0.2), None, id="card on edge"),
        pytest.param(_thing(kind="chips", visible=0.29), None, id="chips nearly covered"),
        pytest.param(_thing(kind="hand", visible=0.1), None, id="hand nearly covered"),
        pytest.param(_moved(1000.0, 0.0), None, id="outside the tile"),
        pytest.param(_moved(-150.0, 0.0), None, id="a fifth inside the tile"),
        pytest.param(_moved(-120.0, 0.0), 0, id="most inside the tile"),
        pytest.param(_thing(layout_polygon_mm=np.full((4, 2), np.nan)), None, id="beyond the lens"),
    ],
)
def test_taught_box_follows_the_rules(thing: RenderedObject, label: int | None) -> None:
    box = taught_box(thing, ORIGIN, 0.5)
    assert (None if box is None else box.label) == label


def test_whole_card_is_taught_as_its_own_quad() -> None:
    box = taught_box(_thing(), ORIGIN, 0.5)
    assert box is not None
    assert np.allclose(box.corners * TILE_PX, _thing().layout_polygon_mm * 0.5)


def test_school_tiles_are_bounded_labelled_and_reproducible() -> None:
    world = random_world(np.random.default_rng(11), "train", ["machine:3"])
    renderer = SceneRenderer(world)
    runs = []
    for _ in range(2):
        rng = np.random.default_rng(4)
        runs.append(school_tiles(world, random_scene(world, rng), rng, count=6, renderer=renderer))
    boxes = [box for tile in runs[0] for box in tile.boxes]
    assert boxes
    assert all(tile.image_hw3.shape == (TILE_PX, TILE_PX, 3) for tile in runs[0])
    assert all(box.corners.min() >= 0 and box.corners.max() <= 1 and box.label < len(CLASSES) for box in boxes)
    assert all(np.array_equal(a.image_hw3, b.image_hw3) for a, b in zip(*runs, strict=True))


def test_label_lines_have_a_class_and_eight_numbers() -> None:
    box = taught_box(_thing(), ORIGIN, 0.5)
    assert box is not None
    line = label_lines([box]).split()
    assert line[0] == "0"
    assert len(line) == 9
    assert label_lines([]) == ""


def test_written_school_has_ultralytics_layout_and_resumes(tmp_path: Path) -> None:
    prepare(tmp_path)
    job = Job(out=tmp_path, split="held_out", seed=1, index=0, scenes=1, tiles=3, artwork=None)
    assert run_job(job) == 3
    assert run_job(job) == 0
    pictures = sorted((tmp_path / "images" / "val").glob("*.jpg"))
    labels = sorted((tmp_path / "labels" / "val").glob("*.txt"))
    assert [p.stem for p in pictures] == [p.stem for p in labels]
    assert "4: hand" in (tmp_path / "data.yaml").read_text(encoding="utf-8")
