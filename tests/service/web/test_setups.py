"""Tables' set-ups over the API and on the settings pages: versions, changes, refusals, who may."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.service.setup.breakages import BREAKAGES
from tests.service.setup.broken import Setup, good_setup
from tests.service.tables.set_ups import sent_files, with_limit, write_table
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import Seed, TestRoom, a_room
from thirdcard.service.config.data_folder import Home
from thirdcard.service.tables.file_set import MOST_BYTES
from thirdcard.service.tables.table_acts import TableActs

SECRET = "rtsp://viewer:sesame@10.0.0.7/live?channel=1"
SHOWN = "rtsp://10.0.0.7/live?channel=1"
HTML = {"Accept": "text/html"}


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    """A room whose table B07 has a set-up, and a camera with a password."""
    with a_room(tmp_path, seed) as made:
        setup = good_setup()
        setup.table["cameras"][0]["source"] = SECRET
        write_table(Home(tmp_path), "B07", setup)
        TableActs(home=Home(tmp_path), database=made.database, now=made.clock, who="files").begin()
        yield made


def body_of(setup: Setup, folder: Path, **more: object) -> dict[str, Any]:
    """A set-up as a program sends it."""
    return {"files": encoded(sent_files(setup, folder)), **more}


def encoded(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: base64.b64encode(content).decode() for name, content in files.items()}


def test_set_up_is_fetched_changed_and_taken_back(room: TestRoom) -> None:
    admin = room.as_role("admin")
    told = admin.get("/api/tables/B07/setup").json()
    assert (told["table"], told["state"], told["setup"]["version"]) == ("B07", "watched", 1)
    text = base64.b64decode(told["contents"]["table.yaml"]).decode()
    assert SHOWN in text
    changed = text.replace("maximum: 5000", "maximum: 9000").encode()
    body = {"files": {**told["contents"], "table.yaml": base64.b64encode(changed).decode()}, "why": "a high roller"}
    assert admin.put("/api/tables/B07/setup", json=body).json() == {"table": "B07", "version": 2, "problems": []}

    kept = (room.folder / "setups" / "B07" / "2" / "table.yaml").read_text(encoding="utf-8")
    assert SECRET in kept
    assert "maximum: 9000" in kept
    (change,) = admin.get("/api/tables/B07/setup").json()["changes"]
    assert (change["name"], change["what"]) == ("table.yaml", "changed")
    assert {"-  maximum: 5000", "+  maximum: 9000"} <= set(change["lines"])
    assert admin.post("/api/tables/B07/setups/1/restore", json={"why": "he has left"}).json()["version"] == 3
    items = admin.get("/api/tables/B07/setups").json()["items"]
    assert [(one["version"], one["origin"], one["restored"], one["made_by"], one["why"]) for one in items] == [
        (3, "restore", 1, "token:admin", "he has left"),
        (2, "change", None, "token:admin", "a high roller"),
        (1, "file", None, "files", None),
    ]
    acts = admin.get("/api/audit?action=table").json()["items"]
    assert [(one["action"], one["target"]) for one in acts][:2] == [
        ("table.restored", "table:B07"),
        ("table.changed", "table:B07"),
    ]
    assert admin.get("/api/tables/B07/setup?version=2").json()["setup"]["version"] == 2


def test_no_answer_and_no_page_shows_a_cameras_password(room: TestRoom) -> None:
    room.as_role("admin").post("/api/tables/B07/setups/1/restore", json={})
    browser = room.browser("admin")
    for path in ("/api/tables/B07/setup", "/api/tables/B07/setups", "/settings/tables", "/settings/tables/B07"):
        answer = browser.get(path, headers=HTML if path.startswith("/settings") else {})
        assert answer.status_code == 200, answer.text
        contents = answer.json().get("contents", {}) if path.startswith("/api") else {}
        shown = answer.text + "".join(base64.b64decode(one).decode("utf-8", "replace") for one in contents.values())
        assert "sesame" not in shown


def test_table_is_added_and_stands_on_the_settings_page(room: TestRoom, tmp_path: Path) -> None:
    admin = room.as_role("admin")
    (room.folder / "tables" / "B09").mkdir()
    (room.folder / "tables" / "B09" / "video.mp4").write_bytes(b"")
    made = admin.post("/api/tables", json=body_of(with_limit(700, "B09"), tmp_path / "sent"))
    assert (made.status_code, made.json()["table"], made.json()["version"]) == (201, "B09", 1)
    assert_error(admin.post("/api/tables", json=body_of(with_limit(7, "B09"), tmp_path / "sent")), 409, says="there")
    page = room.browser("admin").get("/settings/tables", headers=HTML).text
    assert "B09" in page
    assert "not watched here" in page


def test_wrong_set_up_is_refused_with_file_key_value_and_what_is_allowed(room: TestRoom, tmp_path: Path) -> None:
    setup = good_setup()
    setup.table["cameras"][0]["source"] = SECRET
    for name in ("a maximum below the minimum", "an area outside the cloth"):
        BREAKAGES[name].breaks(setup)
    answer = room.as_role("admin").put("/api/tables/B07/setup", json=body_of(setup, tmp_path / "sent"))
    says = "table.yaml: limits.maximum = 10; must not be below the minimum 25"
    field = answer.json()["error"]["field"]
    assert_error(answer, 422, field=field, says=says)
    assert field in ("limits.maximum", "areas.s1-player.polygon")
    assert "layout.yaml: areas.s1-player" in answer.json()["error"]["message"]
    assert "sesame" not in answer.text
    assert str(tmp_path) not in answer.text
    assert len(room.as_role("admin").get("/api/tables/B07/setups").json()["items"]) == 1


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", ".hidden", "a\\b", "a/../b"])
def test_unsafe_name_is_refused(room: TestRoom, name: str, tmp_path: Path) -> None:
    body = body_of(good_setup(), tmp_path / "sent")
    body["files"][name] = "eA=="
    assert_error(
        room.as_role("admin").put("/api/tables/B07/setup", json=body), 422, field="files", says="stays within the table"
    )
    assert_error(
        room.as_role("admin").post("/api/tables", json=body), 422, field="files", says="stays within the table"
    )


def test_what_is_no_set_up_is_refused(room: TestRoom) -> None:
    admin = room.as_role("admin")
    path = "/api/tables/B07/setup"
    assert_error(
        admin.put(path, json={"files": {"table.yaml": "no base64!"}}), 422, field="files.table.yaml", says="base64"
    )
    assert_error(admin.put(path, json={"files": {}}), 422, field="files")
    assert_error(
        admin.put(path, json={"files": {"layout.yaml": "eA=="}}), 422, field="files", says="must hold table.yaml"
    )
    assert_error(admin.post("/api/tables", json={"files": encoded({"table.yaml": b"id: ../x"})}), 422, field="id")
    assert_error(admin.post("/api/tables", json={"files": encoded({"table.yaml": b"- 1"})}), 422, field="id")


def test_bodies_of_set_ups_may_be_larger_than_others_and_not_without_end(room: TestRoom, tmp_path: Path) -> None:
    admin, body = room.as_role("admin"), body_of(with_limit(9000), tmp_path / "sent")
    body["files"]["notes.bin"] = base64.b64encode(bytes(2_000_000)).decode()
    assert admin.put("/api/tables/B07/setup", json=body).status_code == 200
    assert_error(admin.put("/api/tables/B07/setup", content=bytes(MOST_BYTES * 2)), 413)
    assert_error(admin.post("/api/tables/B07/stop", content=bytes(1_000_001)), 413)


def test_table_is_stopped_and_started(room: TestRoom) -> None:
    admin = room.as_role("admin")
    assert admin.post("/api/tables/B07/stop", json={"why": "the cloth is changed"}).status_code == 200
    assert_error(admin.post("/api/tables/B07/stop", json={}), 409, says="stopped already")
    assert admin.get("/api/tables/B07/setup").json()["state"] == "stopped"
    assert "Watch it again" in room.browser("admin").get("/settings/tables", headers=HTML).text
    assert admin.post("/api/tables/B07/start", json={}).status_code == 200
    assert admin.get("/api/tables/B07/setup").json()["state"] == "watched"


def test_files_are_read_anew(room: TestRoom) -> None:
    admin, setup = room.as_role("admin"), with_limit(7000)
    setup.table["cameras"][0]["source"] = SECRET
    write_table(Home(room.folder), "B07", setup)
    assert admin.post("/api/tables/reload", json={}).json()["items"] == [{"table": "B07", "version": 2, "problems": []}]
    write_table(Home(room.folder), "B07", with_limit(1))
    (made,) = admin.post("/api/tables/reload", json={}).json()["items"]
    assert made["version"] is None
    assert made["problems"][0]["key"] == "limits.maximum"


@pytest.mark.parametrize("role", ["viewer", "operator", "supervisor", "anna", "device"])
def test_who_is_no_admin_may_nothing(room: TestRoom, role: str, tmp_path: Path) -> None:
    client, body = room.as_role(role), body_of(good_setup(), tmp_path / "sent")
    asked = [client.get("/api/tables/B07/setups"), client.get("/api/tables/B07/setup")]
    asked += [client.post("/api/tables", json=body), client.put("/api/tables/B07/setup", json=body)]
    for path in ("B07/stop", "B07/start", "reload", "B07/setups/1/restore"):
        asked.append(client.post(f"/api/tables/{path}", json={}))
    asked += [client.get(path) for path in ("/settings/tables", "/settings/tables/B07")]
    assert {answer.status_code for answer in asked} == {403}


def test_admin_of_other_tables_does_not_know_of_it(room: TestRoom, tmp_path: Path) -> None:
    from thirdcard.service.store.people import add_token

    with room.database.writing() as session:
        token = add_token(session, "other", "admin", now=room.clock(), tables=["B08"])
    client = room.anybody()
    client.headers["Authorization"] = f"Bearer {token}"
    assert_error(client.get("/api/tables/B07/setup"), 404)
    assert_error(client.post("/api/tables/B07/stop", json={}), 404)
    assert_error(client.post("/api/tables/reload", json={}), 403)
    assert_error(client.post("/api/tables", json=body_of(with_limit(7, "B09"), tmp_path / "sent")), 403)


def test_page_shows_what_each_version_changed(room: TestRoom, tmp_path: Path) -> None:
    setup = with_limit(9000)
    setup.table["cameras"][0]["source"] = SHOWN
    body = body_of(setup, tmp_path / "sent", why="<b>a high roller</b>")
    assert room.as_role("admin").put("/api/tables/B07/setup", json=body).status_code == 200
    page = room.browser("admin").get("/settings/tables/B07", headers=HTML).text
    assert "+  maximum: 9000" in page
    assert "&lt;b&gt;a high roller" in page
    assert "Make version 1 the one in force" in page
    assert json.dumps(SECRET) not in page
