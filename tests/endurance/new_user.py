"""Set up a new table as a new user does, with an RTSP camera, on a cloth that no built-in layout describes.

`python -m tests.endurance.new_user FOLDER` renders the table's films into FOLDER (some minutes, once) and starts an
empty service and a camera. Then it goes from the sign-in to the live picture in a browser, with a pause of two seconds
after each click. It fails if that takes more than 15 page steps, 150 clicks or 10 minutes of a person's time; if the
drawn cloth does not lie where the printed one does; if the live picture does not show it; or if an incident of the film
raises no alert. `--commands` does the same by commands alone. `--pause` makes the person quicker or slower.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
from playwright.sync_api import ConsoleMessage

from tests.endurance.live_as_offline import watch_offline
from tests.endurance.live_room import COMMAND, LiveRoom, free_port
from tests.endurance.new_user_clicks import PASSWORD, TABLE, USER, NewUser
from tests.endurance.new_user_commands import set_up_by_commands
from tests.endurance.new_user_stage import Stage, make_stage
from tests.endurance.rtsp_camera import Make, rtsp_camera
from tests.service.browser.chromium import find_chromium, open_chromium
from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.layout import Layout
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.live.live_pictures import WIDTH_PX
from thirdcard.service.media.overlay import PLAIN, area_outline, project
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.people import add_token

MOST_STEPS, MOST_CLICKS, MOST_S = 15, 150, 600.0
OFF_MM = 8.0
"""The largest allowed error of a drawn area. Chips may lie up to 14 mm outside their areas
(`vision/chips/stack_watch.py`), and a calibration that is 20 mm off still changes no result (docs/new-table.md)."""
LATE_S = 180.0
"""The longest wait for all alerts. The film lasts 52 s and is repeated; an alert comes some seconds after its act."""
MOST_MISSED = 1.0
"""The film has ten frames a second, and all are looked at. If more frames are skipped than looked at, other programs
keep the machine busy."""
LINE_SHARE = 0.9
"""The share of points on the layout's outlines that must have the overlay's colour in the live picture. On this table
all have it; without the overlay it is two in a hundred."""
NEAR_COLOUR = 100.0
"""The largest difference from the overlay's colour, in grey levels of all channels together. The live picture is a
JPEG of half the size."""


@dataclass(slots=True)
class Findings:
    """The lines of the report, and those that fail."""

    lines: list[str]
    faults: list[str]

    def note(self, text: str, *, is_well: bool = True) -> None:
        """Add a line to the report and print it; it fails unless `is_well`."""
        self.lines.append(text)
        print(f"{'' if is_well else 'FAILS: '}{text}", flush=True)
        if not is_well:
            self.faults.append(text)


def empty_room(folder: Path) -> LiveRoom:
    """Return a service without tables but with an admin, as the documentation on operations describes."""
    shutil.rmtree(folder, ignore_errors=True)
    home = Home(folder)
    run = [*COMMAND, "user", "add", USER, "--role", "admin", "--home", str(folder)]
    subprocess.run(run, input=f"{PASSWORD}\n", text=True, check=True, stdout=subprocess.DEVNULL)
    room = LiveRoom(home, {}, free_port())
    with closing(room.open_database()) as database, database.writing() as session:
        room.tokens = {"admin": add_token(session, "trial", "admin", now=now_utc())}
    return room


def wait_for_service(room: LiveRoom) -> None:
    """Wait until the service answers.

    Raises:
        TimeoutError: It does not answer within 120 s.
    """
    for _ in range(240):
        try:
            room.states()
            return
        except httpx.HTTPError:
            time.sleep(0.5)
    raise TimeoutError(f"the service does not answer; see {room.log}")


def ask(room: LiveRoom, path: str, **params: Any) -> httpx.Response:
    """Return the service's answer to a GET request of the admin."""
    headers = {"Authorization": f"Bearer {room.tokens['admin']}"}
    return httpx.get(f"{room.address}{path}", headers=headers, params=params, timeout=20)


def is_complaint(said: ConsoleMessage) -> bool:
    """Return whether the browser reports an error other than a live picture that is not there yet."""
    return said.type == "error" and not str(said.location.get("url", "")).partition("?")[0].endswith("/frame.jpg")


def compare_cloth(stage: Stage, room: LiveRoom, told: Findings) -> None:
    """Compare, through both calibrations, the place of each drawn area with its printed place; note the errors."""
    folder = room.home.tables / TABLE
    table, drawn_camera = load_table(folder / "table.yaml"), load_calibration(folder / "overhead.yaml")
    wanted = {area.id: area for area in stage.layout.areas}
    known = {area.id: area for area in table.layout.areas}
    named = {one.replace("float", "chip_tray") for one in wanted}
    told.note(f"areas: {len(known)} drawn of {len(wanted)}", is_well=set(known) in (set(wanted), named))
    off = {}
    for area in known.values():
        true = wanted.get("float" if area.id == "chip_tray" else area.id)
        if true is not None:
            seen = drawn_camera.image_from_layout(np.array([area.centre_mm]))
            off[area.id] = float(np.linalg.norm(stage.camera.layout_from_image(seen)[0] - np.array(true.centre_mm)))
    worst = max(off, key=lambda name: off[name])
    mean = float(np.mean(list(off.values())))
    told.note(
        f"drawn areas: mean error {mean:.1f} mm, at most {off[worst]:.1f} mm at {worst}", is_well=off[worst] <= OFF_MM
    )


def see_overlay(stage: Stage, room: LiveRoom, told: Findings) -> None:
    """Note whether the live picture shows the layout's outlines where the cloth has its areas."""
    share = 0.0
    for _ in range(20):
        answer = ask(room, f"/api/tables/{TABLE}/frame.jpg")
        if answer.status_code == 200:
            image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
            folder = room.home.tables / TABLE
            share = line_share(
                np.asarray(image), load_calibration(folder / "overhead.yaml"), load_table(folder / "table.yaml").layout
            )
            if share >= LINE_SHARE:
                break
        time.sleep(0.5)
    told.note(f"overlay: {share:.0%} of the layout's outlines are in the live picture", is_well=share >= LINE_SHARE)


def line_share(image: np.ndarray, camera: Calibration, layout: Layout) -> float:
    """Return the share of points on the areas' outlines near which the picture has the overlay's colour."""
    scale = WIDTH_PX / camera.image_size_wh_px[0]
    areas = [area for area in layout.areas if area.kind in ("hand", "wager")]
    points = np.concatenate([project(camera, area_outline(area).polygon_mm) for area in areas]) * scale
    near = []
    for x, y in points.round().astype(int):
        around = image[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].reshape(-1, 3).astype(np.float64)
        near.append(len(around) and np.abs(around - np.array(PLAIN)).sum(axis=1).min() <= NEAR_COLOUR)
    return float(np.mean(near))


def wait_for_alerts(stage: Stage, room: LiveRoom, told: Findings) -> None:
    """Note whether each incident of the film raises an alert, and nothing else does."""
    wanted = [json.loads(line)["code"] for line in (stage.recording / "alerts.jsonl").read_text("utf-8").splitlines()]
    until, found = time.monotonic() + LATE_S, []
    while time.monotonic() < until:
        found = [one["code"] for one in ask(room, "/api/alerts", limit=100, table=TABLE).json()["items"]]
        if set(wanted) <= set(found):
            break
        time.sleep(1.0)
    state = next(one for one in room.states() if one["id"] == TABLE)
    frames, missed = int(str(state["frames"])), int(str(state["missed"]))
    told.note(f"live: {frames} frames looked at, {missed} skipped")
    if missed > frames * MOST_MISSED:
        told.note("the machine is too busy to watch live: the film is watched with the same set-up instead")
        found = [alert.code for alert in watch_offline(film_table(stage, room), until_s=3600.0).alerts]
    missing, more = [code for code in wanted if code not in found], [code for code in found if code not in wanted]
    told.note(
        f"alerts for {len(wanted) - len(missing)} of {len(wanted)} incidents ({', '.join(sorted(set(found)))})",
        is_well=not missing,
    )
    told.note(f"false alerts: {', '.join(more) or 'none'}", is_well=not more)


def film_table(stage: Stage, room: LiveRoom) -> TableConfig:
    """Return the finished table with the film that its camera showed as its source."""
    table = load_table(room.home.tables / TABLE / "table.yaml")
    film = str(stage.recording / "video.mp4")
    return replace(table, cameras=(replace(table.cameras[0], source=film), *table.cameras[1:]))


def by_clicks(stage: Stage, folder: Path, pause_s: float, told: Findings) -> None:
    """Set the table up in a browser, and check it.

    Raises:
        SystemExit: Chromium is not installed.
    """
    path = find_chromium()
    if path is None:
        raise SystemExit("Chromium is not installed")
    room, make = empty_room(folder / "room"), Make(user="watcher", password=secrets.token_urlsafe(9))
    pictures = folder / "pictures"
    pictures.mkdir(exist_ok=True)
    with open_chromium(path) as browser, rtsp_camera(stage.shown, make) as camera:
        room.start()
        try:
            wait_for_service(room)
            context = browser.new_context(viewport={"width": 1920, "height": 970}, locale="en-GB")
            page = context.new_page()
            page.set_default_timeout(20_000)
            complaints: list[str] = []
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
            sign_in = (f"rtsp://127.0.0.1:{camera.gate.port}/table", make.user or "", make.password)
            person = NewUser(page, stage, sign_in, room.address, pause_s, pictures)
            try:
                person.set_up()
            finally:
                page.screenshot(path=str(pictures / "last.png"))
            for step, seconds in person.steps:
                told.note(f"step {step}: done after {seconds:.0f} s")
            told.note(f"page steps: {len(person.steps)} of {MOST_STEPS}", is_well=len(person.steps) <= MOST_STEPS)
            told.note(f"clicks: {person.clicks} of {MOST_CLICKS}", is_well=person.clicks <= MOST_CLICKS)
            busy = f"seconds: {person.seconds:.0f} of {MOST_S:.0f}, {person.hands_s:.0f} of them at the table"
            told.note(busy, is_well=person.seconds <= MOST_S)
            told.note(f"errors in the browser: {complaints or 'none'}", is_well=not complaints)
            finish(stage, room, told, lambda: page.screenshot(path=str(pictures / "live.png")))
        finally:
            room.stop()


def by_commands(stage: Stage, folder: Path, told: Findings) -> None:
    """Set the table up by commands, and check it."""
    room, make = empty_room(folder / "room-commands"), Make(user="watcher", password=secrets.token_urlsafe(9))
    with rtsp_camera(stage.shown, make) as camera:
        room.start()
        try:
            wait_for_service(room)
            sign_in = (f"rtsp://127.0.0.1:{camera.gate.port}/table", make.user or "", make.password)
            count = set_up_by_commands(stage, folder / "by-commands", sign_in, room.home.folder, told.note)
            told.note(f"commands: {count}")
            room.wait_until_watched([TABLE])
            finish(stage, room, told, lambda: None)
        finally:
            room.stop()


def finish(stage: Stage, room: LiveRoom, told: Findings, photograph: Callable[[], object]) -> None:
    """Check the finished table: its drawn areas, its live picture and its alerts."""
    compare_cloth(stage, room, told)
    see_overlay(stage, room, told)
    wait_for_alerts(stage, room, told)
    photograph()


def main() -> int:
    """Set the table up and print the report; return exit status 1 if anything fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.new_user", description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder for the films and the services' data")
    parser.add_argument("--pause", type=float, default=2.0, help="seconds after each click")
    parser.add_argument("--commands", action="store_true", help="use commands alone, not the browser")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    stage, told = make_stage(folder), Findings([], [])
    if options.commands:
        by_commands(stage, folder, told)
    else:
        by_clicks(stage, folder, options.pause, told)
    name = "commands.txt" if options.commands else "clicks.txt"
    (folder / name).write_text("\n".join(told.lines) + "\n", encoding="utf-8")
    print(f"{len(told.faults)} faults", flush=True)
    return 1 if told.faults else 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "ERROR")
    sys.exit(main())
