"""What is laid before the camera of a new table: a row of the house's chips, its deck spread out; and what is noted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.service.cameras.onvif_camera import PASSWORD, USER, onvif_camera
from tests.service.cli.commands.test_enrol_chips import HOUSE, Table
from tests.service.web.errors_of import assert_error
from tests.service.web.guided import FILM, settle, write_picture_film
from tests.service.web.guided import HOUSE as RULES
from tests.service.web.rooms import Seed, TestRoom, a_room
from thirdcard.calibration.chips import load_chips
from thirdcard.datasets.scene.model import CardObject
from thirdcard.rules.game.cards import RANKS
from thirdcard.service.config.table_file import load_table

SUITS = "CDHS"


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_room(tmp_path, seed) as made:
        yield made


@pytest.fixture
def table(room: TestRoom, tmp_path: Path) -> Table:
    """A rendered table, before whose camera N1 is calibrated."""
    (tmp_path / "drawn").mkdir()
    (room.folder / "films").mkdir()
    made = Table(tmp_path / "drawn")
    show(room, made.picture(made.row()))
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    settle(admin, "N1", "cloth", {"name": "mini-7"})
    names = list(made.layout.reference_points)
    places = made.camera.image_from_layout(np.array([made.layout.reference_points[name] for name in names]))
    points = {name: [float(x), float(y)] for name, (x, y) in zip(names, places, strict=True)}
    settle(admin, "N1", "calibration", {"points": points, "is_done": True})
    return made


def show(room: TestRoom, image: np.ndarray) -> None:
    """Let the camera show this from now on."""
    write_picture_film(room.folder / FILM, image)


def spread() -> tuple[CardObject, ...]:
    """A deck face up, side by side, a row for each suit."""
    return tuple(
        CardObject(object_id=rank + suit, card=rank + suit, face_up=True, at_mm=(590.0 + 72 * i, 330.0 + 120 * k))
        for k, suit in enumerate(SUITS)
        for i, rank in enumerate(RANKS)
    )


def test_row_of_chips_is_measured_with_pictures_of_their_faces(room: TestRoom, table: Table) -> None:
    chips = [{"value": chip.value, "name": chip.name} for chip in HOUSE.chips]
    told = settle(room.as_role("admin"), "N1", "chips", {"chips": chips, "is_row": True})
    assert told["draft"]["chips"] == "enrolled"
    measured = load_chips("chips.yaml", room.folder / "new-tables" / "N1")
    for chip, true in zip(measured.chips, HOUSE.chips, strict=True):
        assert (chip.value, chip.name) == (true.value, true.name)
        assert chip.sample_path is not None
        assert chip.sample_path.is_file()


def test_spread_deck_is_enrolled_and_goes_with_the_table(room: TestRoom, table: Table) -> None:
    admin = room.as_role("admin")
    assert_error(admin.post("/api/new-tables/N1/deck", json={}), 422, says="The picture shows no spread")
    show(room, table.picture((), spread()))
    told = admin.post("/api/new-tables/N1/deck", json={}).json()
    assert told["faces"] >= 45, told
    assert told["draft"]["has_deck"]
    settle(admin, "N1", "chips", {"built_in": "house"})
    settle(admin, "N1", "house", {"house": RULES})
    made = admin.post("/api/new-tables/N1/finish", json={})
    assert made.status_code == 201, made.text
    assert load_table(room.folder / "tables" / "N1" / "table.yaml").deck is not None


def test_enrolled_cards_are_dropped_again(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    folder = room.folder / "new-tables" / "N1"
    for name in ("cards.yaml", "cards.npz"):
        (folder / name).write_bytes(b"as if enrolled")
    assert admin.get("/api/new-tables/N1").json()["has_deck"]
    assert admin.delete("/api/new-tables/N1/deck").status_code == 200
    assert not admin.get("/api/new-tables/N1").json()["has_deck"]
    assert sorted(path.name for path in folder.iterdir()) == ["draft.yaml"]


def test_camera_that_answered_tells_its_streams_to_who_signs_in(room: TestRoom) -> None:
    admin = room.as_role("admin")
    with onvif_camera() as camera:
        asked = {"service": camera.service, "user": USER, "password": PASSWORD}
        told = admin.post("/api/new-tables/streams", json=asked).json()
        wrong = admin.post("/api/new-tables/streams", json={**asked, "password": "other"})
    assert told["streams"][0]["address"] == "rtsp://10.0.0.9/main?channel=1"
    assert told["streams"][0]["size_px"] == [3840, 2160]
    assert told["clock_off_s"] > 60
    assert_error(wrong, 422, says="refuses user or password")
    assert PASSWORD not in wrong.text
    elsewhere = {"service": "file:///etc/passwd", "user": "a"}
    assert_error(
        admin.post("/api/new-tables/streams", json=elsewhere), 422, field="service", says="must begin with http"
    )
    assert room.as_role("supervisor").post("/api/new-tables/streams", json=elsewhere).status_code == 403


def test_what_is_settled_of_a_table_is_noted_in_the_audit(room: TestRoom, table: Table) -> None:
    admin = room.as_role("admin")
    settle(admin, "N1", "chips", {"built_in": "house"})
    settle(admin, "N1", "house", {"house": RULES})
    admin.delete("/api/new-tables/N1")
    acts = admin.get("/api/audit", params={"action": "new_table"}).json()["items"]
    steps = ["begun", "camera", "cloth", "calibration", "chips", "house", "dropped"]
    assert [act["action"] for act in reversed(acts)] == [f"new_table.{step}" for step in steps]
    assert {act["target"] for act in acts} == {"table:N1"}
