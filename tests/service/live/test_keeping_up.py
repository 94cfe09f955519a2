"""On a machine that has too much to do: fewer frames, evenly, and a rest that is said where they are too few."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from service.live.camera import Shot
from service.live.keeping_up import AT_ONCE, LATE, RELAPSE, RESTS, Stamina, thinned
from tests.service.store.conftest import NOW

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


def look(stamina: Stamina, moments: list[float], *, missed_each: int) -> bool:
    """Look at these moments, so many frames passed over before each; whether it ever was too few."""
    return any(stamina.is_spent(t, number * missed_each) for number, t in enumerate(moments))


def every(seconds: float, *, lasting_s: float = 12.0) -> list[float]:
    return [number * seconds for number in range(int(lasting_s / seconds))]


def test_a_third_of_the_frames_is_enough_if_they_lie_evenly() -> None:
    assert not look(Stamina(), every(0.33), missed_each=4)


@pytest.mark.parametrize("moments", [every(0.5), [*every(0.1, lasting_s=2.0), 3.1], [0.0, 9.0]])
def test_too_few_looks_are_noticed(moments: list[float]) -> None:
    assert look(Stamina(), moments, missed_each=7)


@pytest.mark.parametrize("moments", [every(0.5), [*every(0.1, lasting_s=2.0), 3.1], [0.0, 9.0]])
def test_a_camera_that_sends_little_is_no_overload(moments: list[float]) -> None:
    assert not look(Stamina(), moments, missed_each=0)


def test_looks_from_before_a_rest_do_not_count() -> None:
    stamina = Stamina()
    stamina.is_spent(0.0, 0)
    stamina.begin()
    assert not stamina.is_spent(9.0, 100)


def test_rests_grow_until_one_was_enough() -> None:
    stamina, now, lengths = Stamina(), NOW, []
    for _ in range(len(RESTS) + 1):
        stamina.rest(now)
        lengths.append(stamina.remaining(now))
        now += lengths[-1] + RELAPSE / 2
    assert lengths == [*RESTS, RESTS[-1]]
    stamina.rest(now + RELAPSE)
    assert stamina.remaining(now + RELAPSE) == RESTS[0]


def test_nobody_rests_who_was_not_told_to() -> None:
    assert not Stamina().remaining(NOW)
    stamina = Stamina()
    stamina.rest(NOW)
    assert not stamina.remaining(NOW + RESTS[0])
