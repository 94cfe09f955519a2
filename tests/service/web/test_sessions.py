"""Signing in and out in a browser: sessions, their tokens, and those who guess."""

from __future__ import annotations

import re
from ipaddress import ip_network
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from starlette.testclient import TestClient

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import PASSWORD, Seed, TestRoom, a_room, raise_alert
from thirdcard.service.store.schema import ChainLine, SessionRow, UserRow
from thirdcard.service.web import dependencies


def csrf_of(room: TestRoom) -> str:
    """The token of the only session."""
    with room.database.reading() as session:
        (row,) = session.scalars(select(SessionRow))
    return row.csrf


def test_cookie_is_out_of_reach_of_scripts(room: TestRoom) -> None:
    answer = room.anybody().post("/login", data={"name": "anna", "password": PASSWORD, "next": "/alerts"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/alerts")
    cookie = answer.headers["Set-Cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie and "path=/" in cookie
    assert "secure" not in cookie


def test_session_opens_the_api(room: TestRoom) -> None:
    client = room.browser("anna")
    assert [table["id"] for table in client.get("/api/tables").json()["items"]] == ["B08"]


@pytest.mark.parametrize(("name", "password"), [("anna", "wrong"), ("nobody", PASSWORD), ("anna", "x" * 999)])
def test_wrong_password_is_told_as_one_thing(room: TestRoom, name: str, password: str) -> None:
    answer = room.anybody().post("/login", data={"name": name, "password": password})
    assert answer.status_code == 401
    assert "Name or password are wrong." in answer.text
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("target", ["https://example.org", "//example.org", "/\\example.org", "javascript:alert(1)"])
def test_sign_in_leads_nowhere_else(room: TestRoom, target: str) -> None:
    answer = room.anybody().post("/login", data={"name": "anna", "password": PASSWORD, "next": target})
    assert answer.headers["Location"] == "/"


def test_unknown_field_of_the_form_is_refused(room: TestRoom) -> None:
    answer = room.anybody().post("/login", data={"name": "anna", "password": PASSWORD, "role": "admin"})
    assert_error(answer, 422, field="role")


def test_name_that_nobody_has_is_not_kept(room: TestRoom) -> None:
    room.anybody().post("/login", data={"name": "my-secret-password", "password": "x"})
    with room.database.reading() as session:
        bodies = [line.body for line in session.scalars(select(ChainLine).where(ChainLine.chain == "audit"))]
    assert len(bodies) == 1 and "session.refused" in bodies[0]
    assert "my-secret-password" not in bodies[0]


def test_guesser_has_to_wait_and_then_may_try_again(room: TestRoom) -> None:
    client, form = room.anybody(), {"name": "anna", "password": "wrong"}
    assert [client.post("/login", data=form).status_code for _ in range(6)] == [401] * 5 + [429]
    answer = client.post("/login", data={"name": "anna", "password": PASSWORD})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "900")
    assert client.post("/login", data={"name": "viewer", "password": PASSWORD}).status_code == 303
    room.clock.move(minutes=15)
    assert client.post("/login", data={"name": "anna", "password": PASSWORD}).status_code == 303


def test_request_without_the_sessions_token_is_refused(room: TestRoom) -> None:
    alert, client = raise_alert(room, "B08"), room.browser("anna")
    path, body = f"/api/alerts/{alert}/state", {"state": "confirmed"}
    assert_error(client.post(path, json=body), 403, field="csrf")
    assert_error(client.post(path, json=body, headers={"X-CSRF-Token": "forged"}), 403, field="csrf")
    assert_error(client.post(path, json=body, headers={b"X-CSRF-Token": "ü".encode()}), 403, field="csrf")
    foreign = {"X-CSRF-Token": csrf_of(room), "Sec-Fetch-Site": "cross-site"}
    assert_error(client.post(path, json=body, headers=foreign), 403)
    assert client.post(path, json=body, headers={"X-CSRF-Token": csrf_of(room)}).json()["owner"] == "anna"


def test_another_site_signs_nobody_in(room: TestRoom) -> None:
    form = {"name": "anna", "password": PASSWORD}
    assert_error(room.anybody().post("/login", data=form, headers={"Sec-Fetch-Site": "cross-site"}), 403)


def test_sign_out_ends_the_session(room: TestRoom) -> None:
    client = room.browser("anna")
    key = client.cookies["thirdcard_session"]
    assert_error(client.post("/logout"), 403, field="csrf")
    assert client.post("/logout", data={"csrf": csrf_of(room)}).status_code == 303
    assert_error(room.anybody().get("/api/tables", headers={"Cookie": f"thirdcard_session={key}"}), 401)


def test_signing_in_again_ends_the_old_session(room: TestRoom) -> None:
    client = room.browser("anna")
    client.post("/login", data={"name": "anna", "password": PASSWORD})
    csrf_of(room)  # there is one only


def test_session_holds_while_the_database_takes_nothing(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object, **_named: object) -> None:
        raise OperationalError("UPDATE", {}, Exception("database or disk is full"))

    client = room.browser("anna")
    room.clock.move(minutes=5)
    monkeypatch.setattr(dependencies, "touch_session", refuse)
    assert client.get("/api/tables").status_code == 200


@pytest.mark.parametrize(("steps", "status"), [([9, 9], 200), ([11], 401), ([9, 9, 9], 401)])
def test_session_ends_when_idle_and_after_a_day(room: TestRoom, steps: list[int], status: int) -> None:
    client = room.browser("anna")
    for hours in steps:
        room.clock.move(hours=hours)
        answer = client.get("/api/tables")
    assert answer.status_code == status


def test_user_who_is_switched_off_is_out_at_once(room: TestRoom) -> None:
    client = room.browser("anna")
    with room.database.writing() as session:
        user = session.get(UserRow, "anna")
        assert user is not None
        user.is_active = False
    assert_error(client.get("/api/tables"), 401)


def test_page_leads_to_the_sign_in_and_back(room: TestRoom) -> None:
    answer = room.anybody().get("/alerts?show=open", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login?next=/alerts%3Fshow%3Dopen")
    page = room.anybody().get(answer.headers["Location"])
    assert re.search(r'name="next" value="/alerts\?show=open"', page.text)


@pytest.mark.parametrize(("trusted", "is_secure"), [((), False), ((ip_network("0.0.0.0/0"),), True)])
def test_tls_before_a_proxy_counts_where_it_is_trusted(
    tmp_path: Path, seed: Seed, trusted: tuple[object, ...], is_secure: bool
) -> None:
    with a_room(tmp_path, seed, trusted_proxies=trusted) as room:
        client = TestClient(room.app, client=("10.0.0.1", 4711), follow_redirects=False)
        headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9, 10.0.0.2"}
        answer = client.post("/login", data={"name": "anna", "password": PASSWORD}, headers=headers)
        assert ("secure" in answer.headers["Set-Cookie"].lower()) is is_secure
        assert ("Strict-Transport-Security" in answer.headers) is is_secure
