"""A house of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.databases import url_of
from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.sealed_house import SealedHouse, make_house
from thirdcard.service.store.database import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(url_of(tmp_path / "room.db"))
    yield opened
    opened.close()


@pytest.fixture
def house(database: Database, tmp_path: Path) -> SealedHouse:
    return make_house(database, tmp_path, HandClock(NOON))
