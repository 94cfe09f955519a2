"""A room of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.web.rooms import Seed, TestRoom, a_room, sow


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return sow(tmp_path_factory.mktemp("seed"))


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_room(tmp_path, seed) as made:
        yield made
