"""The gauge's school and examination: what they teach must be true of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thirdcard.datasets.scene.model import ChipStack, World
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.models.stacks import height_evaluate, height_school
from thirdcard.models.stacks.height_pairs import changed_scene
from thirdcard.models.stacks.height_scenes import MOST_CHIPS, far_first, stack_scene, with_count
from thirdcard.models.stacks.height_school import TRUTH, Eye, HeightLesson, open_world
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.stack_height import HEIGHT_PX, WIDTH_PX, HeightSureness, StackGauge


@pytest.fixture(scope="module")
def opened() -> tuple[World, SceneRenderer]:
    return open_world(np.random.default_rng(5), "held_out")


def gaps_mm(stacks: tuple[ChipStack, ...]) -> list[float]:
    places = np.array([stack.at_mm for stack in stacks])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    return [float(gap) for gap in apart[np.triu_indices(len(places), 1)]]


def test_scene_has_stacks_apart_and_the_farthest_first(opened: tuple[World, SceneRenderer]) -> None:
    world, _ = opened
    scene = stack_scene(world, np.random.default_rng(1), wanted=30)
    eye = Eye(world).centre_mm
    distances = [float(np.hypot(s.at_mm[0] - eye[0], s.at_mm[1] - eye[1])) for s in scene.stacks]
    assert len(scene.stacks) >= 30
    assert min(gaps_mm(scene.stacks)) >= world.chips.diameter_mm
    assert distances == sorted(distances, reverse=True)
    assert all(1 <= len(stack.chips) <= MOST_CHIPS for stack in scene.stacks)


def test_chips_are_added_on_top_and_taken_from_it(opened: tuple[World, SceneRenderer]) -> None:
    world, rng = opened[0], np.random.default_rng(2)
    stack = ChipStack(object_id="a", at_mm=(500.0, 500.0), chips=(0, 1, 0, 1))
    assert with_count(world, stack, 2, rng).chips == (0, 1)
    assert with_count(world, stack, 6, rng).chips[:4] == stack.chips
    assert len(with_count(world, stack, 6, rng).chips) == 6


def test_changed_scene_keeps_every_stack_by_name(opened: tuple[World, SceneRenderer]) -> None:
    world, renderer = opened
    rng = np.random.default_rng(3)
    scene = stack_scene(world, rng, wanted=25)
    changed = changed_scene(scene, renderer, rng)
    assert {stack.object_id for stack in changed.stacks} == {stack.object_id for stack in scene.stacks}
    assert min(gaps_mm(changed.stacks)) >= world.chips.diameter_mm * 0.9
    assert changed.stacks == far_first(world, changed.stacks)


def drawn(opened: tuple[World, SceneRenderer], chips: int) -> HeightLesson:
    """A stack alone at the cloth's far side, its crop and truth, without a detector's error."""
    world, renderer = opened
    width, depth = world.layout.size_mm
    stack = ChipStack(object_id="k", at_mm=(width * 0.2, depth * 0.8), chips=(0,) * chips, seed=4)
    empty = replace(stack_scene(world, np.random.default_rng(1)), cards=(), arms=(), cut_cards=(), discard_count=0)
    picture = renderer.render([replace(empty, stacks=(stack,))])
    (thing,) = [each for each in picture.objects if each.object_id == "k"]
    found = height_school.lesson(Eye(world), thing, stack, picture.image_hw3, error_mm=np.zeros(2))
    assert found is not None
    return found


def test_lesson_shows_the_change_where_its_truth_says(opened: tuple[World, SceneRenderer]) -> None:
    none, tall = drawn(opened, 1), drawn(opened, 12)
    truth = dict(zip(TRUTH, tall.truth, strict=True))
    assert tall.crop.shape == (HEIGHT_PX, WIDTH_PX, 3)
    assert truth["count"] == 12
    assert truth["displacement_px"] == pytest.approx(12 * truth["chip_px"], rel=1e-5)
    # foot and top lie alike on both sides of the silhouette's middle, which is the crop's
    assert truth["foot_y_px"] == pytest.approx(truth["displacement_px"] / 2, abs=2.5)
    assert abs(truth["foot_x_px"]) < 2.5
    assert truth["displacement_px"] > 9 * none.truth[TRUTH.index("displacement_px")]


def test_shipped_gauge_sees_how_much_taller_a_stack_is(opened: tuple[World, SceneRenderer]) -> None:
    low, tall = drawn(opened, 1), drawn(opened, 12)
    told = StackGauge.open().read([low.crop, tall.crop])[:, 0]
    gained = float(tall.truth[0] - low.truth[0])
    assert told[1] - told[0] == pytest.approx(gained, rel=0.3)


def test_pairs_are_examined_with_a_nudge_allowed_for(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    counts_before = rng.integers(1, 15, 200)
    counts_after = np.where(np.arange(200) % 2, counts_before, counts_before + 1)
    arrays = {"before_truths": _truths(counts_before, 800.0), "after_truths": _truths(counts_after, 840.0)}
    for when in ("before", "after"):
        crops = np.zeros((200, 3, HEIGHT_PX // 4, WIDTH_PX // 4, 3), np.uint8)
        crops[:, :, 0, 0, 0] = np.arange(200)[:, None]
        arrays[f"{when}_crops"] = crops
        arrays[f"{when}_crops"][:, :, 0, 0, 1] = 0 if when == "before" else 1
    np.savez(tmp_path / "pairs-1-00000.npz", **arrays)  # type: ignore[arg-type]

    def run(crops: Sequence[Image]) -> np.ndarray:
        told = np.zeros((len(crops), 6))
        for row, crop in zip(told, crops, strict=True):
            when = "after" if crop[0, 0, 1] else "before"
            i = int(crop[0, 0, 0])
            row[0] = arrays[f"{when}_truths"][i, 0, 0] + (0.1 * np.sin(i) if when == "after" else 0.0)
        return told

    found = height_evaluate.examine(tmp_path, run)
    assert height_evaluate.floor_mm(found, 0.0) == pytest.approx(0.1, abs=0.005)
    text = height_evaluate.report(found, HeightSureness(floor_mm=0.3, scales=0.0))
    assert "left alone and called changed 0.00%; changed: seen 100.0%, right way 100.0%, other way 0.0%" in text


def test_examination_without_pairs_says_who_draws_them(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError, match=r"no pairs-\*\.npz; thirdcard\.models\.stacks\.height_pairs writes them"
    ):
        height_evaluate.examine(tmp_path, lambda crops: np.zeros((len(crops), 6)))


def test_counts_follow_from_displacements() -> None:
    counts = np.array([1.0, 4.0, 8.0, 15.0])
    truth = {
        "displacement_px": 800.0 * counts * 3.3 / (2000.0 - counts * 3.3),
        "count": counts,
        "camera_height_mm": np.full(4, 2000.0),
        "px_per_mm": np.array([0.6, 0.6, 1.0, 1.0]),
    }
    told = truth["displacement_px"] + 1.32 * np.array([0.0, 0.9, 1.8, 0.0])
    lines = height_evaluate.counted(told, truth)
    assert "looks: 4" in lines[0]
    assert lines[2:6] == [
        "    1 to 1 chips: 100.0%, 100.0% (1)",
        "    4 to 5 chips: 0.0%, 100.0% (1)",
        "    6 to 10 chips: 0.0%, 0.0% (1)",
        "    1 to 10 chips: 33.3%, 66.7% (3)",
    ]


def test_looks_that_are_not_there_are_asked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no \*\.npz; thirdcard\.models\.stacks\.change_school writes them"):
        height_evaluate.look_at(tmp_path, lambda crops: np.zeros((len(crops), 6)))


def _truths(counts: np.ndarray, distance_mm: float) -> np.ndarray:
    rows = np.zeros((len(counts), 3, len(TRUTH)), np.float32)
    height = counts * 3.3
    values = {
        "displacement_px": distance_mm * height / (2000.0 - height),
        "chip_px": distance_mm * height / (2000.0 - height) / counts,
        "count": counts,
        "visible": 1.0,
        "distance_mm": distance_mm,
        "camera_height_mm": 2000.0,
        "px_per_mm": 1.0,
    }
    for name, value in values.items():
        rows[:, :, TRUTH.index(name)] = np.asarray(value, np.float32).reshape(-1, 1)
    return rows
