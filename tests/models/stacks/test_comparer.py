"""The comparer's school, its examination, and the floors that the shipped one keeps: `models/metrics.yaml`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thirdcard.datasets.scene.model import ChipStack, World
from thirdcard.datasets.scene.renderer import SceneRenderer
from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.models.recorder import Recorder
from thirdcard.models.stacks import change_evaluate, change_school, height_evaluate
from thirdcard.models.stacks.change_evaluate import ChangeExamination, decide, false_changes, least_same, shares
from thirdcard.models.stacks.change_school import MARGIN_PX, TOUCHES, TRUTH, TableMoment, next_moment, with_change
from thirdcard.models.stacks.height_school import NEAR_PX_PER_MM, Eye, open_world, zoomed
from thirdcard.vision.frames import Image
from thirdcard.vision.inference import stack_height
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.stack_change import FATES, HEIGHT_PX, WIDTH_PX, StackComparer, middle_of
from thirdcard.vision.inference.stack_height import StackGauge


@pytest.fixture(scope="module")
def opened() -> tuple[World, SceneRenderer]:
    return open_world(np.random.default_rng(5), "held_out")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some held-out worlds that no threshold was set on."""
    folder = tmp_path_factory.mktemp("pairs")
    change_school.draw_exam(folder)
    return folder


@pytest.fixture(scope="module")
def found(pairs: Path) -> ChangeExamination:
    comparer = StackComparer.open()
    return change_evaluate.examine(pairs, comparer.read, StackGauge.open(), comparer.judging)


def test_chips_are_added_on_top_and_taken_from_it(opened: tuple[World, SceneRenderer]) -> None:
    world, rng = opened[0], np.random.default_rng(2)
    stack = ChipStack(object_id="a", at_mm=(500.0, 500.0), chips=(0, 1, 0, 1))
    assert with_change(world, stack, -2, rng).chips == (0, 1)
    assert with_change(world, stack, 3, rng).chips[:4] == stack.chips
    assert len(with_change(world, stack, 3, rng).chips) == 7
    assert with_change(world, stack, -4, rng) == stack


def test_moments_keep_every_stack_and_say_what_was_done_to_it(opened: tuple[World, SceneRenderer]) -> None:
    world, rng = opened[0], np.random.default_rng(3)
    before = change_school.first_moment(world, rng)
    after = next_moment(world, before, rng)
    assert after.stacks.keys() == before.stacks.keys() == after.touches.keys()
    for name, stack in after.stacks.items():
        touch, old = TOUCHES[after.touches[name]], before.stacks[name]
        assert (stack.seed != old.seed) == (touch in ("twisted", "both"))
        if touch in ("none", "twisted"):
            assert stack.at_mm == old.at_mm


def test_pair_of_an_untouched_stack_shows_the_same_twice(opened: tuple[World, SceneRenderer]) -> None:
    world, renderer = opened
    rng = np.random.default_rng(4)
    moment = change_school.first_moment(world, rng)
    later = TableMoment(replace(moment.scene, t=moment.scene.t + 7.0), moment.stacks, moment.touches)
    scene = replace(moment.scene, stacks=tuple(moment.stacks.values()), arms=())
    pictures = [change_school.taken(renderer, replace(scene, t=each.scene.t)) for each in (moment, later)]
    drawn = change_school.pairs_of(Eye(world), (moment, pictures[0]), (later, pictures[1]), rng)
    assert len(drawn) > 30
    for pair in drawn:
        assert pair.before.shape == (stack_height.HEIGHT_PX + 10, stack_height.WIDTH_PX + 10, 3)
        assert pair.after.shape == pair.moved.shape == (HEIGHT_PX + 2 * MARGIN_PX, WIDTH_PX + 2 * MARGIN_PX, 3)
        assert pair.truth[TRUTH.index("added")] == 0
        assert abs(pair.truth[TRUTH.index("displacement_px")]) < 60
        middle = middle_of(pair.before).astype(int)
        assert np.abs(middle - middle_of(pair.after)).mean() < 6  # the camera's noise
        assert np.abs(middle - middle_of(pair.moved)).mean() < 9


@pytest.mark.parametrize("recorder", [Recorder(crf=24), Recorder(jpeg=70), Recorder()], ids=["h264", "jpeg", "none"])
def test_recording_shows_as_many_pictures_nearly_as_they_were(recorder: Recorder) -> None:
    x, y = np.meshgrid(np.arange(320), np.arange(180))
    images = [np.dstack([x / 2 + k, y, (x + y) / 3]).astype(np.uint8) for k in range(5)]
    shown = recorder.recorded(images)
    assert len(shown) == 5
    for image, seen in zip(images, shown, strict=True):
        assert np.abs(image.astype(int) - seen.astype(int)).mean() < 4


def test_worlds_near_the_camera_show_a_millimetre_larger() -> None:
    world, _ = open_world(np.random.default_rng(11), "held_out")
    near = zoomed(world, np.random.default_rng(1))
    camera, width = near.camera, near.layout.size_mm[0]
    middle = camera.layout_from_image(np.array([np.array(camera.image_size_wh_px) / 2.0]))[0]
    at = (float(middle[0]), float(middle[1]))
    assert 0.0 < at[0] < width
    assert NEAR_PX_PER_MM[0] * 0.98 < Eye(near).px_per_mm(at) < NEAR_PX_PER_MM[1] * 1.02
    assert Eye(near).px_per_mm(at) > Eye(world).px_per_mm(at)


def test_registry_declares_a_small_comparer() -> None:
    spec = load_model_spec("comparer")
    spec.check_weights()
    assert spec.classes == FATES
    assert spec.weights.stat().st_size < 4_000_000
    judging = StackComparer.open().judging
    assert 0.0 < judging.least_same < 0.5
    assert judging.comparison > 0.0
    assert judging.leaning > 0.0


def test_shipped_comparer_keeps_its_floors(found: ChangeExamination) -> None:
    figures = change_evaluate.exam_figures(found)
    assert shortfalls(figures, floors_of("comparer")) == [], figures


def test_shipped_gauge_keeps_its_floors_on_the_same_pictures(pairs: Path) -> None:
    figures = height_evaluate.exam_figures(pairs, StackGauge.open().read)
    assert shortfalls(figures, floors_of("gauge")) == [], figures


def test_examination_counts_what_is_seen_and_told() -> None:
    added = np.array([0, 0, 0, 1, -2, 3])
    sure = [(0.0, 1.0, 0.0, 0.0)] * 2
    rows = [*sure, (0.9, 0.05, 0.05, 0.0), (0.1, 0.1, 0.8, 0.0), (0.1, 0.1, 0.8, 0.0), (0.45, 0.05, 0.5, 0.0)]
    columns = {name: np.zeros(6) for name in TRUTH} | {
        "added": added.astype(float),
        "touch": np.array([0, 1, 1, 0, 0, 0.0]),
    }
    found = ChangeExamination(np.log(np.array(rows) + 1e-12), columns, np.zeros(6))
    said = decide(found, 0.2)
    assert false_changes(found, said, "none") == 0.0
    assert false_changes(found, said, "nudged") == 0.5
    assert shares(found, said, added != 0) == pytest.approx((1.0, 1 / 3, 1 / 3))
    assert "  nudged: 50.00%, 50.00% (2)" in change_evaluate.report(found, 0.2)
    assert least_same(found) == pytest.approx(0.05, abs=0.02)


def test_gauge_tells_of_most_drawn_stacks_which_way_they_changed(found: ChangeExamination) -> None:
    rows = np.abs(found.added) >= 2
    assert float((np.sign(found.leanings) == np.sign(found.added))[rows].mean()) > 0.8


def test_examination_without_pairs_says_who_draws_them(tmp_path: Path) -> None:
    def run(pairs: Sequence[Image]) -> np.ndarray:
        return np.zeros((len(pairs), len(FATES)))

    with pytest.raises(FileNotFoundError, match=r"no \*\.npz; thirdcard\.models\.stacks\.change_school writes them"):
        change_evaluate.examine(tmp_path, run, StackGauge.open())
