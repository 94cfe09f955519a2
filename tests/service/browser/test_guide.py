"""A table on a cloth that no built-in layout knows is set up on the guided page, from nothing to a watched table."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Browser, expect

from tests.service.browser.guided_visitor import GuidedVisitor, place_film
from tests.service.browser.served import ServedRoom
from tests.service.browser.visitor import PATIENCE_MS, visiting
from tests.service.web.guided import FILM
from thirdcard.calibration.camera import load_calibration
from thirdcard.service.config.table_file import load_table

MOST_STEPS, MOST_CLICKS = 15, 150
OFF_MM = 8.0
"""Two clicks to a pixel, at 0.7 px/mm, of a seat that is drawn once and turned six times."""


def test_new_table_is_drawn_calibrated_and_goes_live(browser: Browser, room: ServedRoom) -> None:
    place_film(room)
    with visiting(browser, room, "ada", viewport={"width": 1600, "height": 1000}) as visitor:
        guided = GuidedVisitor(visitor.see("/settings/tables"))
        guided.begin("N1", FILM)
        guided.measure()
        guided.draw()
        guided.finish()
        expect(visitor.page.get_by_role("heading", name="Set-up of N1")).to_be_visible(timeout=PATIENCE_MS)
        assert visitor.complaints == []
    assert guided.steps <= MOST_STEPS
    assert guided.clicks <= MOST_CLICKS
    table = load_table(room.home.tables / "N1" / "table.yaml")
    calibration = load_calibration(room.home.tables / "N1" / "overhead.yaml")
    assert {area.seat for area in table.layout.of_kind("wager")} == set(range(1, 8))
    for seat in range(1, 8):
        drawn, true = (one.area(f"s{seat}-banker").centre_mm for one in (table.layout, guided.layout))
        seen = calibration.image_from_layout(np.array([drawn]))
        assert np.linalg.norm(guided.camera.layout_from_image(seen)[0] - true) < OFF_MM, seat


def test_calibration_is_kept_only_with_its_figures_in_view(browser: Browser, room: ServedRoom) -> None:
    place_film(room)
    with visiting(browser, room, "ada", viewport={"width": 1600, "height": 1000}) as visitor:
        guided = GuidedVisitor(visitor.see("/settings/tables"))
        guided.begin("N1", FILM)
        guided.measure()
        page, fits = visitor.page, []
        page.route("**/api/new-tables/N1/calibration", lambda route: fits.append(route))
        guided.draw()
        keep = page.get_by_role("button", name="Keep the calibration")
        expect(keep).to_be_disabled(timeout=PATIENCE_MS)
        expect(page.get_by_text("Card boxes", exact=True)).to_have_count(0)
        page.wait_for_timeout(500)
        assert len(fits) == 1
        expect(keep).to_be_disabled()
        fits[0].continue_()
        expect(keep).to_be_enabled(timeout=PATIENCE_MS)
        expect(page.get_by_text("Card boxes", exact=True)).to_be_visible()
        assert visitor.complaints == []


def test_drawing_is_undone_left_and_taken_up_by_keys_alone(browser: Browser, room: ServedRoom) -> None:
    place_film(room)
    with visiting(browser, room, "ada", viewport={"width": 1600, "height": 1000}) as visitor:
        guided = GuidedVisitor(visitor.see("/settings/tables"))
        guided.begin("N1", FILM)
        guided.measure()
        page, drawn = visitor.page, visitor.page.locator("[data-areas] li")
        page.locator(".table-stage").focus()
        visitor.press("Enter", *["Shift+ArrowRight"] * 6, *["Shift+ArrowUp"] * 3, "Enter")
        expect(drawn).to_have_count(1)
        visitor.press("Control+z")
        expect(drawn).to_have_count(0)
        visitor.press("Control+y")
        expect(drawn).to_have_count(1)
        visitor.see("/settings/tables")
        page.get_by_role("link", name="Go on with N1").click()
        expect(drawn).to_have_count(1)
        page.get_by_role("button", name="Use this drawing").click()
        expect(page.get_by_role("alert")).to_contain_text("the banker's card box is missing")
        assert visitor.complaints == [] or all("422" in complaint for complaint in visitor.complaints)
