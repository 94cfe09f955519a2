"""A step of the whole print is measured; what moves slowly, or in a few blocks, is none."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.vision.health.print_blocks import COLUMNS, ROWS
from thirdcard.vision.health.print_step import BEFORE, BETWEEN, NOW, STEP_MM, PrintStep, Shifts

INTERVAL_S = 0.2
LOOKS = BEFORE + BETWEEN + NOW


def looks(moved_mm: list[tuple[float, float]], *, seed: int = 1, noise_mm: float = 0.15) -> list[Shifts]:
    """The shifts of all blocks in looks at which the print lies so far from its place: with errors that last, and
    others that do not."""
    dice = np.random.default_rng(seed)
    lasting = dice.normal(0.0, 1.0, (ROWS, COLUMNS, 2))
    return [lasting + dice.normal(0.0, noise_mm, lasting.shape) + np.array(each) for each in moved_mm]


def steps(shifts: list[Shifts]) -> list[float]:
    watch = PrintStep()
    return [watch.update(each, i * INTERVAL_S) for i, each in enumerate(shifts)]


def test_step_is_measured_despite_errors_that_last() -> None:
    found = steps(looks([(0.0, 0.0)] * LOOKS + [(0.6, -0.8)] * NOW))
    assert max(found[:LOOKS]) < STEP_MM
    assert found[-1] == pytest.approx(1.0, abs=0.25)


def test_step_is_dated_from_the_first_looks_that_show_it() -> None:
    watch = PrintStep()
    for i, each in enumerate(looks([(0.0, 0.0)] * LOOKS + [(1.0, 0.0)] * 2)):
        step_mm = watch.update(each, i * INTERVAL_S)
    assert step_mm > STEP_MM
    assert watch.since_t == pytest.approx(LOOKS * INTERVAL_S)


def test_camera_that_sinks_slowly_makes_no_step() -> None:
    found = steps(looks([(0.0, 0.01 * i) for i in range(200)]))
    assert max(found) < STEP_MM


def test_what_moves_in_a_few_blocks_is_no_step() -> None:
    shifts = looks([(0.0, 0.0)] * (2 * LOOKS))
    for each in shifts[LOOKS:]:
        each[:4, :6] += 5.0
    found = steps(shifts)
    assert max(found) < STEP_MM


def test_blocks_under_an_arm_are_left_out_and_too_few_say_nothing() -> None:
    shifts = looks([(0.0, 0.0)] * LOOKS + [(1.0, 0.0)] * NOW)
    for each in shifts:
        each[:5] = np.nan
    found = steps(shifts)
    assert found[-1] == pytest.approx(1.0, abs=0.25)
    for each in shifts[-NOW:]:
        each[:, 1:] = np.nan
        each[7:] = np.nan
    found = steps(shifts)
    assert found[-1] == 0.0


def test_block_that_an_arm_covered_in_some_looks_is_known_by_the_others() -> None:
    shifts = looks([(0.0, 0.0)] * LOOKS + [(1.0, 0.0)] * NOW, noise_mm=0.0)
    for number, each in enumerate(shifts[:LOOKS]):
        each[number % ROWS] = np.nan
        each[1:, number % COLUMNS] = np.nan
    found = steps(shifts)
    assert found[LOOKS - 1] == 0.0
    assert found[-1] == pytest.approx(1.0, abs=1e-9)


def test_nothing_is_compared_with_looks_that_were_forgotten() -> None:
    watch = PrintStep()
    for i, each in enumerate(looks([(0.0, 0.0)] * LOOKS + [(1.0, 0.0)] * LOOKS)):
        if i == LOOKS:
            watch.forget()
        step_mm = watch.update(each, i * INTERVAL_S)
        assert step_mm < STEP_MM
