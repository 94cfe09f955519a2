"""A house of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import HandClock
from tests.service.tables.set_ups import House, write_table
from thirdcard.service.config.data_folder import Home


@pytest.fixture
def empty_house(tmp_path: Path) -> Iterator[House]:
    """A house without tables."""
    home = Home(tmp_path / "home")
    home.make()
    database = home.open_database({})
    yield House(home, database, HandClock())
    database.close()


@pytest.fixture
def house(empty_house: House) -> House:
    """A house with the table B07, whose files were placed by hand; the service has started once."""
    write_table(empty_house.home, "B07")
    empty_house.acts("files").begin()
    return empty_house
