"""The pages: who sees which, what stands on them, and that a browser runs nothing that we did not ship."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, close_round, keep_evidence, raise_alert, table_state
from thirdcard.rules.game.words import GAME_BETS, Bet
from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.config.table_facts import TableFacts
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.web.pages.showing import STATIC

HTML = {"Accept": "text/html"}
PAGES = {
    "viewer": ["/", "/alerts", "/alerts/1", "/tables/B07",
               "/parts/wall", "/parts/alerts", "/parts/alerts/1", "/parts/tables/B07"],
    "supervisor": ["/cases", "/cases/1", "/decisions", "/decisions?by=table", "/holds", "/audit"],
    "admin": ["/settings", "/settings/tables", "/settings/notifications", "/settings/retention"],
}  # fmt: skip
EVERY_PAGE = [pytest.param(role, path, id=path) for role, paths in PAGES.items() for path in paths]


class Seen(HTMLParser):
    """Collects what a policy without inline scripts and styles would refuse, and what is amiss for who cannot see."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.ids: list[str] = []
        self.landmarks: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.landmarks.add(tag)
        self.faults += [f"{tag} {name}" for name in given if name == "style" or name.startswith("on")]
        if tag == "style" or (tag == "script" and not (given.get("src") or "").startswith("/static/")):
            self.faults.append(f"inline {tag}")
        if tag == "img" and "alt" not in given:
            self.faults.append("img without alt")
        for name in ("src", "href", "action"):
            if re.match(r"https?:|//", given.get(name) or ""):
                self.faults.append(f"{tag} {name} from elsewhere")
        if given.get("id"):
            self.ids.append(given["id"] or "")


@pytest.fixture
def full(room: TestRoom) -> TestRoom:
    """A room in which something of everything has happened."""
    close_round(room, 3)
    close_round(room, 4)
    alert = raise_alert(room, cards=["7H", "KD"], message="Seat 3 placed <b>500</b>.")
    for kind in ("clip", "still", "before", "after"):
        keep_evidence(room, alert, kind, b"content")
    raise_alert(room, "B08", code="camera.lost", rule=None, seat=None, bet=None, area=None, amount=None)
    room.live.known["B08"] = table_state("B08", camera="lost", fault="no answer", player=(), banker=(), wagers=())
    room.live.pictures["B07"] = Picture(jpeg=b"jpeg", version="1")
    boss = room.as_role("supervisor")
    boss.post("/api/alerts/1/state", json={"state": "escalated", "note": "look"})
    assert boss.post("/api/cases", json={"title": "Seat <3>", "alert": 1}).status_code == 201
    boss.post("/api/cases/1/notes", json={"text": "a note"})
    return room


@pytest.mark.parametrize(("role", "path"), EVERY_PAGE)
def test_page_is_whole_and_runs_nothing_foreign(full: TestRoom, role: str, path: str) -> None:
    answer = full.browser(role).get(path, headers=HTML)
    assert answer.status_code == 200, answer.text
    seen = Seen()
    seen.feed(answer.text)
    assert seen.faults == []
    assert len(seen.ids) == len(set(seen.ids))
    if not path.startswith("/parts"):
        assert {"main", "nav", "header", "h1", "title"} <= seen.landmarks


@pytest.mark.parametrize(("role", "path"), [case for case in EVERY_PAGE if case.values[0] != "viewer"])
def test_page_for_others_is_refused(full: TestRoom, role: str, path: str) -> None:
    answer = full.browser("operator").get(path, headers=HTML)
    assert answer.status_code == 403
    assert "This needs the role" in answer.text


@pytest.mark.parametrize("path", ["/alerts/99", "/parts/alerts/99", "/tables/B99", "/parts/tables/B99", "/cases/99"])
def test_page_of_nothing_is_not_found(full: TestRoom, path: str) -> None:
    assert full.browser("admin").get(path, headers=HTML).status_code == 404
    assert_error(full.browser("admin").get(path), 404, says="no such")


def test_what_others_wrote_is_shown_as_text(full: TestRoom) -> None:
    assert "Seat 3 placed &lt;b&gt;500&lt;/b&gt;." in full.browser("viewer").get("/alerts/1").text
    assert "Seat &lt;3&gt;" in full.browser("supervisor").get("/cases/1").text


def test_wall_says_which_table_cannot_be_watched(full: TestRoom) -> None:
    text = full.browser("viewer").get("/").text
    assert "<b>1 of 2 tables</b> cannot be watched now." in text
    assert "no answer" in text


def test_alert_page_says_what_the_rulebook_orders_and_who_did_what(full: TestRoom) -> None:
    text = full.browser("viewer").get("/alerts/1").text
    for part in (
        "tas <b>6.3</b>",
        "6.3: No wager on a hand may be placed",
        "The wager is void",
        "escalated by token:supervisor",
        "<q>look</q>",
        "7 of hearts",
    ):
        assert part in text


def test_viewer_is_offered_no_step(full: TestRoom) -> None:
    assert "data-step" not in full.browser("viewer").get("/alerts/1").text
    operator = full.browser("operator").get("/alerts/1").text
    assert re.findall(r'data-step="(\w+)"', operator) == ["confirmed", "dismissed"]


def test_dialog_offers_every_reason(full: TestRoom) -> None:
    text = full.browser("operator").get("/alerts").text
    assert re.findall(r'name="reason" value="(\w+)"', text) == list(DISMISSAL_REASONS)


def test_list_shows_what_is_not_closed_unless_asked(full: TestRoom) -> None:
    full.as_role("operator").post("/api/alerts/1/state", json={"state": "confirmed"})
    client = full.browser("viewer")
    assert re.findall(r'data-alert="(\d+)"', client.get("/alerts").text) == ["2"]
    assert re.findall(r'data-alert="(\d+)"', client.get("/alerts?show=all").text) == ["2", "1"]
    assert re.findall(r'data-alert="(\d+)"', client.get("/alerts?show=all&code=late_bet&table=").text) == ["1"]
    assert_error(client.get("/alerts?show=nothing"), 422, field="show")


def test_times_are_the_houses_own(full: TestRoom) -> None:
    assert "12:01:23" in full.browser("viewer").get("/alerts/1").text
    assert 'data-zone="UTC"' in full.browser("viewer").get("/").text


def test_person_sees_his_tables_only(full: TestRoom) -> None:
    client = full.browser("anna")
    assert "B07" not in client.get("/").text
    assert "B07" not in client.get("/alerts?show=all").text
    assert client.get("/alerts/1", headers=HTML).status_code == 404


def test_page_names_files_that_are_there_and_may_be_kept(full: TestRoom) -> None:
    client = full.browser("viewer")
    for path in ("/", "/alerts", "/tables/B07"):
        for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get(path).text):
            answer = full.anybody().get(name)
            assert answer.status_code == 200
            assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_script_imports_what_is_there(path: Path) -> None:
    for name in re.findall(r'from "\./([^"]+)"', path.read_text(encoding="utf-8")):
        assert (STATIC / name).is_file()


@pytest.mark.parametrize("path", ["/alerts", "/decisions"])
def test_tables_that_were_reviewed_stand_in_the_menus_too(room: TestRoom, path: str) -> None:
    raise_alert(room, "R22")
    page = room.browser("supervisor").get(path).text
    assert all(f">{name}</option>" in page for name in ("B07", "B08", "R22"))


def test_bets_of_the_table_s_own_rulebook_can_be_reported(room: TestRoom) -> None:
    facts = TableFacts(
        table_id="B07", file="b07.yaml", rulebook="ez", options={}, shoe="", limits={}, cameras=(),
        bets=(*GAME_BETS, Bet("panda_8")),
    )  # fmt: skip
    running = room.app.state.room
    room.app.state.room = replace(running, settings=replace(running.settings, tables=(facts,)))
    browser = room.browser("operator")
    assert "<option>panda_8</option>" in browser.get("/tables/B07").text
    assert "<option>panda_8</option>" not in browser.get("/tables/B08").text
