"""Two looks at a stack compared with each other: what the watching code makes of the comparer's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.cameras import tilted_camera
from tests.vision.inference.test_stack_height import OPTICS, frame_at, stack_at, with_disc
from thirdcard.vision.chips.change_direction import Growth, compared_growth, leaning, leant
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import RegionLook, StackModels, StackRegion
from thirdcard.vision.chips.standings import Standing
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec
from thirdcard.vision.inference.stack_change import (
    CHANNELS,
    FATES,
    HEIGHT_PX,
    WIDE_WH_PX,
    WIDTH_PX,
    Judging,
    StackComparer,
    joined,
    log_probabilities,
    mean_of,
    middle_of,
)
from thirdcard.vision.inference.stack_height import Gauging, StackView, stack_crop
from thirdcard.vision.observations import StacksChanged

LEAST_SAME = 0.1
JUDGING = Judging(least_same=LEAST_SAME)


def fate(fewer: float, same: float, more: float, anew: float = 0.0) -> NDArray[np.float64]:
    return np.array([fewer, same, more, anew])


@pytest.fixture(scope="module")
def comparer() -> StackComparer:
    return StackComparer.open()


@pytest.mark.parametrize(
    ("fates", "growth"),
    [
        pytest.param([(0.2, 0.02, 0.18, 0.6)], Growth(is_seen=False, direction=0), id="laid-anew"),
        pytest.param(
            [(0.1, 0.02, 0.5, 0.38)], Growth(is_seen=True, direction=1, sureness=0.5, opposite=0.1), id="more-or-anew"
        ),
        pytest.param([(0.1, 0.8, 0.1)], Growth(is_seen=False, direction=0), id="same"),
        pytest.param([(0.4, 0.15, 0.45)], Growth(is_seen=False, direction=0), id="not-sure-enough-of-a-change"),
        pytest.param([(0.04, 0.06, 0.9)], Growth(is_seen=True, direction=1, sureness=0.9, opposite=0.04), id="more"),
        pytest.param(
            [(0.55, 0.05, 0.4)], Growth(is_seen=True, direction=-1, sureness=0.55, opposite=0.4), id="fewer-or-more"
        ),
        pytest.param(
            [(0.0, 1.0, 0.0), (0.9, 0.05, 0.05)],
            Growth(is_seen=True, direction=-1, sureness=0.9, opposite=0.05),
            id="one-of",
        ),
        pytest.param(
            [(0.95, 0.0, 0.05), (0.05, 0.0, 0.95)], Growth(is_seen=True, direction=None), id="a-chip-moved-over"
        ),
    ],
)
def test_growth_of_stacks_that_were_compared(fates: list[tuple[float, ...]], growth: Growth) -> None:
    assert compared_growth([fate(*each) for each in fates], least_same=LEAST_SAME) == growth


def test_looks_are_averaged_stack_by_stack() -> None:
    dark, light, lighter = (np.full((2, 2, 3), level, np.uint8) for level in (10, 100, 103))
    first, second = mean_of([(dark, light), (dark, lighter)])
    assert (first == 10).all()
    assert (second == 102).all()


def test_log_probabilities_stay_finite() -> None:
    rows = log_probabilities(np.array([[1000.0, 0.0, 0.0], [-1000.0, -1000.0, -1000.0]]))
    assert np.isfinite(rows).all()
    assert np.exp(rows).sum(axis=1) == pytest.approx([1.0, 1.0])


def test_comparer_of_another_size_is_refused() -> None:
    tensor = TensorSpec(name="x", shape=(None, 3, HEIGHT_PX, WIDTH_PX))
    spec = ModelSpec(name="comparer", weights=__file__, sha256="", input=tensor, output=tensor, classes=FATES)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"comparer\.classes = .*; must be .*, input 9 x 112 x 64"):
        StackComparer.open(spec)


def test_what_nobody_touched_is_the_same(comparer: StackComparer) -> None:
    camera = tilted_camera()
    image = with_disc(camera, (520.0, 310.0), height_mm=3.3)
    frame = frame_at(camera, (520.0, 310.0))
    before, after = stack_crop(image, camera, frame), stack_crop(image, camera, frame, size_wh_px=WIDE_WH_PX)
    assert before is not None and after is not None
    (told,) = comparer.compare([(middle_of(before), after)])
    assert told.sum() == pytest.approx(1.0)
    assert FATES[int(told.argmax())] == "same"
    assert comparer.compare([]) == []


def test_stack_that_was_pushed_is_shown_a_third_time_where_it_stood() -> None:
    camera = tilted_camera()
    frame = frame_at(camera, (520.0, 310.0))
    before = stack_crop(with_disc(camera, (520.0, 310.0), height_mm=9.9), camera, frame)
    pushed = with_disc(camera, (526.0, 305.0), height_mm=9.9)
    after = stack_crop(pushed, camera, frame, size_wh_px=WIDE_WH_PX)
    assert before is not None and after is not None
    shown = joined(middle_of(before), after).astype(int)
    assert shown.shape == (HEIGHT_PX, WIDTH_PX, CHANNELS)
    assert np.abs(shown[..., :3] - shown[..., 3:6]).mean() > 10
    assert np.abs(shown[..., :3] - shown[..., 6:]).mean() < 2


def test_the_middle_of_a_gauge_s_crop_is_the_comparer_s_own_crop() -> None:
    camera = tilted_camera()
    image = with_disc(camera, (520.0, 310.0), height_mm=20.0)
    frame = frame_at(camera, (520.0, 310.0))
    wide, own = stack_crop(image, camera, frame), stack_crop(image, camera, frame, size_wh_px=(WIDTH_PX, HEIGHT_PX))
    assert wide is not None and own is not None
    assert np.abs(middle_of(wide).astype(int) - own.astype(int)).mean() < 0.5


def seen(x_mm: float, number: int, chips: int = 3) -> Gauging:
    """A stack, of three chips mostly, whose look bears a number."""
    camera = tilted_camera()
    crop = np.full((128, 80, 3), number, np.uint8)
    return replace(stack_at(x_mm, chips), view=StackView(crop=crop, frame=frame_at(camera, (520.0, 310.0))))


def look_at(t: float, gaugings: tuple[Gauging, ...], *, covered: bool = False, crops: int | None = None) -> RegionLook:
    """A look at stacks; `crops` is the level of what is cut out, where anything is."""
    plain = StackOptics(camera_mm=None, diameter_mm=40.0, thickness_mm=3.3)
    square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]], np.float64)
    boxes = [plain.measure(square + np.array(each.foot_mm)) for each in gaugings]
    stacks, lengths = tuple(box[0] for box in boxes), tuple(box[1] for box in boxes)
    standing = Standing(stacks=stacks, lengths_mm=lengths, gaugings=gaugings)
    wide = () if crops is None else (np.full((WIDE_WH_PX[1], WIDE_WH_PX[0], 3), crops, np.uint8),) * len(gaugings)
    return RegionLook(t=t, standing=standing, covered=covered, crops=wide)


def settled_at(x_mm: float, judging: Judging = JUDGING) -> StackRegion:
    """A region in which a stack of three was seen six times before a cover came."""
    region = StackRegion("s1-player", OPTICS, judging)
    for k in range(6):
        region.update(look_at(0.1 * k, (seen(x_mm, 10 * k),), crops=10 * k if region.frames else None))
    region.update(look_at(0.6, (), covered=True))
    return region


def after_cover(x_mm: float, *told: NDArray[np.float64], at_mm: float = 700.0) -> tuple[StacksChanged, int]:
    """A stack of three is covered, and stands at x_mm when the comparer says what it is asked to, the last for ever.

    Gives the change and after how many looks it was reported.
    """
    region, answers = settled_at(at_mm), list(told)

    def compare(pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        return [answers.pop(0) if len(answers) > 1 else answers[0]]

    for k in range(8):
        changes = region.update(
            look_at(0.7 + 0.1 * k, (seen(x_mm, 90 + k),), crops=90 + k), StackModels(compare=compare)
        )
        if changes:
            (change,) = changes
            return change, k + 1
    raise AssertionError("nothing was reported")


def test_region_holds_the_mean_of_looks_before_against_the_mean_of_those_after() -> None:
    region, asked = settled_at(700.0), list[tuple[int, int]]()

    def compare(pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        asked.extend((int(before.mean()), int(after.mean())) for before, after in pairs)
        return [fate(0.0, 1.0, 0.0)] * len(pairs)

    for k in range(4):
        region.update(look_at(0.7 + 0.1 * k, (seen(700.0, 0),), crops=90 + 2 * k), StackModels(compare=compare))
    assert asked == [(40, 93)]


def test_region_believes_the_comparer_where_the_measures_show_nothing() -> None:
    change, looks = after_cover(702.0, fate(0.02, 0.03, 0.95))
    assert (change.growth, looks) == (1, 4)
    assert change.sureness == pytest.approx(0.95)
    assert change.before is not None
    assert [stack.count for stack in (*change.before, *change.after)] == pytest.approx([3.0, 3.0], rel=1e-3)


def test_region_looks_longer_where_the_comparer_is_not_sure() -> None:
    unsure, sure = fate(0.2, 0.5, 0.3), fate(0.01, 0.01, 0.98)
    change, looks = after_cover(700.0, unsure, sure)
    assert (change.growth, looks) == (1, 5)
    change, looks = after_cover(700.0, unsure)
    assert (change.growth, looks) == (0, 6)


def test_region_that_waits_for_more_looks_tells_what_it_has_when_the_next_hand_comes() -> None:
    region = settled_at(700.0)

    def compare(pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        return [fate(0.6, 0.05, 0.35)] * len(pairs)

    for k in range(5):
        assert region.update(look_at(0.7 + 0.1 * k, (seen(700.0, 0),), crops=90), StackModels(compare=compare)) == ()
    (change,) = region.update(look_at(1.2, (), covered=True), StackModels(compare=compare))
    assert change.growth == -1
    assert region.unsettled_since_t == pytest.approx(1.2)


def test_region_tells_counts_where_chips_hardly_show_once_a_direction_is_known() -> None:
    assert OPTICS.stack(seen(100.0, 0), least_chip_mm=0.7).count is None
    change, _ = after_cover(100.0, fate(0.95, 0.03, 0.02), at_mm=100.0)
    assert change.growth == -1
    assert change.after[0].count == pytest.approx(3.0)


@pytest.mark.parametrize(("chips", "growth"), [(4, 1), (2, -1)])
def test_gauge_tells_the_direction_where_the_comparer_cannot(chips: int, growth: int) -> None:
    region, unsure = settled_at(700.0, replace(JUDGING, leaning=0.8)), fate(0.45, 0.05, 0.45, 0.05)

    def compare(pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        return [unsure] * len(pairs)

    looks = [look_at(0.7 + 0.1 * k, (seen(700.0, 90, chips),), crops=90) for k in range(6)]
    (change,) = [change for look in looks for change in region.update(look, StackModels(compare=compare))]
    assert change.growth == growth
    assert change.sureness > 0.6


def test_gauge_s_measures_go_to_the_stacks_they_are_of() -> None:
    region = StackRegion("s1-player", OPTICS, replace(JUDGING, leaning=0.8))
    for k in range(6):
        stacks = (seen(700.0, 0), seen(760.0, 0))
        region.update(look_at(0.1 * k, stacks[:: -1 if k % 2 else 1], crops=0 if region.frames else None))
    region.update(look_at(0.6, (), covered=True))
    settled = region.settled
    assert settled is not None

    def compare(pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        unsure, same = fate(0.47, 0.01, 0.47, 0.05), fate(0.0, 1.0, 0.0)
        return [unsure if each.foot_mm[0] == 700.0 else same for each in settled.gaugings]

    looks = [look_at(0.7 + 0.1 * k, (seen(760.0, 0), seen(700.0, 0, 4)), crops=90) for k in range(6)]
    (change,) = [change for look in looks for change in region.update(look, StackModels(compare=compare))]
    assert change.growth == 1
    assert change.sureness > 0.6


def test_leaning_is_the_log_odds_of_one_chip_more_to_one_less() -> None:
    assert leaning(0.0, 1.0, 0.5) == 0.0
    assert leaning(0.25, 1.0, 0.5) == pytest.approx(1.0)
    assert leaning(9.0, 1.0, 0.5) == leaning(1.0, 1.0, 0.5) == pytest.approx(4.0)
    assert leaning(-9.0, 1.0, 0.5) == pytest.approx(-4.0)


def test_direction_leans_and_what_else_became_of_the_stack_stays() -> None:
    told = leant(fate(0.3, 0.2, 0.3, 0.2), 2.0, Judging(leaning=0.5))
    assert told == pytest.approx([0.6 * (1 - 0.7311), 0.2, 0.6 * 0.7311, 0.2], abs=1e-3)
    unmoved = fate(0.1, 0.2, 0.6, 0.1)
    assert leant(unmoved, 2.0, Judging()) == pytest.approx(unmoved)


def test_region_tells_a_visit_where_the_comparer_sees_the_same() -> None:
    assert after_cover(706.0, fate(0.03, 0.95, 0.02))[0].growth == 0


def test_region_measures_a_stack_that_was_carried_too_far_to_compare() -> None:
    assert after_cover(713.0, fate(0.01, 0.01, 0.98))[0].growth == 0
