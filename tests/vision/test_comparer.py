"""Two looks at a stack held against each other: what the watching code makes of the comparer's answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.cameras import tilted_camera
from tests.vision.test_gauge import OPTICS, frame_at, stack_at, with_disc
from vision.comparer import FATES, HEIGHT_PX, WIDTH_PX, StackComparer, log_probabilities, middle_of, pooled
from vision.errors import ModelError
from vision.gauge import Gauging, StackView, stack_crop
from vision.growth import Growth, compared_growth
from vision.model_spec import ModelSpec, TensorSpec
from vision.observations import StacksChanged
from vision.stacks import RegionLook, StackOptics, StackRegion, Standing

LEAST_SAME = 0.1


def fate(fewer: float, same: float, more: float) -> NDArray[np.float64]:
    return np.array([fewer, same, more])


@pytest.fixture(scope="module")
def comparer() -> StackComparer:
    return StackComparer.open()


@pytest.mark.parametrize(
    ("fates", "growth"),
    [
        pytest.param([(0.1, 0.8, 0.1)], Growth(is_seen=False, direction=0), id="same"),
        pytest.param([(0.4, 0.15, 0.45)], Growth(is_seen=False, direction=0), id="not-sure-enough-of-a-change"),
        pytest.param([(0.04, 0.06, 0.9)], Growth(is_seen=True, direction=1, sureness=0.9), id="more"),
        pytest.param([(0.55, 0.05, 0.4)], Growth(is_seen=True, direction=-1, sureness=0.55), id="fewer-or-more"),
        pytest.param(
            [(0.0, 1.0, 0.0), (0.9, 0.05, 0.05)], Growth(is_seen=True, direction=-1, sureness=0.9), id="one-of"
        ),
        pytest.param(
            [(0.95, 0.0, 0.05), (0.05, 0.0, 0.95)], Growth(is_seen=True, direction=None), id="a-chip-moved-over"
        ),
    ],
)
def test_growth_of_stacks_that_were_compared(fates: list[tuple[float, float, float]], growth: Growth) -> None:
    assert compared_growth([fate(*each) for each in fates], least_same=LEAST_SAME) == growth


def test_looks_at_one_stack_are_averaged_and_not_taken_for_independent() -> None:
    looks = [np.log(fate(0.05, 0.15, 0.8))] * 3
    assert pooled(looks) == pytest.approx(fate(0.05, 0.15, 0.8))
    mixed = pooled([np.log(fate(0.1, 0.1, 0.8)), np.log(fate(0.8, 0.1, 0.1))])
    assert mixed[0] == pytest.approx(mixed[2])
    assert mixed.sum() == pytest.approx(1.0)


def test_log_probabilities_stay_finite() -> None:
    rows = log_probabilities(np.array([[1000.0, 0.0, 0.0], [-1000.0, -1000.0, -1000.0]]))
    assert np.isfinite(rows).all()
    assert np.exp(rows).sum(axis=1) == pytest.approx([1.0, 1.0])


def test_comparer_of_another_size_is_refused() -> None:
    tensor = TensorSpec(name="x", shape=(None, 3, HEIGHT_PX, WIDTH_PX))
    spec = ModelSpec(name="comparer", weights=__file__, sha256="", input=tensor, output=tensor, classes=FATES)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"comparer\.classes = .*; must be .*, input 6 x 112 x 64"):
        StackComparer.open(spec)


def test_what_nobody_touched_is_the_same_and_what_is_out_of_sight_is_not_told(comparer: StackComparer) -> None:
    camera = tilted_camera()
    image = with_disc(camera, (520.0, 310.0), height_mm=3.3)
    frame = frame_at(camera, (520.0, 310.0))
    crop = stack_crop(image, camera, frame)
    assert crop is not None
    views = [StackView(crop=crop, frame=frame), StackView(crop=crop, frame=frame_at(camera, (5000.0, 300.0)))]
    told, unseen = comparer.compare(image, camera, views)
    assert unseen is None
    assert told is not None
    assert np.exp(told).sum() == pytest.approx(1.0)
    assert FATES[int(told.argmax())] == "same"


def test_the_middle_of_a_gauge_s_crop_is_the_comparer_s_own_crop() -> None:
    camera = tilted_camera()
    image = with_disc(camera, (520.0, 310.0), height_mm=20.0)
    frame = frame_at(camera, (520.0, 310.0))
    wide, own = stack_crop(image, camera, frame), stack_crop(image, camera, frame, size_wh_px=(WIDTH_PX, HEIGHT_PX))
    assert wide is not None and own is not None
    assert np.abs(middle_of(wide).astype(int) - own.astype(int)).mean() < 0.5


def seen(x_mm: float, number: int) -> Gauging:
    """A stack of three chips whose look bears a number."""
    camera = tilted_camera()
    crop = np.full((128, 80, 3), number, np.uint8)
    return replace(stack_at(x_mm, 3), view=StackView(crop=crop, frame=frame_at(camera, (520.0, 310.0))))


def look_at(t: float, gaugings: tuple[Gauging, ...], *, covered: bool = False) -> RegionLook:
    plain = StackOptics(camera_mm=None, diameter_mm=40.0, thickness_mm=3.3)
    square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]], np.float64)
    boxes = [plain.measure(square + np.array(each.foot_mm)) for each in gaugings]
    stacks, lengths = tuple(box[0] for box in boxes), tuple(box[1] for box in boxes)
    return RegionLook(t=t, standing=Standing(stacks=stacks, lengths_mm=lengths, gaugings=gaugings), covered=covered)


def after_cover(x_mm: float, told: NDArray[np.float64]) -> StacksChanged:
    """A stack of three at 700 mm is covered, and stands at x_mm when the comparer says what it is told to."""
    region = StackRegion("s1-player", OPTICS, LEAST_SAME)
    for k in range(6):
        region.update(look_at(0.1 * k, (seen(700.0, k),)))
    region.update(look_at(0.6, (), covered=True))
    changes = []
    for k in range(6):
        fates = (np.log(told),) if region.earlier else ()
        change = region.update(replace(look_at(0.7 + 0.1 * k, (seen(x_mm, 90 + k),)), fates=fates))
        changes += [change] if change is not None else []
    (change,) = changes
    return change


def test_region_wants_another_look_of_its_settled_stacks_each_time() -> None:
    region = StackRegion("s1-player", OPTICS, LEAST_SAME)
    for k in range(6):
        region.update(look_at(0.1 * k, (seen(700.0, k), seen(745.0, 10 + k))[:: 1 if k % 2 else -1]))
    assert not region.earlier
    region.update(look_at(0.6, (), covered=True))
    wanted: list[list[int]] = []
    for k in range(3):
        wanted.append([int(view.crop[0, 0, 0]) for view in region.earlier])
        region.update(look_at(0.7 + 0.1 * k, (seen(700.0, 50), seen(745.0, 50))))
    assert wanted == [[3, 13], [4, 14], [5, 15]]


def test_region_believes_the_comparer_where_the_measures_show_nothing() -> None:
    change = after_cover(702.0, fate(0.02, 0.03, 0.95))
    assert change.growth == 1
    assert change.sureness == pytest.approx(0.95)
    assert change.before is not None
    assert [stack.count for stack in (*change.before, *change.after)] == pytest.approx([3.0, 3.0], rel=1e-3)


def test_region_tells_counts_where_chips_hardly_show_once_a_direction_is_known() -> None:
    assert OPTICS.stack(seen(100.0, 0), least_chip_mm=0.7).count is None
    region = StackRegion("s1-player", OPTICS, LEAST_SAME)
    for k in range(6):
        region.update(look_at(0.1 * k, (seen(100.0, k),)))
    region.update(look_at(0.6, (), covered=True))
    looks = [
        replace(look_at(0.7 + 0.1 * k, (seen(100.0, 9),)), fates=(np.log(fate(0.9, 0.05, 0.05)),)) for k in range(6)
    ]
    (change,) = [change for look in looks if (change := region.update(look)) is not None]
    assert change.growth == -1
    assert change.after[0].count == pytest.approx(3.0)


def test_region_tells_a_visit_where_the_comparer_sees_the_same() -> None:
    assert after_cover(706.0, fate(0.1, 0.8, 0.1)).growth == 0


def test_region_measures_a_stack_that_was_carried_too_far_to_compare() -> None:
    change = after_cover(713.0, fate(0.01, 0.01, 0.98))
    assert change.growth == 0
