"""What dealer or supervisor says and no camera sees: buttons on a table's page, reports of devices, corrections."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields
from html.parser import HTMLParser
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom
from thirdcard.rules.log.events import EVENT_TYPES, parse_event
from thirdcard.service.store.schema import ChainLine, SignalRow
from thirdcard.service.watch.wording import event_text
from thirdcard.service.web.pages.review_facts import ADDABLE
from thirdcard.service.web.pages.showing import STATIC

SAID: list[dict[str, Any]] = [
    {"type": "round_voided", "reason": "power failure"},
    {"type": "return_ordered", "area": "s3-player", "seat": 3, "bet": "player", "reason": "no insurance"},
    {"type": "card_shown", "where": "burn", "card": None},
    {"type": "card_shown", "where": "shoe", "card": "KD"},
    {"type": "card_replaced", "card_id": "c5", "reason": "damaged"},
    {"type": "nominee_named", "seat": 3, "nominee": 4},
    {"type": "nominee_named", "seat": 3, "nominee": None},
    {"type": "limits_changed", "seat": None, "minimum": 50, "maximum": 5000},
    {"type": "limits_changed", "seat": 3, "bets": {"tie": {"minimum": 5, "maximum": 100}}},
    {"type": "last_round_announced"},
    {"type": "void_hand_announced"},
    {"type": "cut_card_drawn"},
]
IDS = [f"{i}-{body['type']}" for i, body in enumerate(SAID)]


def report(room: TestRoom, body: dict[str, Any], role: str = "operator") -> Any:
    headers = {"Content-Type": "application/json"}
    return room.as_role(role).post("/api/tables/B07/signals", content=json.dumps(body).encode(), headers=headers)


def kept(room: TestRoom) -> list[dict[str, Any]]:
    with room.database.reading() as session:
        return [json.loads(row.body) for row in session.scalars(select(SignalRow))]


@pytest.mark.parametrize("body", SAID, ids=IDS)
@pytest.mark.parametrize("source", ["person", "signal"])
def test_what_was_said_is_kept_as_a_line_of_the_log(room: TestRoom, body: dict[str, Any], source: str) -> None:
    answer = report(room, {**body, "source": source})
    assert answer.status_code == 202, answer.text
    (line,) = kept(room)
    assert parse_event(line) == parse_event({"t": 0.0, **body, "source": source})


def test_who_said_it_is_kept(room: TestRoom) -> None:
    report(room, {"type": "round_voided", "reason": "power failure", "source": "person"})
    report(room, {"type": "round_voided", "source": "signal"})
    with room.database.reading() as session:
        bodies = [json.loads(line.body) for line in session.scalars(select(ChainLine))]
    (note,) = [body for body in bodies if str(body.get("action")).startswith("signal.")]
    assert (note["who"], note["action"], note["target"]) == ("token:operator", "signal.round_voided", "table:B07")


@pytest.mark.parametrize(
    ("bets", "says"),
    [
        pytest.param({"tie": 5}, "bets", id="no-mapping"),
        pytest.param({"tie": {"minimum": [1]}}, "bets", id="list"),
        pytest.param({"tie": {"minimum": 10**400}}, "bets", id="400-digits"),
        pytest.param({"tie": {"least": 5}}, "bets", id="unknown-end"),
        pytest.param({"Coffee, please": {"minimum": 5}}, "bets", id="no-name-of-a-bet"),
        pytest.param({"tie": {"minimum": -1}}, "bets", id="below-0"),
    ],
)
def test_limits_that_are_none_are_refused(room: TestRoom, bets: dict[str, Any], says: str) -> None:
    answer = report(room, {"type": "limits_changed", "bets": bets})
    assert_error(answer, 422, field=says)
    assert kept(room) == []


def test_viewer_may_say_nothing(room: TestRoom) -> None:
    assert report(room, {"type": "round_voided"}, role="viewer").status_code == 403


class Forms(HTMLParser):
    """The forms of a page that report an event: their fields by name, with what is in them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self.is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and (given.get("data-api") or "").endswith("/signals"):
            self.found.append({})
            self.is_inside = True
        elif self.is_inside and given.get("name"):
            self.found[-1][str(given["name"])] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        self.is_inside = self.is_inside and tag != "form"


def forms_of(room: TestRoom, role: str) -> list[dict[str, str]]:
    page = Forms()
    page.feed(room.as_role(role).get("/tables/B07", headers={"Accept": "text/html"}).text)
    return page.found


def test_each_event_that_somebody_says_has_a_button_on_the_live_table(room: TestRoom) -> None:
    forms = forms_of(room, "operator")
    assert {form["type"] for form in forms} == {body["type"] for body in SAID}
    assert all(form["source"] == "person" for form in forms)
    for form in forms:
        own = {field.name for field in fields(EVENT_TYPES[form["type"]])}
        needed = {field.name for field in fields(EVENT_TYPES[form["type"]]) if field.default is MISSING} - {"t"}
        assert needed <= form.keys() - {"type", "source"} <= own


def test_viewer_is_offered_no_button(room: TestRoom) -> None:
    assert forms_of(room, "viewer") == []


def test_each_event_that_somebody_says_can_be_added_in_a_review() -> None:
    assert {body["type"] for body in SAID} <= set(ADDABLE)
    page = (STATIC.parent / "templates" / "round.html").read_text(encoding="utf-8")
    offered: dict[str, set[str]] = {name: set() for name in ADDABLE}
    for kinds, name in re.findall(r'<label data-of="([^"]+)">[^<]*<(?:input|select) name="(\w+)"', page):
        for kind in kinds.split():
            offered[kind] |= {"card", "face_up"} if name == "face" else {name}
    for kind, names in offered.items():
        own = {field.name for field in fields(EVENT_TYPES[kind])}
        needed = {field.name for field in fields(EVENT_TYPES[kind]) if field.default is MISSING} - {"t"}
        assert needed <= names, kind
        assert names - {"face_up"} <= own, kind


@pytest.mark.parametrize("body", SAID, ids=IDS)
def test_each_event_that_somebody_says_is_told_in_words(body: dict[str, Any]) -> None:
    text = event_text(parse_event({"t": 1.0, **body}))
    assert "_" not in text
    assert "None" not in text
