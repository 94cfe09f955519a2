"""The room as operators use it: by keyboard, in two browsers at once, with a clip that plays."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.service.browser.served import FilmedTable, ServedRoom, an_alert
from tests.service.browser.visitor import visiting
from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.storms import LEAST
from thirdcard.service.media.overlay import Outline
from thirdcard.service.media.overlay_memory import AreaText
from thirdcard.service.store.schema import AlertRow

CARD = Outline(polygon_mm=((900.0, 400.0), (963.0, 400.0), (963.0, 488.0), (900.0, 488.0)), text="7H")


def shown_alert(table: FilmedTable) -> int:
    """An alert whose clip, still and overlay are kept."""
    table.film()
    for frame in range(200):
        moved = tuple((x + 2.0 * frame, y) for x, y in CARD.polygon_mm)
        at = table.began + timedelta(seconds=frame / 10)
        table.evidence.memory.remember(at, (Outline(polygon_mm=moved, text="7H"),), (AreaText("s3-banker", "500"),))
    (entry,) = table.write(alerts=[an_alert()])
    table.keep_all()
    return entry.alert_id


def state_of(page: Page) -> str | None:
    return page.locator("[data-opened]").get_attribute("data-state")


def test_alert_appears_and_is_decided_by_keyboard(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts")
        expect(page.get_by_text("Nothing is waiting.")).to_be_visible()
        room.tables["T1"].write(alerts=[an_alert()])
        room.tables["T2"].write(alerts=[an_alert(code="misdeal.order", severity=Severity.MEDIUM)])
        expect(page.locator(".alert-row")).to_have_count(2)
        expect(page.locator("#waiting")).to_have_text("2")
        ben.press("j", "j", "Enter")
        expect(page.locator("[data-opened='1']")).to_be_visible()
        ben.press("a")
        expect(page.locator("[data-opened][data-state=acknowledged]")).to_be_visible()
        ben.press("c", "Enter")
        expect(page.locator("[data-opened][data-state=confirmed]")).to_be_visible()
        ben.press("k", "d")  # at once: it is meant for the alert that was moved to
        expect(page.locator("#dismiss")).to_be_visible()
        ben.press("1", "Enter")
        expect(page.locator("[data-opened='2'][data-state=dismissed]")).to_be_visible()
        expect(page.locator("#waiting")).to_have_text("0")
        assert ben.complaints == []


def test_what_is_not_of_today_says_its_day(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert()])
    room.tables["T2"].write(alerts=[an_alert()])
    with room.database.writing() as session:
        older = session.get_one(AlertRow, 1)
        older.at = before = older.at - timedelta(days=40)
    day = rf"{before:%-d} {before:%b} \d\d:\d\d:\d\d"
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts")
        expect(page.locator("#row-1 time")).to_have_text(re.compile(f"^{day}$"))
        expect(page.locator("#row-2 time")).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))


def test_clip_plays_goes_by_frames_and_carries_the_overlay(browser: Browser, room: ServedRoom) -> None:
    number = shown_alert(room.tables["T1"])
    with visiting(browser, room, "ben") as ben:
        page = ben.see(f"/alerts/{number}")
        page.wait_for_function("() => document.querySelector('video').readyState >= 2")
        expect(page.locator(".overlay .lies")).to_have_count(1)
        ben.press("f")
        first = page.locator(".overlay .lies").get_attribute("points")
        before = page.evaluate("() => document.querySelector('video').currentTime")
        ben.press(*"........")  # the card moves every fifth of a second
        page.wait_for_function("(t) => document.querySelector('video').currentTime > t + 0.05", arg=before)
        page.wait_for_function(
            "(was) => document.querySelector('.overlay .lies').getAttribute('points') !== was", arg=first
        )
        assert set(page.locator(".overlay text").all_text_contents()) == {"7H", "500"}
        ben.press("o")
        expect(page.locator(".overlay")).to_be_hidden()
        ben.press("o")
        expect(page.locator(".overlay")).to_be_visible()
        ben.press("s", "Space")
        page.wait_for_function("() => !document.querySelector('video').paused")
        page.wait_for_function("(t) => document.querySelector('video').currentTime > t + 0.6", arg=before)
        assert page.evaluate("() => document.querySelector('video').playbackRate") == 0.5
        assert ben.complaints == []


def test_clip_that_does_not_play_says_so_and_has_nothing_drawn_over_it(browser: Browser, room: ServedRoom) -> None:
    number = shown_alert(room.tables["T1"])
    with visiting(browser, room, "ben") as ben:
        ben.page.route("**/clip", lambda route: route.fulfill(body=b"no film", content_type="video/mp4"))
        page = ben.see(f"/alerts/{number}")
        expect(page.get_by_text("This browser cannot play this clip")).to_be_visible()
        expect(page.get_by_role("link", name="Download")).to_have_attribute("download", f"alert-{number}.mp4")
        expect(page.locator(".overlay > *")).to_have_count(0)


def test_two_operators_see_each_others_changes(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert()])
    with visiting(browser, room, "ben") as ben, visiting(browser, room, "cleo") as cleo:
        mine, hers = ben.see("/alerts/1"), cleo.see("/alerts/1")
        ben.press("a")
        expect(hers.locator("[data-opened][data-state=acknowledged]")).to_be_visible()
        expect(hers.locator("[data-part=opened-history]")).to_contain_text("taken by ben")
        ben.press("e")
        ben.press("Enter")
        expect(hers.locator("[data-opened][data-state=escalated]")).to_be_visible()
        cleo.press("d", "2", "Enter")
        expect(mine.locator("[data-opened][data-state=dismissed]")).to_be_visible()
        assert ben.complaints + cleo.complaints == []


def test_storm_is_one_group_that_is_taken_as_one(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/")
        room.tables["T1"].write(alerts=[an_alert(t=float(n)) for n in range(LEAST + 2)])
        expect(page.locator(".toast")).to_have_count(1)
        expect(page.locator(".toast")).to_contain_text(f"T1: {LEAST + 2} alerts")
        ben.see("/alerts")
        expect(page.locator(".storm-row")).to_have_count(1)
        ben.press("j", "Enter", "j")
        expect(page.locator(".storm-row .alert-row")).to_have_count(LEAST + 2)
        expect(page.locator(".storm-row .alert-row a:focus")).to_have_count(1)
        ben.press("k", "a")
        expect(page.locator(".storm-row")).to_have_count(0)
        expect(page.locator(".alert-row.is-acknowledged")).to_have_count(LEAST + 2)
        assert ben.complaints == []


TELL_OF = """async ([script, alerts]) => {
  const { Storms } = await import(script);
  const storms = new Storms(JSON.parse(document.body.dataset.storm));
  return alerts.map(([code, severity, at_s]) => storms.add({ table: "T1", code, severity }, at_s * 1000).is_news);
}"""


@pytest.mark.parametrize(
    ("alerts", "heard"),
    [
        pytest.param([("payout.loser_kept", "high")] * 9, "yyyyyyyyy", id="each grave fault"),
        pytest.param([("camera.lost", "high")] * 9, "yyyynnnyn", id="a camera's at first and when doubled"),
        pytest.param([("camera.lost", "critical")] * 5 + [("late_bet.placed", "low")], "yyyyny", id="another code"),
        pytest.param([("late_bet.placed", "low")] * 5 + [("late_bet.placed", "medium")], "yyyyny", id="a worse one"),
    ],
)
def test_storm_swallows_no_other_kind_and_no_grave_fault(
    browser: Browser, room: ServedRoom, alerts: list[tuple[str, str]], heard: str
) -> None:
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/")
        script = page.evaluate("() => document.querySelector('script[src$=\"/room.js\"]').src")
        said = page.evaluate(
            TELL_OF, [script.replace("/room.js", "/storms.js"), [[*one, n] for n, one in enumerate(alerts)]]
        )
    assert "".join("y" if one else "n" for one in said) == heard


def test_case_is_gathered_noted_and_exported(browser: Browser, room: ServedRoom) -> None:
    number = shown_alert(room.tables["T1"])
    with visiting(browser, room, "cleo") as cleo:
        page = cleo.see(f"/alerts/{number}")
        page.get_by_label("New case").fill("Seat 3, Γιώργος, 張偉")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Seat 3, Γιώργος, 張偉").click()
        page.get_by_label("A note, never changed afterwards").fill("The same patron as on Friday.")
        page.get_by_role("button", name="Add the note").click()
        expect(page.get_by_text("The same patron as on Friday.", exact=True)).to_be_visible()
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Export (ZIP)").click()
        archive = zipfile.ZipFile(waiting.value.path())
        manifest = json.loads(archive.read("manifest.json"))
        names = [file["name"] for file in manifest["files"]]
        assert {f"evidence/alert-{number}-{kind}" for kind in ("clip.mp4", "still.jpg", "overlay.json")} <= set(names)
        assert "report.pdf" in names
        for file in manifest["files"]:
            assert hashlib.sha256(archive.read(file["name"])).hexdigest() == file["sha256"]
        assert cleo.complaints == []


def test_viewer_decides_nothing(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert()])
    with visiting(browser, room, "vic") as vic:
        page = vic.see("/alerts/1")
        expect(page.locator("[data-opened]")).to_be_visible()
        assert page.locator("[data-step]").count() == 0
        vic.press("a", "c", "d")
        status = page.evaluate(
            "() => fetch('/api/alerts/1/state', {method: 'POST', body: '{\"state\": \"confirmed\"}',"
            " headers: {'Content-Type': 'application/json', 'X-CSRF-Token': document.body.dataset.csrf}})"
            ".then((answer) => answer.status)"
        )
        assert status == 403
        assert state_of(page) == "open"
