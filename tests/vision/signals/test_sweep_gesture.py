"""An arm that sweeps over the regions is distinguished from arms that come for something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.observations import Point, RegionsSwept, StacksChanged
from thirdcard.vision.plane.change_gate import Change, GridFrame
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.signals.sweep_gesture import CALM_LOOKS_S, SweepWatch

SIZE_MM = (2000.0, 1000.0)
GRID = GridFrame((-120.0, -120.0), (124, 224))
REGIONS = {
    str(i): np.array([[x, 600.0], [x + 120.0, 600.0], [x + 120.0, 800.0], [x, 800.0]])
    for i, x in enumerate(range(200, 1800, 150))
}
APART = {name: polygon for name, polygon in REGIONS.items() if not 500.0 < polygon[0, 0] < 1400.0}
"""Regions at both ends, as of an arc whose middle lies far below."""
LOOK_S = 0.1
Arm = Callable[[float], Point | None]
"""Where its finger tips are at a moment; None: it is away."""


def cover_of(arms: Iterable[Arm], t: float, *, from_top: bool = True) -> Cover:
    mask = np.zeros(GRID.shape_hw, bool)
    for arm in arms:
        tip = arm(t)
        if tip is not None:
            x, y = tip
            low, high = (-120.0, y) if from_top else (y, 1120.0)
            mask |= GRID.mask_of(np.array([[x - 50, low], [x + 50, low], [x + 50, high], [x - 50, high]]))
    still_s = np.full(GRID.shape_hw, 9.0)
    picture = np.zeros((*GRID.shape_hw, 3), np.float32)
    change = Change(t=t, picture=picture, moving=mask, foreground=mask, strange=mask, still_s=still_s)
    return Cover(GRID, change, mask)


def watched(
    *arms: Arm,
    until: float = 8.0,
    changes: dict[float, StacksChanged] | None = None,
    from_top: bool = True,
    is_sure: bool = True,
    regions: Mapping[str, NDArray[np.float64]] = REGIONS,
) -> list[RegionsSwept]:
    watch, told = SweepWatch(regions, GRID, SIZE_MM), []
    for t in np.arange(0.0, until, LOOK_S):
        due = [change for moment, change in (changes or {}).items() if t <= moment < t + LOOK_S]
        told += watch.update(cover_of(arms, float(t), from_top=from_top), due, calm_since_t=None)
    return [swept for swept in told if swept.is_sure == is_sure]


def sweep(start: float, duration_s: float, x0: float = 300.0, x1: float = 1700.0, y: float = 720.0) -> Arm:
    def arm(t: float) -> Point | None:
        share = (t - start) / duration_s
        if not -0.3 <= share <= 1.3:
            return None
        inside = min(max(share, 0.0), 1.0)
        return (x0 + inside * (x1 - x0), y if 0.0 <= share <= 1.0 else 300.0)

    return arm


def visit(start: float, x: float, stay_s: float = 1.0) -> Arm:
    return lambda t: (x + 40.0 * np.sin(5 * t), 700.0) if start <= t <= start + stay_s else None


@pytest.mark.parametrize("duration_s", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("x0", "x1"), [(300.0, 1700.0), (1600.0, 500.0)], ids=["to the right", "to the left"])
def test_arm_that_sweeps_and_withdraws_is_told_with_its_middle(duration_s: float, x0: float, x1: float) -> None:
    (swept,) = watched(sweep(2.0, duration_s, x0, x1))

    assert swept.t == pytest.approx(2.0 + duration_s / 2, abs=0.1)
    assert swept.t_began <= swept.t <= swept.t_ended
    assert swept.share == pytest.approx(abs(x1 - x0) / 1620.0, abs=0.15)


@pytest.mark.parametrize(
    "arms",
    [
        pytest.param((visit(2.0, 500.0),), id="one place"),
        pytest.param((visit(2.0, 500.0), visit(2.6, 1500.0)), id="two arms at two places"),
        pytest.param((sweep(2.0, 0.8, 300.0, 700.0),), id="too little of it"),
        pytest.param((sweep(2.0, 1.2, y=400.0),), id="over the cards only"),
    ],
)
def test_arm_that_does_something_else_is_not_told(arms: tuple[Arm, ...]) -> None:
    assert watched(*arms) == []
    assert watched(*arms, is_sure=False) == []


@pytest.mark.parametrize(
    ("arms", "withdrew_t"),
    [
        pytest.param((sweep(2.0, 4.5),), 6.5, id="too slow"),
        pytest.param((sweep(2.0, 0.6), sweep(2.7, 0.6, 1700.0, 300.0)), 3.3, id="there and back"),
    ],
)
def test_arm_that_crossed_otherwise_may_have_swept(arms: tuple[Arm, ...], withdrew_t: float) -> None:
    assert watched(*arms) == []
    (swept,) = watched(*arms, is_sure=False)
    assert swept.t_ended == pytest.approx(withdrew_t, abs=0.35)
    assert swept.t == pytest.approx(0.5 * (swept.t_began + swept.t_ended))
    assert swept.share > 0.5


def test_arm_that_leaves_the_regions_on_its_way_across_may_have_swept() -> None:
    assert watched(sweep(2.0, 1.2), regions=APART) == []
    (swept,) = watched(sweep(2.0, 1.2), regions=APART, is_sure=False)
    assert swept.share > 0.5
    assert swept.t_ended == pytest.approx(3.2, abs=0.2)


@pytest.mark.parametrize("pause_s", [pytest.param(0.2, id="another arm"), pytest.param(2.0, id="much later")])
def test_arm_at_the_other_end_after_one_has_withdrawn_is_no_sweep(pause_s: float) -> None:
    arms = visit(2.0, 400.0, 0.5), visit(2.5 + pause_s, 1600.0, 0.5)
    assert watched(*arms, regions=APART, is_sure=False) == []


def test_sweep_that_meets_another_arm_may_have_been_one() -> None:
    swept = sweep(2.0, 1.2, 300.0, 1900.0)

    def hidden_by_the_other(t: float) -> Point | None:
        place = swept(t)
        return None if place is None or 900.0 <= place[0] <= 1450.0 else place

    resting = visit(2.2, 1180.0, stay_s=1.6)
    assert watched(hidden_by_the_other, resting) == []
    (told,) = watched(hidden_by_the_other, resting, is_sure=False)
    assert told.share > 0.7
    assert told.t == pytest.approx(0.5 * (told.t_began + told.t_ended))


@pytest.mark.parametrize("behind_mm", [150.0, 240.0, 320.0])
def test_arm_that_comes_in_behind_a_sweep_is_not_taken_for_it(behind_mm: float) -> None:
    (swept,) = watched(sweep(2.0, 0.6), visit(2.3, 1000.0 - behind_mm))

    assert swept.t == pytest.approx(2.3, abs=0.1)


def test_arm_that_comes_in_right_after_a_sweep_has_withdrawn_is_another() -> None:
    swept = sweep(2.0, 0.6)

    def withdrawing(t: float) -> Point | None:
        """Its last sight lies behind the regions."""
        return (1650.0, 520.0) if 2.6 < t <= 2.7 else swept(t) if t <= 2.6 else None

    (told,) = watched(withdrawing, visit(2.9, 1000.0, stay_s=2.0))

    assert told.t == pytest.approx(2.3, abs=0.1)


def test_arm_that_stops_on_its_way_came_for_something() -> None:
    def stopping(t: float) -> Point | None:
        if not 2.0 <= t <= 4.0:
            return None
        return (float(np.interp(t, [2.0, 2.4, 3.6, 4.0], [300.0, 1000.0, 1000.0, 1700.0])), 720.0)

    assert watched(stopping) == []
    assert len(watched(stopping, is_sure=False)) == 1


def test_place_that_an_arm_has_just_left_is_no_second_arm() -> None:
    arm, watch = sweep(2.0, 0.5), SweepWatch(REGIONS, GRID, SIZE_MM)
    told: list[RegionsSwept] = []
    for t in np.arange(0.0, 6.0, LOOK_S):
        now, before = cover_of((arm,), float(t)), cover_of((arm,), float(t) - LOOK_S)
        moving = now.hands | before.hands
        change = replace(now.change, moving=moving, foreground=moving)
        told += watch.update(Cover(GRID, change, np.zeros(GRID.shape_hw, bool)), [], calm_since_t=None)
    assert len(told) == 1


def test_arm_from_the_seats_is_not_told() -> None:
    assert watched(sweep(2.0, 1.0), from_top=False) == []


@pytest.mark.parametrize(
    ("growth", "entry", "is_sure"),
    [
        pytest.param(-1, (900.0, -60.0), False, id="the arm took chips"),
        pytest.param(1, (900.0, -60.0), False, id="it put chips"),
        pytest.param(0, (900.0, -60.0), True, id="nothing changed"),
        pytest.param(1, (900.0, 1050.0), True, id="a player put chips"),
    ],
)
def test_sweep_under_which_stacks_changed_is_sure_only_where_another_arm_did_it(
    growth: int, entry: Point, *, is_sure: bool
) -> None:
    change = StacksChanged(
        region="4", t=2.6, t_earliest=2.4, t_latest=2.9, before=(), after=(), growth=growth, entries_mm=(entry,) * 4
    )

    told = {sure: len(watched(sweep(2.0, 1.0), changes={3.2: change}, is_sure=sure)) for sure in (True, False)}
    assert told == {is_sure: 1, not is_sure: 0}


def test_sweep_waits_until_all_is_told_of_stacks_but_not_for_ever() -> None:
    watch, told = SweepWatch(REGIONS, GRID, SIZE_MM), []
    for t in np.arange(0.0, 9.0, LOOK_S):
        news = watch.update(cover_of((sweep(2.0, 1.0),), float(t)), [], calm_since_t=2.5)
        told += [(float(t), one) for one in news]
        if 3.5 < t < 2.0 + CALM_LOOKS_S:
            assert watch.waiting_since_t() == pytest.approx(2.0, abs=0.2)

    ((noticed, swept),) = told
    assert noticed == pytest.approx(swept.t_ended + CALM_LOOKS_S, abs=0.2)
    assert watch.waiting_since_t() is None


def test_arm_that_came_for_one_place_is_soon_waited_for_no_more() -> None:
    watch = SweepWatch(REGIONS, GRID, SIZE_MM)
    waits = []
    for t in np.arange(0.0, 4.0, LOOK_S):
        watch.update(cover_of((visit(1.0, 500.0, 3.0),), float(t)), [], calm_since_t=None)
        waits.append((float(t), watch.waiting_since_t()))

    assert {wait for t, wait in waits if t < 0.95 or t > 1.9} == {None}


def test_without_regions_nothing_is_looked_for() -> None:
    watch = SweepWatch({}, GRID, SIZE_MM)

    assert watch.update(cover_of((sweep(0.0, 1.0),), 0.5), [], calm_since_t=None) == []
