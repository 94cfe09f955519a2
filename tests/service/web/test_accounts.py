"""Users and tokens over the API."""

from __future__ import annotations

from typing import Any

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import PASSWORD, TestRoom

USER = {"name": "bert", "role": "operator", "password": PASSWORD, "tables": ["B07"]}


def test_user_is_added_and_comes_in(room: TestRoom) -> None:
    assert room.as_role("admin").post("/api/users", json=USER).status_code == 201
    assert [table["id"] for table in room.browser("bert").get("/api/tables").json()["items"]] == ["B07"]
    (account,) = [one for one in room.as_role("admin").get("/api/users").json()["items"] if one["name"] == "bert"]
    assert account == {
        "name": "bert",
        "role": "operator",
        "tables": ["B07"],
        "added_at": "2026-05-04T12:00:00.000Z",
        "active": True,
    }


def test_token_is_told_once_and_holds(room: TestRoom) -> None:
    admin = room.as_role("admin")
    token = admin.post("/api/tokens", json={"name": "bridge", "role": "viewer"}).json()["token"]
    client = room.anybody()
    client.headers["Authorization"] = f"Bearer {token}"
    assert client.get("/api/tables").status_code == 200
    assert token not in admin.get("/api/tokens").text
    admin.post("/api/tokens/bridge/state", json={"active": False})
    assert_error(client.get("/api/tables"), 401)
    admin.post("/api/tokens/bridge/state", json={"active": True})
    assert client.get("/api/tables").status_code == 200


def test_user_who_is_switched_off_is_out_at_once(room: TestRoom) -> None:
    client = room.browser("anna")
    assert room.as_role("admin").post("/api/users/anna/state", json={"active": False}).status_code == 200
    assert_error(client.get("/api/tables"), 401)
    assert room.anybody().post("/login", data={"name": "anna", "password": PASSWORD}).status_code == 401


def test_last_admin_stays(room: TestRoom) -> None:
    answer = room.as_role("admin").post("/api/users/admin/state", json={"active": False})
    assert_error(answer, 422, field="active", says="last admin")
    assert room.browser("admin").get("/api/users").status_code == 200


def test_new_password_signs_browsers_out(room: TestRoom) -> None:
    client = room.browser("anna")
    answer = room.as_role("admin").post("/api/users/anna/password", json={"password": "another long one"})
    assert answer.status_code == 200
    assert_error(client.get("/api/tables"), 401)
    assert room.anybody().post("/login", data={"name": "anna", "password": "another long one"}).status_code == 303


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("users", USER | {"name": "anna"}, "name"), ("users", USER | {"name": "a b"}, "name"),
        ("users", USER | {"password": "short"}, "password"), ("users", USER | {"role": "king"}, "role"),
        ("users", {"name": "bert", "role": "viewer"}, "password"), ("users", USER | {"x": 1}, "x"),
        ("users", USER | {"tables": "B07"}, "tables"), ("users", USER | {"tables": ["a\0"]}, "tables.0"),
        ("tokens", {"name": "admin", "role": "admin"}, "name"), ("tokens", {"role": "admin"}, "name"),
        ("users/anna/state", {"active": "yes"}, "active"), ("users/anna/password", {"password": "short"}, "password"),
    ],
)  # fmt: skip
def test_bad_account_is_refused(room: TestRoom, path: str, body: Any, field: str) -> None:
    assert_error(room.as_role("admin").post(f"/api/{path}", json=body), 422, field=field)


@pytest.mark.parametrize("path", ["users/nobody/state", "tokens/nothing/state"])
def test_account_that_is_none_is_not_found(room: TestRoom, path: str) -> None:
    assert_error(room.as_role("admin").post(f"/api/{path}", json={"active": True}), 404)


def test_password_of_nobody_is_not_found(room: TestRoom) -> None:
    answer = room.as_role("admin").post("/api/users/nobody/password", json={"password": PASSWORD})
    assert_error(answer, 404, says="none of that name")


@pytest.mark.parametrize("path", ["users", "tokens"])
def test_accounts_are_for_admins(room: TestRoom, path: str) -> None:
    assert_error(room.as_role("supervisor").get(f"/api/{path}"), 403, says="role admin")
    assert_error(room.as_role("supervisor").post(f"/api/{path}", json=USER), 403)


def test_change_stands_in_the_audit_chain_without_the_password(room: TestRoom) -> None:
    admin = room.as_role("admin")
    admin.post("/api/users", json=USER)
    act = admin.get("/api/audit").json()["items"][0]
    assert (act["who"], act["action"], act["target"]) == ("token:admin", "user.added", "user:bert")
    assert act["details"] == {"role": "operator", "tables": ["B07"]}
