"""Cases over the API, and the archive they are exported as."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from starlette.testclient import TestClient

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, TestRoom, close_round, keep_evidence, raise_alert
from thirdcard.service.store.holds import hold_case, lift_hold
from thirdcard.service.store.people import add_token
from thirdcard.service.web.pages.pdf_report import PdfSheet


@pytest.fixture
def case(room: TestRoom) -> int:
    """The number of a case with one alert."""
    close_round(room, 4)
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", b"film")
    keep_evidence(room, alert, "still", b"picture")
    answer = room.as_role("supervisor").post("/api/cases", json={"title": "Seat 3", "alert": alert})
    assert answer.status_code == 201
    return int(answer.json()["id"])


def archive_of(room: TestRoom, case: int) -> zipfile.ZipFile:
    """The exported archive."""
    answer = room.as_role("supervisor").get(f"/api/cases/{case}/export")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/zip"
    assert int(answer.headers["Content-Length"]) == len(answer.content)
    return zipfile.ZipFile(io.BytesIO(answer.content))


def test_case_gathers_alerts_and_notes(room: TestRoom, case: int) -> None:
    boss, second = room.as_role("supervisor"), raise_alert(room, t=5.0)
    for _ in range(2):  # again is no harm
        assert boss.post(f"/api/cases/{case}/alerts", json={"alert": second}).status_code == 200
    boss.post(f"/api/cases/{case}/notes", json={"text": "Same patron."})
    body = boss.get(f"/api/cases/{case}").json()
    assert (body["title"], body["state"], body["opened_by"], body["alerts"]) == (
        "Seat 3",
        "open",
        "token:supervisor",
        2,
    )
    assert [alert["id"] for alert in body["alert_list"]] == [second, 1]
    assert body["notes"] == [{"at": "2026-05-04T12:00:00.000Z", "who": "token:supervisor", "text": "Same patron."}]
    assert boss.delete(f"/api/cases/{case}/alerts/{second}").status_code == 200
    assert boss.get("/api/cases").json()["items"][0]["alerts"] == 1


def test_closed_case_stays_as_it_is_until_it_is_opened(room: TestRoom, case: int) -> None:
    boss = room.as_role("supervisor")
    assert boss.post(f"/api/cases/{case}/state", json={"state": "closed"}).status_code == 200
    assert_error(boss.post(f"/api/cases/{case}/notes", json={"text": "more"}), 409, says="closed")
    assert_error(boss.post(f"/api/cases/{case}/alerts", json={"alert": 1}), 409)
    assert_error(boss.delete(f"/api/cases/{case}/alerts/1"), 409)
    assert [one["id"] for one in boss.get("/api/cases?state=open").json()["items"]] == []
    boss.post(f"/api/cases/{case}/state", json={"state": "open"})
    assert boss.post(f"/api/cases/{case}/notes", json={"text": "more"}).status_code == 201


def test_what_a_hold_of_the_case_keeps_stays_in_it(room: TestRoom, case: int) -> None:
    boss = room.as_role("supervisor")
    with room.database.writing() as session:
        hold = hold_case(session, "ada", case, "Asked for by the regulator.", now=room.clock())
    assert hold is not None

    assert_error(boss.delete(f"/api/cases/{case}/alerts/1"), 409, says="held by ada: Asked for by the regulator.")
    with room.database.writing() as session:
        lift_hold(session, "ada", hold, now=room.clock())
    assert boss.delete(f"/api/cases/{case}/alerts/1").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None), ("POST", "", {"title": "x"}), ("GET", "/1", None), ("POST", "/1/alerts", {"alert": 1}),
        ("DELETE", "/1/alerts/1", None), ("POST", "/1/notes", {"text": "x"}), ("POST", "/1/state", {"state": "open"}),
        ("GET", "/1/export", None), ("GET", "/1/report.pdf", None),
    ],
)  # fmt: skip
def test_cases_are_for_supervisors(room: TestRoom, case: int, method: str, path: str, body: Any) -> None:
    assert_error(room.as_role("operator").request(method, f"/api/cases{path}", json=body), 403)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/99", None), ("POST", "/99/alerts", {"alert": 1}), ("POST", "/1/alerts", {"alert": 99}),
        ("DELETE", "/1/alerts/99", None), ("POST", "/99/notes", {"text": "x"}),
        ("POST", "/99/state", {"state": "open"}), ("GET", "/99/export", None), ("GET", "/99/report.pdf", None),
        ("POST", "", {"title": "x", "alert": 99}),
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_found(room: TestRoom, case: int, method: str, path: str, body: Any) -> None:
    boss = room.as_role("supervisor")
    assert_error(boss.request(method, f"/api/cases{path}", json=body), 404, says="no such")
    assert len(boss.get("/api/cases").json()["items"]) == 1


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("", {}, "title"), ("", {"title": " "}, "title"), ("", {"title": "x" * 201}, "title"),
        ("", {"title": "x", "alert": "1"}, "alert"), ("", {"title": "x", "colour": 1}, "colour"),
        ("/1/alerts", {"alert": 0}, "alert"), ("/1/alerts", {"alert": 2**63}, "alert"),
        ("/1/notes", {"text": ""}, "text"), ("/1/notes", {"text": "x" * 4001}, "text"),
        ("/1/notes", {"text": "x\n" * 200 + "x"}, "text"), ("/1/notes", {"text": "a\x00b"}, "text"),
        ("/1/state", {"state": "lost"}, "state"),
    ],
)  # fmt: skip
def test_bad_body_is_named(room: TestRoom, case: int, path: str, body: Any, field: str) -> None:
    assert_error(room.as_role("supervisor").post(f"/api/cases{path}", json=body), 422, field=field)


def test_archive_holds_everything_with_its_hash(room: TestRoom, case: int) -> None:
    archive = archive_of(room, case)
    manifest = json.loads(archive.read("manifest.json"))
    assert [file["name"] for file in manifest["files"]] == [
        "evidence/alert-1-clip.mp4", "evidence/alert-1-still.jpg", "case.json", "report.html", "report.pdf",
    ]  # fmt: skip
    assert [file.get("as_kept") for file in manifest["files"]] == [True, True, None, None, None]
    for line in archive.read("SHA256SUMS").decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(archive.read(name)).hexdigest() == digest
    assert archive.read("evidence/alert-1-clip.mp4") == b"film"
    facts = json.loads(archive.read("case.json"))
    assert (facts["title"], facts["alerts"][0]["rule"]) == ("Seat 3", "6.3")
    assert facts["alerts"][0]["round_record"]["round"] == 4
    report = archive.read("report.html").decode()
    assert 'src="evidence/alert-1-clip.mp4"' in report
    assert "Seat 3 placed 500 on Banker" in report
    assert "tas 6.3: No wager on a hand may be placed" in report


def test_archive_says_what_is_missing_and_what_was_changed(room: TestRoom, case: int) -> None:
    keep_evidence(room, 1, "before", None)
    (room.folder / "evidence" / "B07" / "1-clip.mp4").write_bytes(b"other film")
    archive = archive_of(room, case)
    manifest = json.loads(archive.read("manifest.json"))
    assert manifest["missing"] == ["alert-1-before: The before is being made; ask again in a moment."]
    assert {file["name"]: file.get("as_kept") for file in manifest["files"]}["evidence/alert-1-clip.mp4"] is False
    assert "Not as it was kept" in archive.read("report.html").decode()


def test_export_stands_in_the_audit_chain_with_the_manifests_hash(room: TestRoom, case: int) -> None:
    archive = archive_of(room, case)
    act = room.as_role("supervisor").get("/api/audit").json()["items"][0]
    assert (act["action"], act["target"], act["details"]["alerts"]) == ("case.exported", f"case:{case}", [1])
    assert act["details"]["manifest"] == hashlib.sha256(archive.read("manifest.json")).hexdigest()


def test_report_is_a_pdf_whose_hash_stands_in_the_audit_chain(room: TestRoom, case: int) -> None:
    answer = room.as_role("supervisor").get(f"/api/cases/{case}/report.pdf")
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    act = room.as_role("supervisor").get("/api/audit").json()["items"][0]
    assert (act["action"], act["details"]["report"]) == ("case.reported", hashlib.sha256(answer.content).hexdigest())


LONG_TEXTS = [
    pytest.param("\n".join(f"line {i}" for i in range(80)), id="eighty lines"),
    pytest.param("\n".join("x" for _ in range(200)), id="as many lines as are allowed"),
    pytest.param(("word " * 790).strip(), id="3,950 characters"),
    pytest.param("x" * 4000, id="one word as long as is allowed"),
]


@pytest.mark.parametrize("text", LONG_TEXTS)
def test_long_notes_flow_from_page_to_page(room: TestRoom, case: int, text: str) -> None:
    boss = room.as_role("supervisor")
    assert boss.post(f"/api/cases/{case}/notes", json={"text": text}).status_code == 201
    step = {"state": "dismissed", "reason": "other", "note": text}
    assert boss.post("/api/alerts/1/state", json=step).status_code == 200
    assert boss.post("/api/holds", json={"case": case, "reason": text}).status_code == 201
    paper = boss.get(f"/api/cases/{case}/report.pdf")
    assert paper.status_code == 200 and paper.content.startswith(b"%PDF-")
    archive = archive_of(room, case)
    assert archive.read("report.pdf").startswith(b"%PDF-")
    assert json.loads(archive.read("case.json"))["notes"][0]["text"] == text
    assert text.split("\n")[0] in archive.read("report.html").decode()


@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.text(max_size=400), st.text("x \n", max_size=3000)), min_size=1, max_size=5
    )
)
@settings(max_examples=25, deadline=None)
def test_rows_of_any_length_are_written(rows: list[tuple[str, str, str]]) -> None:
    sheet = PdfSheet("Any", NOON)
    sheet.rows(rows, (22, 14, 64))
    sheet.rows([row[::-1] for row in rows], (20, 60, 20))
    assert bytes(sheet.output()).startswith(b"%PDF-")


def test_report_has_letters_for_names_of_many_languages(
    room: TestRoom, case: int, caplog: pytest.LogCaptureFixture
) -> None:
    boss = room.as_role("supervisor")
    boss.post(f"/api/cases/{case}/notes", json={"text": "Γιώργος, 張偉, さくら, Łódź, Ямал, 7♥ ½ “so” – ×"})
    assert boss.get(f"/api/cases/{case}/report.pdf").status_code == 200
    assert [record.message for record in caplog.records if "glyph" in record.message.lower()] == []


def test_report_shows_pictures_and_does_without_those_that_were_changed(room: TestRoom, case: int) -> None:
    boss = room.as_role("supervisor")
    without = len(boss.get(f"/api/cases/{case}/report.pdf").content)
    picture = io.BytesIO()
    Image.effect_noise((64, 36), 90).save(picture, "JPEG")
    for kind in ("before", "after"):
        keep_evidence(room, 1, kind, picture.getvalue())
    assert len(boss.get(f"/api/cases/{case}/report.pdf").content) > without + len(picture.getvalue())
    (room.folder / "evidence" / "B07" / "1-before.jpg").write_bytes(b"another")
    changed = boss.get(f"/api/cases/{case}/report.pdf")
    assert changed.status_code == 200
    assert len(changed.content) < without + len(picture.getvalue())


@pytest.fixture
def kept(room: TestRoom) -> TestClient:
    """A supervisor who is kept to B08."""
    with room.database.writing() as session:
        token = add_token(session, "kept", "supervisor", now=NOON, tables=["B08"])
    client = room.anybody()
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def test_supervisor_of_some_tables_sees_their_cases_alone(room: TestRoom, case: int, kept: TestClient) -> None:
    assert kept.get("/api/cases").json()["items"] == []
    for path in (f"/api/cases/{case}", f"/api/cases/{case}/report.pdf", f"/api/cases/{case}/export"):
        assert_error(kept.get(path), 404)
    assert_error(kept.post(f"/api/cases/{case}/notes", json={"text": "mine"}), 404)
    assert_error(kept.post(f"/api/cases/{case}/state", json={"state": "closed"}), 404)
    assert_error(kept.post("/api/holds", json={"case": case, "reason": "mine"}), 404)

    other = raise_alert(room, "B08")
    room.as_role("supervisor").post(f"/api/cases/{case}/alerts", json={"alert": other})
    (seen,) = kept.get("/api/cases").json()["items"]
    assert (seen["id"], seen["alerts"]) == (case, 1)
    assert [alert["id"] for alert in kept.get(f"/api/cases/{case}").json()["alert_list"]] == [other]


def test_supervisor_of_some_tables_sees_his_own_empty_case(kept: TestClient) -> None:
    number = kept.post("/api/cases", json={"title": "Shoe 4"}).json()["id"]
    assert [one["id"] for one in kept.get("/api/cases").json()["items"]] == [number]


def test_audit_of_a_supervisor_of_some_tables_tells_of_them_and_of_him(
    room: TestRoom, case: int, kept: TestClient
) -> None:
    operator, here, there = room.as_role("operator"), raise_alert(room, "B08"), raise_alert(room, "B07")
    for alert in (here, there):
        operator.post(f"/api/alerts/{alert}/state", json={"state": "acknowledged"})
    room.browser("operator")
    number = kept.post("/api/cases", json={"title": "Shoe 4"}).json()["id"]

    acts = kept.get("/api/audit?limit=1").json()
    assert [(act["action"], act["target"]) for act in acts["items"]] == [("case.opened", f"case:{number}")]
    rest = kept.get(f"/api/audit?cursor={acts['next']}").json()
    assert [(act["action"], act["target"]) for act in rest["items"]] == [("alert.acknowledged", f"alert:{here}")]
    assert rest["next"] is None
    assert len(room.as_role("supervisor").get("/api/audit").json()["items"]) == 6
