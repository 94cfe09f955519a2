"""Chips measured by their silhouette, and changes told when the cover lifts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import RegionLook, StackRegion
from thirdcard.vision.chips.standings import Standing
from thirdcard.vision.observations import StacksChanged
from thirdcard.vision.plane.occlusion import Arm

OPTICS = StackOptics(camera_mm=(0.0, 0.0, -2000.0), diameter_mm=40.0, thickness_mm=3.3)


def silhouette(foot_x_mm: float, chips: int, *, optics: StackOptics = OPTICS) -> NDArray[np.float64]:
    """The rectangle round a stack's silhouette on the x axis, by the similar triangles of the docstring."""
    height = chips * optics.thickness_mm
    grown = 2000.0 / (2000.0 - height)
    near, far = foot_x_mm - 20.0, (foot_x_mm + 20.0) * grown
    half = 20.0 * grown
    return np.array([[near, -half], [far, -half], [far, half], [near, half]])


@pytest.mark.parametrize("chips", [1, 2, 5, 10, 20])
def test_measure_finds_foot_and_count(chips: int) -> None:
    stack, _ = OPTICS.measure(silhouette(700.0, chips))
    assert stack.at_mm[0] == pytest.approx(700.0, abs=0.5)
    assert stack.count == pytest.approx(chips, abs=0.05)


def test_measure_under_the_camera_tells_no_count() -> None:
    stack, _ = OPTICS.measure(silhouette(30.0, 4))
    assert stack.count is None


def test_measure_without_a_pose_tells_neither_height_nor_count() -> None:
    stack, _ = StackOptics(camera_mm=None, diameter_mm=40.0, thickness_mm=3.3).measure(silhouette(700.0, 4))
    assert stack.height_mm is None
    assert stack.count is None


def standing(*stacks: tuple[float, int]) -> Standing:
    measured = [OPTICS.measure(silhouette(x, chips)) for x, chips in stacks]
    return Standing(stacks=tuple(m[0] for m in measured), lengths_mm=tuple(m[1] for m in measured))


class Play:
    """Plays looks of one region, ten a second."""

    def __init__(self, first: Standing) -> None:
        self.region, self.t, self.told = StackRegion("s1-player"), 0.0, list[StacksChanged]()
        self.look(first, looks=6)

    def look(
        self,
        shown: Standing,
        *,
        covered: bool = False,
        looks: int = 1,
        entry: float | None = None,
        is_in_sight: bool = False,
    ) -> None:
        for _ in range(looks):
            point = (500.0, entry) if entry is not None else None
            arm = None if point is None else Arm(point, point)
            look = RegionLook(t=self.t, standing=shown, covered=covered, arm=arm, is_in_sight=is_in_sight)
            self.told += self.region.update(look)
            self.t = round(self.t + 0.1, 3)

    def after_cover(self, shown: Standing) -> StacksChanged | None:
        """Covers the region for half a second, then shows it."""
        self.look(standing(), covered=True, looks=5, entry=900.0)
        self.look(shown, looks=6)
        return self.told[-1] if self.told else None


def test_region_that_starts_empty_tells_nothing() -> None:
    assert Play(standing()).told == []


def test_region_that_starts_with_chips_tells_that_before_is_unknown() -> None:
    (change,) = Play(standing((700, 3))).told
    assert change.before is None
    assert len(change.after) == 1


def test_chips_placed_under_a_cover_are_told_with_the_cover_s_times() -> None:
    play = Play(standing())
    change = play.after_cover(standing((700, 3)))
    assert change is not None
    assert (change.before, len(change.after), change.growth) == ((), 1, 1)
    assert change.t_earliest == pytest.approx(0.6)
    assert change.t_earliest < change.t < change.t_latest
    assert change.entries_mm == ((500.0, 900.0),) * 5


@pytest.mark.parametrize(
    ("gap_s", "earliest_t"),
    [pytest.param(0.1, 0.7, id="the usual time between looks"), pytest.param(8.0, 0.5, id="nobody looked")],
)
def test_hand_that_is_there_after_a_gap_may_have_come_in_it(gap_s: float, earliest_t: float) -> None:
    play = Play(standing((700, 3)))
    play.t = round(play.t + gap_s, 3)
    change = play.after_cover(standing())
    assert change is not None
    assert change.t_earliest == pytest.approx(earliest_t)


def test_print_that_is_taken_for_chips_now_and_then_delays_a_change_by_a_second_at_most() -> None:
    play = Play(standing())
    play.look(standing(), covered=True, looks=5, entry=900.0)
    for _ in range(4):
        play.look(standing((700, 3)), looks=2)
        play.look(standing((700, 3), (760, 1)))
    (change,) = play.told
    assert len(change.after) == 1
    assert change.t_latest == pytest.approx(1.1)


def test_stack_beside_one_that_is_overlooked_for_three_looks_is_no_stack_that_was_carried() -> None:
    play = Play(standing((700, 1)))
    play.look(standing((700, 1)), covered=True, looks=5, entry=900.0)
    play.look(standing((743, 1)), looks=3)
    play.look(standing((700, 1), (743, 1)), looks=4)
    change = play.told[-1]
    assert (len(change.after), change.growth) == (2, 1)


@pytest.mark.parametrize(
    ("before", "after", "growth"),
    [
        pytest.param([(700, 3)], [], -1, id="removed"),
        pytest.param([(700, 3)], [(700, 8)], 1, id="raised"),
        pytest.param([(700, 9)], [(700, 3)], -1, id="reduced"),
        pytest.param([(700, 3)], [(700, 3), (745, 2)], 1, id="stack-added-beside"),
        pytest.param([(700, 3)], [(735, 3)], 0, id="pushed-aside"),
    ],
)
def test_change_is_told_with_its_direction(
    before: list[tuple[float, int]], after: list[tuple[float, int]], growth: int
) -> None:
    play = Play(standing(*before))
    change = play.after_cover(standing(*after))
    assert change is not None
    assert change.growth == growth


def test_hand_that_touches_nothing_is_told_as_no_growth() -> None:
    play = Play(standing((700, 3)))
    change = play.after_cover(standing((702, 3)))
    assert change is not None
    assert change.growth == 0


def test_detector_that_misses_a_stack_without_a_cover_tells_nothing() -> None:
    play = Play(standing((700, 3)))
    told = len(play.told)
    play.look(standing(), looks=5)
    assert len(play.told) == told


def test_unsettled_only_while_a_cover_was_not_resolved() -> None:
    play = Play(standing((700, 3)))
    assert play.region.unsettled_since_t is None
    play.look(standing(), covered=True)
    assert play.region.unsettled_since_t == pytest.approx(play.t - 0.1)
    play.look(standing((700, 3)), looks=6)
    assert play.region.unsettled_since_t is None


def paid_and_taken(*, seen_for: int, in_sight: bool) -> list[StacksChanged]:
    """A dealer's hand puts a stack beside a wager, and before the cover lifts the player's takes both."""
    play = Play(standing((700, 3)))
    play.told = []
    play.look(standing((700, 3)), covered=True, looks=2, entry=0.0)
    play.look(standing((700, 3), (745, 3)), covered=True, looks=seen_for, entry=0.0, is_in_sight=in_sight)
    play.look(standing(), covered=True, looks=5, entry=900.0)
    play.look(standing(), looks=6)
    return play.told


def test_winner_taken_at_once_after_it_was_paid_is_two_changes() -> None:
    paid, taken = paid_and_taken(seen_for=4, in_sight=True)
    assert (paid.growth, len(paid.before or ()), len(paid.after)) == (1, 1, 2)
    assert (taken.growth, len(taken.before or ()), len(taken.after)) == (-1, 2, 0)
    assert [stack.count for stack in (*paid.after, *(taken.before or ()))] == [None] * 4
    assert {entry[1] for entry in paid.entries_mm if entry} == {0.0}
    assert sum(entry[1] == 900.0 for entry in taken.entries_mm if entry) == 5
    assert paid.t_earliest < paid.t < paid.t_latest < taken.t_earliest < taken.t < taken.t_latest


@pytest.mark.parametrize(
    ("seen_for", "in_sight"),
    [pytest.param(2, True, id="too-short"), pytest.param(4, False, id="under-the-hand")],
)
def test_chips_that_hardly_showed_under_a_cover_are_not_told(seen_for: int, in_sight: bool) -> None:
    (change,) = paid_and_taken(seen_for=seen_for, in_sight=in_sight)
    assert (change.growth, len(change.before or ()), len(change.after)) == (-1, 1, 0)


def test_payment_that_came_and_went_beside_a_wager_that_stayed_is_two_changes() -> None:
    play = Play(standing((700, 3)))
    play.told = []
    play.look(standing((700, 3), (745, 3)), covered=True, looks=4, is_in_sight=True)
    play.look(standing((700, 3)), covered=True, looks=3)
    play.look(standing((700, 3)), looks=6)
    assert [change.growth for change in play.told] == [1, -1]


def test_print_that_passed_for_a_stack_is_taken_out_without_a_hand() -> None:
    play = Play(standing((700, 3), (800, 2)))
    at = np.array(play.told[0].after[0].at_mm)
    (gone,) = play.region.forget_print([at], play.t)
    assert gone.was_print
    assert gone.before is not None
    assert (len(gone.before), len(gone.after), gone.growth, gone.entries_mm) == (2, 1, -1, ())
    assert play.region.forget_print([at], play.t) == ()
    assert play.after_cover(standing((800, 2))) is not None
    assert play.told[-1].growth == 0


def test_print_under_a_hand_is_waited_for() -> None:
    play = Play(standing((700, 3)))
    at = np.array(play.told[0].after[0].at_mm)
    play.look(standing(), covered=True, looks=5, entry=900.0)
    assert play.region.forget_print([at], play.t) == ()
