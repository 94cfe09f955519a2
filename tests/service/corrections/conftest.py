"""A room with a reviewed shift."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.service.recorded_shifts import RecordedShift, enter_shift
from tests.service.web.rooms import NOON, Seed, TestRoom, a_room, sow


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Seed:
    return sow(tmp_path_factory.mktemp("seed"))


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The shipped recording, reviewed; three rounds, an exposed card in the first and a late bet in the third."""

    room: TestRoom
    shift: RecordedShift

    def correct(self, which: int, change: dict[str, Any], role: str = "operator") -> Any:
        """Correct the round at an index; returns the response."""
        body = {"why": "seen on the video"} | change
        return self.room.as_role(role).post(f"/api/rounds/{self.shift.rounds[which]}/corrections", json=body)

    def take_back(self, number: int, role: str = "operator") -> Any:
        """Take a correction back; returns the response."""
        return self.room.as_role(role).post(f"/api/corrections/{number}/take-back", json={"why": "I was wrong"})

    def round(self, which: int) -> dict[str, Any]:
        """A round from the API."""
        body: dict[str, Any] = self.room.as_role("viewer").get(f"/api/rounds/{self.shift.rounds[which]}").json()
        return body

    def line(self, which: int, **facts: Any) -> int:
        """The number of the first line of a round with these values."""
        return next(
            int(line["line"]) for line in self.round(which)["log"] if all(line.get(k) == v for k, v in facts.items())
        )

    def alerts(self) -> dict[str, list[str]]:
        """The states of all alerts by code, oldest first."""
        items = self.room.as_role("viewer").get("/api/alerts").json()["items"][::-1]
        found: dict[str, list[str]] = {}
        for item in items:
            found.setdefault(item["code"], []).append(item["state"])
        return found

    def found(self, **query: str) -> list[int]:
        """The indices of the rounds that a search finds."""
        answer = self.room.as_role("viewer").get("/api/rounds", params=query).json()
        return sorted(self.shift.rounds.index(item["id"]) for item in answer["items"])


@pytest.fixture
def reviewed(tmp_path: Path, seed: Seed) -> Iterator[Reviewed]:
    with a_room(tmp_path, seed) as room:
        yield Reviewed(room, enter_shift(room.database, NOON))
