"""Incidents that people save, and clips that they lengthen: what is promised, who may, and what no figure counts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import EVERYONE, NOON, TestRoom, close_round, keep_evidence, raise_alert
from thirdcard.service.alerts.alerts import AlertWish
from thirdcard.service.alerts.decisions import Grouping, tell_decisions
from thirdcard.service.analytics.hour_reading import HourReading
from thirdcard.service.store.schema import EvidenceRow

NOTE = "A patron reached into the tray.\nThe dealer looked away."


def save(room: TestRoom, role: str = "operator", **body: Any) -> Any:
    return room.as_role(role).post("/api/tables/B07/incidents", json={"minutes": 5, "note": NOTE} | body)


def lengthen(room: TestRoom, alert: int, role: str = "operator", **body: float) -> Any:
    return room.as_role(role).post(f"/api/alerts/{alert}/longer", json=body)


def promises(room: TestRoom, alert: int) -> dict[str, EvidenceRow]:
    with room.database.reading() as session:
        rows = session.scalars(select(EvidenceRow).where(EvidenceRow.alert_id == alert)).all()
        return {row.kind: row for row in rows if row.state == "promised"}


@pytest.fixture
def clipped(room: TestRoom) -> int:
    """An alert of 12:01:23 with its clip, two minutes past noon."""
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", b"clip")
    room.clock.move(minutes=2)
    return alert


def test_incident_is_an_alert_with_a_clip_taken_by_who_saved_it(room: TestRoom) -> None:
    close_round(room, 1)
    room.clock.move(minutes=10)
    saved = save(room).json()
    assert (saved["code"], saved["state"], saved["owner"], saved["dealer"]) == (
        "incident.saved", "acknowledged", "token:operator", None,
    )  # fmt: skip
    assert saved["message"] == (
        "token:operator saved the last 5 min: A patron reached into the tray. The dealer looked away."
    )
    found = promises(room, saved["id"])
    assert set(found) == {"clip", "still", "overlay"}
    assert (found["clip"].from_at, found["clip"].to_at) == (NOON + timedelta(minutes=5), NOON + timedelta(minutes=10))
    assert room.live.nudged == ["B07"]
    told = room.as_role("viewer").get(f"/api/alerts/{saved['id']}").json()
    assert [(change["who"], change["note"]) for change in told["changes"]] == [("token:operator", NOTE)]
    acts = room.as_role("supervisor").get("/api/audit?action=incident").json()["items"]
    assert [(act["who"], act["action"]) for act in acts] == [("token:operator", "incident.saved")]


def test_incident_is_found_in_the_list_by_its_kind(room: TestRoom) -> None:
    raise_alert(room)
    number = save(room).json()["id"]
    items = room.as_role("viewer").get("/api/alerts?code=incident").json()["items"]
    assert [item["id"] for item in items] == [number]


def test_no_figure_counts_an_incident(room: TestRoom) -> None:
    close_round(room, 1)
    save(room)
    with room.database.reading() as session:
        reading = HourReading(session, "B07", NOON, are_names_kept=True)
        assert list(reading.alerts()) == []
        assert list(reading.erring()) == []
        assert tell_decisions(session, EVERYONE, AlertWish(), Grouping.CODE) == []


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({"minutes": 0}, "minutes", id="nothing"),
        pytest.param({"minutes": 61}, "minutes", id="more than an hour"),
        pytest.param({"minutes": 16}, "minutes", id="more than is kept"),
        pytest.param({"note": " "}, "note", id="no word"),
        pytest.param({"note": "x\n" * 200 + "x"}, "note", id="too many lines"),
        pytest.param({"note": "x" * 4001}, "note", id="too long"),
    ],
)
def test_incident_that_cannot_be_saved_is_refused(room: TestRoom, body: dict[str, Any], field: str) -> None:
    close_round(room, 1)
    assert_error(save(room, **body), 422, field=field)


def test_incident_at_a_table_that_was_never_watched_is_refused(room: TestRoom) -> None:
    assert_error(save(room), 409, field="state")


def test_viewer_saves_and_lengthens_nothing(room: TestRoom, clipped: int) -> None:
    assert_error(save(room, "viewer"), 403)
    assert_error(lengthen(room, clipped, "viewer", before_s=10), 403)


def test_longer_clip_is_a_further_file_and_the_first_stays(room: TestRoom, clipped: int) -> None:
    told = lengthen(room, clipped, before_s=30, after_s=600)
    assert (told.status_code, told.json()) == (202, {"kind": "longer", "url": f"/api/alerts/{clipped}/longer"})
    promised = promises(room, clipped)["longer"]
    assert (promised.from_at, promised.to_at) == (NOON + timedelta(seconds=45), NOON + timedelta(minutes=2))
    assert room.as_role("viewer").get(f"/api/alerts/{clipped}/longer").status_code == 202
    assert room.as_role("viewer").get(f"/api/alerts/{clipped}/clip").content == b"clip"
    evidence = room.as_role("viewer").get(f"/api/alerts/{clipped}").json()["evidence"]
    assert (evidence["from"], evidence["to"]) == (75, 90)
    assert [(one["kind"], one["state"], one["url"]) for one in evidence["further"]] == [("longer", "promised", None)]
    acts = room.as_role("supervisor").get("/api/audit?action=evidence").json()["items"]
    assert ("token:operator", "evidence.lengthened") in [(act["who"], act["action"]) for act in acts]


def test_clip_is_lengthened_three_times_at_most(room: TestRoom, clipped: int) -> None:
    assert [lengthen(room, clipped, before_s=n).json()["kind"] for n in (1, 2, 3)] == ["longer", "longer-2", "longer-3"]
    assert_error(lengthen(room, clipped, before_s=4), 409, field="state")


def test_clip_is_not_lengthened_once_the_camera_is_kept_no_more(room: TestRoom, clipped: int) -> None:
    room.clock.move(minutes=20)
    assert_error(lengthen(room, clipped, before_s=10), 422, field="before_s")


def test_clip_that_is_still_being_made_is_not_lengthened(room: TestRoom) -> None:
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", None)
    assert_error(lengthen(room, alert, before_s=10), 409, field="state")


def test_pages_offer_operators_what_they_may_save(room: TestRoom, clipped: int) -> None:
    keep_evidence(room, clipped, "longer", b"longer", path=f"B07/{clipped}-longer.jpg")
    operator, viewer = room.browser("operator"), room.browser("viewer")
    assert "Save an incident" in operator.get("/tables/B07").text
    assert "Save an incident" not in viewer.get("/tables/B07").text
    page = operator.get(f"/alerts/{clipped}").text
    assert "Lengthen the clip" in page
    assert "Longer clip, " in page
    assert "Lengthen the clip" not in viewer.get(f"/alerts/{clipped}").text
