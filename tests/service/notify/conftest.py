"""A database of its own for every test, made from the schema, and a clock that only moves on request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import HandClock
from tests.service.stores import bare_database
from thirdcard.service.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()
