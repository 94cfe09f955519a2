"""UDP that loses packets all along is given up for TCP, where the table's file leaves that open."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta

import pytest

from tests.service.store.conftest import NOW
from thirdcard.service.live.door import Door
from thirdcard.service.live.entrance import LEAVE_AT_MOST_EVERY, LOSSY, Entrance

SECOND = timedelta(seconds=1)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def entrance_over(*transports: str) -> tuple[Entrance, Clock]:
    clock = Clock()
    return Entrance("rtsp://h/table", Door(None), clock, deque(transports)), clock


def is_lossy(entrance: Entrance) -> bool:
    return entrance.is_lossy


def test_udp_without_a_sound_picture_is_left_for_tcp() -> None:
    entrance, clock = entrance_over("udp", "tcp")
    entrance.note_sight(is_damaged=True)
    clock.now += LOSSY - SECOND
    entrance.note_sight(is_damaged=True)
    assert not is_lossy(entrance)
    clock.now += SECOND
    assert is_lossy(entrance)
    entrance.note_nothing_sent()
    assert entrance.transports[0] == "tcp"
    assert not is_lossy(entrance)


def test_a_sound_picture_keeps_udp() -> None:
    entrance, clock = entrance_over("udp", "tcp")
    entrance.note_sight(is_damaged=True)
    clock.now += LOSSY - SECOND
    entrance.note_sight(is_damaged=False)
    entrance.note_sight(is_damaged=True)
    clock.now += LOSSY - SECOND
    assert not is_lossy(entrance)


def test_a_camera_that_has_udp_alone_is_seldom_interrupted() -> None:
    entrance, clock = entrance_over("udp", "tcp")
    entrance.note_sight(is_damaged=True)
    clock.now += LOSSY
    entrance.note_nothing_sent()
    entrance.note_nothing_sent()  # TCP is refused
    assert entrance.transports[0] == "udp"
    entrance.note_sight(is_damaged=True)
    clock.now += LEAVE_AT_MOST_EVERY - SECOND
    assert not is_lossy(entrance)
    clock.now += SECOND
    assert is_lossy(entrance)


@pytest.mark.parametrize("transports", [["udp"], ["tcp", "udp"]])
def test_a_set_transport_and_tcp_are_never_left(transports: list[str]) -> None:
    entrance, clock = entrance_over(*transports)
    entrance.note_sight(is_damaged=True)
    clock.now += 10 * LOSSY
    assert not is_lossy(entrance)
