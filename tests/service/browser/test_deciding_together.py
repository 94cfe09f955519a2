"""Several alerts are chosen and decided with one reason: by keyboard, by touch, and over a sign-in."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.service.browser.served import ServedRoom, an_alert
from tests.service.browser.test_heard import end_sessions, sign_in
from tests.service.browser.visitor import visiting
from thirdcard.service.alerts.storms import LEAST

KINDS = ("late_bet.placed", "misdeal.order", "payout.wrong_amount", "exposed_card.first_card")


def raise_kinds(room: ServedRoom) -> None:
    """Four alerts of different kinds at two tables, the first the oldest."""
    for n, code in enumerate(KINDS):
        room.tables[f"T{1 + n % 2}"].write(alerts=[an_alert(code=code)])


def test_several_are_dismissed_by_keyboard_and_those_that_stay_are_named(browser: Browser, room: ServedRoom) -> None:
    raise_kinds(room)
    with visiting(browser, room, "ben") as ben, visiting(browser, room, "cleo") as cleo:
        page = ben.see("/alerts")
        ben.press("j", "x", "j", "x", "j", "x", "x", "j", "x")
        expect(page.locator("#chosen-count")).to_have_text("3 chosen")
        ben.press("d", "8")
        expect(page.locator("#dismiss h2")).to_have_text("Dismiss 3 alerts: why?")
        cleo.see("/alerts/3")
        cleo.press("c", "Enter")
        expect(cleo.page.locator("[data-opened][data-state=confirmed]")).to_be_visible()
        page.locator("#dismiss textarea").fill("The same hand, seen thrice.")
        ben.press("Enter")
        outcome = page.locator("#outcome")
        expect(outcome).to_contain_text("2 alerts dismissed. 1 alert could not be:")
        expect(outcome).to_contain_text("Alert 3: the alert is confirmed already, by cleo")
        expect(page.locator(".alert-row")).to_have_count(1)
        expect(page.locator("#row-2 a:focus")).to_have_count(1)
        expect(page.locator("#waiting")).to_have_text("1")
        page = ben.see("/alerts/4?show=all")
        expect(page.locator("[data-part=opened-history]")).to_contain_text("The same hand, seen thrice.")
        assert ben.complaints + cleo.complaints == []


def test_all_are_chosen_or_none_and_escape_lets_them_go(browser: Browser, room: ServedRoom) -> None:
    raise_kinds(room)
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts")
        ben.press("X")
        expect(page.locator("#chosen-count")).to_have_text("4 chosen")
        expect(page.locator("[data-pick]:checked")).to_have_count(4)
        ben.press("e")
        expect(page.locator(".toast")).to_contain_text("Escalate alerts one by one")
        ben.press("Escape")
        expect(page.locator("#chosen-bar")).to_be_hidden()
        page.locator("#row-2 [data-pick]").click()
        ben.press("c", "Enter")
        expect(page.locator("#outcome")).to_contain_text("1 alert confirmed.")
        expect(page.locator(".alert-row")).to_have_count(3)
        assert ben.complaints == []


def test_storm_is_chosen_as_a_whole_or_in_part(browser: Browser, room: ServedRoom) -> None:
    room.tables["T1"].write(alerts=[an_alert(t=float(n)) for n in range(LEAST + 2)])
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts")
        ben.press("j", "x")
        expect(page.locator("#chosen-count")).to_have_text(f"{LEAST + 2} chosen")
        ben.press("Enter", "j", "x")
        expect(page.locator("#chosen-count")).to_have_text(f"{LEAST + 1} chosen")
        box = page.locator(".storm-row > .pick input")
        assert box.evaluate("(box) => box.indeterminate")
        page.get_by_role("button", name="Dismiss").first.click()
        ben.press("1", "Enter")
        expect(page.locator("#outcome")).to_contain_text(f"{LEAST + 1} alerts dismissed.")
        expect(page.locator(".alert-row")).to_have_count(1)
        assert ben.complaints == []


def test_choice_and_words_outlive_a_session_that_ends(browser: Browser, room: ServedRoom) -> None:
    raise_kinds(room)
    with visiting(browser, room, "ben") as ben:
        page = ben.see("/alerts")
        ben.press("j", "x", "j", "x", "d", "8")
        page.locator("#dismiss textarea").fill("Twice the same.")
        end_sessions(room)
        sign_in(page, "ben")
        expect(page.locator("#dismiss h2")).to_have_text("Dismiss 2 alerts: why?")
        expect(page.locator("#dismiss textarea")).to_have_value("Twice the same.")
        page.locator("#dismiss button.strong").click()
        expect(page.locator("#outcome")).to_contain_text("2 alerts dismissed.")
