"""Chips in a moving hand: what is reported about a stack that it came to, or went away from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.inference.test_stack_change import JUDGING, fate, look_at, seen, settled_at
from thirdcard.vision.chips.change_direction import compared_growth, weighed
from thirdcard.vision.chips.hand_contents import BROUGHT, NEITHER, TAKEN, CarriedChips, Touch, touch_of
from thirdcard.vision.chips.stack_region import StackModels
from thirdcard.vision.detections import CHIPS, Detections

STACK, BANK = (500.0, 300.0), (500.0, 460.0)
TOUCH = Touch(at_mm=STACK, began_t=2.0, touched_t=2.1, ended_t=2.4)


def chips_at(*middles: tuple[float, float], score: float = 0.8) -> Detections:
    square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]], np.float64)
    corners = np.array([square + middle for middle in middles], np.float64).reshape(-1, 4, 2)
    return Detections(corners, np.full(len(middles), CHIPS), np.full(len(middles), score))


def told(
    passing: Sequence[tuple[float, tuple[float, float]]],
    *,
    resting: Sequence[tuple[float, float]] = (STACK, BANK),
    score: float = 0.8,
    touch: Touch = TOUCH,
) -> int | None:
    """What is reported when chips rest at some places and others show in passing."""
    watched = CarriedChips()
    for k in range(30):
        t = 0.1 * k
        shown = [at for when, at in passing if abs(when - t) < 0.01]
        watched.see(chips_at(*resting, *shown, score=score), t)
    return watched.told(touch)


def test_chips_on_their_way_before_the_hand_is_there_are_brought() -> None:
    assert told([(1.9, (500.0, 400.0)), (2.0, (500.0, 345.0))]) == BROUGHT


@pytest.mark.parametrize(("ways_mm", "way"), [((100.0, 40.0), BROUGHT), ((40.0, 100.0), TAKEN)])
def test_chips_that_show_before_and_after_went_the_way_they_were_going(ways_mm: tuple[float, float], way: int) -> None:
    first, last = ways_mm
    assert told([(2.0, (500.0, 300.0 + first)), (2.2, (500.0, 300.0 + last))]) == way


def test_chips_at_the_look_that_shows_the_hand_there_first_went_if_it_was_seen_to_come_without() -> None:
    assert told([(2.1, (500.0, 335.0))]) == TAKEN
    assert told([(2.1, (500.0, 335.0))], touch=replace(TOUCH, began_t=2.1)) == BROUGHT


def test_chips_on_their_way_after_the_hand_was_there_are_taken() -> None:
    assert told([(2.3, (500.0, 345.0)), (2.4, (500.0, 400.0))]) == TAKEN


@pytest.mark.parametrize(
    "passing",
    [
        pytest.param([], id="nothing-moves"),
        pytest.param([(1.9, (500.0, 400.0)), (2.4, (500.0, 400.0))], id="both-ways"),
        pytest.param([(1.9, (500.0, 310.0))], id="at-the-stack-itself"),
        pytest.param([(1.9, (500.0, 450.0))], id="what-rests-there-half-hidden"),
        pytest.param([(1.9, (800.0, 300.0))], id="far-away"),
        pytest.param([(0.9, (500.0, 400.0))], id="long-before"),
    ],
)
def test_what_is_not_on_its_way_to_the_stack_tells_nothing(passing: list[tuple[float, tuple[float, float]]]) -> None:
    assert told(passing) == NEITHER


def test_what_is_hardly_chips_tells_nothing() -> None:
    assert told([(1.9, (500.0, 400.0))], score=0.4) == NEITHER


def test_chips_that_wait_in_a_hand_rest_and_tell_nothing() -> None:
    assert told([(1.5 + 0.1 * k, (500.0, 400.0)) for k in range(5)]) == NEITHER


def test_nothing_was_looked_at_yet() -> None:
    assert CarriedChips().told(TOUCH) is None


def test_looks_that_are_far_apart_do_not_tell_that_a_hand_was_empty() -> None:
    watched = CarriedChips()
    for t in (0.0, 1.0, 2.0, 2.4, 3.0):
        watched.see(chips_at(STACK, BANK), t)
    assert watched.told(TOUCH) is None


def test_cover_in_which_no_arm_is_made_out_does_not_tell_when_it_was_at_the_stack() -> None:
    assert told([(2.3, (500.0, 345.0))], touch=touch_of(STACK, [], began_t=2.0, ended_t=2.4)) is None


def test_what_nobody_could_look_at_leaves_all_as_it_is() -> None:
    assert weighed(fate(0.2, 0.0, 0.6, 0.2), None).tolist() == [0.2, 0.0, 0.6, 0.2]


def test_hand_is_at_a_stack_once_its_tip_is_as_near_as_it_comes() -> None:
    tips = [(2.0, (500.0, 380.0)), (2.1, (500.0, 325.0)), (2.2, (500.0, 318.0)), (2.3, (500.0, 390.0))]

    assert touch_of(STACK, tips, began_t=1.9, ended_t=2.3).touched_t == 2.1
    assert touch_of((500.0, 250.0), tips, began_t=1.9, ended_t=2.3).touched_t == 2.1


@pytest.mark.parametrize(("carried", "way"), [(BROUGHT, 1), (TAKEN, -1)])
def test_chips_in_the_hand_tell_the_direction_that_the_stack_does_not(carried: int, way: int) -> None:
    growth = compared_growth([weighed(fate(0.4, 0.01, 0.3, 0.29), carried)], least_same=0.34)

    assert growth.direction == way
    assert growth.sureness > 0.8


def test_hand_without_chips_makes_a_doubtful_direction_more_doubtful() -> None:
    assert weighed(fate(0.2, 0.0, 0.6, 0.2), NEITHER).tolist() == pytest.approx([1 / 6, 0.0, 0.5, 1 / 3])


def test_hand_that_comes_by_with_chips_changes_no_stack_that_looks_as_before() -> None:
    assert weighed(fate(0.01, 0.97, 0.01, 0.01), BROUGHT)[1] > 0.97


@pytest.mark.parametrize(("carried", "way"), [(BROUGHT, 1), (TAKEN, -1)])
def test_region_asks_what_the_hand_carried(carried: int, way: int) -> None:
    region, asked = settled_at(700.0, JUDGING), list[Touch]()

    def carry(touch: Touch) -> int:
        asked.append(touch)
        return carried

    ask = StackModels(compare=lambda pairs: [fate(0.48, 0.01, 0.48, 0.03)] * len(pairs), carried=carry)
    looks = [look_at(0.7 + 0.1 * k, (seen(700.0, 0),), crops=90) for k in range(6)]
    (change,) = [change for look in looks for change in region.update(look, ask)]

    assert change.growth == way
    assert change.sureness > 0.9
    assert (asked[0].began_t, asked[0].ended_t) == pytest.approx((0.6, 0.6))
    assert asked[0].at_mm == pytest.approx((700.0, asked[0].at_mm[1]))
