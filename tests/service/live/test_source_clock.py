"""When a live source's frames were filmed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.service.store.conftest import NOW
from thirdcard.service.live.source_clock import HELD_S, SourceClock, StreamTime
from thirdcard.vision.frames import TICK_S, whole_ticks_s


def moments(arrivals: list[tuple[float, float]]) -> list[float]:
    """Seconds after the opening at which frames were filmed, by stream time and arrival."""
    clock = SourceClock(NOW)
    return [(clock.moment(t, NOW + timedelta(seconds=at)) - NOW).total_seconds() for t, at in arrivals]


def test_what_a_source_kept_is_not_taken_for_news() -> None:
    kept = [(0.1 * n, 0.01 * n) for n in range(20)]
    live = [(2.0 + 0.1 * n, 0.25 + 0.1 * n) for n in range(20)]

    found = moments([*kept, *live])

    assert found == sorted(found)
    assert all(moment <= at + 1e-6 for moment, (_, at) in zip(found, [*kept, *live], strict=True))
    assert found[-1] == pytest.approx(live[-1][1], abs=0.08)


def test_late_frame_is_as_old_as_it_is() -> None:
    assert moments([(0.0, 0.0), (1.0, 1.0), (2.0, 3.5)])[-1] == pytest.approx(2.0, abs=0.01)


def test_source_whose_clock_is_slow_does_not_fall_behind() -> None:
    an_hour = [(float(t), t * 1.0005) for t in range(3600)]
    assert moments(an_hour)[-1] == pytest.approx(an_hour[-1][1], abs=0.01)


def test_source_that_sets_its_clock_back_is_followed() -> None:
    assert moments([(500.0, 500.0), (0.0, 501.0), (1.0, 502.0)])[1:] == pytest.approx([501.0, 502.0], abs=0.01)


FILM_T = [whole_ticks_s(0.1 * n) for n in range(200)]
"""Of ten frames a second."""


@pytest.mark.parametrize("before_s", [0.0, 3.37, 64.0, 86_399.123456])
def test_spans_between_frames_are_those_of_the_film_to_the_last_bit(before_s: float) -> None:
    times = StreamTime()
    found = [times.of(t, before_s + t) for t in FILM_T]
    assert [t - found[0] for t in found] == FILM_T
    assert found[0] == pytest.approx(before_s, abs=TICK_S)


def test_source_whose_delay_changes_is_followed() -> None:
    times = StreamTime()
    delays = [0.0, 0.9 * HELD_S, 3.0, 3.0 - 0.9 * HELD_S]
    found = [times.of(t, t + delay) - t for t, delay in zip(FILM_T, delays, strict=False)]
    assert found == pytest.approx([0.0, 0.0, 3.0, 3.0], abs=TICK_S)
