"""A visitor who sets up a table on the guided page: clicks where the camera picture shows points of the cloth."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from playwright.sync_api import Page, expect

from tests.service.browser.served import ServedRoom
from tests.service.browser.visitor import PATIENCE_MS
from tests.service.web.guided import FILM, demo_layout
from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.layout import Layout
from thirdcard.service.web.demo_room import RECORDING

AREA_MM = (500, 100, 1100, 800)
"""A rectangle measured on the cloth: left, top, width, depth."""
BETS = ("player", "banker")


def place_film(room: ServedRoom) -> None:
    """Copy the demonstration's film into the service's folder."""
    path = room.home.folder / FILM
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(RECORDING / "video.mp4", path)


def place_on_screen(page: Page, x: float, y: float) -> tuple[float, float]:
    """The position of a camera pixel on the guided page, in window pixels."""
    left, top = page.locator(".table-stage").evaluate(
        "(svg, at) => { const here = new DOMPoint(...at).matrixTransform(svg.getScreenCTM());"
        " return [here.x, here.y]; }",
        [x, y],
    )
    return float(left), float(top)


@dataclass(slots=True)
class GuidedVisitor:
    """Sets up the demonstration's table; the page is not given its layout."""

    page: Page
    clicks: int = 0
    steps: int = 0
    layout: Layout = field(default_factory=demo_layout)
    camera: Calibration = field(default_factory=lambda: load_calibration(RECORDING / "overhead.yaml"))

    def press(self, name: str) -> None:
        """Press a button of the page."""
        self.page.get_by_role("button", name=name, exact=True).click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        """Fill a field of the page; entering it counts as a click."""
        self.page.get_by_label(label, exact=True).first.fill(text)
        self.clicks += 1

    def click_px(self, x: float, y: float) -> None:
        """Click a pixel of the camera picture."""
        self.page.mouse.click(*place_on_screen(self.page, x, y))
        self.clicks += 1

    def click_mm(self, places: Sequence[Sequence[float]]) -> None:
        """Click points of the cloth in the camera picture."""
        for x, y in self.camera.image_from_layout(np.array(places, np.float64)):
            self.click_px(float(x), float(y))

    def settled(self, step: str) -> None:
        """Wait until a step is complete."""
        expect(self.page.locator(f"[data-step={step}] .guide-state")).to_have_text("settled", timeout=6 * PATIENCE_MS)
        self.steps += 1

    def begin(self, table: str, address: str) -> None:
        """Go from an empty page to the camera's picture."""
        self.fill("Its name", table)
        self.press("Begin")
        self.page.locator("[data-guide]").wait_for()
        self.fill("Address, or a film in the service's folder", address)
        self.press("Look and keep it")
        self.settled("camera")

    def measure(self) -> None:
        """Enter the cloth's size, and click the corners of a rectangle on it."""
        self.page.locator("[data-step=cloth]").click()
        self.fill("Cloth's width, mm", str(int(self.layout.size_mm[0])))
        self.fill("Cloth's depth, mm", str(int(self.layout.size_mm[1])))
        self.page.get_by_text("The corners that I click are not the cloth's").click()
        for name, value in zip(("left", "top", "frame-width", "frame-depth"), AREA_MM, strict=True):
            self.page.locator(f"[data-sketch] [name={name}]").fill(str(value))
        self.page.keyboard.press("Tab")
        self.clicks += 6
        left, top, width, depth = AREA_MM
        self.click_mm([(left, top), (left + width, top), (left + width, top + depth), (left, top + depth)])

    def draw(self) -> None:
        """Draw two card boxes, the wagers of the first seat, and their copies to the last one."""
        for hand in ("player", "banker"):
            corners = self.layout.area(f"{hand}-box").polygon_mm
            self.click_mm([corners[0], corners[2]])
        self.press("Arc")
        for bet in BETS:
            edge = self.layout.area(f"s1-{bet}").polygon_mm
            half = len(edge) // 2
            self.click_mm([edge[i] for i in (0, half // 2, half - 1, half)])
        self.page.get_by_text("Repeat a seat").click()
        self.press("Along an arc")
        marked = self.page.locator(".handle.chosen")
        for _ in range(2):
            expect(marked).to_have_count(1)
            at_px = [float(marked.get_attribute(key) or 0) for key in ("cx", "cy")]
            mine = self.camera.layout_from_image(np.array([at_px]))[0]
            bet, corner = self._nearest(mine)
            self.click_mm([self.layout.area(f"s7-{bet}").polygon_mm[corner]])
        self.press("Use this drawing")
        self.settled("cloth")

    def _nearest(self, place: np.ndarray) -> tuple[str, int]:
        """The nearest corner of the first seat's bets to a point."""
        found = [
            (float(np.linalg.norm(at - place)), bet, i)
            for bet in BETS
            for i, at in enumerate(self.layout.area(f"s1-{bet}").polygon_mm)
        ]
        _, bet, corner = min(found)
        return bet, corner

    def finish(self) -> None:
        """Calibrate by the drawing, choose the built-in chips and a rulebook, run the trial, and go live."""
        self.press("Keep the calibration")
        self.settled("calibration")
        self.press("Keep these chips")
        self.settled("chips")
        self.page.get_by_label("Minimum").fill("25")
        self.page.get_by_label("Maximum").fill("5000")
        self.press("Keep the rules")
        self.settled("house")
        self.press("Look")
        live = self.page.get_by_role("button", name="Go live")
        expect(live).to_be_enabled(timeout=6 * PATIENCE_MS)
        live.click()
        self.clicks += 3
        self.steps += 1
