"""Take the pictures of every page that the documents show: `python -m tests.service.browser.screenshots docs/room`."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from tests.service.browser.chromium import find_chromium, open_chromium
from tests.service.browser.every_page import furnish_all
from tests.service.browser.furnished import ENVIRONMENT, NOTIFICATIONS
from tests.service.browser.served import ServedRoom, a_served_room
from tests.service.browser.visitor import visiting

Tone = Literal["dark", "light"]
TONES: tuple[Tone, ...] = ("dark", "light")
DESK, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
QUALITY = 80
PAGES = {
    "wall": "/", "table": "/tables/T1", "alerts": "/alerts", "alert": "/alerts/1?show=all", "doubtful": "/doubtful",
    "cases": "/cases",
    "case": "/cases/1", "decisions": "/decisions", "holds": "/holds", "audit": "/audit", "settings": "/settings",
    "settings-tables": "/settings/tables", "settings-notifications": "/settings/notifications",
    "settings-retention": "/settings/retention", "figures-dealers": "/analytics/dealers",
    "figures-trend": "/analytics/trend",
}  # fmt: skip
ON_A_PHONE = {
    "phone-wall": "/", "phone-table": "/tables/T1", "phone-alerts": "/alerts", "phone-alert": "/alerts/1?show=all",
}  # fmt: skip


def main(out: Path) -> int:
    """Take all pictures; returns 1 where there is no browser."""
    path = find_chromium()
    if path is None:
        print("there is no Chromium", file=sys.stderr)
        return 1
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        served = a_served_room(Path(folder) / "room", notifications=NOTIFICATIONS, environment=ENVIRONMENT)
        with open_chromium(path) as browser, served as room:
            furnish_all(room)
            for tone in TONES:
                _take(browser, room, out, tone)
    return 0


def _take(browser: Browser, room: ServedRoom, out: Path, tone: Tone) -> None:
    with browser.new_context(color_scheme=tone, viewport=DESK) as context:
        page = context.new_page()
        page.goto(f"{room.address}/login")
        _save(page, out / f"login-{tone}.webp")
    with visiting(browser, room, "ada", color_scheme=tone, viewport=DESK) as ada:
        for name, address in PAGES.items():
            _save(_settled(ada.see(address), name), out / f"{name}-{tone}.webp")
    phone = {"viewport": PHONE, "device_scale_factor": 1.5, "is_mobile": True, "has_touch": True}
    with visiting(browser, room, "ben", color_scheme=tone, **phone) as ben:
        for name, address in ON_A_PHONE.items():
            _save(_settled(ben.see(address), name), out / f"{name}-{tone}.webp")


def _settled(page: Page, name: str) -> Page:
    """The page after its pictures are loaded and its subject is shown."""
    page.wait_for_timeout(2500)
    if name == "alerts":
        page.keyboard.press("j")
        storm = page.locator(".storm-row summary")
        if storm.count():
            storm.first.click()
    if name.endswith("alert"):
        page.wait_for_function("() => document.querySelector('video').readyState >= 2")
        page.keyboard.press("f")
        page.wait_for_timeout(700)
    return page


def _save(page: Page, path: Path) -> None:
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").save(path, "WEBP", quality=QUALITY, method=6)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
