"""Whatever is asked wrongly, the answer is the one error body."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sqlalchemy.exc import OperationalError

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, raise_alert
from thirdcard.service.web.app import ROUTERS

GETS = ["/api/health", "/api/tables", "/api/tables/B07", "/api/alerts", "/api/alerts/1", "/api/rounds", "/api/rounds/1"]


@pytest.mark.parametrize("path", [*GETS, "/api/audit", "/api/tables/B07/live", "/api/alerts/stream", "/metrics"])
def test_unknown_query_parameter_is_refused(room: TestRoom, path: str) -> None:
    assert_error(room.as_role("admin").get(f"{path}?nonsense=1"), 422, field="nonsense", says="nonsense")


@pytest.mark.parametrize("path", [path for path in GETS if path != "/api/health"])
def test_nobody_in_particular_is_refused(room: TestRoom, path: str) -> None:
    answer = room.anybody().get(path)
    assert_error(answer, 401)
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header",
    ["Bearer tc_forged", "Bearer", "Bearer ", "Basic YWRtaW46YWRtaW4=", "nonsense", "Bearer " + "x" * 5000],
)
def test_forged_token_is_refused(room: TestRoom, header: str) -> None:
    assert_error(room.anybody().get("/api/alerts", headers={"Authorization": header}), 401)


@pytest.mark.parametrize("key", ["forged", "x" * 5000, "ü", '"; DROP TABLE users'])
def test_forged_cookie_is_refused(room: TestRoom, key: str) -> None:
    answer = room.anybody().get("/api/alerts", headers={b"Cookie": f"thirdcard_session={key}".encode("latin-1")})
    assert_error(answer, 401)


@pytest.mark.parametrize(
    "path", ["/api", "/api/nothing", "/api/alerts/1/nothing/more", "/nothing", "/static/none/room.js"]
)
def test_address_that_is_none_is_not_found(room: TestRoom, path: str) -> None:
    assert_error(room.as_role("admin").get(path), 404)


@pytest.mark.parametrize(
    "path",
    ["/static/../showing.py", "/static/%2e%2e/showing.py", "/static/..%2f..%2fapp.py", "/static//etc/passwd"],
)
def test_path_that_climbs_is_not_found(room: TestRoom, path: str) -> None:
    assert_error(room.anybody().get(path), 404)


def test_wrong_method_is_refused(room: TestRoom) -> None:
    answer = room.as_role("admin").delete("/api/alerts")
    assert_error(answer, 405)
    assert answer.headers["Allow"] == "GET, HEAD"


def test_every_method_of_an_address_is_allowed(room: TestRoom) -> None:
    answer = room.as_role("admin").patch("/api/cases")
    assert_error(answer, 405)
    assert answer.headers["Allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("moment", ["0.5", "1764115200", "-3", "1e9", " 7 "])
def test_number_is_no_moment(room: TestRoom, moment: str) -> None:
    answer = room.as_role("viewer").get("/api/alerts", params={"to": moment})
    assert_error(answer, 422, field="to")
    assert "a date and time with its offset" in answer.json()["error"]["message"]


@pytest.mark.parametrize("number", ["0", "-1", "abc", "1.5", "99999999999999999999999", "1e3"])
def test_number_that_is_none_names_nothing(room: TestRoom, number: str) -> None:
    assert_error(room.as_role("viewer").get(f"/api/alerts/{number}"), 404)


@pytest.mark.parametrize("path", ["/api/alerts/4711", "/api/rounds/4711", "/api/tables/B99", "/api/alerts/4711/clip"])
def test_what_is_not_there_is_not_found(room: TestRoom, path: str) -> None:
    assert_error(room.as_role("viewer").get(path), 404, says="no such")


BODIES: dict[str, dict[str, object]] = {
    "/api/tables/{table_id}/signals": {"type": "no_more_bets", "t": 1.0},
    "/api/tables/{table_id}/incidents": {"minutes": 1, "note": "look at seat 3"},
    "/api/alerts/{alert_id}/state": {"state": "acknowledged"},
    "/api/alerts/{alert_id}/longer": {"before_s": 5},
    "/api/alerts/{alert_id}/copies": {"kind": "clip"},
    "/api/rounds/{round_id}/corrections": {"kind": "remove", "line": 1, "why": "it did not happen"},
    "/api/corrections/{number}/take-back": {"why": "it did happen"},
    "/api/cases/{case_id}/alerts": {"alert": 1},
    "/api/cases/{case_id}/notes": {"text": "a note"},
    "/api/cases/{case_id}/state": {"state": "closed"},
    "/api/users/{name}/password": {"password": "a long one, with spaces"},
    "/api/users/{name}/state": {"active": False},
    "/api/tokens/{name}/state": {"active": False},
    "/api/dealers/{dealer_id}": {"name": "Ben Tan"},
    "/api/dealers/{dealer_id}/join": {"gone": 1},
    "/api/tables/{table_id}/setup": {"files": {"table.yaml": "aWQ6IEIwNw=="}},
    "/api/tables/{table_id}/setups/{version}/restore": {"why": "a slip"},
    "/api/tables/{table_id}/stop": {"why": "the cloth is changed"},
    "/api/tables/{table_id}/start": {},
    "/api/tables/{table_id}/camera-fit/accept": {},
    "/api/new-tables/{table_id}/camera": {"source": "rtsp://10.0.0.20/stream1"},
    "/api/new-tables/{table_id}/cloth": {"name": "mini-7"},
    "/api/new-tables/{table_id}/sketch": {"sketch": {"size_mm": [2130, 1070], "frame_mm": [0, 0, 2130, 1070]}},
    "/api/new-tables/{table_id}/calibration": {"points": None},
    "/api/new-tables/{table_id}/chips": {"built_in": "house"},
    "/api/new-tables/{table_id}/deck": {},
    "/api/new-tables/{table_id}/house": {"house": {"rulebook": "tas"}},
    "/api/new-tables/{table_id}/finish": {},
}
"""What a request carries beside the name of something that is not there."""
QUERIES = {"/api/tables/{table_id}/recording/clip": {"from": "2026-05-04T12:00:00Z", "to": "2026-05-04T12:01:00Z"}}


def named_routes() -> list[tuple[str, str]]:
    """Method and path of every route whose path names something."""
    routes = [route for module in ROUTERS for route in module.router.routes if isinstance(route, APIRoute)]
    return [(method, route.path) for route in routes for method in sorted(route.methods or ()) if "{" in route.path]


@pytest.mark.parametrize("name", ["4711", "nobody", "0", "9" * 25])
def test_unknown_name_is_not_found_on_every_route(room: TestRoom, name: str) -> None:
    raise_alert(room)
    found = named_routes()
    assert len(found) > 30
    for method, path in found:
        address = re.sub(r"\{\w+\}", name, path)
        answer = room.as_role("admin").request(method, address, json=BODIES.get(path), params=QUERIES.get(path))
        assert_error(answer, 404)
        assert answer.json()["error"]["code"] == "not_found", address


def test_body_that_is_too_large_is_refused_by_its_announced_length(room: TestRoom) -> None:
    answer = room.as_role("operator").post("/api/tables/B07/signals", content=b"x" * 1_000_001)
    assert_error(answer, 413)


def test_body_that_is_too_large_is_refused_when_it_announced_nothing(room: TestRoom) -> None:
    pieces = (b"x" * 100_000 for _ in range(11))
    assert_error(room.as_role("operator").post("/api/tables/B07/signals", content=pieces), 413)


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[1, 2]", b"null", b'"text"', b"", b"[" * 900_000])
def test_body_that_is_no_object_is_refused(room: TestRoom, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = room.as_role("operator").post("/api/tables/B07/signals", content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert set(answer.json()["error"]) == {"code", "message", "field"}


def test_unforeseen_failure_tells_nothing_of_the_inside(
    room: TestRoom, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(room.live, "known", None)
    answer = room.as_role("admin").get("/api/tables")
    assert_error(answer, 500, says="service's log")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "GET /api/tables failed" in caplog.text
    page = room.browser("admin").get("/", headers={"Accept": "text/html"})
    assert (page.status_code, "service&#39;s log" in page.text) == (500, True)


def test_database_that_does_not_answer_is_unavailable(room: TestRoom, monkeypatch: pytest.MonkeyPatch) -> None:
    raise_alert(room)
    client = room.as_role("admin")

    def fail() -> None:
        raise OperationalError("SELECT 1", None, Exception("gone"))

    monkeypatch.setattr(room.database.engine, "connect", fail)
    answer = client.get("/api/alerts")
    assert_error(answer, 503)
    assert answer.headers["Retry-After"] == "2"
    assert room.anybody().get("/api/health").json() == {"status": "degraded", "version": "0.0.1"}


def test_answers_carry_headers_that_bind_browsers(room: TestRoom) -> None:
    for path in ("/api/health", "/api/nothing", "/login"):
        headers = room.anybody().get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert "Strict-Transport-Security" not in headers


def test_browser_gets_a_page_instead_of_an_error_body(room: TestRoom) -> None:
    answer = room.anybody().get("/nothing", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "nothing of that name" in answer.text


def test_schema_tells_every_address_of_the_api(room: TestRoom) -> None:
    schema = room.anybody().get("/api/openapi.json").json()
    paths = set(schema["paths"])
    assert {"/api/alerts/{alert_id}/state", "/api/alerts/stream", "/api/tables/{table_id}/signals", "/metrics"} <= paths
    assert not [path for path in paths if not path.startswith(("/api/", "/metrics"))]


@pytest.mark.parametrize("length", ["-1", "many", "9" * 30])
def test_length_that_is_no_number_is_refused(room: TestRoom, length: str) -> None:
    client = room.as_role("operator")
    assert_error(client.post("/api/tables/B07/signals", content=b"{}", headers={"Content-Length": length}), 400)


@pytest.mark.parametrize("path", ["/api/analytics/{what}", "/api/decisions", "/api/audit"])
def test_files_are_in_the_document_of_the_api(room: TestRoom, path: str) -> None:
    schema = room.anybody().get("/api/openapi.json").json()
    assert {"application/json", "text/csv"} <= set(schema["paths"][path]["get"]["responses"]["200"]["content"])


def numbers_of(schema: Any) -> list[tuple[str, str, str]]:
    """Path, name and place of every whole number that a request may hold."""
    found = []
    for path, ways in schema["paths"].items():
        for parameter in [one for way in ways.values() for one in way.get("parameters", [])]:
            kinds = [parameter["schema"], *parameter["schema"].get("anyOf", [])]
            found += [(path, parameter["name"], str(kind)) for kind in kinds if kind.get("type") == "integer"]
    return found


def test_no_number_of_a_request_is_larger_than_a_database_takes(room: TestRoom) -> None:
    numbers = numbers_of(room.anybody().get("/api/openapi.json").json())
    assert len(numbers) > 10
    assert [one for one in numbers if "'maximum':" not in one[2]] == []


def test_document_of_the_api_is_the_same_for_all_who_ask_first_at_once(room: TestRoom) -> None:
    clients = [room.anybody() for _ in range(8)]

    with ThreadPoolExecutor(len(clients)) as threads:
        answers = list(threads.map(lambda client: client.get("/api/openapi.json"), clients))

    assert {answer.status_code for answer in answers} == {200}
    assert all(answer.json() == answers[0].json() for answer in answers)
