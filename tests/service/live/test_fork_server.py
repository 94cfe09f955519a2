"""Tables' processes are forked from one that has imported their program; where that fails they start by themselves."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeGuard

import pytest

from thirdcard.service.live import fork_server
from thirdcard.service.live.fork_server import begin_process
from thirdcard.service.live.supervisor import Supervisor
from thirdcard.service.live.table_start import TABLE_PROCESS
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import Message, Stop, TableStatus

PATIENCE_S = 60.0
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="there is a fork server on Linux only")


def tell_parent(_home: Path, _table_file: Path, service: Connection) -> None:
    """Report the parent's id, and whether the table's program was there from the beginning."""
    service.send((os.getppid(), TABLE_PROCESS in sys.modules))


def tell_parent_until_stopped(_home: Path, table_file: Path, service: Connection) -> None:
    """Report the id of the parent that started it as the table's time, again and again.

    A process that outlives its parent for a moment gets another one; that one is not reported.
    """
    parent = os.getppid()
    while True:
        at = "2026-11-21T20:00:00.000Z"
        service.send(TableStatus(table_id=table_file.stem, at=at, t=parent, camera="playing"))
        if service.poll(0.05) and isinstance(service.recv(), Stop):
            return


def told_by_process(folder: Path) -> tuple[int, bool]:
    """What a new process reports; it has ended when this returns."""
    ours, theirs = multiprocessing.Pipe()
    process = begin_process(tell_parent, folder, folder / "A.yaml", theirs)
    assert ours.poll(PATIENCE_S)
    parent, has_program = ours.recv()
    process.join(PATIENCE_S)
    assert process.exitcode == 0
    assert theirs.closed
    return parent, has_program


@ON_LINUX
def test_processes_are_forked_from_one_with_their_program(tmp_path: Path) -> None:
    parents = {told_by_process(tmp_path) for _ in range(2)}

    ((parent, has_program),) = parents
    assert parent != os.getpid()
    assert has_program


def test_process_that_cannot_be_forked_starts_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_fds: list[int]) -> tuple[int, int]:
        raise ConnectionRefusedError

    monkeypatch.setattr(forkserver, "connect_to_new_process", refuse)

    assert told_by_process(tmp_path) == (os.getpid(), False)


def test_processes_start_by_themselves_where_there_is_no_fork_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "HAS_FORK_SERVER", False)

    assert told_by_process(tmp_path) == (os.getpid(), False)


@ON_LINUX
def test_fork_server_that_cannot_start_is_logged_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse() -> None:
        raise FileNotFoundError(2, "No usable temporary directory")

    monkeypatch.setattr(forkserver, "ensure_running", refuse)

    fork_server.start_fork_server()

    assert "No usable temporary directory" in caplog.text


@ON_LINUX
def test_tables_are_watched_again_when_the_fork_server_is_killed(tmp_path: Path) -> None:
    told: list[Message] = []
    supervisor = Supervisor(tmp_path, now_utc, told.append, tell_parent_until_stopped)
    supervisor.start({name: tmp_path / f"{name}.yaml" for name in ("A", "B")})
    try:
        first = wait_for_parents(told, {"A", "B"}, other_than=0)
        os.kill(first, signal.SIGKILL)
        second = wait_for_parents(told, {"A", "B"}, other_than=first)
    finally:
        supervisor.stop()

    assert second != os.getpid()


def wait_for_parents(told: list[Message], tables: set[str], *, other_than: int) -> int:
    """The one parent of these tables' processes, once all of them have another one than that."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        newest = {message.table_id: int(message.t) for message in told if has_parent(message)}
        if newest.keys() == tables and other_than not in newest.values():
            (parent,) = set(newest.values())
            return parent
        time.sleep(0.02)
    raise AssertionError(f"not all told; the last was {told[-1:]}")


def has_parent(message: Message) -> TypeGuard[TableStatus]:
    return isinstance(message, TableStatus) and message.camera == "playing"


@ON_LINUX
def test_program_starts_no_thread_but_those_of_linear_algebra() -> None:
    script = f"import os, sys, {TABLE_PROCESS}; print('onnxruntime' in sys.modules, len(os.listdir('/proc/self/task')))"
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=alone, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1"]
