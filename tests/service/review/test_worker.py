"""Processes of a review: how they begin, and that they end when they are no longer wanted, whatever they do."""

from __future__ import annotations

import os
import platform
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from thirdcard.service.review.worker import worker_pool

LONG_S = 600.0
PATIENCE_S = 60.0
LARGE_MB = 64


def nothing() -> None:
    """Done at a process's beginning."""


def work(at: Path) -> None:
    """Begin, and go on for long."""
    at.touch()
    time.sleep(LONG_S)


def large_pages_mb() -> float:
    """How much of a large piece of memory lies in large pages."""
    before_mb = _large_mb()
    piece = bytearray(LARGE_MB << 20)
    return _large_mb() - before_mb if piece else 0.0


def _large_mb() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("AnonHugePages:"))


def has_large_pages() -> bool:
    """Whether this system gives them to who asks, and its C library knows how to."""
    library, version = platform.libc_ver()
    setting = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    is_known = library == "glibc" and tuple(int(part) for part in version.split(".")) >= (2, 35)
    return is_known and setting.is_file() and "[never]" not in setting.read_text(encoding="ascii")


def tunables() -> str | None:
    """How a process was set up for its memory as it began."""
    return os.environ.get("GLIBC_TUNABLES")


@pytest.mark.parametrize("own", [None, "glibc.malloc.arena_max=1"])
def test_large_pages_are_asked_for_unless_somebody_knows_better(
    own: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", own or "")
    if own is None:
        monkeypatch.delenv("GLIBC_TUNABLES")
    with worker_pool(1, nothing) as pool:
        assert pool.submit(tunables).result() == (own or "glibc.malloc.hugetlb=1")


@pytest.mark.skipif(not has_large_pages(), reason="this system has no large pages")
def test_the_memory_of_pictures_comes_in_large_pages() -> None:
    with worker_pool(1, nothing) as pool:
        assert pool.submit(large_pages_mb).result() > LARGE_MB / 2


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
