"""One process at a time watches a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from thirdcard.service.live.table_lock import WatchedElsewhereError, watching_alone


def test_table_that_is_watched_is_refused_and_free_again_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "B07.lock"
    with watching_alone(path, lambda: True) as is_mine:
        assert is_mine
        with (
            pytest.raises(WatchedElsewhereError, match=r"B07\.lock: another process watches this table"),
            watching_alone(path, lambda: True, patience_s=0),
        ):
            pass
    with watching_alone(path, lambda: True, patience_s=0) as is_mine:
        assert is_mine


def test_process_that_nobody_wants_any_more_does_not_wait(tmp_path: Path) -> None:
    path = tmp_path / "B07.lock"
    with watching_alone(path, lambda: True), watching_alone(path, lambda: False) as is_mine:
        assert not is_mine
