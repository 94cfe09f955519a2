"""The supervisor: a table's process that dies, fails or hangs is started again, and its state is reported."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from thirdcard.service.live.fork_server import begin_process
from thirdcard.service.live.supervisor import FALLS, Body, Running, Supervisor
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import (
    Failed,
    Message,
    Nudge,
    Renew,
    Rest,
    Stop,
    Strained,
    TableStatus,
    Unwatched,
    Written,
)

PATIENCE_S = 60.0


def play(_home: Path, table_file: Path, service: Connection) -> None:
    """Tells that it lives, answers a nudge, and stops when told."""
    if table_file.name == "broken.yaml":
        service.send(Failed(table_id="?", reason="broken.yaml: rulebook = x; must be a rulebook"))
        raise SystemExit(1)
    while True:
        state = TableStatus(table_id=table_file.stem, at="2026-11-21T20:00:00.000Z", t=os.getpid(), camera="playing")
        service.send(state)
        if not service.poll(0.05):
            continue
        order = service.recv()
        if isinstance(order, Nudge):
            service.send(Written(table_id=table_file.stem, lines=1))
        if isinstance(order, Stop):
            return


def strain(_home: Path, table_file: Path, service: Connection) -> None:
    """Asks to rest until it may, and tells that it does."""
    while True:
        service.send(Strained(table_id=table_file.stem))
        if not service.poll(0.05):
            continue
        order = service.recv()
        if isinstance(order, Rest):
            service.send(Written(table_id=table_file.stem, lines=1))
            service.recv()
        return


def start_slowly(home: Path, table_file: Path, service: Connection) -> None:
    """Leaves a file while it starts, and tells how many others did so meanwhile."""
    mine = home / f"{table_file.stem}.starting"
    mine.touch()
    time.sleep(0.3)
    starting = len(list(home.glob("*.starting")))
    mine.unlink()
    service.send(Written(table_id=table_file.stem, lines=starting))
    while not (service.poll(0.05) and isinstance(service.recv(), Stop)):
        pass


def hang(_home: Path, table_file: Path, service: Connection) -> None:
    """Says one thing and falls silent, deaf to everything."""
    service.send(TableStatus(table_id=table_file.stem, at="2026-11-21T20:00:00.000Z", t=os.getpid(), camera="playing"))
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


@dataclass
class Room:
    """A supervisor, and all that it told."""

    home: Path
    told: list[Message] = field(default_factory=list)
    heard: int = 0
    """So many of them were looked at."""
    supervisor: Supervisor | None = None

    def start(
        self,
        *names: str,
        body: Callable[[Path, Path, Connection], None] = play,
        silent_s: float = 30,
        at_once: int | None = None,
    ) -> None:
        silent = timedelta(seconds=silent_s)
        self.supervisor = Supervisor(self.home, now_utc, self.told.append, body, silent, at_once=at_once)
        self.supervisor.start({name: self.home / f"{name}.yaml" for name in names})

    def wait(self, what: Callable[[Message], bool]) -> Message:
        """The next message like that."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for message in self.told[self.heard :]:
                self.heard += 1
                if what(message):
                    return message
            time.sleep(0.02)
        raise AssertionError(f"never told; the last was {self.told[-1:]}")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    opened = Room(tmp_path)
    yield opened
    if opened.supervisor is not None:
        opened.supervisor.stop()


def is_playing(table_id: str) -> Callable[[Message], bool]:
    return lambda told: isinstance(told, TableStatus) and (told.table_id, told.camera) == (table_id, "playing")


def is_down(told: Message) -> bool:
    return isinstance(told, TableStatus) and told.camera == "down"


def test_killed_process_is_told_and_started_again_and_the_others_do_not_notice(room: Room) -> None:
    room.start("A", "B")
    room.wait(is_playing("A"))
    other = room.wait(is_playing("B"))
    assert room.supervisor is not None
    killed = room.supervisor.pid_of("A")
    assert killed is not None

    os.kill(killed, signal.SIGKILL)

    down = room.wait(is_down)
    assert isinstance(down, TableStatus)
    assert (down.table_id, down.fault) == ("A", "its process ended with status -9")
    again = room.wait(is_playing("A"))
    assert isinstance(again, TableStatus)
    assert isinstance(other, TableStatus)
    assert again.t != killed
    assert room.supervisor.pid_of("B") == other.t


def test_tables_start_one_after_the_other_where_one_at_a_time_may(room: Room) -> None:
    room.start("A", "B", "C", body=start_slowly, at_once=1)

    started = [room.wait(lambda told: isinstance(told, Written)) for _ in range(3)]

    assert started == [Written(table_id=table_id, lines=1) for table_id in ("A", "B", "C")]


def test_table_that_cannot_be_watched_says_why(room: Room) -> None:
    room.start("broken")

    down = room.wait(is_down)

    assert isinstance(down, TableStatus)
    assert down.fault == "broken.yaml: rulebook = x; must be a rulebook"


def test_process_that_the_system_does_not_start_is_reported_and_tried_again(tmp_path: Path) -> None:
    told: list[Message] = []
    refusals = iter([OSError(11, "Resource temporarily unavailable")])

    def begin(body: Body, home: Path, table_file: Path, theirs: Connection) -> Running:
        for refusal in refusals:
            raise refusal
        return begin_process(body, home, table_file, theirs)

    room = Room(tmp_path, told, supervisor=Supervisor(tmp_path, now_utc, told.append, play, begin=begin))
    assert room.supervisor is not None
    room.supervisor.start({"A": tmp_path / "A.yaml"})
    try:
        down = room.wait(is_down)
        room.wait(is_playing("A"))
    finally:
        room.supervisor.stop()

    assert isinstance(down, TableStatus)
    assert down.fault == "its process cannot be started: Resource temporarily unavailable"


def test_process_that_ends_again_and_again_is_told_as_unwatched(room: Room) -> None:
    room.start("broken")

    told = room.wait(lambda message: isinstance(message, Unwatched))

    assert isinstance(told, Unwatched)
    assert (told.table_id, told.times, told.reason) == (
        "broken",
        FALLS,
        "broken.yaml: rulebook = x; must be a rulebook",
    )
    assert len([message for message in room.told if is_down(message)]) >= FALLS


def test_silent_process_is_killed_and_started_again(room: Room) -> None:
    room.start("A", body=hang, silent_s=1)

    down = room.wait(is_down)

    assert isinstance(down, TableStatus)
    assert down.fault == "its process hung and was killed"
    room.wait(is_playing("A"))


def test_silent_process_is_waited_for_while_the_machine_runs_others(room: Room) -> None:
    began, lasting_s = time.monotonic(), 3.0
    room.start("A", body=hang, silent_s=1)
    assert room.supervisor is not None
    room.supervisor.kept_waiting_s = lambda _pid: min(time.monotonic() - began, lasting_s)

    room.wait(is_down)

    assert time.monotonic() - began > lasting_s


def test_nudge_reaches_the_table(room: Room) -> None:
    room.start("A")
    room.wait(is_playing("A"))
    assert room.supervisor is not None

    room.supervisor.nudge("A")

    written = room.wait(lambda told: isinstance(told, Written))
    assert written == Written(table_id="A", lines=1)


def test_tables_that_have_too_much_to_do_rest_one_after_the_other(room: Room) -> None:
    room.start("A", "B", body=strain)

    first = room.wait(lambda told: isinstance(told, Written))
    second = room.wait(lambda told: isinstance(told, Written))

    assert {first.table_id, second.table_id} == {"A", "B"}
    between = room.told[room.told.index(first) : room.told.index(second)]
    assert Strained(table_id=second.table_id) in between, "it asked in vain while the other's turn was new"


def round_under_way(_home: Path, table_file: Path, service: Connection) -> None:
    """Tells with which file it plays, and leaves for another one when somebody ends its round."""
    is_renewed = False
    while True:
        service.send(TableStatus(table_id="A", at="2026-11-21T20:00:00.000Z", t=os.getpid(), camera=table_file.stem))
        if service.poll(0.05):
            order = service.recv()
            is_renewed = is_renewed or isinstance(order, Renew)
            if isinstance(order, Stop) or (isinstance(order, Nudge) and is_renewed):
                return


def plays_with(name: str) -> Callable[[Message], bool]:
    return lambda told: isinstance(told, TableStatus) and told.camera == name


def test_another_set_up_is_taken_when_the_round_is_over_and_the_others_do_not_notice(room: Room) -> None:
    room.start("one", "two", body=round_under_way)
    assert room.supervisor is not None
    room.wait(plays_with("one"))
    room.wait(plays_with("two"))
    supervisor, (first, other) = room.supervisor, (room.supervisor.pid_of("one"), room.supervisor.pid_of("two"))

    supervisor.watch("one", room.home / "three.yaml")
    supervisor.watch("one", room.home / "four.yaml")
    for _ in range(5):
        room.wait(plays_with("one"))
    assert (supervisor.wanted()["one"].name, supervisor.running()["one"].name) == ("four.yaml", "one.yaml")
    assert supervisor.pid_of("one") == first
    supervisor.nudge("one")

    room.wait(plays_with("four"))
    assert supervisor.wanted() == supervisor.running()
    assert supervisor.pid_of("one") != first
    assert supervisor.pid_of("two") == other
    assert not any(is_down(told) for told in room.told)


def test_table_comes_and_goes_beside_another(room: Room) -> None:
    room.start("A")
    assert room.supervisor is not None
    room.wait(is_playing("A"))
    first = room.supervisor.pid_of("A")
    room.supervisor.watch("B", room.home / "B.yaml")
    room.wait(is_playing("B"))
    room.supervisor.unwatch("B")
    deadline = time.monotonic() + PATIENCE_S
    while "B" in room.supervisor.running() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert room.supervisor.wanted().keys() == room.supervisor.running().keys() == {"A"}
    room.supervisor.nudge("B")
    assert room.supervisor.pid_of("B") is None
    assert room.supervisor.pid_of("A") == first
    assert not any(is_down(told) for told in room.told)


def test_table_that_does_not_leave_is_killed_and_begins_anew(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.live.supervisor.ROUND_ENDS", timedelta())
    monkeypatch.setattr("thirdcard.service.live.supervisor.STOP_S", 0.2)
    room.start("A", body=play)
    assert room.supervisor is not None
    first = room.wait(is_playing("A"))
    assert isinstance(first, TableStatus)
    room.supervisor.watch("A", room.home / "C.yaml")
    again = room.wait(is_playing("C"))
    assert isinstance(again, TableStatus)
    assert again.t != first.t


def test_table_whose_process_is_down_takes_another_set_up_at_once(room: Room) -> None:
    room.start("broken")
    assert room.supervisor is not None
    room.wait(is_down)
    room.supervisor.watch("broken", room.home / "A.yaml")
    room.wait(is_playing("A"))
