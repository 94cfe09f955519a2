"""A person at a browser: logs in, views pages, and records the browser's errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.service.browser.served import ServedRoom
from tests.service.web.rooms import PASSWORD

PATIENCE_MS = 10_000


@dataclass(slots=True)
class Visitor:
    """A browser with a logged-in user."""

    page: Page
    address: str
    complaints: list[str] = field(default_factory=list)
    """Errors of scripts and of the console, including violations of the content policy."""

    def see(self, path: str) -> Page:
        """Go to a page of the room."""
        self.page.goto(f"{self.address}{path}", wait_until="domcontentloaded")
        return self.page

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def hear(self, message: ConsoleMessage) -> None:
        """Record a message of the console."""
        if message.type in ("error", "warning"):
            self.complaints.append(f"{self.page.url}: {message.text}")


@contextmanager
def visiting(browser: Browser, room: ServedRoom, name: str, **options: Any) -> Iterator[Visitor]:
    """A new browser context, logged in by keyboard."""
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en-GB"} | options)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    visitor = Visitor(page, room.address)
    page.on("console", lambda message: visitor.hear(message))
    page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
    try:
        visitor.see("/login")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible(timeout=PATIENCE_MS)
        yield visitor
    finally:
        context.close()
