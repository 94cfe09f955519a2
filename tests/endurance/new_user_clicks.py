"""A new user in a browser: from the sign-in to the live picture of a table that the service does not know yet.

Clicks have a hand's random error. After each there is a pause, as of a person who reads the page.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.endurance.new_user_stage import CHIPS, FRAME_MM, LIMITS, SEATS, SIZE_MM, Stage, frame_corners
from tests.service.browser.guided_visitor import place_on_screen
from thirdcard.calibration.layout import Area

TABLE = "R8"
USER, PASSWORD = "ada", "a long enough password"
HAND_PX = 0.7
"""The standard deviation of a click along each axis, in the window's pixels: a person with a mouse and a loupe."""
KEY_S = 0.15
"""The seconds from key to key."""
WAIT_MS = 60_000


@dataclass(slots=True)
class NewUser:
    """Does what a person does at the page, and counts the clicks and the time."""

    page: Page
    stage: Stage
    camera: tuple[str, str, str]
    """The camera's address, and the user and password that it asks for."""
    address: str
    """The service's address."""
    pause_s: float
    pictures: Path
    """The folder for screenshots."""
    clicks: int = 0
    steps: list[tuple[str, float]] = field(default_factory=list)
    """Each page step, and the seconds after which it was done."""
    hands_s: float = 0.0
    """The seconds that a person would need to lay things on the table."""
    began: float = field(default_factory=time.monotonic)
    _hand: random.Random = field(default_factory=lambda: random.Random(40))

    @property
    def seconds(self) -> float:
        """The seconds that the person has spent so far."""
        return time.monotonic() - self.began + self.hands_s

    def set_up(self) -> None:
        """Take all steps, from the sign-in to the live picture."""
        self.sign_in()
        self.begin()
        self.show_camera()
        self.draw()
        self.calibrate()
        self.measure_chips()
        self.elect()
        self.go_live()
        self.look_live()

    def sign_in(self) -> None:
        """Sign in with the name and password that were given on the command line."""
        self.page.goto(f"{self.address}/")
        self._type(self.page.get_by_label("Name"), USER)
        self._type(self.page.get_by_label("Password"), PASSWORD)
        self._press("Sign in")
        self.page.get_by_role("navigation", name="Pages").wait_for()
        self._done("sign in")

    def begin(self) -> None:
        """Go from the empty wall to the guided page of a new table."""
        self._click(self.page.get_by_role("link", name="Set up a table"))
        self._type(self.page.get_by_label("Its name"), TABLE)
        self._press("Begin")
        self.page.locator("[data-guide]").wait_for()
        self._done("begin")

    def show_camera(self) -> None:
        """Enter the camera's address, user and password."""
        for label, text in zip(
            ("Address, or a film in the service's folder", "User", "Password"), self.camera, strict=True
        ):
            self._type(self._field(label), text)
        self._hands("corners", 60.0)
        self._press("Look and keep it")
        self._settled("camera")

    def draw(self) -> None:
        """Draw the cloth: the measured rectangle, the boxes, one seat and its copies, and the dealer's things."""
        self._photograph("camera")
        self._click(self.page.locator("[data-step=cloth]"))
        self._type(self._field("Cloth's width, mm"), f"{SIZE_MM[0]:.0f}")
        self._type(self._field("Cloth's depth, mm"), f"{SIZE_MM[1]:.0f}")
        self._click(self.page.get_by_text("The corners that I click are not the cloth's"))
        for name, value in zip(("left", "top", "frame-width", "frame-depth"), FRAME_MM, strict=True):
            self._type(self.page.locator(f"[data-sketch] [name={name}]"), str(value))
        self.page.keyboard.press("Tab")
        self._click_mm(frame_corners())
        for hand in ("player", "banker"):
            self._box(self._area(f"{hand}-box"))
        self._draw_seat()
        self._repeat_seat()
        self._photograph("cloth")
        for kind, name in (("shoe", "shoe"), ("discard", "discard"), ("chip_tray", "float")):
            self._choose("[data-field=kind]", kind)
            if kind == "shoe":
                self._press("Box")
            self._box(self._area(name))
        self._choose("[data-field=kind]", "no_more_bets_lamp")
        self._press("Circle")
        self._circle(self._area("lamp"))
        self._photograph("cloth-whole")
        self._press("Use this drawing")
        self._settled("cloth")

    def calibrate(self) -> None:
        """Keep the calibration, whose points are those of the drawing."""
        expect(self.page.locator("[data-figures]")).to_contain_text("Card boxes", timeout=WAIT_MS)
        self._photograph("calibration")
        self._press("Keep the calibration")
        self._settled("calibration")

    def measure_chips(self) -> None:
        """Enter the house's chips, and have a row with one of each measured."""
        chips: list[dict[str, object]] = CHIPS["chips"]  # type: ignore[assignment]
        rows = self.page.locator("[data-chips] tr")
        while rows.count() > len(chips):
            self._click(rows.last.get_by_role("button", name="Delete this chip"))
        self._type(self._field("Diameter, mm"), str(CHIPS["diameter_mm"]))
        self._type(self._field("Thickness, mm"), str(CHIPS["thickness_mm"]))
        for i, chip in enumerate(chips):
            self._type(rows.nth(i).locator("[name=value]"), str(chip["value"]))
            self._type(rows.nth(i).locator("[name=name]"), str(chip["name"]))
        self._hands("chips", 30.0)
        self._press("Measure the row")
        self._settled("chips")
        self._photograph("chips")

    def elect(self) -> None:
        """Choose rulebook, dealing style, version and limits."""
        self._choose("[name=rulebook]", "nz-authority")
        self._choose("[data-option=dealing_style]", '"C"')
        self._choose("[data-option=version]", '"midi"')
        self._type(self._field("Minimum"), str(LIMITS["minimum"]))
        self._type(self._field("Maximum"), str(LIMITS["maximum"]))
        self._photograph("house")
        self._press("Keep the rules")
        self._settled("house")

    def go_live(self) -> None:
        """Make the dry run, then let the table be watched."""
        self._hands("play", 10.0)
        self._press("Look")
        live = self.page.get_by_role("button", name="Go live")
        expect(live).to_be_enabled(timeout=WAIT_MS)
        self._photograph("dry-run")
        self._click(live)
        self.page.get_by_role("heading", name=f"Set-up of {TABLE}").wait_for()
        self._done("dry run and live")

    def look_live(self) -> None:
        """Open the table's page, and wait for its live picture."""
        self._click(self.page.get_by_role("link", name="Live picture"))
        picture = self.page.locator("img[data-live]").first
        self.page.wait_for_function("() => document.querySelector('img[data-live]').naturalWidth > 0", timeout=WAIT_MS)
        expect(picture).to_be_visible()
        self._done("live picture")

    def _draw_seat(self) -> None:
        """Draw the areas of the first seat. After each, the page chooses the next bet by itself."""
        first = SEATS[0]
        self._press("Arc")
        for bet in ("player", "banker"):
            edge = self._area(f"s{first}-{bet}").polygon_mm
            half = len(edge) // 2
            self._click_mm([edge[i] for i in (0, half // 2, half - 1, half)])
        self._press("Circle")
        for bet in ("tie", "player_pair", "banker_pair"):
            expect(self.page.locator("[data-field=bet]")).to_have_value(bet)
            self._circle(self._area(f"s{first}-{bet}"))

    def _repeat_seat(self) -> None:
        self._click(self.page.get_by_text("Repeat a seat"))
        self._type(self.page.locator("[data-repeat-to]"), str(SEATS[-1]))
        self._press("Along an arc")
        marked = self.page.locator(".handle.chosen")
        for _ in range(2):
            expect(marked).to_have_count(1)
            at_px = [float(marked.get_attribute(key) or 0) for key in ("cx", "cy")]
            self._click_mm(self._at_last_seat(self.stage.camera.layout_from_image(np.array([at_px]))[0])[None])

    def _at_last_seat(self, place_mm: np.ndarray) -> np.ndarray:
        """Return where the last seat has the printed corner that is nearest to this place at the first seat, in mm."""
        areas = [area for area in self.stage.layout.of_kind("wager") if area.seat == SEATS[0]]
        corners = [
            (float(np.linalg.norm(at - place_mm)), area, i) for area in areas for i, at in enumerate(area.polygon_mm)
        ]
        _, nearest, corner = min(corners, key=lambda one: one[0])
        return np.asarray(self._area(f"s{SEATS[-1]}-{nearest.bet}").polygon_mm[corner])

    def _area(self, name: str) -> Area:
        return self.stage.layout.area(name)

    def _box(self, area: Area) -> None:
        corners = area.polygon_mm
        self._click_mm([corners[0], corners[2]])

    def _circle(self, area: Area) -> None:
        self._click_mm([area.centre_mm, area.polygon_mm[0]])

    def _click_mm(self, places: Sequence[Sequence[float]] | np.ndarray) -> None:
        """Click places of the cloth where the camera sees them, with a hand's error."""
        for x, y in self.stage.camera.image_from_layout(np.array(places, np.float64)):
            left, top = place_on_screen(self.page, float(x), float(y))
            self.page.mouse.move(left, top)
            self.page.mouse.click(left + self._hand.gauss(0, HAND_PX), top + self._hand.gauss(0, HAND_PX))
            self._clicked()

    def _click(self, what: Locator) -> None:
        what.click()
        self._clicked()

    def _press(self, name: str) -> None:
        self._click(self.page.get_by_role("button", name=name, exact=True))

    def _field(self, label: str) -> Locator:
        return self.page.get_by_label(label, exact=True).first

    def _type(self, what: Locator, text: str) -> None:
        """Click a field, clear it and type."""
        what.click()
        what.fill("")
        what.press_sequentially(text, delay=0 if self.pause_s == 0 else KEY_S * 1000)
        self._clicked()

    def _choose(self, selector: str, value: str) -> None:
        """Choose from a list: two clicks, one to open it and one on the entry."""
        self.page.locator(f"[data-panel]:not([hidden]) {selector}").select_option(value)
        self._clicked()
        self._clicked()

    def _hands(self, what: str, seconds: float) -> None:
        """Lay something on the table, which takes a person so many seconds."""
        self.stage.lay(what)
        self.hands_s += seconds

    def _clicked(self) -> None:
        self.clicks += 1
        time.sleep(self.pause_s)

    def _settled(self, step: str) -> None:
        expect(self.page.locator(f"[data-step={step}] .guide-state")).to_have_text("settled", timeout=WAIT_MS)
        self._done(step)

    def _done(self, step: str) -> None:
        self.steps.append((step, self.seconds))

    def _photograph(self, name: str) -> None:
        """Take a screenshot; its time does not count as the person's."""
        began = time.monotonic()
        self.page.wait_for_timeout(600)
        self.page.screenshot(path=str(self.pictures / f"{name}.png"))
        self.began += time.monotonic() - began
