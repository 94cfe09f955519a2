"""A new table step by step over the API: each step kept by itself, bad input refused in words, nothing half saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.calibration.test_charuco import view
from tests.service.web.errors_of import assert_error
from tests.service.web.guided import (
    CHIPS,
    FILM,
    HOUSE,
    demo_sketch,
    place_film,
    settle,
    settle_all,
    true_points,
    write_picture_film,
)
from tests.service.web.rooms import Seed, TestRoom, a_room
from thirdcard.calibration.camera import load_calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.service.cameras.discovery import FoundCamera
from thirdcard.service.config.table_file import load_table
from thirdcard.service.web.demo_room import RECORDING


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_room(tmp_path, seed) as made:
        place_film(made)
        yield made


def files_of(room: TestRoom, table: str = "N1") -> dict[str, bytes]:
    folder = room.folder / "new-tables" / table
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_steps_are_settled_one_by_one_and_end_in_a_watched_table(room: TestRoom) -> None:
    admin = room.as_role("admin")
    settle_all(admin, "N1")
    assert set(admin.get("/api/new-tables/N1").json()["steps"].values()) == {True}
    trial = admin.post("/api/new-tables/N1/trial").json()
    assert trial["fit"], trial["problems"]
    assert {"Player box", "Seat 1 Tie"} <= {area["text"] for area in trial["areas"]}
    made = admin.post("/api/new-tables/N1/finish", json={"why": "by the bar"})
    assert made.status_code == 201, made.text
    table = load_table(room.folder / "tables" / "N1" / "table.yaml")
    assert (table.id, table.rulebook, table.limits.maximum) == ("N1", "nz-secretary", 5000)
    assert Path(table.cameras[0].source).resolve() == (room.folder / FILM).resolve()
    assert admin.get("/api/new-tables").json()["items"] == []
    assert admin.get("/api/tables/N1/setup").json()["state"] == "watched"


def test_left_table_is_taken_up_where_it_was(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    (left,) = room.as_role("admin").get("/api/new-tables").json()["items"]
    assert left["steps"] == {"camera": True, "cloth": False, "calibration": False, "chips": False, "house": False}
    assert admin.get("/api/new-tables/N1/picture").headers["content-type"] == "image/jpeg"
    assert admin.delete("/api/new-tables/N1").status_code == 200
    assert_error(admin.get("/api/new-tables/N1"), 404, says="Nobody has begun a table N1.")


@pytest.mark.parametrize("role", ["viewer", "operator", "supervisor"])
def test_only_an_admin_sets_tables_up(room: TestRoom, role: str) -> None:
    assert room.as_role(role).get("/api/new-tables").status_code == 403
    assert room.as_role(role).post("/api/new-tables", json={"table": "N1"}).status_code == 403


@pytest.mark.parametrize(
    ("source", "words"),
    [
        pytest.param("films/none.mp4", "no such film", id="no film"),
        pytest.param("../../etc/passwd", "must lie in the service's folder", id="a film elsewhere"),
        pytest.param("file:///etc/passwd", "must begin with rtsp://", id="another scheme"),
        pytest.param("rtsp://127.0.0.1:9/stream", "refused", id="a camera that is not there"),
        pytest.param("films/dark.mp4", "too dark|hardly anything is brighter", id="too dark"),
        pytest.param("films/words.mp4", "words.mp4", id="no film at all"),
    ],
)
def test_camera_that_is_of_no_use_is_refused_and_nothing_kept(room: TestRoom, source: str, words: str) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    write_picture_film(room.folder / "films" / "dark.mp4", np.full((720, 1280, 3), 8, np.uint8))
    (room.folder / "films" / "words.mp4").write_text("no film", encoding="utf-8")
    before = files_of(room)
    answer = admin.put("/api/new-tables/N1/camera", json={"source": source})
    assert answer.status_code == 422, answer.text
    assert any(word in answer.json()["error"]["message"] for word in words.split("|")), answer.text
    assert files_of(room) == before


def test_cameras_password_is_kept_and_never_shown(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    body = {"source": "rtsp://127.0.0.1:9/live", "user": "viewer", "password": "sesame"}
    assert "sesame" not in admin.put("/api/new-tables/N1/camera", json=body).text
    settle(admin, "N1", "camera", {"source": FILM})
    path = room.folder / "new-tables" / "N1" / "draft.yaml"
    kept = yaml.safe_load(path.read_text(encoding="utf-8"))
    kept["camera"]["source"] = "rtsp://viewer:sesame@10.0.0.7/live"
    path.write_text(yaml.safe_dump(kept), encoding="utf-8")
    shown = admin.get("/api/new-tables/N1")
    assert shown.json()["camera"] == "rtsp://10.0.0.7/live"
    assert "sesame" not in shown.text


def test_drawn_cloth_is_calibrated_by_its_own_corners(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    told = settle(admin, "N1", "sketch", {"sketch": demo_sketch(), "is_done": True})
    points = told["draft"]["points"]
    assert {"corner top left", "player-box 1"} <= points.keys()
    fit = settle(admin, "N1", "calibration", {"points": points, "is_done": True})
    assert fit["residual_px"] < 3
    drawn = load_calibration(room.folder / "new-tables" / "N1" / "overhead.yaml")
    layout, truth = load_layout("layout.yaml", RECORDING), load_calibration(RECORDING / "overhead.yaml")
    mine = load_layout("layout.yaml", room.folder / "new-tables" / "N1")
    for area in layout.areas:
        seen = truth.image_from_layout(area.polygon_mm)
        off_px = np.linalg.norm(drawn.image_from_layout(mine.area(area.id).polygon_mm) - seen, axis=1)
        assert off_px.max() < 6, area.id


def test_drawn_boxes_that_are_swapped_against_the_words_on_the_cloth_are_told(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    sketch = demo_sketch()
    boxes = [area for area in sketch["areas"] if area["kind"] == "hand"]
    boxes[0]["hand"], boxes[1]["hand"] = boxes[1]["hand"], boxes[0]["hand"]
    points = settle(admin, "N1", "sketch", {"sketch": sketch, "is_done": True})["draft"]["points"]
    fit = settle(admin, "N1", "calibration", {"points": points, "is_done": True})
    assert any("card boxes look swapped" in problem["say"] for problem in fit["problems"]), fit["problems"]


def test_corner_that_two_drawn_areas_share_is_one_point(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    sketch = demo_sketch()
    first, second = sketch["areas"][:2]
    bet = next(area for area in sketch["areas"] if area["kind"] == "wager" and len(area["polygon"]) == 24)
    (left, top), (right, bottom) = first["polygon"][0], first["polygon"][2]
    second["polygon"] = [[right, top], [right + 300, top], [right + 300, bottom], [right, bottom]]
    first["polygon"] = [[left, top], [right, top], [right, bottom], [left, bottom]]
    told = settle(admin, "N1", "sketch", {"sketch": {**sketch, "areas": [first, second, bet]}, "is_done": True})
    assert len(told["draft"]["points"]) == 4 + 4 + 2, told["draft"]["points"].keys()


def bow_tie(sketch: dict[str, Any]) -> None:
    sketch["areas"][0]["polygon"][1:3] = reversed(sketch["areas"][0]["polygon"][1:3])


def overlapping(sketch: dict[str, Any]) -> None:
    sketch["areas"][1]["polygon"] = sketch["areas"][0]["polygon"]


def no_banker(sketch: dict[str, Any]) -> None:
    sketch["areas"] = [area for area in sketch["areas"] if area["hand"] != "banker"]


def three_corners(sketch: dict[str, Any]) -> None:
    sketch["corners_px"].pop()


def in_one_corner(sketch: dict[str, Any]) -> None:
    sketch["corners_px"] = [[10 + n, 10 + n % 2] for n in range(4)]


def twice_one_name(sketch: dict[str, Any]) -> None:
    sketch["areas"][1]["id"] = sketch["areas"][0]["id"]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        pytest.param(bow_tie, "areas.player-box.polygon", id="crossed"),
        pytest.param(overlapping, "overlap", id="overlapping"),
        pytest.param(no_banker, "the banker's card box is missing", id="a box is missing"),
        pytest.param(three_corners, "missing: bottom left", id="a corner is missing"),
        pytest.param(in_one_corner, "at one place", id="corners at one place"),
        pytest.param(twice_one_name, "ids must be unique", id="names mixed up"),
    ],
)
def test_drawing_that_is_wrong_is_refused_with_what_to_do(room: TestRoom, spoil: Any, words: str) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    sketch = demo_sketch()
    spoil(sketch)
    before = files_of(room)
    answer = admin.put("/api/new-tables/N1/sketch", json={"sketch": sketch, "is_done": True})
    assert answer.status_code == 422
    assert words in answer.json()["error"]["message"]
    assert files_of(room) == before
    settle(admin, "N1", "sketch", {"sketch": sketch})
    kept = admin.get("/api/new-tables/N1").json()
    assert (kept["steps"]["cloth"], len(kept["sketch"]["areas"])) == (False, len(sketch["areas"]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda points: dict(list(points.items())[:3]), "at least 4 are needed", id="too few"),
        pytest.param(
            lambda points: {name: [100 + 50 * n, 200] for n, name in enumerate(points)}, "one line", id="on a line"
        ),
        pytest.param(lambda points: points | {"nowhere": [5, 5]}, "must be a reference point", id="a strange name"),
        pytest.param(
            lambda points: dict(zip(points, reversed(list(points.values())), strict=True)),
            "do not fit|swapped|outside|mirrored|no camera",
            id="names mixed up",
        ),
        pytest.param(
            lambda points: {name: points[name] for name in ("S1L", "S1R", "S2L", "X1")},
            "more than 30 mm over boxes and wagers; add ",
            id="in one corner",
        ),
    ],
)
def test_points_that_fit_no_camera_are_refused(room: TestRoom, change: Any, words: str) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    settle(admin, "N1", "cloth", {"name": "mini-7"})
    body = {"points": change(true_points()), "is_done": True}
    answer = admin.put("/api/new-tables/N1/calibration", json=body)
    assert answer.status_code == 422, answer.text
    assert any(word in answer.json()["error"]["message"] for word in words.split("|")), answer.text
    assert "overhead.yaml" not in files_of(room)


def test_fit_tells_residual_uncertainty_outliers_and_where_to_add(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    settle(admin, "N1", "cloth", {"name": "mini-7"})
    points = true_points()
    names = list(points)
    fit = settle(admin, "N1", "calibration", {"points": {name: points[name] for name in names[:5]}})
    assert fit["add"] in names[5:]
    assert len(fit["cells"]) > 200
    assert not fit["draft"]["steps"]["calibration"]
    points[names[2]] = [points[names[2]][0] + 60, points[names[2]][1]]
    again = settle(admin, "N1", "calibration", {"points": points})
    assert list(again["left_out"]) == [names[2]]
    assert again["cloth_mm"] < fit["cloth_mm"]


def test_markers_that_are_not_there_are_said_to_be_missing(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    settle(admin, "N1", "sketch", {"sketch": demo_sketch(), "is_done": True})
    answer = admin.put("/api/new-tables/N1/calibration", json={"points": None})
    assert_error(answer, 422, field="markers", says="layout: markers = (missing); by hand has none")
    assert admin.get("/api/new-tables/N1/sheets").content.startswith(b"%PDF")


def test_chips_that_look_alike_are_named(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    chips = [{"value": 5, "name": "red", "colour": "#b3202a"}, {"value": 25, "name": "rose", "colour": "#b4212b"}]
    (problem,) = settle(admin, "N1", "chips", {"chips": chips})["problems"]
    assert "looks like red" in problem["say"]
    assert admin.put("/api/new-tables/N1/chips", json={"chips": []}).status_code == 422
    answer = admin.put("/api/new-tables/N1/chips", json={"built_in": "gold"})
    assert_error(answer, 422, field="name", says="chips = gold; must be one of house")


@pytest.mark.parametrize(
    ("house", "words"),
    [
        pytest.param({"rulebook": "none"}, "unknown rulebook", id="no such rulebook"),
        pytest.param(
            {"rulebook": "tas", "options": {"competition": "live", "perfect_pair": True}}, "16.4.4", id="excluded"
        ),
        pytest.param({**HOUSE, "limits": {"minimum": 50, "maximum": 10}}, "limits.maximum = 10", id="limits"),
        pytest.param({"rulebook": "macau", "options": {"speed": 3}}, "options.speed", id="no such option"),
        pytest.param({**HOUSE, "card_mm": [0, 0]}, "cards.size_mm", id="no card is so small"),
    ],
)
def test_house_rules_that_exclude_each_other_are_refused_with_the_rule(
    room: TestRoom, house: dict[str, Any], words: str
) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    answer = admin.put("/api/new-tables/N1/house", json={"house": house})
    assert answer.status_code == 422, answer.text
    assert words in answer.json()["error"]["message"]
    assert not admin.get("/api/new-tables/N1").json()["steps"]["house"]


def test_another_picture_size_asks_for_a_new_calibration(room: TestRoom) -> None:
    admin = room.as_role("admin")
    settle_all(admin, "N1")
    picture = np.random.default_rng(3).integers(20, 230, (45, 80, 3)).astype(np.uint8).repeat(16, 0).repeat(16, 1)
    write_picture_film(room.folder / "films" / "small.mp4", np.ascontiguousarray(picture))
    told = settle(admin, "N1", "camera", {"source": "films/small.mp4"})
    assert "calibrate anew" in told["words"][-1]
    assert not told["draft"]["steps"]["calibration"]
    answer = admin.post("/api/new-tables/N1/finish", json={})
    assert_error(answer, 409, says="Not settled yet: the calibration.")


def test_table_that_is_there_cannot_be_begun_nor_written_over(room: TestRoom) -> None:
    admin = room.as_role("admin")
    settle_all(admin, "N1")
    assert admin.post("/api/new-tables", json={"table": "N1"}).status_code == 409
    admin.post("/api/new-tables/N1/finish", json={})
    answer = admin.post("/api/new-tables", json={"table": "N1"})
    assert_error(answer, 409, says="There is a table N1 already; choose another name, or change its set-up.")
    assert admin.post("/api/new-tables", json={"table": "../x"}).status_code == 422


def test_cloth_of_another_table_is_taken(room: TestRoom) -> None:
    admin = room.as_role("admin")
    settle_all(admin, "N1")
    admin.post("/api/new-tables/N1/finish", json={})
    admin.post("/api/new-tables", json={"table": "N2"})
    settle(admin, "N2", "cloth", {"name": "table:N1"})
    assert settle(admin, "N2", "chips", CHIPS)["draft"]["steps"]["cloth"]
    answer = admin.put("/api/new-tables/N2/cloth", json={"name": "table:N9"})
    assert "must be one of mini-7" in answer.json()["error"]["message"]


def test_row_of_chips_that_does_not_lie_there_is_refused_and_older_chips_stay(room: TestRoom) -> None:
    admin = room.as_role("admin")
    settle_all(admin, "N1")
    before = files_of(room)["chips.yaml"]
    chips = [{"value": 10**n, "name": f"chip {n}"} for n in range(9)]
    answer = admin.put("/api/new-tables/N1/chips", json={"chips": chips, "is_row": True})
    assert answer.status_code == 422, answer.text
    assert "lay one beside the row" in answer.json()["error"]["message"]
    assert files_of(room)["chips.yaml"] == before
    twice = admin.put("/api/new-tables/N1/chips", json={"chips": [chips[0], chips[0]], "is_row": True})
    assert_error(twice, 422, field="values", says="must name each value of the row once")


def test_network_is_asked_for_cameras_by_an_admin_alone(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    camera = FoundCamera(address="10.0.0.20", name="Over B07", model="M3215", location="", services=())
    monkeypatch.setattr("thirdcard.service.guide.camera_step.find_cameras", lambda **_asked: [camera])
    (found,) = room.as_role("admin").post("/api/new-tables/cameras").json()["items"]
    assert found == {"address": "10.0.0.20", "name": "Over B07", "model": "M3215", "location": "", "service": None}
    assert room.as_role("supervisor").post("/api/new-tables/cameras").status_code == 403


def test_lens_is_measured_with_views_of_the_board_and_used_in_the_fit(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/new-tables", json={"table": "N1"})
    settle(admin, "N1", "camera", {"source": FILM})
    assert_error(admin.post("/api/new-tables/N1/lens"), 422, says="The board is not seen whole enough")
    for number in range(6):
        write_picture_film(room.folder / "films" / "board.mp4", view(number))
        settle(admin, "N1", "camera", {"source": "films/board.mp4"})
        told = admin.post("/api/new-tables/N1/lens").json()
        assert told["views"] == number + 1, told
    assert told["measured"], told
    settle(admin, "N1", "cloth", {"name": "mini-7"})
    layout = load_layout("mini-7", Path())
    points = {name: [20 + x / 3.7, 20 + y / 3.7] for name, (x, y) in layout.reference_points.items()}
    assert settle(admin, "N1", "calibration", {"points": points})["lens"] == "given"
    assert admin.delete("/api/new-tables/N1/lens").status_code == 200
    assert settle(admin, "N1", "calibration", {"points": points})["lens"] != "given"
