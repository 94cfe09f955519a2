"""Fill the disk under a running service and free it again; check that the service reports this and continues.

`python -m tests.endurance.disk --full everything --out DIR`; it mounts a small tmpfs, which needs the rights of root.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import func, select

from tests.endurance.checks import faults_at_the_end, faults_of
from tests.endurance.clients import start_clients
from tests.endurance.diary import Diary
from tests.endurance.live_room import UP, LiveRoom, furnish_room
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, EvidenceRow

SIZE_MB = 400
"""The size of the disk."""
PLAYED_S = 40.0
"""The seconds of play before the disk is filled, and again after it is freed."""
SETTLED_S = 90.0


class NoDiskError(Exception):
    """A disk for the test cannot be mounted here."""


@contextmanager
def small_disk(folder: Path, *, size_mb: int = SIZE_MB) -> Iterator[Path]:
    """Mount a small disk in memory, and yield its folder.

    Raises:
        NoDiskError: Mounting is not allowed here.
    """
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoDiskError(f"a tmpfs cannot be mounted: {error}") from error
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def fill(path: Path) -> None:
    """Write a file until the disk is full to its last byte."""
    with path.open("wb", buffering=0) as ballast:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    ballast.write(bytes(size))
            except OSError:
                continue


def top_up(ballast: Path) -> None:
    """Fill what became free since the disk was filled."""
    with ballast.open("ab", buffering=0) as more, suppress(OSError):
        while True:
            more.write(bytes(4096))


def main() -> int:
    """Run the test; return exit status 1 if anything acknowledged was lost or the service did not end normally."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="disk-"))
    try:
        with small_disk(folder / "disk") as disk:
            report = run_full_disk(_furnish(folder, disk, options.full), disk, options.seconds)
    except NoDiskError as error:
        print(f"skipped: {error}")
        return 0
    (folder / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))
    return 1 if report["faults"] else 0


def _furnish(folder: Path, disk: Path, full: str) -> LiveRoom:
    """Return a room that lies on that disk with everything, or only with its pictures.

    Retention keeps no space free on it: otherwise it would delete pictures at once.
    """
    home = (disk if full == "everything" else folder) / "room"
    home.mkdir()
    if full != "everything":
        for name in ("ring", "evidence", "live"):
            (disk / name).mkdir()
            (home / name).symlink_to(disk / name)
    (home / "retention.yaml").write_text("keep_free_gb: 0\n", encoding="utf-8")
    return furnish_room(home, tables=2)


def run_full_disk(room: LiveRoom, disk: Path, lasting_s: float) -> dict[str, Any]:
    """Let the tables play before, while and after the disk is full; return the report."""
    diary, database = Diary(), room.open_database()
    room.start()
    try:
        room.wait_until_watched()
        clients = start_clients(room, diary, [str(state["id"]) for state in room.states()], seed=1)
        time.sleep(PLAYED_S)
        pids = room.table_pids()
        before, ballast = now_utc(), disk / "ballast"
        fill(ballast)
        shown = _watch_full(room, ballast, lasting_s)
        ballast.unlink()
        room_again = now_utc()
        well_after_s = _until_well(room)
        time.sleep(PLAYED_S)
        same_pids = room.table_pids() == pids
        clients.stop_working()
        until = now_utc()
        _settle(database, until)
        status = room.stop()
        clients.stop_listening()
        with database.reading() as session:
            found = [*faults_of(session, room.home, diary), *faults_at_the_end(session, room.home, diary, until)]
            untimely = _alerts_between(database, before, room_again)
        faults = [fault for fault in found if not any(fault.startswith(f"alert {n}: its clip") for n in untimely)]
        return {
            "full for s": lasting_s,
            "shown while full": shown,
            "well again after s": round(well_after_s, 1),
            "tables' processes lived on": same_pids,
            "alerts without a clip, of the time without room": len(found) - len(faults),
            "alerts": _count(database),
            "acknowledged": {
                "signals": len(diary.signals),
                "decisions": len(diary.decisions),
                "notes": len(diary.notes),
            },
            "not answered": diary.unanswered,
            "faults": faults + ([] if status == 0 else [f"the service ended with status {status}"]),
        }
    finally:
        database.close()
        if room.process is not None and room.process.poll() is None:
            room.kill_all()


def _watch_full(room: LiveRoom, ballast: Path, lasting_s: float) -> dict[str, list[str]]:
    """Keep the disk full; return what the tables' states and the health check reported meanwhile."""
    faults: set[str] = set()
    health: set[str] = set()
    deadline = time.monotonic() + lasting_s
    while time.monotonic() < deadline:
        time.sleep(1)
        top_up(ballast)
        try:
            faults |= {str(state["disk_fault"]) for state in room.states()}
            health.add(httpx.get(f"{room.address}/api/health", timeout=10).json()["status"])
        except httpx.HTTPError as error:
            faults.add(repr(error))
    return {"disk_fault": sorted(faults), "health": sorted(health)}


def _until_well(room: LiveRoom) -> float:
    began = time.monotonic()
    while time.monotonic() - began < SETTLED_S:
        if all(state["disk_fault"] is None and state["camera"] in UP for state in room.states()):
            break
        time.sleep(0.25)
    return time.monotonic() - began


def _settle(database: Database, until: datetime) -> None:
    """Wait until the promised clips and stills are there, at most `SETTLED_S`."""
    promised = select(func.count()).select_from(EvidenceRow).join(AlertRow, AlertRow.id == EvidenceRow.alert_id)
    promised = promised.where(EvidenceRow.state == "promised", AlertRow.noticed_at <= until)
    deadline = time.monotonic() + SETTLED_S
    while time.monotonic() < deadline:
        with database.reading() as session:
            if not session.scalar(promised):
                return
        time.sleep(1)


def _alerts_between(database: Database, began: datetime, ended: datetime) -> list[int]:
    """Return the numbers of alerts whose pictures fall, at least in part, into the time of the full disk."""
    with database.reading() as session:
        rows = session.execute(select(AlertRow.id, EvidenceRow.from_at, EvidenceRow.to_at).join(EvidenceRow)).all()
    return sorted({number for number, from_at, to_at in rows if to_at >= began and from_at <= ended})


def _count(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(AlertRow)) or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.disk", description=__doc__)
    parser.add_argument(
        "--full", choices=["everything", "pictures"], default="everything", help="what lies on the disk that is filled"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the disk is full")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
