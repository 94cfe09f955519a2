"""Findings that were never sure enough to be alerts: a list of their own, and nothing anywhere else."""

from __future__ import annotations

import pytest

from tests.service.web.rooms import TestRoom, close_round, note_doubtful, raise_alert


def test_doubtful_findings_are_no_alerts(room: TestRoom) -> None:
    note_doubtful(room)
    client = room.as_role("viewer")
    assert client.get("/api/alerts").json()["items"] == []
    (item,) = client.get("/api/alerts", params={"list": "doubtful"}).json()["items"]
    assert (item["code"], item["confidence"], item["table"]) == ("late_bet.placed", 0.4, "B07")
    assert "state" not in item


def test_list_is_newest_first_and_goes_on_where_it_ended(room: TestRoom) -> None:
    for n in range(5):
        note_doubtful(room, t=float(n))
    client, seen, cursor = room.as_role("viewer"), [], None
    for _ in range(3):
        asked: dict[str, str | int] = {"list": "doubtful", "limit": 2, **({"cursor": cursor} if cursor else {})}
        body = client.get("/api/alerts", params=asked).json()
        seen += [item["t"] for item in body["items"]]
        cursor = body["next"]
    assert (seen, cursor) == ([4.0, 3.0, 2.0, 1.0, 0.0], None)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param({"table": "B08"}, 1, id="table"),
        pytest.param({"code": "late_bet"}, 2, id="family"),
        pytest.param({"code": "late"}, 0, id="half-a-word"),
        pytest.param({"severity": "critical"}, 1, id="severity"),
        pytest.param({"from": "2026-05-05T00:00:00Z"}, 0, id="from"),
        pytest.param({"to": "2026-05-05T00:00:00Z"}, 3, id="to"),
        pytest.param({"dealer": "d17"}, 0, id="dealer"),
    ],
)
def test_filters(room: TestRoom, query: dict[str, str], found: int) -> None:
    note_doubtful(room)
    note_doubtful(room, "B08", code="misdeal.wrong_result", severity="critical")
    note_doubtful(room, code="late_bet.moved")
    items = room.as_role("viewer").get("/api/alerts", params={"list": "doubtful", **query}).json()["items"]
    assert len(items) == found


def test_page_names_the_finding_and_leads_to_its_round(room: TestRoom) -> None:
    note_doubtful(room, round=1, message="Seat 3 placed <500>.")
    close_round(room, number=1)
    page = room.as_role("viewer").get("/doubtful").text
    assert "Seat 3 placed &lt;500&gt;." in page
    assert "40 %" in page
    assert "/rounds/" in page


def test_withdrawn_alerts_are_shown_by_themselves(room: TestRoom) -> None:
    raise_alert(room)
    client = room.as_role("viewer")
    assert client.get("/api/alerts", params={"state": "withdrawn"}).json()["items"] == []
    assert client.get("/alerts", params={"show": "withdrawn"}).status_code == 200
