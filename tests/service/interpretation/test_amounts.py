"""Chips become amounts: reported where they are sure, else as bounds."""

from __future__ import annotations

import pytest

from thirdcard.service.interpretation.chip_values import NOTHING, UNKNOWN, Amount, Amounts, amount_after
from thirdcard.vision.observations import Stack, StacksChanged

VALUES = (5, 25, 100, 500)


def stack(counts: dict[int, float], faces: dict[int, float]) -> Stack:
    return Stack(
        at_mm=(0.0, 0.0),
        height_mm=3.3,
        count=1.0,
        counts=tuple(counts.get(n, 0.0) for n in range(1, 9)),
        faces=tuple(faces.get(value, 0.0) for value in VALUES),
    )


def change(before: tuple[Stack, ...] | None, after: tuple[Stack, ...], growth: int | None) -> StacksChanged:
    return StacksChanged(
        region="a", t=1.0, t_earliest=0.9, t_latest=1.1, before=before, after=after, growth=growth, entries_mm=()
    )


ONE_100 = stack({1: 1.0}, {100: 1.0})


@pytest.mark.parametrize(
    ("stacks", "low", "high", "told"),
    [
        pytest.param((ONE_100,), 100, 100, 100, id="one chip"),
        pytest.param((ONE_100, ONE_100), 200, 200, 200, id="two stacks of one"),
        pytest.param((stack({3: 1.0}, {500: 1.0}),), 1500, 1500, 1500, id="below the largest kind lie its like"),
        pytest.param((stack({3: 1.0}, {25: 1.0}),), 75, 1025, None, id="below a small chip may lie larger ones"),
        pytest.param((stack({1: 0.6, 2: 0.4}, {100: 1.0}),), 100, 600, None, id="one or two"),
        pytest.param((stack({1: 1.0}, {25: 0.5, 100: 0.5}),), 25, 100, None, id="either kind"),
        pytest.param((stack({1: 0.99, 4: 0.01}, {100: 0.995, 5: 0.005}),), 100, 100, 100, id="sure enough"),
        pytest.param((stack({1: 0.97, 4: 0.03}, {100: 1.0}),), 100, 1600, None, id="not sure enough"),
    ],
)
def test_amount_of_stacks_that_came(stacks: tuple[Stack, ...], low: int, high: int, told: int | None) -> None:
    amount = amount_after(change((), stacks, 1), NOTHING, VALUES)
    assert isinstance(amount, Amount)
    assert (amount.low, amount.high, amount.told) == (low, high, told)


def test_amount_of_a_stack_that_grew_adds_to_what_it_was_worth() -> None:
    two = stack({2: 1.0}, {100: 1.0})
    amount = amount_after(
        change((stack({1: 1.0}, {25: 1.0}),), (two,), 1), Amount(low=25, high=25, sureness=1.0), VALUES
    )
    assert isinstance(amount, Amount)
    assert amount.told == 125


def test_amount_of_a_stack_that_shrank_is_below_what_it_was_worth() -> None:
    three, two = stack({3: 1.0}, {5: 1.0}), stack({2: 1.0}, {5: 1.0})
    amount = amount_after(change((three,), (two,), -1), Amount(low=105, high=110), VALUES)
    assert amount == Amount(low=10, high=105)


@pytest.mark.parametrize("missing", ["counts", "faces"])
def test_amount_of_chips_that_were_not_read_is_unknown(missing: str) -> None:
    unread = stack({1: 1.0} if missing == "faces" else {}, {})
    unread = Stack(at_mm=(0.0, 0.0), height_mm=3.3, count=1.0, counts=unread.counts if missing == "faces" else ())
    assert amount_after(change((), (ONE_100, unread), 1), NOTHING, VALUES) is UNKNOWN


def test_amounts_that_are_doubtful_are_doubtful_together() -> None:
    doubtful = Amount(low=100, high=100, sureness=0.985)
    assert doubtful.told == 100
    assert (doubtful + doubtful).told is None


def test_amounts_go_on_from_what_was_told_last() -> None:
    amounts = Amounts(VALUES)
    two = stack({2: 1.0}, {5: 1.0})
    assert amounts.change(change((), (ONE_100,), 1)) == (NOTHING, Amount(low=100, high=100, sureness=1.0))
    before, after = amounts.change(change((ONE_100,), (two,), 1))
    assert (before.told, after.told) == (100, 105)
    before, after = amounts.change(change((two,), (), -1))
    assert (before.told, after) == (105, NOTHING)


def test_amount_of_chips_that_lay_there_from_the_beginning_is_unknown() -> None:
    before, after = Amounts(VALUES).change(change(None, (ONE_100,), None))
    assert before is UNKNOWN
    assert after.told == 100
