"""What is asked of the system before it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from thirdcard.vision.video.read_ahead import AHEAD_BYTES, PIECE_BYTES, ReadAhead


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """From where to where it was asked to read, in order."""
    wishes: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "posix_fadvise", lambda _, start, length, __: wishes.append((start, start + length)))
    return wishes


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "film").write_bytes(b"film")
    return str(tmp_path / "film")


def test_all_that_comes_is_asked_for_once_and_in_order(path: str, asked: list[tuple[int, int]]) -> None:
    step = PIECE_BYTES // 3
    with ReadAhead(path) as ahead:
        for at_bytes in range(1000, 1000 + 20 * step, step):
            ahead.reached(at_bytes)
            assert asked[-1][1] > at_bytes + AHEAD_BYTES - PIECE_BYTES
    assert asked[0][0] == 1000
    assert [begin for begin, _ in asked[1:]] == [end for _, end in asked[:-1]]


def test_after_a_jump_it_goes_on_from_there(path: str, asked: list[tuple[int, int]]) -> None:
    with ReadAhead(path) as ahead:
        ahead.reached(0)
        for far in (10 * AHEAD_BYTES, AHEAD_BYTES):
            asked.clear()
            ahead.reached(far)
            assert asked[0][0] == far


def test_where_nothing_is_known_nothing_is_asked(tmp_path: Path, path: str, asked: list[tuple[int, int]]) -> None:
    with ReadAhead(path) as ahead:
        ahead.reached(None)
    with ReadAhead(str(tmp_path / "missing")) as ahead:
        ahead.reached(0)
    assert asked == []


def test_where_the_system_takes_no_wishes_nothing_is_opened(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fadvise")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("opened for nothing"))
    with ReadAhead(path) as ahead:
        ahead.reached(0)


def test_this_system_takes_the_wishes(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wish, taken = os.posix_fadvise, []

    def ask(file: int, start: int, length: int, advice: int) -> None:
        wish(file, start, length, advice)
        taken.append(start)

    monkeypatch.setattr(os, "posix_fadvise", ask)
    with ReadAhead(path) as ahead:
        ahead.reached(0)
    assert len(taken) == AHEAD_BYTES // PIECE_BYTES
