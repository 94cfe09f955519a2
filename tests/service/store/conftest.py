"""A database of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from thirdcard.service.store.database import Database, open_database, sqlite_url

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(sqlite_url(tmp_path / "room.db"))
    yield opened
    opened.close()
