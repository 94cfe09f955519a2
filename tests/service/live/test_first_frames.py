"""The first frames of a live source are dated by the first that had to be waited for."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.service.store.conftest import NOW
from thirdcard.service.live.first_frames import HELD_FRAMES, LONGEST, FirstFrames

Came = tuple[float, float, float]
"""Stream time, arrival in seconds after the opening, and the wait before it."""


def dated(came: list[Came]) -> tuple[int, list[float]]:
    """After how many frames the moments were known, and these, in seconds after the opening."""
    opening = FirstFrames(NOW)
    for number, (t, at, waited_s) in enumerate(came, 1):
        arrived = NOW + timedelta(seconds=at)
        known = opening.take(cast(Any, SimpleNamespace(t=t)), arrived, waited_s)
        if known is not None:
            clock, held = known
            return number, [(clock.moment(frame.t, arrived) - NOW).total_seconds() for frame, _ in held]
    return 0, []


def test_frames_that_came_at_once_were_filmed_before() -> None:
    kept = [(0.1 * n, 0.001 * n, 0.0) for n in range(20)]
    number, moments = dated([*kept, (2.0, 0.1, 0.08)])
    assert number == 21
    assert moments[0] == pytest.approx(-1.9, abs=0.01)
    assert moments[-1] == pytest.approx(0.1, abs=0.01)


def test_a_source_that_kept_nothing_is_known_with_its_second_frame() -> None:
    number, moments = dated([(0.0, 1.5, 1.5), (0.1, 1.6, 0.09)])
    assert number == 2
    assert moments == pytest.approx([1.5, 1.6], abs=0.01)


def test_frames_are_held_for_a_while_and_no_longer() -> None:
    slow_decoding = [(0.1 * n, 0.11 * n, 0.0) for n in range(40)]
    number, moments = dated(slow_decoding)
    assert number == pytest.approx(LONGEST.total_seconds() / 0.11, abs=2.5)
    assert moments[-1] == pytest.approx(0.1 * (number - 1), abs=0.01)


def test_of_much_that_was_kept_the_newest_is_held() -> None:
    kept = [(0.1 * n, 0.001 * n, 0.0) for n in range(100)]
    assert len(dated([*kept, (10.0, 0.2, 0.1)])[1]) == HELD_FRAMES
