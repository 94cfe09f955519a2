"""Processes of a review end when they are no longer wanted, whatever they do."""

from __future__ import annotations

import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from service.review.worker import worker_pool

LONG_S = 600.0
PATIENCE_S = 60.0


def nothing() -> None:
    """Done at a process's beginning."""


def work(at: Path) -> None:
    """Begin, and go on for long."""
    at.touch()
    time.sleep(LONG_S)


def test_processes_end_amid_their_work_when_somebody_stops_the_review(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), worker_pool(1, nothing) as pool:
        for number in range(3):
            pool.submit(work, tmp_path / str(number))
        until = time.monotonic() + PATIENCE_S
        while not (tmp_path / "0").exists() and time.monotonic() < until:
            time.sleep(0.05)
        raise KeyboardInterrupt
    until = time.monotonic() + PATIENCE_S
    while active_children() and time.monotonic() < until:
        time.sleep(0.05)
    assert active_children() == []
    assert [path.name for path in tmp_path.iterdir()] == ["0"]
