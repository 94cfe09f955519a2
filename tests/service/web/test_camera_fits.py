"""A camera that was moved: what people are shown, and putting the new calibration into the set-up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.service.tables.set_ups import write_table
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import Seed, TestRoom, a_room
from tests.vision.printed_cloth import turned
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.place_folder import CameraFitFacts, PlaceFolder
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.stills import save_picture
from thirdcard.service.tables.table_acts import TableActs

FACTS = CameraFitFacts(
    at="2026-05-04T12:00:00Z", text="the camera was moved", moved_mm=18.2, within_mm=0.2, is_used=False
)
ADDRESS = "/api/tables/B07/camera-fit"


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    """A room whose table B07 has a set-up."""
    with a_room(tmp_path, seed) as made:
        write_table(Home(tmp_path), "B07")
        TableActs(home=Home(tmp_path), database=made.database, now=made.clock, who="files").begin()
        yield made


@pytest.fixture
def moved(room: TestRoom) -> TestRoom:
    """Its camera was moved."""
    table = load_table(room.folder / "tables" / "B07" / "table.yaml")
    folder = PlaceFolder(Home(room.folder).place("B07"))
    folder.offer(table, turned(table.cameras[0].calibration, (0.0, 0.0, 0.4), (0.0, 0.0, 0.0)), FACTS)
    for which in ("before", "after"):
        save_picture(folder.picture(which), np.full((20, 30, 3), 90, np.uint8))
    return room


def test_nothing_is_told_of_a_camera_that_was_not_moved(room: TestRoom) -> None:
    for address in (ADDRESS, f"{ADDRESS}/before.jpg"):
        assert_error(room.as_role("viewer").get(address), 404)
    assert_error(room.as_role("admin").post(f"{ADDRESS}/accept", json={}), 404)
    page = room.as_role("admin").get("/settings/tables/B07", headers={"Accept": "text/html"}).text
    assert "The camera was moved" not in page


def test_fit_is_shown_and_put_into_the_set_up(moved: TestRoom) -> None:
    assert moved.as_role("viewer").get(ADDRESS).json()["moved_mm"] == 18.2
    assert moved.as_role("viewer").get(f"{ADDRESS}/after.jpg").headers["content-type"] == "image/jpeg"
    assert_error(moved.as_role("viewer").get(f"{ADDRESS}/other.jpg"), 404)
    page = moved.as_role("admin").get("/settings/tables/B07", headers={"Accept": "text/html"}).text
    assert "The camera was moved" in page and f"{ADDRESS}/before.jpg" in page

    assert_error(moved.as_role("supervisor").post(f"{ADDRESS}/accept", json={}), 403)
    assert moved.as_role("admin").post(f"{ADDRESS}/accept", json={}).json()["version"] == 2
    (change,) = moved.as_role("admin").get("/api/tables/B07/setup").json()["changes"]
    assert change["name"] == "overhead.yaml"
    assert_error(moved.as_role("viewer").get(ADDRESS), 404)
