"""Cut off a network camera and restore it; check that its table comes back and that no other table is disturbed.

`python -m tests.endurance.cuts --seconds 5 60 600 --out DIR`; needs GStreamer's RTSP server.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import yaml
from sqlalchemy import select

from tests.endurance.live_room import LiveRoom, furnish_room
from tests.endurance.rtsp_camera import Cut, NoCameraError, RtspCamera, rtsp_camera
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import AlertRow
from thirdcard.service.web.demo_room import RECORDING

LIVE, OTHER = "T1", "T2"
SETTLED_S = 20.0
"""The seconds that the table plays before each cut."""
WRITTEN_S = 15.0
"""The seconds after the picture is back within which the log must report it."""
LOST, BACK = "camera_lost", "camera_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one cut; times in seconds."""

    cut: str
    lasted_s: float
    noticed_after_s: float | None
    """From the cut to `camera_lost` in the log; None if there is none."""
    shown_after_s: float
    """From the cut until the table's state showed it as lost."""
    back_after_s: float | None
    """From the end of the cut to `camera_back` in the log; None if there is none."""
    alleged: list[str]
    """Codes of alerts about the time of the cut, except those about the camera itself."""
    other_missed: int
    """The number of frames that the other table missed during the cut."""
    other_lag_s: float
    """The other table's largest lag during the cut."""
    other_lost: int
    """The number of lines in the other table's log that report no picture. Lines that report overload are not counted,
    since the cut does not cause it."""

    @property
    def is_well(self) -> bool:
        """Whether the result is as required."""
        told = self.noticed_after_s is not None and self.back_after_s is not None
        return told and not self.alleged and not self.other_lost


@dataclass(slots=True)
class OtherTable:
    """Follows the state of the table whose camera is not cut."""

    room: LiveRoom
    lag_s: float = 0.0
    missed: int = 0

    def follow(self, ended: threading.Event) -> None:
        """Note the largest lag and the missed frames, four times a second, until asked to end."""
        first: int | None = None
        while not ended.wait(0.25):
            state = state_of(self.room, OTHER)
            first = int(state["missed"]) if first is None else first
            self.lag_s = max(self.lag_s, float(state["lag_s"]))
            self.missed = int(state["missed"]) - first


def state_of(room: LiveRoom, table: str) -> dict[str, Any]:
    """Return the state of a table, as the API gives it."""
    return next(dict(state) for state in room.states() if state["id"] == table)


def show_camera(room: LiveRoom, table: str, url: str) -> None:
    """Point a table at another camera."""
    path = room.home.tables / f"{table}.yaml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    settings["cameras"][0]["source"] = url
    path.write_text(yaml.safe_dump(settings | {"loop": False}, sort_keys=False), encoding="utf-8")


def main() -> int:
    """Run the cuts; return exit status 1 if one did not go as required."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="cuts-"))
    try:
        with rtsp_camera(RECORDING / "video.mp4") as camera:
            outcomes = run_cuts(folder, camera, [(Cut(cut), s) for s in options.seconds for cut in options.cuts])
    except NoCameraError as error:
        print(f"skipped: {error}")
        return 0
    report = json.dumps([asdict(outcome) for outcome in outcomes], indent=1)
    (folder / "report.json").write_text(report, encoding="utf-8")
    return 0 if all(outcome.is_well for outcome in outcomes) else 1


def run_cuts(folder: Path, camera: RtspCamera, wanted: list[tuple[Cut, float]]) -> list[Outcome]:
    """Make one cut after the other; return their results."""
    room = furnish_room(folder / "room", tables=2)
    show_camera(room, LIVE, camera.url)
    room.start()
    database = room.open_database()
    outcomes = []
    try:
        room.wait_until_watched()
        for cut, lasting_s in wanted:
            time.sleep(SETTLED_S)
            room.wait_until_watched([LIVE])
            outcomes.append(cut_off(room, database, camera, cut, lasting_s))
            print(json.dumps(asdict(outcomes[-1])), flush=True)
        room.stop()
    finally:
        database.close()
        if room.process is not None and room.process.poll() is None:
            room.kill_all()
    return outcomes


def cut_off(room: LiveRoom, database: Database, camera: RtspCamera, cut: Cut, lasting_s: float) -> Outcome:
    """Cut off the camera for `lasting_s` seconds, wait until its table is watched again, and return the result."""
    other, ended = OtherTable(room), threading.Event()
    following = threading.Thread(target=other.follow, args=(ended,), daemon=True)
    following.start()
    began = now_utc()
    camera.gate.close(cut)
    shown_after_s = _until(room, is_playing=False, patience_s=min(lasting_s, 30.0))
    time.sleep(max(lasting_s - (now_utc() - began).total_seconds(), 0.0))
    opened = now_utc()
    camera.gate.open()
    _until(room, is_playing=True, patience_s=90.0)
    back = _moments(database, LIVE, BACK, opened)
    deadline = time.monotonic() + WRITTEN_S
    while not back and time.monotonic() < deadline:
        time.sleep(0.25)
        back = _moments(database, LIVE, BACK, opened)
    ended.set()
    following.join()
    lost = _moments(database, LIVE, LOST, began)
    return Outcome(
        cut=str(cut),
        lasted_s=lasting_s,
        noticed_after_s=_seconds(began, lost),
        shown_after_s=round(shown_after_s, 2),
        back_after_s=_seconds(opened, back),
        alleged=_alleged(database, began, back[0] if back else now_utc()),
        other_missed=other.missed,
        other_lag_s=round(other.lag_s, 3),
        other_lost=len(_moments(database, OTHER, LOST, began, fault="no_picture")),
    )


def _until(room: LiveRoom, *, is_playing: bool, patience_s: float) -> float:
    began = time.monotonic()
    while time.monotonic() - began < patience_s:
        try:
            if (state_of(room, LIVE)["camera"] == "playing") is is_playing:
                break
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    return time.monotonic() - began


def _moments(database: Database, table: str, kind: str, since: datetime, *, fault: str | None = None) -> list[datetime]:
    """Return the times of the log's lines of that kind, from one second before `since` on."""
    with database.reading() as session:
        lines = [json.loads(line.body) for line in chain.read(session, log_chain(table))]
    wanted = [line for line in lines if line["type"] == kind and fault in (None, line.get("fault"))]
    found = [datetime.fromisoformat(line["at"]) for line in wanted]
    return [at for at in found if (at - since).total_seconds() > -1.0]


def _seconds(since: datetime, moments: list[datetime]) -> float | None:
    return round((moments[0] - since).total_seconds(), 2) if moments else None


def _alleged(database: Database, began: datetime, back: datetime) -> list[str]:
    wanted = select(AlertRow.code).where(AlertRow.table_id == LIVE, AlertRow.at >= began, AlertRow.at <= back)
    with database.reading() as session:
        return [code for code in session.scalars(wanted.order_by(AlertRow.id)) if not code.startswith("camera.")]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.cuts", description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[5, 60, 600], help="how long each cut lasts")
    parser.add_argument("--cuts", nargs="+", default=[str(cut) for cut in Cut], choices=[str(cut) for cut in Cut])
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
