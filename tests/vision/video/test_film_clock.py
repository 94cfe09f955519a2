"""A film's clock, mended where the stamps tell how: each kind of fault that recorders and cameras show."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from thirdcard.vision.video.film_clock import WRAPS_TICKS, ClockFault, FilmClock, MendedStamp, Stamp

TICKS_PER_S = 90_000
STEP = 6_000
EVEN = [n * STEP for n in range(60)]
HOUR = 3600 * TICKS_PER_S


def mended(readings: Sequence[int | None], *, rate_hz: float | None = 15) -> list[MendedStamp]:
    clock = FilmClock(Fraction(1, TICKS_PER_S), rate_hz=rate_hz)
    told = [stamp for reading in readings for stamp in clock.take(Stamp(reading, reading))]
    return told + clock.end()


def steps(told: Sequence[MendedStamp]) -> set[int]:
    return {after.decode - before.decode for before, after in pairwise(told)}


@pytest.mark.parametrize(
    ("readings", "fault"),
    [
        pytest.param(EVEN, None, id="even"),
        pytest.param([*EVEN[:30], EVEN[30] + HOUR, *EVEN[31:]], ClockFault.STAMP, id="one far ahead"),
        pytest.param([*EVEN[:30], 0, *EVEN[31:]], ClockFault.STAMP, id="one of 0"),
        pytest.param([*EVEN[:30], *(n + HOUR for n in EVEN[30:35]), *EVEN[35:]], ClockFault.STAMP, id="five far ahead"),
        pytest.param([*EVEN[:59], 10**9], ClockFault.STAMP, id="the last far ahead"),
        pytest.param([*EVEN[:30], *EVEN[:30]], ClockFault.SET, id="back to 0"),
        pytest.param([*EVEN[:30], *(n + HOUR for n in EVEN[30:])], ClockFault.SET, id="an hour forward"),
        pytest.param([*(n + HOUR for n in EVEN[:30]), *EVEN[30:]], ClockFault.SET, id="an hour back"),
        pytest.param([0, *(n + 10 * HOUR for n in EVEN)], ClockFault.SET, id="0 before the true ones"),
        pytest.param([(n - EVEN[30]) % WRAPS_TICKS[0] for n in EVEN], None, id="33 bits wrap"),
        pytest.param([None] * 40, None, id="no stamps"),
        pytest.param([n if i % 7 else None for i, n in enumerate(EVEN)], None, id="some without a stamp"),
        pytest.param(EVEN[:30] + [(7**i) % 10**9 for i in range(30)], ClockFault.CHAOS, id="chaos"),
    ],
)
def test_clock_runs_evenly_whatever_the_stamps_say(readings: list[int | None], fault: ClockFault | None) -> None:
    told = mended(readings)
    assert len(told) == len(readings)
    assert steps(told) == {STEP}
    assert not any(stamp.gap for stamp in told)
    told_faults = {stamp.fault for stamp in told} - {None}
    assert fault in told_faults if fault else not told_faults


def test_group_that_is_missing_behind_the_first_picture_is_a_gap() -> None:
    """Without the key frame the first stamp alone would be wrong."""
    clock = FilmClock(Fraction(1, TICKS_PER_S), rate_hz=15)
    stamps = [0, *(n + 30 * STEP for n in EVEN)]
    told = [each for i, n in enumerate(stamps) for each in clock.take(Stamp(n, n, is_key=i < 2))] + clock.end()
    assert [stamp.fault for stamp in told if stamp.fault] == []
    assert (told[1].decode, told[-1].decode) == (30 * STEP, stamps[-1])


@pytest.mark.parametrize("missing_s", [2, 20, 600])
def test_film_that_is_missing_is_a_gap_and_time_goes_on_behind_it(missing_s: int) -> None:
    told = mended([*EVEN[:30], *(n + missing_s * TICKS_PER_S for n in EVEN[30:])])
    assert [stamp.gap for stamp in told if stamp.gap] == [missing_s * TICKS_PER_S]
    assert told[-1].decode == EVEN[-1] + missing_s * TICKS_PER_S


def test_missing_picture_in_a_steady_film_is_a_hole() -> None:
    told = mended([n for i, n in enumerate(EVEN) if i not in (40, 41)])
    assert [stamp.hole for stamp in told if stamp.hole] == [2 * STEP]


def test_missing_picture_in_an_uneven_film_is_none() -> None:
    uneven = [n * STEP + (n % 2) * STEP * 2 // 3 for n in range(60)]
    assert not any(stamp.hole for stamp in mended([n for i, n in enumerate(uneven) if i not in (40, 41)]))


@pytest.mark.parametrize("step_s", [1, 5])
def test_few_frames_a_second_are_no_gaps(step_s: int) -> None:
    told = mended([n * step_s * TICKS_PER_S for n in range(30)], rate_hz=None)
    assert steps(told) == {step_s * TICKS_PER_S}
    assert not any(stamp.gap or stamp.fault for stamp in told)


def test_rate_gives_the_times_where_there_are_none() -> None:
    assert steps(mended([None] * 20, rate_hz=7.5)) == {2 * STEP}


def test_picture_shown_long_after_it_is_decoded_is_wrong_where_it_is_alone() -> None:
    clock = FilmClock(Fraction(1, TICKS_PER_S), rate_hz=15, is_reordered=True)
    stamps = [Stamp(n, n + (HOUR if i == 30 else 2 * STEP)) for i, n in enumerate(EVEN)]
    told = [stamp for each in stamps for stamp in clock.take(each)] + clock.end()
    assert {(stamp.show or 0) - stamp.decode for stamp in told} == {2 * STEP}


def test_packets_that_were_swapped_leave_the_clock_as_it_was() -> None:
    told = mended([*EVEN[:15], *EVEN[30:32], *EVEN[17:60]])
    assert told[-1].decode == EVEN[-1]
    assert not any(stamp.fault for stamp in told)
