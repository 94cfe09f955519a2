"""Operators in real browsers, each with several tabs, who decide about alerts. What their pages sound is noted."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import Error as BrowserError
from sqlalchemy import delete
from sqlalchemy.exc import SQLAlchemyError

from tests.endurance.diary import Diary
from tests.endurance.ears import require_browser
from tests.endurance.live_room import LiveRoom
from tests.service.browser.chromium import open_chromium
from tests.service.web.rooms import PASSWORD
from thirdcard.service.store.schema import SessionRow

PATIENCE_MS = 20_000
OPENING_MS = 180_000
"""The longest wait for a page when the shift begins. On a busy machine two browsers take long to open ten pages."""
PAUSE_MS = 8000
"""The mean pause between two decisions. A person who reads an alert and looks at its clip takes longer."""
EARLY_S = 0.1
"""A sound may be noted at most so many seconds before the page's request for it."""
NOTE = """
(() => {
  const note = (kind, detail) => window.shiftNote(kind, { at: Date.now(), ...detail });
  document.addEventListener("room:sound", (event) => note("sound", { severity: event.detail }));
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (message?.kind === "sound") note("ring", message);
    return post.call(this, message, ...rest);
  };
})();
"""
"""JavaScript that notes what a page asks the hub to sound, and what it sounds when the hub asks it to."""
BEHIND = """
Object.defineProperty(document, "hidden", { get: () => true });
Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
"""
"""A browser without a window shows all its tabs at once; a person sees one, and the others are behind it."""
STEPS = {
  "dismissed": ("#dismiss", "#dismiss button.strong", ("d", "2")),
  "escalated": ("#step", "#step-go", ("e",)),
  "confirmed": ("#step", "#step-go", ("c",)),
}  # fmt: skip
"""By decision: the dialog, the button that ends it, and the keys that open it and fill it in."""


@dataclass(frozen=True, slots=True)
class Ring:
    """A page asked for a sound; the time is Unix time in seconds."""

    at: float
    key: str
    severity: str


@dataclass(frozen=True, slots=True)
class Sound:
    """A page sounded; the time is Unix time in seconds."""

    at: float
    severity: str


@dataclass(slots=True)
class Operator:
    """One person with a browser; `work` runs in a thread."""

    name: str
    room: LiveRoom
    tabs: Sequence[str]
    """The paths of the open tabs; the last one is for the decisions."""
    diary: Diary
    turn: int
    """0 for the person who takes alerts with even numbers, 1 for the one who takes those with odd numbers."""
    random: random.Random
    is_ready: threading.Event = field(default_factory=threading.Event)
    stopping: threading.Event = field(default_factory=threading.Event)
    losing: threading.Event = field(default_factory=threading.Event)
    """Set if the session is to end during the next decision."""
    rings: list[Ring] = field(default_factory=list)
    sounds: list[Sound] = field(default_factory=list)
    away: list[tuple[float, float]] = field(default_factory=list)
    """Begin and end of each time without a session, in seconds of Unix time."""
    kept_texts: int = 0
    """The number of texts that were typed before a session ended and were still there after the sign-in."""
    failed: list[str] = field(default_factory=list)
    """Why decisions were not acknowledged."""
    fault: str | None = None
    """Why the person stopped early; None if not."""
    _rung: dict[str, float] = field(default_factory=dict)
    _decided: int = 0

    def work(self) -> None:
        """Sign in, open the tabs, and decide about alerts until asked to stop."""
        try:
            with open_chromium(require_browser()) as browser:
                context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
                context.set_default_timeout(OPENING_MS)
                context.set_default_navigation_timeout(OPENING_MS)
                context.expose_binding("shiftNote", lambda _source, kind, detail: self._note(kind, detail))
                context.add_init_script(NOTE)
                page = self._open(context)
                context.set_default_timeout(PATIENCE_MS)
                context.set_default_navigation_timeout(PATIENCE_MS)
                self.is_ready.set()
                while not self.stopping.is_set():
                    self._decide(page)
                    page.wait_for_timeout(PAUSE_MS * self.random.uniform(0.5, 1.5))
                page.wait_for_timeout(500)
        except Exception as error:  # a person who stops early is a result of the test, not its end
            self.fault = repr(error)
        finally:
            self.is_ready.set()

    def wait_until_back(self, patience_s: float) -> None:
        """Wait until the session has ended as asked and the interrupted decision is made, or `patience_s` is over."""
        deadline = time.monotonic() + patience_s
        while self.losing.is_set() and time.monotonic() < deadline:
            time.sleep(0.2)

    def _open(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.goto(f"{self.room.address}/login", wait_until="domcontentloaded")
        self._sign_in(page)
        for path in self.tabs[:-1]:
            tab = context.new_page()
            tab.add_init_script(BEHIND)
            tab.goto(f"{self.room.address}{path}", wait_until="load")
        page.goto(f"{self.room.address}{self.tabs[-1]}", wait_until="load")
        page.bring_to_front()
        return page

    def _sign_in(self, page: Page) -> None:
        expect(page.get_by_label("Password")).to_be_visible(timeout=OPENING_MS)
        page.get_by_label("Name").fill(self.name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Pages")).to_be_visible(timeout=OPENING_MS)

    def _decide(self, page: Page) -> None:
        """Decide about one alert; if that fails, note why in `failed`."""
        number = self._next_alert()
        if number is None:
            return
        state = self.random.choice(sorted(STEPS))
        self._decided += 1
        note = f"{self.name} decides, {self._decided}"
        is_losing = self.losing.is_set()
        try:
            self._decide_on_page(page, number, state, note)
        except (BrowserError, AssertionError, SQLAlchemyError) as error:
            self.failed.append(f"{note}, alert {number}: {str(error).splitlines()[0]}")
            return
        self.diary.decisions[note] = (number, state)
        if is_losing:
            self.losing.clear()

    def _decide_on_page(self, page: Page, number: int, state: str, note: str) -> None:
        dialog, button, keys = STEPS[state]
        page.goto(f"{self.room.address}/alerts/{number}", wait_until="load")
        expect(page.locator(f"[data-opened='{number}']")).to_be_visible(timeout=PATIENCE_MS)
        for key in keys:
            page.keyboard.press(key)
        text = page.locator(f"{dialog} textarea")
        text.fill(note)
        if self.losing.is_set():
            self._lose_session(page)
            expect(text).to_have_value(note, timeout=OPENING_MS)
            self.kept_texts += 1
        page.locator(button).click()
        expect(page.locator(f"[data-opened='{number}'][data-state={state}]")).to_be_visible(timeout=PATIENCE_MS)

    def _lose_session(self, page: Page) -> None:
        """End the session, as when its time is over, and sign in again."""
        began = time.time()
        database = self.room.open_database()
        with database.writing() as session:
            session.execute(delete(SessionRow).where(SessionRow.user == self.name))
        database.close()
        self._sign_in(page)
        self.away.append((began, time.time()))

    def _next_alert(self) -> int | None:
        """Return the number of one of this person's open alerts; None if there is none."""
        headers = {"Authorization": f"Bearer {self.room.tokens['operator']}"}
        try:
            answer = httpx.get(
                f"{self.room.address}/api/alerts", params={"limit": 60, "state": "open"}, headers=headers, timeout=30
            )
            answer.raise_for_status()
        except httpx.HTTPError:
            return None
        his = [alert["id"] for alert in answer.json()["items"] if alert["id"] % 2 == self.turn]
        return self.random.choice(his) if his else None

    def _note(self, kind: str, detail: dict[str, Any]) -> None:
        at = detail["at"] / 1000
        if kind == "sound":
            self.sounds.append(Sound(at, detail["severity"]))
        elif at - self._rung.get(detail["key"], 0.0) >= detail["apart_ms"] / 1000:  # as the hub counts
            self._rung[detail["key"]] = at
            self.rings.append(Ring(at, detail["key"], detail["severity"]))

    def heard(self) -> dict[int, float]:
        """Return the Unix time in seconds at which each alert was heard, by its number.

        That is the first sound of its severity after the page asked for it. Each sound counts for one alert.
        """
        found: dict[int, float] = {}
        left = sorted(self.sounds, key=lambda sound: sound.at)
        for ring in sorted(self.rings, key=lambda ring: ring.at):
            fits = (one for one in left if one.severity == ring.severity and one.at >= ring.at - EARLY_S)
            sound = next(fits, None)
            if sound is None:
                continue
            left.remove(sound)
            kind, _, number = ring.key.partition(" ")
            if kind == "alert":
                found.setdefault(int(number), sound.at)
        return found
