"""The document of the API is complete, each of its examples is taken, and it is shown as a page."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.routing import APIRoute

from tests.service.web.rooms import TestRoom, raise_alert
from thirdcard.service.web.api_document import SCHEMES, calls_of, examples, sample_path
from thirdcard.service.web.app import ROUTERS
from thirdcard.service.web.pages.showing import with_code

ROUTES = [route for module in ROUTERS for route in module.router.routes if isinstance(route, APIRoute)]
SHOWN = [route for route in ROUTES if route.include_in_schema and route.path.startswith("/api/")]
WITH_BODY = sorted(f"{method} {route.path}" for route in SHOWN if route.body_field for method in route.methods or ())
READING = sorted(route.path for route in SHOWN if route.methods == {"GET"})
ABOUT_FILES = ("/setup", "/api/tables")
ENDLESS = {"/api/alerts/stream", "/api/tables/{table_id}/live"}


def document_of(room: TestRoom) -> Any:
    """The document, as anybody gets it."""
    return room.anybody().get("/api/openapi.json").json()


def test_each_body_has_an_example_and_no_example_is_left_over() -> None:
    bodies = {one for one in WITH_BODY if not one.startswith("POST /api/session")}
    assert set(examples()) == bodies


@pytest.mark.parametrize("call", sorted(examples()))
def test_example_of_a_body_is_taken_by_its_call(room: TestRoom, call: str) -> None:
    raise_alert(room)
    method, path = call.split(" ")
    answer = room.as_role("admin").request(method, sample_path(path), json=examples()[call])
    assert answer.status_code in (200, 201, 202, 204, 404, 409) or is_about_files(call, answer), answer.text


def is_about_files(call: str, answer: Any) -> bool:
    """Whether the body was understood, and the files or the table that it names are what is refused."""
    field = answer.json()["error"]["field"]
    return answer.status_code == 422 and (
        call.endswith(("/setup", "/api/tables", "/import", "/roster", "/holds")) or field is None
    )


@pytest.mark.parametrize("path", [path for path in READING if path not in ENDLESS])
def test_example_of_a_call_that_reads_finds_its_route(room: TestRoom, path: str) -> None:
    raise_alert(room)
    answer = room.as_role("admin").get(sample_path(path), follow_redirects=False)
    assert answer.status_code in (200, 202, 304, 404, 409, 422, 503), answer.text


def test_document_says_how_to_sign_in(room: TestRoom) -> None:
    document = document_of(room)
    assert set(document["components"]["securitySchemes"]) == set(SCHEMES)
    assert document["paths"]["/api/health"]["get"]["security"] == []
    assert document["paths"]["/api/alerts"]["get"]["security"] == [{"token": []}, {"session": []}]


def test_every_field_of_the_document_says_what_it_means(room: TestRoom) -> None:
    schemas = document_of(room)["components"]["schemas"]
    bare = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, said in schema.get("properties", {}).items()
        if "description" not in said
    ]
    assert bare == []


def test_page_shows_each_call_with_its_example(room: TestRoom) -> None:
    answer = room.anybody().get("/api/docs")
    calls = calls_of(document_of(room))
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.text.count("<details") == len(calls) > 80
    assert "https://cdn" not in answer.text
    assert "curl https://thirdcard.example/api/tables/B07/incidents" in answer.text


def test_page_shows_code_as_code_and_no_backtick(room: TestRoom) -> None:
    text = room.anybody().get("/api/docs").text
    assert "`" not in text
    assert "<code>list=doubtful</code>" in text


def test_code_in_a_text_is_marked_and_the_rest_escaped() -> None:
    assert with_code("a <b> and `x < 1`") == "a &lt;b&gt; and <code>x &lt; 1</code>"
    assert with_code("one ` alone") == "one ` alone"
