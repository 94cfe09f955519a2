"""Ten tabs load and share one stream, one of them sounds for all, and a session that ends loses no word."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import delete

from tests.service.browser.chromium import QUIET, find_chromium
from tests.service.browser.served import ServedRoom, an_alert
from tests.service.browser.visitor import PATIENCE_MS, Visitor, visiting
from tests.service.web.rooms import PASSWORD
from thirdcard.rules.game.words import Severity
from thirdcard.service.store.schema import SessionRow

TABS = ["/", "/tables/T1", "/tables/T2", "/tables/T3", "/tables/T4", "/alerts", "/rounds", "/review", "/analytics", "/"]
NOTE_SOUNDS = """() => {
  window.heard = [];
  document.addEventListener('room:sound', (event) => window.heard.push(event.detail));
}"""
HEARD = "() => window.heard"
RESUME_UNANSWERED = """{
  const resume = AudioContext.prototype.resume;
  AudioContext.prototype.resume = function () {
    this.dispatchEvent(new Event("statechange"));  // some report a state that does not hold yet
    resume.call(this);
    return new Promise(() => {});
  };
}"""


@pytest.fixture
def strict_browser(browser: Browser) -> Iterator[Browser]:
    """One that lets no page sound before somebody touched it, as browsers do."""
    policy = "--autoplay-policy="
    options = [option for option in QUIET if not option.startswith(policy)]
    path = find_chromium()
    opened = browser.browser_type.launch(
        executable_path=path, args=[*options, f"{policy}document-user-activation-required"]
    )
    try:
        yield opened
    finally:
        opened.close()


@dataclass(frozen=True, slots=True)
class Tabs:
    """Pages of one browser."""

    context: BrowserContext
    pages: list[Page]

    def heard(self) -> list[str]:
        """What all of them sounded."""
        return [severity for page in self.pages for severity in page.evaluate(HEARD)]


def open_tabs(visitor: Visitor, paths: list[str]) -> Tabs:
    """Each path in a tab of its own, the first in the one that is there."""
    context = visitor.page.context
    pages: list[Page] = []
    for path in paths:
        page = context.new_page() if pages else visitor.page
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{visitor.address}{path}", wait_until="load")
        page.evaluate(NOTE_SOUNDS)
        pages.append(page)
    return Tabs(context, pages)


def end_sessions(room: ServedRoom) -> None:
    """As when their time is over."""
    with room.database.writing() as session:
        session.execute(delete(SessionRow))


def sign_in(page: Page, name: str) -> None:
    expect(page.get_by_label("Password")).to_be_visible(timeout=30_000)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_ten_tabs_load_hear_the_same_and_sound_once(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        tabs = open_tabs(ben, TABS)
        expect(tabs.pages[-1].locator("#offline")).to_be_hidden()
        pictured = "() => document.querySelector('img[data-live]').naturalWidth > 0"
        for page in tabs.pages[1:5]:
            page.bring_to_front()
            page.wait_for_function(pictured)
        room.tables["T1"].write(alerts=[an_alert()])
        for page in tabs.pages:
            expect(page.locator("#waiting")).to_have_text("1")
        tabs.pages[0].wait_for_timeout(500)
        assert tabs.heard() == ["high"]
        assert ben.complaints == []


def test_sound_survives_the_tab_that_made_it(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        tabs = open_tabs(ben, ["/", "/alerts", "/rounds"])
        for n, severity in enumerate((Severity.CRITICAL, Severity.MEDIUM)):
            tabs.pages.pop(0).close()
            room.tables["T1"].write(alerts=[an_alert(severity=severity)])
            expect(tabs.pages[-1].locator("#waiting")).to_have_text(str(n + 1))
        tabs.pages[0].wait_for_function("() => window.heard.includes('medium')")


def test_pages_that_were_too_busy_to_sound_in_time_are_asked_again(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        page = open_tabs(ben, ["/"]).pages[0]
        for n in (1, 2):
            page.evaluate("() => setTimeout(() => { const end = Date.now() + 3000; while (Date.now() < end); }, 0)")
            room.tables["T1"].write(alerts=[an_alert(n * 1.0)])
            page.wait_for_function(f"() => window.heard.length === {n}")


def test_sound_waits_for_a_page_that_can_make_it(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        front, silent = open_tabs(ben, ["/", "/rounds"]).pages
        silent.add_init_script("Object.defineProperty(AudioContext.prototype, 'state', {get: () => 'suspended'});")
        silent.reload()
        front.goto("about:blank")
        room.tables["T1"].write(alerts=[an_alert(severity=Severity.CRITICAL)])
        expect(silent.locator("#waiting")).to_have_text("1")
        silent.wait_for_timeout(300)
        front.add_init_script(f"({NOTE_SOUNDS})()")
        front.goto(f"{room.address}/")
        front.wait_for_function("() => window.heard.length === 1")
        assert front.evaluate(HEARD) == ["critical"]


def test_alert_raised_amid_the_navigation_of_the_only_page_is_heard(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        page = open_tabs(ben, ["/"]).pages[0]
        page.goto("about:blank")
        room.tables["T1"].write(alerts=[an_alert(severity=Severity.CRITICAL)])
        page.wait_for_timeout(1500)  # the stream has passed it on, and the next page begins after it
        page.add_init_script(f"({NOTE_SOUNDS})()")
        page.goto(f"{room.address}/alerts")
        page.wait_for_function("() => window.heard.length === 1")
        page.goto(f"{room.address}/rounds")
        page.wait_for_timeout(500)
        assert page.evaluate(HEARD) == []


def test_blocked_sound_is_said_on_every_page_until_a_click(strict_browser: Browser, room: ServedRoom) -> None:
    with visiting(strict_browser, room, "ada") as ada:
        page = ada.page.context.new_page()
        ada.page.close()
        for path in ("/", "/alerts", "/tables/T1", "/rounds", "/review", "/analytics", "/settings", "/audit"):
            page.goto(f"{room.address}{path}")
            expect(page.locator("#mute")).to_have_text("Sound is blocked, click")
        page.evaluate(NOTE_SOUNDS)
        page.locator("#mute").click(delay=300)  # the button shrinks under the pointer before it is let go
        page.wait_for_function("() => window.heard.length === 1")
        expect(page.locator("#mute")).to_have_text("Sound")
        assert page.locator("#mute").get_attribute("aria-pressed") == "false"
        page.locator("#mute").click()
        expect(page.locator("#mute")).to_have_text("Sound off")


def test_click_sounds_though_the_browser_never_answers_that_it_resumes(
    strict_browser: Browser, room: ServedRoom
) -> None:
    with visiting(strict_browser, room, "ada") as ada:
        page = ada.page.context.new_page()
        ada.page.close()
        page.add_init_script(RESUME_UNANSWERED)
        page.goto(f"{room.address}/")
        expect(page.locator("#mute")).to_have_text("Sound is blocked, click")
        page.evaluate(NOTE_SOUNDS)
        page.locator("#mute").click()
        page.wait_for_function("() => window.heard.length === 1")


def test_sound_survives_navigation(strict_browser: Browser, room: ServedRoom) -> None:
    with visiting(strict_browser, room, "ben") as ben:
        page = ben.page
        for link in ("Alerts", "Rounds", "Wall"):
            page.get_by_role("navigation", name="Pages").get_by_role("link", name=link).click()
            page.wait_for_load_state()
            expect(page.locator("#mute")).to_have_text("Sound")
        page.evaluate(NOTE_SOUNDS)
        room.tables["T1"].write(alerts=[an_alert()])
        page.wait_for_function("() => window.heard.length === 1")


def test_without_shared_workers_each_page_hears_by_itself(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "ben") as ben:
        ben.page.context.add_init_script("delete window.SharedWorker")
        page = ben.see("/")
        assert page.evaluate("() => typeof SharedWorker") == "undefined"
        page.evaluate(NOTE_SOUNDS)
        room.tables["T1"].write(alerts=[an_alert()])
        expect(page.locator("#waiting")).to_have_text("1")
        page.wait_for_function("() => window.heard.length === 1")


def test_session_that_ends_leads_to_the_sign_in_with_the_dialog_kept(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert()])
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts/1")
        ben.press("d", "2")
        page.locator("#dismiss textarea").fill("The patron's sleeve, twice.")
        end_sessions(room)
        sign_in(page, "ben")
        expect(page.locator("#dismiss")).to_be_visible()
        expect(page.locator("#dismiss textarea")).to_have_value("The patron's sleeve, twice.")
        page.locator("#dismiss button.strong").click()
        expect(page.locator("[data-opened][data-state=dismissed]")).to_be_visible()
        expect(page.locator("[data-part=opened-history]")).to_contain_text("The patron's sleeve, twice.")


def test_decision_that_comes_too_late_is_asked_again_after_the_sign_in(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert()])
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts/1")
        ben.press("e")
        page.locator("#step textarea").fill("See the sleeve.")
        page.route("**/parts/**", lambda route: route.abort())  # the page does not find out by itself
        end_sessions(room)
        page.locator("#step-go").click()
        page.unroute("**/parts/**")
        sign_in(page, "ben")
        expect(page.locator("#step textarea")).to_have_value("See the sleeve.")
        expect(page.locator("#step-title")).to_have_text("Escalate the alert")


@pytest.mark.parametrize("path", ["/", "/rounds", "/review", "/analytics", "/decisions", "/cases", "/audit", "/holds"])
def test_session_that_ends_leads_to_the_sign_in_from_every_page(browser: Browser, room: ServedRoom, path: str) -> None:
    with visiting(browser, room, "cleo") as cleo:
        page = cleo.see(path)
        expect(page.locator("#offline")).to_be_hidden()
        end_sessions(room)
        sign_in(page, "cleo")
        assert page.url == f"{room.address}{path}"


def test_form_is_kept_for_the_same_person_alone(browser: Browser, room: ServedRoom) -> None:
    with visiting(browser, room, "cleo") as cleo:
        for name, value in (("cleo", "Seat 3, Friday"), ("ada", "")):
            page = cleo.see("/cases")
            page.get_by_label("New case").fill("Seat 3, Friday")
            end_sessions(room)
            sign_in(page, name)
            expect(page.get_by_label("New case")).to_have_value(value)
