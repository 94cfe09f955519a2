"""Figures of decisions: counted right, with links that lead to just those alerts."""

from __future__ import annotations

import csv
import html
import io
import re

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, raise_alert
from thirdcard.service.alerts.decisions import Decisions

HTML = {"Accept": "text/html"}


@pytest.fixture
def decided(room: TestRoom) -> TestRoom:
    """Five late bets, one of them at B08, and a misdeal."""
    numbers = [raise_alert(room, t=float(n)) for n in range(4)]
    raise_alert(room, "B08", t=5.0, dealer=None)
    raise_alert(room, code="misdeal.order", t=4000.0)
    boss = room.as_role("supervisor")
    room.clock.move(seconds=30)
    boss.post(f"/api/alerts/{numbers[0]}/state", json={"state": "acknowledged"})
    room.clock.move(seconds=60)
    boss.post(f"/api/alerts/{numbers[0]}/state", json={"state": "confirmed"})
    boss.post(f"/api/alerts/{numbers[1]}/state", json={"state": "dismissed", "reason": "card_misread"})
    boss.post(f"/api/alerts/{numbers[2]}/state", json={"state": "dismissed", "reason": "duplicate"})
    return room


def test_figures_count_what_became_of_alerts(decided: TestRoom) -> None:
    late, misdeal = decided.as_role("supervisor").get("/api/decisions").json()["items"]
    assert (misdeal["name"], misdeal["raised"], misdeal["open"], misdeal["false_share"]) == (
        "misdeal.order",
        1,
        1,
        None,
    )
    counts = [late[key] for key in ("raised", "open", "acknowledged", "confirmed", "dismissed", "false")]
    assert (late["name"], counts) == ("late_bet.placed", [5, 2, 0, 1, 2, 1])
    assert late["reasons"] == {"card_misread": 1, "duplicate": 1}
    assert (late["taken_after_s"], late["decided_after_s"]) == (90.0, 90.0)
    assert late["false_share"] == pytest.approx(1 / 3)
    assert (late["false_low"], late["false_high"]) == pytest.approx((0.0615, 0.7923), abs=1e-4)


@pytest.mark.parametrize(
    ("false", "decided", "interval"),
    [
        pytest.param(0, 10, (0.0, 0.2775), id="none"),
        pytest.param(10, 10, (0.7225, 1.0), id="all"),
        pytest.param(5, 10, (0.2366, 0.7634), id="half"),
    ],
)
def test_interval_is_wilsons(false: int, decided: int, interval: tuple[float, float]) -> None:
    figures = Decisions(
        name="x", raised=decided, states={"dismissed": false, "confirmed": decided - false},
        reasons={"chips_misread": false}, taken_after_s=None, decided_after_s=None,
    )  # fmt: skip
    assert figures.false_interval == pytest.approx(interval, abs=1e-4)


def test_figures_by_table_and_by_time(decided: TestRoom) -> None:
    boss = decided.as_role("supervisor")
    by_table = boss.get("/api/decisions?by=table").json()["items"]
    assert [(one["name"], one["raised"]) for one in by_table] == [("B07", 5), ("B08", 1)]
    later = boss.get("/api/decisions", params={"from": "2026-05-04T13:00:00Z"}).json()["items"]
    assert [(one["name"], one["raised"]) for one in later] == [("misdeal.order", 1)]
    assert boss.get("/api/decisions", params={"to": "2026-05-04T12:00:00Z"}).json()["items"] == []


def test_figures_as_a_table_for_spreadsheets(decided: TestRoom) -> None:
    answer = decided.as_role("supervisor").get("/api/decisions?format=csv&by=table")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    first, second = csv.DictReader(io.StringIO(answer.text))
    assert (first["name"], first["dismissed_duplicate"], first["false"]) == ("B07", "1", "1")
    assert (second["name"], second["false_share"]) == ("B08", "")


def test_each_figure_leads_to_its_alerts(decided: TestRoom) -> None:
    browser = decided.browser("supervisor")
    page = browser.get("/decisions?from=2026-05-04&to=2026-05-04&table=", headers=HTML).text
    links = re.findall(r'<a href="(/alerts\?show=[^"]+)">(\d+)</a>', page)
    assert len(links) == 8
    for address, number in links:
        text = browser.get(html.unescape(address), headers=HTML).text
        assert len(re.findall(r'class="alert-row ', text)) == int(number), address


@pytest.mark.parametrize(
    ("path", "field"), [("?by=dealer", "by"), ("?from=yesterday", "from"), ("?format=xml", "format")]
)
def test_bad_wish_is_named(room: TestRoom, path: str, field: str) -> None:
    assert_error(room.as_role("supervisor").get(f"/api/decisions{path}"), 422, field=field)


def test_figures_are_for_supervisors_and_of_their_tables(decided: TestRoom) -> None:
    assert_error(decided.as_role("operator").get("/api/decisions"), 403)
