"""How many chips lay in a region before a change and after it."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.service.interpretation.chip_values import chip_counts
from thirdcard.vision.chips.change_direction import MOST_CHIPS, USUAL_CHIPS
from thirdcard.vision.observations import Stack, StacksChanged

SCALE = 0.8
"""Of the error of a count, chips."""


def stack(chips: float, *, x_mm: float = 0.0, counted: bool = True, scale: float = SCALE) -> Stack:
    """One that looks as if it had so many chips."""
    n = np.arange(1, MOST_CHIPS + 1)
    shares = np.exp(-np.abs(n - chips) / scale - n / USUAL_CHIPS)
    counts = tuple((shares / shares.sum()).tolist())
    return Stack(at_mm=(x_mm, 0.0), height_mm=3.4 * chips, count=chips if counted else None, counts=counts)


def changed(before: tuple[Stack, ...] | None, after: tuple[Stack, ...], growth: int | None = None) -> StacksChanged:
    return StacksChanged(
        region="s3-banker",
        t=1.0,
        t_earliest=0.5,
        t_latest=1.5,
        before=before,
        after=after,
        growth=growth,
        entries_mm=(),
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(changed((), (stack(3.2),), 1), (0, 3), id="placed"),
        pytest.param(changed((stack(3.2),), (), -1), (3, 0), id="taken"),
        pytest.param(changed(None, (stack(3.2),)), (None, 3), id="not-seen-before"),
        pytest.param(changed((stack(3.0),), (stack(4.0, counted=False),), 1), (3, None), id="too-small-to-count"),
        pytest.param(changed((stack(5.0),), (stack(5.4),), 1), (5, 6), id="one-more-that-hardly-shows"),
        pytest.param(changed((stack(1.0),), (stack(1.0),), -1), (2, 1), id="one-stays"),
        pytest.param(
            changed((stack(4.0), stack(2.0, x_mm=60)), (stack(4.0), stack(3.0, x_mm=60)), 1), (6, 7), id="two-stacks"
        ),
    ],
)
def test_counts(change: StacksChanged, told: tuple[int | None, int | None]) -> None:
    assert chip_counts(change) == told


def test_what_one_sight_says_badly_the_other_sight_of_the_stack_tells() -> None:
    """One sight is far off, and says so."""
    assert chip_counts(changed((stack(5.0, scale=3.0),), (stack(3.0),), 1)) == (2, 3)
    assert chip_counts(changed((stack(2.4, scale=0.3),), (stack(17.0, scale=20.0),), 1)) in [(2, 3), (2, 4)]


def test_wager_that_is_paid_beside_stands_there_as_before() -> None:
    before, after = (stack(4.0),), (stack(6.0, scale=3.0), stack(4.0, x_mm=60))
    assert chip_counts(changed(before, after, 1)) == (4, 8)
    assert chip_counts(changed(after, before, -1)) == (8, 4)


def test_number_that_likely_is_more_than_one_off_is_not_told() -> None:
    unclear = (stack(9.0, scale=9.0),)

    assert chip_counts(changed((), unclear, 1)) == (0, None)
    assert chip_counts(changed(unclear, (), -1)) == (None, 0)


def test_numbers_that_say_which_way_a_stack_grew_are_told_however_unsure() -> None:
    grown = changed((stack(4.0),), (stack(4.0), stack(9.0, x_mm=60, scale=9.0)), 1)

    before, after = chip_counts(grown)

    assert before is not None
    assert after is not None
    assert before < after
    assert chip_counts(grown, tell_direction=False) == (4, None)
