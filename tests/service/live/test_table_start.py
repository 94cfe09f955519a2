"""A table's process: what gives way in it, and what does not."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import subprocess
import sys
import threading
from concurrent.futures import Executor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from thirdcard.service.live import table_start
from thirdcard.service.live.table_start import NICENESS, TABLE_PROCESS, start_table

PATIENCE_S = 60.0


def run_table(_home: Path, _table_file: Path, service: Connection, writer: Executor) -> None:
    """Stands for the table's own: reports the niceness of its thread and of the one that writes."""
    service.send((niceness(), writer.submit(niceness).result()))


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def start_stand_in(home: Path, table_file: Path, service: Connection) -> None:
    """A table's process that runs the function above."""
    table_start.TABLE_PROCESS = __name__
    start_table(home, table_file, service)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere niceness is no thread's")
def test_table_gives_way_but_the_thread_that_writes_does_not(tmp_path: Path) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=start_stand_in, args=(tmp_path, tmp_path / "A.yaml", theirs)
    )
    process.start()
    assert ours.poll(PATIENCE_S)
    watching, writing = ours.recv()
    process.join(PATIENCE_S)

    assert process.exitcode == 0
    assert writing == niceness()
    assert watching == max(niceness(), NICENESS)


def test_thread_of_another_process_keeps_its_priority(tmp_path: Path) -> None:
    ours, theirs = multiprocessing.Pipe()
    before = niceness()
    thread = threading.Thread(target=start_stand_in, args=(tmp_path, tmp_path / "A.yaml", theirs))
    try:
        thread.start()
        thread.join(PATIENCE_S)
    finally:
        table_start.TABLE_PROCESS = TABLE_PROCESS

    assert ours.recv() == (before, before)


def test_nothing_large_is_imported_before_the_process_gives_way() -> None:
    script = "import sys; import thirdcard.service.live.table_start; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"sqlalchemy", "cv2", "numpy", "av"} & set(done.stdout.split())


def test_body_of_the_process_is_where_it_is_looked_for() -> None:
    assert callable(importlib.import_module(TABLE_PROCESS).run_table)
