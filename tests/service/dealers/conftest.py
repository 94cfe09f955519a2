"""A database of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.stores import bare_database
from thirdcard.service.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = bare_database(tmp_path / "store.sqlite")
    yield made
    made.close()
