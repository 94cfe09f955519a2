"""Record which alerts reach a listener of the stream, or a browser with the list of alerts open, and when."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.endurance.clients import read_events
from tests.endurance.live_room import LiveRoom
from tests.service.browser.chromium import USUAL, VARIABLE, find_chromium, open_chromium

READ_S = 0.5
"""The seconds between two readings of what the page noted."""
NOTE_ROWS = """
(() => {
  const seen = (window.seenAlerts = {});
  const note = () => {
    for (const row of document.querySelectorAll("[data-alert], [data-alerts]"))
      for (const id of (row.dataset.alert || row.dataset.alerts).split(",")) seen[id] ??= Date.now();
  };
  note();
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(note))).observe(
    document.body, {childList: true, subtree: true, attributes: true},
  );
})()
"""
"""JavaScript that notes each alert's number and the time at which the list first showed it, in ms of Unix time."""


class NoBrowserError(Exception):
    """Chromium is not installed."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An alert that was received or shown, and the Unix time in seconds at which that was."""

    at: float
    table: str
    code: str


@dataclass(slots=True)
class Ear:
    """Records alerts until it is asked to stop."""

    room: LiveRoom
    heard: list[Heard] = field(default_factory=list)
    is_open: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of an operator's requests."""
        return {"Authorization": f"Bearer {self.room.tokens['operator']}"}

    def on_stream(self) -> None:
        """Record alerts as a listener of the stream, until the service ends."""
        address = f"{self.room.address}/api/alerts/stream"
        try:
            with httpx.stream("GET", address, headers=self.headers, timeout=60) as answer:
                self.is_open.set()
                for told in read_events(answer.iter_lines()):
                    if told.kind == "alert":
                        self.heard.append(Heard(time.time(), told.data["table"], told.data["code"]))
        except httpx.HTTPError:
            return

    def on_page(self) -> None:
        """Record alerts as soon as the list of alerts in a browser shows them."""
        path = find_chromium()
        assert path is not None, "see require_browser"
        with open_chromium(path) as browser:
            context = browser.new_context(viewport={"width": 1440, "height": 900}, extra_http_headers=self.headers)
            page = context.new_page()
            page.goto(f"{self.room.address}/alerts?show=all", wait_until="domcontentloaded")
            page.evaluate(NOTE_ROWS)
            known: set[str] = set(page.evaluate("window.seenAlerts"))
            self.is_open.set()
            while not self.stopping.wait(READ_S):
                self._take(page.evaluate("window.seenAlerts"), known)
            page.screenshot(path=self.room.home.folder / "page.png")

    def _take(self, seen: dict[str, int], known: set[str]) -> None:
        for number, at_ms in seen.items():
            if number not in known:
                known.add(number)
                alert = self._ask(number)
                self.heard.append(Heard(at_ms / 1000, alert["table"], alert["code"]))

    def _ask(self, number: str) -> dict[str, Any]:
        answer = httpx.get(f"{self.room.address}/api/alerts/{number}", headers=self.headers, timeout=30)
        answer.raise_for_status()
        alert: dict[str, Any] = answer.json()
        return alert


def require_browser() -> Path:
    """Return the path of Chromium.

    Raises:
        NoBrowserError: Chromium is not installed.
    """
    path = find_chromium()
    if path is None:
        raise NoBrowserError(f"no Chromium: neither {USUAL} nor one that {VARIABLE} names")
    return path


def begin(listen: Callable[[], None], ear: Ear, *, patience_s: float = 60.0) -> threading.Thread:
    """Start an ear in a thread, and return the thread once it listens.

    Raises:
        TimeoutError: It does not listen within `patience_s` seconds.
    """
    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    if not ear.is_open.wait(patience_s):
        raise TimeoutError(f"nobody listens after {patience_s:.0f} s")
    return thread
