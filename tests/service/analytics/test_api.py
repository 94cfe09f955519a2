"""The API of figures: what it tells, in which form, to whom, and what it notes."""

from __future__ import annotations

import io
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.service.analytics.floors import deal, err
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import EVERYONE, TestRoom
from thirdcard.service.alerts.audit_log import list_acts
from thirdcard.service.analytics.refreshing import refresh_all

LISTS = ("dealers", "tables", "rulebooks", "codes", "shifts", "hours", "days")


@pytest.fixture
def full(room: TestRoom) -> TestRoom:
    """Two tables that have dealt."""
    err(room.database, deal(room.database, 6), 2)
    deal(room.database, 4, table="B08", dealer="=ben")
    refresh_all(room.database)
    return room


def looks(room: TestRoom) -> list[tuple[str, str | None]]:
    with room.database.reading() as session:
        acts = list_acts(session, EVERYONE, limit=50).items
    return [(act.who, act.target) for act in acts if act.action == "dealers.seen"]


@pytest.mark.parametrize("what", LISTS)
def test_list_tells_figures_and_the_house(full: TestRoom, what: str) -> None:
    body = full.as_role("viewer").get(f"/api/analytics/{what}").json()
    assert body["next"] is None
    assert (body["house"]["rounds"], body["house"]["errors"]) == (10, 1)
    assert (body["currency"], body["minor_units"]) == (None, 1)
    assert all(item["rounds"] > 0 and item["per_1000_low"] <= item["per_1000"] for item in body["items"])


@pytest.mark.parametrize("what", LISTS)
def test_csv_and_parquet_hold_the_same_as_json(full: TestRoom, what: str) -> None:
    client = full.as_role("admin")
    items: list[dict[str, Any]] = client.get(f"/api/analytics/{what}").json()["items"]
    parquet = client.get(f"/api/analytics/{what}?format=parquet")
    assert pq.read_table(io.BytesIO(parquet.content)).to_pylist() == items
    csv = client.get(f"/api/analytics/{what}?format=csv")
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.headers["content-disposition"] == f'attachment; filename="{what}.csv"'
    assert csv.text.splitlines()[0].split(",") == list(items[0])
    assert len(csv.text.splitlines()) == len(items) + 1


def test_name_that_is_a_formula_to_a_spreadsheet_is_tamed(full: TestRoom) -> None:
    text = full.as_role("admin").get("/api/analytics/dealers?format=csv").text
    assert "'=ben," in text


def test_viewer_and_operator_see_pseudonyms_supervisor_and_admin_names(full: TestRoom) -> None:
    def shown(role: str) -> set[str]:
        return {item["name"] for item in full.as_role(role).get("/api/analytics/dealers").json()["items"]}

    assert shown("viewer") == shown("operator") == {full.app.state.room.settings.house.pseudonyms.of(name)
                                                     for name in ("ann", "=ben")}  # fmt: skip
    assert shown("supervisor") == shown("admin") == {"ann", "=ben"}


def test_look_at_names_stands_in_the_audit_once(full: TestRoom) -> None:
    full.as_role("viewer").get("/api/analytics/dealers")
    full.as_role("supervisor").get("/api/analytics/tables")
    assert looks(full) == []
    for form in ("json", "csv"):
        full.as_role("supervisor").get(f"/api/analytics/dealers?format={form}")
    assert looks(full) == [("token:supervisor", "analytics")]


def test_person_of_some_tables_sees_those(full: TestRoom) -> None:
    assert full.as_role("anna").get("/api/analytics/dealers").json()["house"]["rounds"] == 4
    assert [item["name"] for item in full.as_role("anna").get("/api/analytics/tables").json()["items"]] == ["B08"]


def test_trend_and_pace_tell_days_and_phases(full: TestRoom) -> None:
    trend = full.as_role("viewer").get("/api/analytics/trend").json()
    assert [(one["first"], one["rounds"]) for one in trend["stretches"]] == [("2026-05-04", 10)]
    pace = full.as_role("viewer").get("/api/analytics/pace?table=B07").json()
    assert [one["name"] for one in pace["items"]] == ["B07"]
    assert [one["phase"] for one in pace["house"]["phases"]] == ["betting", "dealing", "settling", "idle"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        pytest.param("dealers?from=monday", "from", id="a moment that is none"),
        pytest.param("dealers?format=xlsx", "format", id="a form that is none"),
        pytest.param("dealers?dealers=ann", "dealers", id="an unknown filter"),
    ],
)
def test_what_is_not_allowed_is_refused(full: TestRoom, query: str, field: str) -> None:
    assert_error(full.as_role("viewer").get(f"/api/analytics/{query}"), 422, field=field, says=field)


def test_list_that_is_none_is_not_found(full: TestRoom) -> None:
    assert_error(full.as_role("viewer").get("/api/analytics/patrons"), 404)


def test_nobody_sees_figures_unasked(full: TestRoom) -> None:
    assert_error(full.anybody().get("/api/analytics/dealers"), 401)
