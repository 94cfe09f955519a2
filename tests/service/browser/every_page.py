"""Every page of the room, the user who views it, and a room with content on each."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

from tests.service.analytics.floors import deal, decide, err
from tests.service.browser.furnished import ENVIRONMENT, NOTIFICATIONS, furnish_night
from tests.service.browser.guided_visitor import place_film
from tests.service.browser.served import ServedRoom, a_served_room
from tests.service.browser.visitor import PATIENCE_MS, Visitor, visiting
from tests.service.web.guided import FILM, true_points
from thirdcard.rules.log.events import parse_event
from thirdcard.service.analytics.refreshing import refresh_all
from thirdcard.service.dealers.register import DealerFields, known_as
from thirdcard.service.dealers.roster import StintFields
from thirdcard.service.guide.calibration_step import try_points
from thirdcard.service.guide.camera_step import CameraAsked, settle_camera
from thirdcard.service.guide.cloth_step import choose_cloth
from thirdcard.service.guide.drafts import Drafts
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.rounds.dealer_acts import enter_dealer, enter_stint
from thirdcard.service.tables.setups import find_known, read_files
from thirdcard.service.tables.table_acts import TableActs
from thirdcard.service.watch.factory import build_belief

DESK, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
PATIENT = NOTIFICATIONS.replace("overdue_after_min: 3", "overdue_after_min: 600")
"""Nothing becomes overdue during the tests, however slow the machine is."""
UNSEEN = (
    {"t": 14.0, "type": "bets_opened"}, {"t": 18.0, "type": "camera_lost", "fault": "frozen"},
    {"t": 30.0, "type": "camera_back"}, {"t": 38.0, "type": "round_closed"},
)  # fmt: skip
MISDEAL: Mapping[str, Any] = {
    "rule": "9.2",
    "seat": None,
    "area": None,
    "message": "The Player's second card went to the Banker.",
}
STILL = """async () => {
  await document.fonts.ready;
  const words = () => document.body.innerText.replace(/\\d+/g, "N") + document.querySelectorAll("*").length;
  const isHere = () => document.readyState === "complete"
    && [...document.images].every((one) => one.complete || one.loading === "lazy")
    && [...document.querySelectorAll("[data-live]")].every((one) => one.naturalWidth > 0)
    && document.getElementById("clock")?.textContent !== ""
    && [...document.querySelectorAll("video[src]")].every((one) => one.readyState > 1 && !one.seeking)
    && [...document.querySelectorAll(".viewer:has(video[src]) output")].every((one) => one.textContent !== "")
    && !document.querySelector("[aria-busy=true]")
    && [...document.querySelectorAll("svg[data-overlay]")].every((one) => one.childElementCount > 0);
  let before = null, times = 0;
  for (let n = 0; n < 200 && times < 3; n++) {
    const now = isHere() ? words() : null;
    times = now !== null && now === before ? times + 1 : 0;
    before = now;
    await new Promise((done) => setTimeout(done, 60));
  }
  return times === 3;
}"""
"""Whether everything is loaded and unchanged, except for numbers, in several consecutive looks."""

Ask = Callable[[Page], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomPage:
    """One page, and what can be opened on it."""

    who: str
    """The user who views it."""
    path: str
    shown: Mapping[str, Ask] = field(default_factory=dict)
    """What can be opened, by selector, and how."""


def _by_key(keys: str) -> Ask:
    return lambda page: page.keyboard.type(keys)


def _by_button(button: str) -> Ask:
    return lambda page: page.locator(button).first.click()


KEYS = {"#help": _by_key("?")}
DECIDE = {"#dismiss": _by_key("d"), "#step": _by_key("c")}
TOGETHER = {"#chosen-bar": _by_key("X"), "#toasts .toast": _by_key("Xe")}
CORRECT = {
    "#correct": _by_button("[data-correct=card]"),
    "#correct [data-for=add]": _by_button("[data-correct=add]"),
}
GUIDED = {
    f"[data-panel={step}]": _by_button(f"[data-step={step}]")
    for step in ("camera", "cloth", "calibration", "chips", "house", "trial")
}
BUNDLE = "/api/cases/1/export"
PAGES: Mapping[str, RoomPage] = {
    "sign-in": RoomPage(who="vic", path="/login"),
    "wall": RoomPage(who="vic", path="/"),
    "alerts-watched": RoomPage(who="vic", path="/alerts?show=all"),
    "shifts": RoomPage(who="vic", path="/review"),
    "shift": RoomPage(who="vic", path="/review/4"),
    "rounds": RoomPage(who="vic", path="/rounds"),
    "figures": RoomPage(who="vic", path="/analytics"),
    "refusal": RoomPage(who="vic", path="/settings"),
    "table": RoomPage(who="ben", path="/tables/T1"),
    "alerts": RoomPage(who="ben", path="/alerts", shown=KEYS | TOGETHER),
    "doubtful": RoomPage(who="ben", path="/doubtful"),
    "round": RoomPage(who="ben", path="/rounds/1", shown=KEYS | CORRECT),
    "alert": RoomPage(who="cleo", path="/alerts/1?show=all", shown=DECIDE),
    "dealers": RoomPage(who="cleo", path="/analytics/dealers"),
    "tables": RoomPage(who="cleo", path="/analytics/tables"),
    "codes": RoomPage(who="cleo", path="/analytics/codes"),
    "trend": RoomPage(who="cleo", path="/analytics/trend"),
    "pace": RoomPage(who="cleo", path="/analytics/pace"),
    "shift-report": RoomPage(who="cleo", path="/analytics/report?table=T8"),
    "cases": RoomPage(who="cleo", path="/cases"),
    "case": RoomPage(who="cleo", path="/cases/1"),
    "case-report": RoomPage(who="cleo", path=BUNDLE),
    "decisions": RoomPage(who="cleo", path="/decisions"),
    "holds": RoomPage(who="cleo", path="/holds"),
    "roster": RoomPage(who="cleo", path="/roster"),
    "audit": RoomPage(who="cleo", path="/audit?action=alert"),
    "settings": RoomPage(who="ada", path="/settings"),
    "settings-tables": RoomPage(who="ada", path="/settings/tables"),
    "settings-setups": RoomPage(who="ada", path="/settings/tables/T1"),
    "settings-guide": RoomPage(who="ada", path="/settings/new-tables/N1", shown=GUIDED),
    "settings-dealers": RoomPage(who="ada", path="/settings/dealers"),
    "settings-notifications": RoomPage(who="ada", path="/settings/notifications"),
    "settings-retention": RoomPage(who="ada", path="/settings/retention"),
}
PEOPLE = tuple(dict.fromkeys(page.who for page in PAGES.values()))


def every_page(browser: Browser, folder: Path) -> Iterator[tuple[str, Visitor]]:
    """Each page's name with a visitor on it: dark, desktop size; each person logs in once."""
    with a_served_room(folder / "room", notifications=PATIENT, environment=ENVIRONMENT) as room:
        furnish_all(room)
        for who in PEOPLE:
            with visiting(browser, room, who, color_scheme="dark", viewport=DESK, reduced_motion="reduce") as visitor:
                for name, one in PAGES.items():
                    if one.who == who:
                        look_at(visitor, one.path, folder)
                        yield name, visitor


def furnish_all(room: ServedRoom) -> None:
    """A working night with an unwatched span at T4, and earlier days with data for figures."""
    furnish_night(room)
    table = room.tables["T4"]
    belief, events = build_belief(table.config), [parse_event(line) for line in UNSEEN]
    rounds = [record for event in events for record in belief.observe(event).rounds]
    table.write(events=events, rounds=rounds)
    _furnish_days(room)
    _furnish_roster(room)
    _furnish_setups(room)
    _furnish_new_table(room)


def _furnish_days(room: ServedRoom) -> None:
    began = now_utc().replace(minute=0, second=0, microsecond=0) - timedelta(hours=1)
    # their hours include those of the night
    stints = [("T8", "Ada"), ("T9", "Ben"), ("T8", "Ada"), ("T9", "Cleo")] * 2
    for days, (name, dealer) in enumerate(stints, start=3):
        log = deal(room.database, 120 + days, table=name, dealer=dealer, at=began - timedelta(days=days))
        for number in (4, 9, 12):
            decide(room.database, err(room.database, log, number, dealer=dealer, **MISDEAL), "confirmed", after_s=50.0)
        misread = err(room.database, log, 15, dealer=dealer, **MISDEAL)
        decide(room.database, misread, "dismissed", "card_misread", after_s=95.0)
    refresh_all(room.database)


def _furnish_roster(room: ServedRoom) -> None:
    """A register with an unconfirmed name, and an evening's roster."""
    began = now_utc().replace(hour=12, minute=0, second=0, microsecond=0)
    with room.database.writing() as session:
        for n, name in enumerate(("Ada Byron", "Ben Tan", "Cleo Park")):
            enter_dealer(session, "cleo", DealerFields(name=name, staff_id=f"{1041 + n}"), now=now_utc())
        known_as(session, "Cleo Parc", now=now_utc())
        for n, dealer in enumerate(("1041", "1042", None, "1041")):
            from_at = began + timedelta(minutes=40 * n)
            line = StintFields(table_id="T8", from_at=from_at, to_at=from_at + timedelta(minutes=40), dealer=dealer)
            enter_stint(session, "cleo", line, now=now_utc())


def _furnish_setups(room: ServedRoom) -> None:
    """A table whose limits were raised and restored, and a stopped table."""
    acts = TableActs(home=room.home, database=room.database, now=now_utc, who="ada")
    with room.database.reading() as session:
        files = dict(read_files(room.home, find_known(session, "T1").setup).files)
    raised = files["table.yaml"].replace(b"maximum: 5000", b"maximum: 9000")
    assert raised != files["table.yaml"]
    acts.change("T1", {**files, "table.yaml": raised}, "a high roller")
    acts.restore("T1", 1, "he has left")
    acts.stop("T4")


def _furnish_new_table(room: ServedRoom) -> None:
    """A draft of a table: its camera and cloth are complete, a calibration is started."""
    place_film(room)
    draft = Drafts(room.home).begin("N1")
    settle_camera(draft, CameraAsked(source=FILM), films=room.home.folder)
    choose_cloth(draft, "mini-7", {})
    try_points(draft, {name: (x, y) for name, (x, y) in list(true_points().items())[:5]})


def look_at(visitor: Visitor, path: str, folder: Path) -> None:
    """The page after it is loaded and its animations have stopped."""
    page = visitor.page
    if path == BUNDLE:
        answer = page.request.get(visitor.address + path)
        zipfile.ZipFile(io.BytesIO(answer.body())).extractall(folder)
        page.goto((folder / "report.html").as_uri())
    else:
        visitor.see(path)
    page.get_by_text("Looking for the video").wait_for(state="hidden", timeout=PATIENCE_MS)
    assert page.evaluate(STILL), f"{path} does not come to rest"
