"""Tables watched by actors: what is killed with its actor or its node is watched again elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.live.test_supervisor import play
from tests.service.review.ray_floor import RayFloor
from thirdcard.service.cluster.ray_cluster import joined
from thirdcard.service.live.ray_tables import RayTable
from thirdcard.service.live.supervisor import Supervisor
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import Message, TableStatus, Written

pytest.importorskip("ray", reason="needs the extra `fleet`")

PATIENCE_S = 120.0


def wait_for(told: list[Message], is_it: Callable[[Message], bool], heard: int = 0) -> int:
    """Wait for a message from a place on; gives its place."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for n in range(heard, len(told)):
            if is_it(told[n]):
                return n
        time.sleep(0.05)
    raise AssertionError(f"nobody reported it: {told[-3:]}")


def is_playing(message: Message) -> bool:
    """Whether the table is watched."""
    return isinstance(message, TableStatus) and message.camera == "playing"


def is_down(message: Message) -> bool:
    """Whether it is not, and why is reported."""
    return isinstance(message, TableStatus) and message.camera == "down" and bool(message.fault)


def test_table_is_watched_again_when_its_actor_is_killed_and_when_its_node_is_lost(tmp_path: Path) -> None:
    told: list[Message] = []
    with RayFloor() as floor, joined(floor.address):
        supervisor = Supervisor(tmp_path, now_utc, told.append, play, timedelta(seconds=60), RayTable)
        supervisor.start({"A": tmp_path / "A.yaml"})
        first = wait_for(told, is_playing)
        supervisor.nudge("A")
        wait_for(told, lambda message: isinstance(message, Written), first)
        assert floor.kill_worker("ray::TableActor") is not None
        down = wait_for(told, is_down, first)
        second = wait_for(told, is_playing, down)
        floor.lose_node_of("ray::TableActor")
        down = wait_for(told, is_down, second)
        third = wait_for(told, is_playing, down)
        supervisor.stop()
    processes = {message.t for message in (told[first], told[second], told[third]) if isinstance(message, TableStatus)}
    assert len(processes) == 3
