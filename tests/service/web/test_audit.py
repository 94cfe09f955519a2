"""The audit over the API, as a file and as a page: narrowed by who, what, when and words."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, TestRoom, raise_alert
from thirdcard.service.store import audit


@pytest.fixture
def acted(room: TestRoom) -> TestRoom:
    """A room in which an alert was taken at noon, and a case opened and noted an hour later."""
    alert = raise_alert(room)
    room.as_role("operator").post(
        f"/api/alerts/{alert}/state", json={"state": "acknowledged", "note": "=Glass on felt"}
    )
    room.clock.now = NOON + timedelta(hours=1)
    boss = room.as_role("supervisor")
    case = boss.post("/api/cases", json={"title": "Seat 3"}).json()["id"]
    boss.post(f"/api/cases/{case}/notes", json={"text": "Same patron as on Friday"})
    return room


def actions(room: TestRoom, **query: Any) -> list[str]:
    return [act["action"] for act in room.as_role("supervisor").get("/api/audit", params=query).json()["items"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param({}, ["case.noted", "case.opened", "alert.acknowledged"], id="all"),
        pytest.param({"who": "token:operator"}, ["alert.acknowledged"], id="who"),
        pytest.param({"action": "case"}, ["case.noted", "case.opened"], id="part before the dot"),
        pytest.param({"action": "case.opened"}, ["case.opened"], id="action"),
        pytest.param({"text": "PATRON friday"}, ["case.noted"], id="words"),
        pytest.param({"text": "patron monday"}, [], id="one word is not there"),
        pytest.param({"text": "alert:1"}, ["alert.acknowledged"], id="target"),
        pytest.param({"from": "2026-05-04T12:30:00Z"}, ["case.noted", "case.opened"], id="from"),
        pytest.param({"to": "2026-05-04T12:30:00Z"}, ["alert.acknowledged"], id="to"),
        pytest.param({"text": "%"}, [], id="no pattern"),
    ],
)
def test_acts_are_narrowed(acted: TestRoom, query: dict[str, str], found: list[str]) -> None:
    assert actions(acted, **query) == found


def test_page_leaves_out_details_that_were_not_given(room: TestRoom) -> None:
    with room.database.writing() as session:
        audit.note(session, "ada", "table.stopped", "table:B07", at=NOON, why=None, version=3)
    page = room.as_role("supervisor").get("/audit", headers={"Accept": "text/html"}).text
    assert "version 3" in page and "None" not in page


def test_narrowed_list_goes_on_where_it_ended(acted: TestRoom) -> None:
    boss = acted.as_role("supervisor")
    first = boss.get("/api/audit?action=case&limit=1").json()
    second = boss.get(f"/api/audit?action=case&limit=1&cursor={first['next']}").json()
    assert [page["items"][0]["action"] for page in (first, second)] == ["case.noted", "case.opened"]
    assert second["next"] is None


def test_audit_is_a_file_for_spreadsheets_too(acted: TestRoom) -> None:
    answer = acted.as_role("supervisor").get("/api/audit?format=csv&action=alert")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit.csv"'
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["at"], row["who"], row["action"]) == (
        "2026-05-04T12:00:00.000Z",
        "token:operator",
        "alert.acknowledged",
    )
    assert "=Glass on felt" in row["details"]


def test_page_narrows_by_days_of_the_house(acted: TestRoom) -> None:
    browser = acted.browser("supervisor")
    page = browser.get("/audit?text=patron&from=2026-05-04&to=2026-05-04").text
    assert "Same patron as on Friday" in page
    assert "Glass" not in page
    assert "/api/audit?text=patron&amp;from=2026-05-04T00%3A00%3A00%2B00%3A00" in page
    assert "No act fits." in browser.get("/audit?from=2026-05-05").text


@pytest.mark.parametrize("query", ["from=yesterday", "who=", "colour=red", "format=xml"])
def test_wrong_wish_is_refused(acted: TestRoom, query: str) -> None:
    field = query.partition("=")[0]
    assert_error(acted.as_role("supervisor").get(f"/api/audit?{query}"), 422, field=field)
