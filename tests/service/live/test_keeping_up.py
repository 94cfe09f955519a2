"""On a machine that has too much to do: fewer frames, evenly, and a rest that is said where they are too few."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.service.store.conftest import NOW
from thirdcard.service.live.camera import Shot
from thirdcard.service.live.load_shedding import AT_ONCE, BREATH, LATE, RELAPSE, RESTS, Stamina, Strain, thinned

FRAME = cast(Any, SimpleNamespace())


def shots_of(count: int, *, rate_hz: float = 10.0) -> list[Shot]:
    return [Shot(NOW + timedelta(seconds=number / rate_hz), FRAME, NOW) for number in range(count)]


def test_all_frames_are_looked_at_in_time() -> None:
    shots = shots_of(5)
    assert thinned(shots, shots[0].at + LATE) == shots
    assert thinned([], NOW) == []


@pytest.mark.parametrize("count", range(1, 21))
def test_who_is_late_looks_evenly_and_at_the_newest(count: int) -> None:
    shots = shots_of(count)
    chosen = thinned(shots, shots[0].at + 2 * LATE)
    assert len(chosen) <= AT_ONCE
    assert chosen[-1] is shots[-1]
    assert len({later.at - earlier.at for earlier, later in pairwise(chosen)}) <= 1
    assert chosen[0].at - shots[0].at < timedelta(seconds=count / AT_ONCE / 10.0)


def strains(stamina: Stamina, moments: list[float], *, missed_each: int) -> list[Strain]:
    """Look at these moments, so many frames passed over before each; how it stood, where it was strained."""
    noted = [stamina.note(t, number * missed_each, NOW + timedelta(seconds=t)) for number, t in enumerate(moments)]
    return [strain for strain in noted if strain is not Strain.NONE]


def every(seconds: float, *, lasting_s: float = 12.0) -> list[float]:
    return [number * seconds for number in range(int(lasting_s / seconds))]


def test_a_third_of_the_frames_is_enough_if_they_lie_evenly() -> None:
    assert not strains(Stamina(), every(0.33), missed_each=4)


HUNG = [*every(0.1, lasting_s=2.0), 3.1]


@pytest.mark.parametrize("moments", [every(0.5), HUNG, [0.0, 9.0]])
def test_too_few_looks_are_noticed_and_may_be_a_stall_at_first(moments: list[float]) -> None:
    assert strains(Stamina(), moments, missed_each=7)[0] is Strain.STALL


@pytest.mark.parametrize("moments", [every(0.5), HUNG, [0.0, 9.0]])
def test_a_camera_that_sends_little_is_no_overload(moments: list[float]) -> None:
    assert not strains(Stamina(), moments, missed_each=0)


def test_looks_that_stay_too_few_are_an_overload() -> None:
    assert strains(Stamina(), every(0.5, lasting_s=6.0), missed_each=7) == [Strain.STALL, Strain.OVERLOAD]


@pytest.mark.parametrize(("later_s", "second"), [(20.0, Strain.OVERLOAD), (90.0, Strain.STALL)])
def test_a_stall_long_after_another_is_one_again(later_s: float, second: Strain) -> None:
    moments = [*HUNG, *(later_s + t for t in HUNG)]
    noted = strains(Stamina(), moments, missed_each=1)
    assert noted[0] is Strain.STALL
    assert noted[-1] is second


def test_looks_from_before_a_rest_do_not_count() -> None:
    stamina = Stamina()
    assert stamina.note(0.0, 0, NOW) is Strain.NONE
    stamina.begin()
    assert stamina.note(9.0, 100, NOW) is Strain.NONE


def test_too_few_looks_soon_after_a_rest_are_an_overload_at_once() -> None:
    stamina = Stamina()
    stamina.rest(NOW - RESTS[0])
    assert strains(stamina, HUNG, missed_each=7)[0] is Strain.OVERLOAD


def test_rests_grow_until_one_was_enough() -> None:
    stamina, now, lengths = Stamina(), NOW, []
    for _ in range(len(RESTS) + 1):
        stamina.rest(now)
        lengths.append(stamina.remaining(now))
        now += lengths[-1] + RELAPSE / 2
    assert lengths == [*RESTS, RESTS[-1]]
    stamina.rest(now + RELAPSE)
    assert stamina.remaining(now + RELAPSE) == RESTS[0]


def test_a_breath_is_no_rest_that_makes_the_next_one_longer() -> None:
    stamina = Stamina()
    stamina.take_breath(NOW)
    assert stamina.remaining(NOW) == BREATH
    stamina.rest(NOW)
    assert stamina.remaining(NOW) == RESTS[0]


def test_nobody_rests_who_was_not_told_to() -> None:
    assert not Stamina().remaining(NOW)
    stamina = Stamina()
    stamina.rest(NOW)
    assert not stamina.remaining(NOW + RESTS[0])
