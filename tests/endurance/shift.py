"""Play a shift with everything that can go wrong, and compare what was promised with what came.

`python -m tests.endurance.shift --out DIR`: two tables are watched. At six more the camera shows an empty cloth, and
devices report the play, with 120 faults of the dealing among 400 lines about cameras. Two operators with ten open tabs
decide about alerts. The session of one ends during a decision, the service is restarted, and the disk is full for a
while. Needs Chromium and the right to mount a tmpfs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import av
import httpx
from sqlalchemy import func, select

from tests.endurance.diary import Diary
from tests.endurance.disk import NoDiskError, fill, small_disk, top_up
from tests.endurance.duty_channel import SECRET, SECRET_VARIABLE, DutyChannel
from tests.endurance.ears import NoBrowserError, require_browser
from tests.endurance.fed_tables import FedFault, Feeder, Feeding, furnish_fed_tables, make_still_film, shares
from tests.endurance.live_room import COMMAND, LiveRoom, furnish_room
from tests.endurance.room_people import Operator
from tests.service.web.rooms import PASSWORD
from thirdcard.rules.log.events import CameraBack, CameraLost, DealerChanged, Source
from thirdcard.service.alerts.storms import CAMERA
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.people import add_user
from thirdcard.service.store.schema import AlertChange, AlertRow, EvidenceRow

WITHIN_S = 5.0
"""The seconds within which an alert must be heard and sent."""
IN_ORDER_S = 0.5
"""Reports that the service takes after more seconds may be too late for the log, which waits 0.7 s for late ones."""
DISK_MB = 3000
GRAVE = ("high", "critical")
OPERATORS = ("ben", "cleo")
TABS = (
    ("/", "/tables/L1", "/rounds", "/alerts?show=open", "/alerts"),
    ("/", "/tables/T1", "/tables/L2", "/analytics", "/alerts"),
)
LAST_S = 10.0
"""The seconds after the last report within which all alerts must be raised."""
BESIDES_MINUTES = 20.0
"""The minutes of film beyond the rounds: for opening browsers, the restart of the service and the full disk."""
OPENING_S = 600.0
"""The longest wait for the browsers to open."""
SIGN_IN_S = 120.0
"""The longest wait for the operator whose session ended."""
EVIDENCE_S = 900.0
"""The longest wait for the clips once play has ended."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a shift."""

    watched: int
    fed: int
    faults: int
    camera_lines: int
    cycle_s: float
    tabs: tuple[tuple[str, ...], ...]
    full_s: float
    """The seconds for which the disk is full; 0 for never."""
    within_s: float = WITHIN_S


@dataclass(slots=True)
class Outages:
    """The times at which the test itself had taken away the service or the disk, in seconds of Unix time."""

    within_s: float
    spans: list[tuple[float, float]] = field(default_factory=list)

    def due_from(self, raised: float) -> float:
        """Return the time from which an alert's delay counts.

        That is when it was raised or, if that was during an outage or shortly before one, the end of the outage.
        """
        return max([raised, *(end for begin, end in self.spans if begin - self.within_s <= raised <= end)])


@dataclass(slots=True)
class Result:
    """One line of the table."""

    what: str
    wanted: str
    found: str
    is_met: bool


@dataclass(slots=True)
class Shift:
    """All parts of a shift under test."""

    room: LiveRoom
    database: Database
    duty: DutyChannel
    size: Size
    feeding: Feeding
    operators: list[Operator]
    outages: Outages
    figures: dict[str, Any] = field(default_factory=dict)


def main() -> int:
    """Play the shift and print the results; return exit status 1 if a promise was not kept."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="shift-"))
    size = Size(
        watched=options.tables, fed=options.fed, faults=options.faults, camera_lines=options.camera_events,
        cycle_s=options.cycle_s, tabs=TABS, full_s=options.full_s,
    )  # fmt: skip
    try:
        require_browser()
        with ExitStack() as stack:
            disk = stack.enter_context(small_disk(folder / "disk", size_mb=DISK_MB)) if size.full_s else None
            report = run_shift(folder, disk, size)
    except (NoBrowserError, NoDiskError) as error:
        print(f"skipped: {error}")
        return 0
    (folder / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps({name: value for name, value in report.items() if name != "results"}, indent=1))
    print(table_of(report["results"]))
    return 0 if all(line["is_met"] for line in report["results"]) else 1


def run_shift(folder: Path, disk: Path | None, size: Size) -> dict[str, Any]:
    """Play a shift from its beginning to its end; return the figures and the results.

    Args:
        folder: The folder that keeps everything.
        disk: A small disk that can be filled; None if the disk is never full.
        size: The size of the shift.
    """
    duty = DutyChannel()
    room = _furnish(folder, disk, size, duty)
    shift = _gather(room, duty, size)
    people = [threading.Thread(target=operator.work, daemon=True) for operator in shift.operators]
    try:
        room.start()
        shift.figures["watched after s"] = round(room.wait_until_watched(patience_s=300), 1)
        for person in people:
            person.start()
        for operator in shift.operators:
            operator.is_ready.wait(OPENING_S)
        _play(shift, disk)
        for operator in shift.operators:
            operator.stopping.set()
        for person in people:
            person.join(60)
        _wait_for_evidence(shift.database)
        results = judge(shift)
        status = room.stop()
        results.append(Result("the service ends", "status 0", f"status {status}", status == 0))
        results.append(_verified(room))
    finally:
        for operator in shift.operators:
            operator.stopping.set()
        duty.stop()
        shift.database.close()
        for path in (room.log, room.home.folder / "thirdcard.db"):
            shutil.copy(path, folder)
        if room.process is not None and room.process.poll() is None:
            room.kill_all()
    return {**shift.figures, "results": [asdict(line) for line in results]}


def _furnish(folder: Path, disk: Path | None, size: Size, duty: DutyChannel) -> LiveRoom:
    """Return a room with tables, people and a duty channel.

    Retention keeps no space free on the small disk: otherwise it would delete pictures at once.
    """
    home = (disk or folder) / "room"
    home.mkdir(parents=True)
    (home / "retention.yaml").write_text("keep_free_gb: 0\n", encoding="utf-8")
    (home / "notifications.yaml").write_text(duty.start(), encoding="utf-8")
    os.environ[SECRET_VARIABLE] = SECRET
    room = furnish_room(home, tables=size.watched)
    film = folder / "still.mp4"
    make_still_film(film, minutes=BESIDES_MINUTES + size.faults / size.fed * size.cycle_s / 60)
    furnish_fed_tables(room.home, film, _names(size))
    database = room.open_database()
    with database.writing() as session:
        for name in OPERATORS:
            add_user(session, name, "operator", PASSWORD, now=now_utc())
    database.close()
    return room


def _names(size: Size) -> list[str]:
    return [f"L{number}" for number in range(1, size.fed + 1)]


def _gather(room: LiveRoom, duty: DutyChannel, size: Size) -> Shift:
    parts = zip(_names(size), shares(size.camera_lines, size.fed), strict=True)
    each = size.faults // size.fed
    feeders = [Feeder(room, name, each, lines, size.cycle_s) for name, lines in parts]
    operators = [
        Operator(name, room, tabs, Diary(), turn, random.Random(turn))
        for turn, (name, tabs) in enumerate(zip(OPERATORS, size.tabs, strict=True))
    ]
    return Shift(room, room.open_database(), duty, size, Feeding(feeders), operators, Outages(size.within_s))


def _play(shift: Shift, disk: Path | None) -> None:
    """Let the tables play; meanwhile end a session, then restart the service, then fill the disk."""
    shift.feeding.start()
    _wait_until_done(shift.feeding, 0.2)
    shift.operators[0].losing.set()
    _wait_until_done(shift.feeding, 0.45)
    shift.operators[0].wait_until_back(SIGN_IN_S)
    _start_again(shift)
    _wait_until_done(shift.feeding, 0.7)
    if disk is not None:
        _fill_disk(shift, disk)
    while not shift.feeding.is_over():
        time.sleep(0.5)
    time.sleep(LAST_S)


def _wait_until_done(feeding: Feeding, part: float) -> None:
    while feeding.done < part and not feeding.is_over():
        time.sleep(0.2)


def _start_again(shift: Shift) -> None:
    """Restart the service, as for a new version, and note the outage."""
    began = time.time()
    status = shift.room.stop()
    shift.room.start()
    while not _answers(shift.room):
        time.sleep(0.1)
    answered = time.time()
    shift.outages.spans.append((began, answered))
    shift.figures |= {
        "restart: status of the old one": status,
        "restart: answers after s": round(answered - began, 1),
        "restart: all tables watched after s": round(shift.room.wait_until_watched(patience_s=300), 1),
    }


def _answers(room: LiveRoom) -> bool:
    try:
        return httpx.get(f"{room.address}/api/health", timeout=2).status_code in (200, 503)
    except httpx.HTTPError:
        return False


def _fill_disk(shift: Shift, disk: Path) -> None:
    """Fill the disk to its last byte, keep it full, free it, and note the outage."""
    began, ballast = time.time(), disk / "ballast"
    fill(ballast)
    filled = time.time()
    shown: set[str] = set()
    while time.time() - filled < shift.size.full_s:
        time.sleep(1)
        top_up(ballast)
        try:
            shown |= {str(state["disk_fault"]) for state in shift.room.states()}
        except httpx.HTTPError as error:
            shown.add(type(error).__name__)
    ballast.unlink()
    shift.outages.spans.append((began, time.time()))
    shift.figures |= {"full disk: filled after s": round(filled - began, 1), "full disk: shown": sorted(shown)}


def _wait_for_evidence(database: Database) -> None:
    promised = select(func.count()).select_from(EvidenceRow).where(EvidenceRow.state == "promised")
    deadline = time.monotonic() + EVIDENCE_S
    while time.monotonic() < deadline:
        with database.reading() as session:
            if not session.scalar(promised):
                return
        time.sleep(1)


# What was promised ----------------------------------------------------------------------------------------------------


def judge(shift: Shift) -> list[Result]:
    """Return the results of comparing what came with what was promised; the service must still run."""
    alerts = _all_alerts(shift.room)
    grave = [alert for alert in alerts if alert["severity"] in GRAVE and not alert["code"].startswith(f"{CAMERA}.")]
    shift.figures |= {
        "alerts": len(alerts),
        "of them severe faults of the dealing": len(grave),
        "reports sent again": sum(feeder.again for feeder in shift.feeding.feeders),
        "decisions acknowledged": sum(len(operator.diary.decisions) for operator in shift.operators),
        "decisions not acknowledged": [why for operator in shift.operators for why in operator.failed],
        "signed out for s": [round(b - a, 1) for operator in shift.operators for a, b in operator.away],
    }
    return [
        _raised(shift, alerts),
        _camera_lines(shift),
        *(_heard(shift, operator, grave) for operator in shift.operators),
        _told(shift, grave, "severe alerts are sent"),
        _told(shift, [alert for alert in alerts if alert not in grave], "all other alerts are sent"),
        _decisions(shift),
        _session(shift),
        _clips(shift, alerts),
        *(
            Result(
                f"{operator.name} works to the end", "no fault", operator.fault or "no fault", operator.fault is None
            )
            for operator in shift.operators
        ),
    ]


def _all_alerts(room: LiveRoom) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {room.tokens['operator']}"}
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {"limit": 200}
    with httpx.Client(base_url=room.address, headers=headers, timeout=60) as http:
        while True:
            answer = http.get("/api/alerts", params=params)
            answer.raise_for_status()
            page = answer.json()
            found += page["items"]
            if not page["next"]:
                return found[::-1]
            params["cursor"] = page["next"]


def _raised(shift: Shift, alerts: list[dict[str, Any]]) -> Result:
    """Check that each fault was raised once, and no other fault of the dealing.

    A fault that was taken too late may be raised at the very time of several changes of dealer: it is then nobody's.
    """
    fed = [fault for feeder in shift.feeding.feeders for fault in feeder.fed]
    names = {feeder.table for feeder in shift.feeding.feeders}
    counts: dict[tuple[str, str, str | None], int] = {}
    for alert in alerts:
        if alert["table"] in names and not alert["code"].startswith(f"{CAMERA}."):
            key = (alert["table"], alert["code"], alert["dealer"])
            counts[key] = counts.get(key, 0) + 1
    missing = [fault for fault in fed if counts.get(_key(fault), 0) != 1]
    untold = [fault for fault in missing if _key(fault) not in counts]
    slow = [fault for fault in untold if fault.taken_after_s > IN_ORDER_S]
    unseen = [fault for fault in untold if fault not in slow and fault.dealer in _unseen_dealers(shift, fault.table)]
    nobodys = {(fault.table, fault.code, None) for fault in slow}
    others = sorted(set(counts) - {_key(fault) for fault in fed} - nobodys, key=str)
    shift.figures["faults not raised once"] = [asdict(fault) for fault in missing]
    shift.figures["other alerts at these tables"] = others
    refused = [why for feeder in shift.feeding.feeders for why in feeder.refused]
    shift.figures["reports refused"] = refused
    withheld = f"{len(slow)} taken too late, {len(unseen)} in rounds that the machine did not look at"
    found = f"{len(fed) - len(missing)} of {len(fed)} once, {withheld}, {len(others)} others"
    is_met = len(missing) == len(slow) + len(unseen) and len(fed) == shift.size.faults and not others and not refused
    wanted = f"each once, if it was taken within {IN_ORDER_S:g} s and its round was looked at; no other"
    return Result(f"{shift.size.faults} faults of the dealing are raised", wanted, found, is_met)


def _unseen_dealers(shift: Shift, table: str) -> set[str]:
    """Return the dealers in whose rounds, by the log, the table was not looked at for a while."""
    with shift.database.reading() as session:
        lines = [json.loads(line.body) for line in chain.read(session, log_chain(table))]
    found: set[str] = set()
    dealer, is_lost = "", False
    for line in lines:
        if line["type"] == DealerChanged.type:
            dealer = line["dealer"]
        elif line["source"] == Source.CAMERA and line["type"] in (CameraLost.type, CameraBack.type):
            is_lost = line["type"] == CameraLost.type
        if is_lost:
            found.add(dealer)
    return found


def _key(fault: FedFault) -> tuple[str, str, str]:
    return fault.table, fault.code, fault.dealer


def _camera_lines(shift: Shift) -> Result:
    told = sum(feeder.told for feeder in shift.feeding.feeders)
    wanted = shift.size.camera_lines
    return Result("lines about cameras are reported", str(wanted), str(told), told == wanted)


def _heard(shift: Shift, operator: Operator, grave: list[dict[str, Any]]) -> Result:
    """Check that an operator heard each severe alert, except those raised while he was not signed in."""
    heard = operator.heard()
    due = {alert["id"]: _unix(alert["raised_at"]) for alert in grave}
    due = {n: at for n, at in due.items() if not any(begin - 1.0 <= at <= end for begin, end in operator.away)}
    return _in_time(shift, f"{operator.name} hears each severe alert", due, heard)


def _told(shift: Shift, alerts: list[dict[str, Any]], what: str) -> Result:
    came = shift.duty.raised()
    due = {alert["id"]: _unix(alert["raised_at"]) for alert in alerts}
    twice = sum(len(came.get(number, ())) > 1 for number in due)
    shift.figures[f"{what}: sent more than once"] = twice
    return _in_time(shift, what, due, {number: min(moments) for number, moments in came.items()})


def _in_time(shift: Shift, what: str, due: dict[int, float], came: dict[int, float]) -> Result:
    delays = {number: came[number] - shift.outages.due_from(at) for number, at in due.items() if number in came}
    plain = sorted(came[n] - at for n, at in due.items() if n in came and shift.outages.due_from(at) == at)
    missing = sorted(set(due) - set(delays))
    late = {number: round(delay, 2) for number, delay in delays.items() if delay > shift.size.within_s}
    shift.figures[what] = {
        "due": len(due), "came": len(delays), "missing": missing, "late": late,
        "around an outage": len(delays) - len(plain),
        "s": {f"p{round(100 * part)}": _quantile(plain, part) for part in (0.5, 0.95, 0.99, 1.0)},
        "s, counted from the end of an outage, longest": max(
            (round(delays[n], 2) for n in delays if shift.outages.due_from(due[n]) != due[n]), default=None
        ),
    }  # fmt: skip
    usual = f"median {_quantile(plain, 0.5)} s, 95 % {_quantile(plain, 0.95)} s"
    found = f"{len(delays)} of {len(due)}, {len(late)} late; {usual}"
    return Result(what, f"all within {shift.size.within_s:g} s", found, not missing and not late)


def _decisions(shift: Shift) -> Result:
    """Check that each decision that a page showed is stored once, and that each alert has the state of its last one."""
    known = {note: what for operator in shift.operators for note, what in operator.diary.decisions.items()}
    with shift.database.reading() as session:
        changes = session.scalars(select(AlertChange).order_by(AlertChange.id)).all()
        states = {row.id: row.state for row in session.execute(select(AlertRow.id, AlertRow.state))}
    stored: dict[str | None, list[tuple[int, str]]] = {}
    for change in changes:
        stored.setdefault(change.note, []).append((change.alert_id, change.after))
    last = {change.alert_id: change.after for change in changes}
    right = sum(stored.get(note) == [what] and states[what[0]] == last[what[0]] for note, what in known.items())
    is_met = right == len(known) > 0
    return Result("decisions are where they belong", f"{len(known)}", f"{right}", is_met)


def _session(shift: Shift) -> Result:
    kept, ended = shift.operators[0].kept_texts, len(shift.operators[0].away)
    found = f"{ended} ended, {kept} texts kept"
    return Result("a session that ends keeps what was typed", "each text kept", found, kept == ended > 0)


def _clips(shift: Shift, alerts: list[dict[str, Any]]) -> Result:
    """Check that each clip plays to its end, or that the service says why there is none."""
    plays, why, faults = 0, [], []
    headers = {"Authorization": f"Bearer {shift.room.tokens['operator']}"}
    with httpx.Client(base_url=shift.room.address, headers=headers, timeout=60) as http:
        for alert in alerts:
            answer = http.get(f"/api/alerts/{alert['id']}/clip")
            if answer.is_success:
                fault = _fault_of_film(answer.content)
                plays += fault is None
                faults += [] if fault is None else [f"alert {alert['id']}: {fault}"]
            elif (alert["evidence"] or {"states": {}})["states"].get("clip") == "failed":
                why.append(f"alert {alert['id']}: {answer.json()['error']['message']}")
            else:
                faults.append(f"alert {alert['id']}: {answer.status_code} {answer.text[:200]}")
    shift.figures |= {"clips that are not there, and why": why, "clips that do not play": faults}
    found = f"{plays} play, {len(why)} say why not, {len(faults)} neither"
    return Result(f"clips of {len(alerts)} alerts", "play, or say why not", found, not faults)


def _fault_of_film(content: bytes) -> str | None:
    try:
        with av.open(BytesIO(content), "r") as clip:
            frames = len(list(clip.decode(video=0)))
    except av.FFmpegError as error:
        return f"does not play: {error}"
    return None if frames else "has no picture"


def _verified(room: LiveRoom) -> Result:
    command = [*COMMAND, "verify", "--home", str(room.home.folder)]
    done = subprocess.run(command, env=room.environment, capture_output=True, text=True)
    found = "yes" if done.returncode == 0 else f"{done.stdout}{done.stderr}".strip()
    return Result("chains and files verify", "yes", found, done.returncode == 0)


def _unix(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def _quantile(ordered: list[float], part: float) -> float | None:
    return round(ordered[min(int(part * len(ordered)), len(ordered) - 1)], 2) if ordered else None


def table_of(results: list[dict[str, Any]]) -> str:
    """Return the results as text, one on each line."""
    lines = [
        f"{'ok' if one['is_met'] else 'FAILS':5}  {one['what']}: {one['found']} (wanted: {one['wanted']})"
        for one in results
    ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.shift", description=__doc__)
    parser.add_argument("--tables", type=int, default=2, choices=range(1, 5), help="the number of tables watched")
    parser.add_argument("--fed", type=int, default=6, help="the number of tables whose play devices report")
    parser.add_argument("--faults", type=int, default=120, help="faults of the dealing, in equal parts")
    parser.add_argument("--camera-events", type=int, default=400, help="lines about cameras; an even number")
    parser.add_argument("--cycle-s", type=float, default=24.0, help="seconds from round to round at such a table")
    parser.add_argument("--full-s", type=float, default=60.0, help="seconds for which the disk is full; 0 for never")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
