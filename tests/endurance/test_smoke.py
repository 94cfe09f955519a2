"""A small run of each program, with a real service if it needs one."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.endurance import many_entries, sealing_cost
from tests.endurance.begun import judged, watch_from
from tests.endurance.disk import NoDiskError, fill, small_disk
from tests.endurance.ears import NoBrowserError, require_browser
from tests.endurance.kills import run_kills
from tests.endurance.listeners import Heard, faults_of
from tests.endurance.live_room import LiveRoom, free_port, furnish_room
from tests.endurance.load import raise_old_alerts, run_load
from tests.endurance.postgres_server import NoPostgresError, make_postgres
from tests.endurance.rtsp_camera import Cut, Gate, NoCameraError, rtsp_camera
from tests.endurance.shift import Size, run_shift
from tests.repository import DEMO
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import audit
from thirdcard.service.store.database import open_database
from thirdcard.service.store.schema import ChainLine


@contextmanager
def running(room: LiveRoom) -> Iterator[LiveRoom]:
    """Yield the room, and kill what is left of its service at the end."""
    try:
        yield room
    finally:
        if room.process is not None and room.process.poll() is None:
            room.kill_all()


def test_kill_loses_nothing(tmp_path: Path) -> None:
    options = Namespace(kills=1, seed=2, least_s=1.0, most_s=2.0, most_minutes=5.0)
    with running(furnish_room(tmp_path / "room", tables=1)) as room:
        report = run_kills(room, None, options)
    assert report["faults"] == []


def test_watch_that_begins_while_backs_lie_there_finds_the_next_rounds_fault() -> None:
    """The printed slots look like backs, and backs lie on them: on all four at 52 s, on the first two at 65 s."""
    for begun in watch_from(DEMO, [52.0, 65.0], to_t=73.0):
        told = judged(DEMO, begun, to_t=73.0)
        assert not told.false
        assert not told.missed


def test_listeners_are_told_everything_under_load(tmp_path: Path) -> None:
    options = Namespace(listeners=3, rate=10.0, minutes=0.05, slowest_ms=60_000)
    with running(furnish_room(tmp_path / "room", tables=1)) as room:
        database = room.open_database()
        raise_old_alerts(database, room, 20)
        room.start()
        room.wait_until_watched()
        report = run_load(room, database, options)
        database.close()
    assert report["faults"] == []
    assert report["events to each listener"] != {"alerts": 0, "changes": 0}


def test_shift_keeps_its_promises(tmp_path: Path) -> None:
    """Times are not checked here."""
    try:
        require_browser()
    except NoBrowserError as error:
        pytest.skip(str(error))
    tabs = (("/", "/alerts"), ("/tables/L1", "/alerts"))
    size = Size(watched=1, fed=1, faults=3, camera_lines=6, cycle_s=8.0, tabs=tabs, full_s=0.0, within_s=120.0)
    report = run_shift(tmp_path, None, size)
    assert [line for line in report["results"] if not line["is_met"]] == []


def test_listener_that_missed_something_is_found() -> None:
    heard = [Heard("0-0", [1, 2], [1]), Heard("0-0", [2], [1]), Heard("0-0", [1, 2, 2], [1])]
    assert faults_of(heard, [1, 2], [1]) == [
        "listener 2: 1 of 2 alerts, each once in order: True",
        "listener 3: 3 of 2 alerts, each once in order: False",
    ]


@pytest.mark.parametrize("cut", Cut)
def test_gate_cuts_and_opens_again(cut: Cut) -> None:
    with socket.create_server(("127.0.0.1", 0)) as camera:
        gate = Gate(free_port(), camera.getsockname()[1])
        gate.open()
        assert _says(gate, camera) == b"picture"
        gate.close(cut)
        assert _says(gate, camera) is None
        gate.open()
        assert _says(gate, camera) == b"picture"
        gate.close(Cut.REFUSED)


def test_camera_plays_over_the_network() -> None:
    from thirdcard.vision.video.video import VideoReader

    try:
        with rtsp_camera(DEMO / "video.mp4") as camera, VideoReader(camera.url) as video:
            assert next(iter(video)).t == 0.0
            assert len(camera.began) == 1
    except NoCameraError as error:
        pytest.skip(str(error))


def test_full_disk_takes_nothing_more(tmp_path: Path) -> None:
    try:
        with small_disk(tmp_path / "disk", size_mb=2) as disk:
            fill(disk / "ballast")
            with pytest.raises(OSError, match="No space left"):
                (disk / "more").write_bytes(b"one")
    except NoDiskError as error:
        pytest.skip(str(error))


def test_postgres_that_was_killed_comes_back() -> None:
    import psycopg

    folder = Path(tempfile.gettempdir()) / f"thirdcard-postgres-{os.getpid()}"  # PostgreSQL's account can enter it
    try:
        server = make_postgres(folder)
    except NoPostgresError as error:
        pytest.skip(str(error))
    server.start()
    try:
        with psycopg.connect(server.url, autocommit=True) as session:
            session.execute("CREATE TABLE kept AS SELECT 1 AS one")
        server.kill()
        server.start()
        with psycopg.connect(server.url) as session:
            assert session.execute("SELECT one FROM kept").fetchall() == [(1,)]
        _assert_reader_sees_one_moment(server.url)
    finally:
        server.stop()
        shutil.rmtree(folder)


def _assert_reader_sees_one_moment(url: str) -> None:
    """Check that a reading session does not see later writes; else a chain that grows while verified looks broken."""
    database = open_database(url)
    with database.reading() as session:
        before = session.scalar(select(func.count()).select_from(ChainLine))
        with database.writing() as writer:
            audit.note(writer, "boss", "tried", at=now_utc())
        assert session.scalar(select(func.count()).select_from(ChainLine)) == before
    database.close()


def _says(gate: Gate, camera: socket.socket) -> bytes | None:
    """Return what comes through from the camera; None if nothing does."""
    camera.settimeout(1.0)
    try:
        with socket.create_connection(("127.0.0.1", gate.port), timeout=1.0) as client:
            server, _ = camera.accept()
            with server:
                server.sendall(b"picture")
                return client.recv(100) or None
    except OSError:
        return None


def test_cost_of_sealing_is_measured(tmp_path: Path) -> None:
    cost = sealing_cost.measure(tmp_path, sealing_cost.ALL, 1.0, 10.0)
    assert (cost.raised, cost.failed) == (10, 0)
    assert cost.raising_s > 0


def test_house_of_many_entries_is_in_order(tmp_path: Path) -> None:
    home, key = many_entries.fill(tmp_path, 3000)
    assert "thirdcard verify with key and anchors, s" in many_entries.measure(home, key, 3000)
