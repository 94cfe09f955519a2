"""A database of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.service.databases import url_of
from thirdcard.service.store.database import Database, open_database

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()
