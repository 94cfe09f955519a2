"""A database of its own for each test, and rooms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.databases import url_of
from tests.service.web.rooms import Seed, TestRoom, a_room, sow
from thirdcard.service.store.database import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "figures.db"))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return sow(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_room(tmp_path, seed) as made:
        yield made
