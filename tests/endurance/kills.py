"""Kill a service at random moments while people and devices work with it, and check whether anything is lost.

`python -m tests.endurance.kills --kills 50 --tables 2 --out DIR [--postgres] [--signed]`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from tests.endurance.checks import faults_at_the_end, faults_of
from tests.endurance.clients import Clients, start_clients
from tests.endurance.diary import Diary
from tests.endurance.live_room import COMMAND, LiveRoom, furnish_room
from tests.endurance.postgres_server import NoPostgresError, PostgresServer, make_postgres
from tests.endurance.signer_process import SignerProcess, make_signer
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, ChainLine, EvidenceRow, RoundRow, SignalRow

NOTICED_S = 5.0
"""The longest wait, in seconds, for the service to notice that a table's process is gone."""
QUIET_S = 600.0
"""The longest wait, in seconds, for the promised clips once all clients have stopped."""


@dataclass(slots=True)
class Killer:
    """Kills parts of a room, and restarts what does not restart by itself."""

    room: LiveRoom
    postgres: PostgresServer | None
    signer: SignerProcess | None
    random: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    back_s: list[float] = field(default_factory=list)
    """The seconds after each kill until all tables were watched again."""

    def strike(self) -> str:
        """Kill something at random; return its name."""
        kinds: dict[str, Callable[[], None]] = {
            "server": self._kill_server,
            "one table": lambda: self._kill_tables(1),
            "all tables": lambda: self._kill_tables(99),
            "everything": self._kill_everything,
        }
        if self.postgres is not None:
            kinds |= {"PostgreSQL": self._kill_postgres, "PostgreSQL and server": self._kill_both}
        if self.signer is not None:
            kinds |= {"signer": self._kill_signer, "signer and server": self._kill_signer_and_server}
        kind = self.random.choice(sorted(kinds))
        kinds[kind]()
        self.counts[kind] += 1
        return kind

    def _kill_server(self) -> None:
        self.room.kill_server()
        self._start_again()

    def _kill_everything(self) -> None:
        self.room.kill_all()
        self._start_again()

    def _kill_tables(self, most: int) -> None:
        pids = self.room.table_pids()
        for pid in self.random.sample(pids, min(most, len(pids))):
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + NOTICED_S
        while time.monotonic() < deadline and all(state["camera"] == "playing" for state in self.room.states()):
            time.sleep(0.05)

    def _kill_postgres(self) -> None:
        assert self.postgres is not None
        self.postgres.kill()
        time.sleep(self.random.uniform(0.2, 4.0))
        self.postgres.start()

    def _kill_both(self) -> None:
        assert self.postgres is not None
        self.postgres.kill()
        self.room.kill_server()
        self.postgres.start()
        self._start_again()

    def _kill_signer(self) -> None:
        assert self.signer is not None
        self.signer.kill()
        time.sleep(self.random.uniform(0.1, 2.0))
        self.signer.start()

    def _kill_signer_and_server(self) -> None:
        assert self.signer is not None
        self.signer.kill()
        self.room.kill_server()
        self.signer.start()
        self._start_again()

    def _start_again(self) -> None:
        time.sleep(self.random.uniform(0.1, 2.0))  # as systemd does: Restart=always
        self.room.start()


def main() -> int:
    """Run the test and print the report; return exit status 1 if anything was lost."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        postgres = make_postgres(folder / "postgres") if options.postgres else None
    except NoPostgresError as error:
        print(f"skipped: {error}")
        return 0
    if postgres is not None:
        postgres.start()
    room = furnish_room(folder / "room", tables=options.tables, database_url=postgres.url if postgres else None)
    signer = make_signer(folder / "signer", room) if options.signed else None
    try:
        report = run_kills(room, postgres, options, signer)
    finally:
        _end(room, postgres)
        if signer is not None:
            signer.stop()
    (folder / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))
    return 1 if report["faults"] else 0


def run_kills(
    room: LiveRoom, postgres: PostgresServer | None, options: argparse.Namespace, signer: SignerProcess | None = None
) -> dict[str, object]:
    """Let clients work, kill, and compare after each kill; return the report."""
    killer, diary = Killer(room, postgres, signer, random.Random(options.seed)), Diary()
    if signer is not None:
        signer.start()
    room.start()
    room.wait_until_watched()
    clients = start_clients(room, diary, [str(state["id"]) for state in room.states()], options.seed)
    database = room.open_database()
    faults: list[str] = []
    began = time.monotonic()
    for number in range(1, options.kills + 1):
        if time.monotonic() - began > options.most_minutes * 60:
            break
        time.sleep(killer.random.uniform(options.least_s, options.most_s))
        kind = killer.strike()
        killer.back_s.append(room.wait_until_watched())
        found = _look(database, room, diary) + (_verify(room, signer) if signer is not None else [])
        faults += found
        print(f"{number:3d} {kind}: watched again after {killer.back_s[-1]:.1f} s, {len(found)} faults", flush=True)
    faults += _finish(room, clients, database, diary, signer)
    return _report(killer, diary, database, faults, time.monotonic() - began)


def _look(database: Database, room: LiveRoom, diary: Diary) -> list[str]:
    known = diary.so_far()
    try:
        with database.reading() as session:
            return faults_of(session, room.home, known)
    except SQLAlchemyError as error:
        return [f"the database does not answer: {error}"]


def _finish(
    room: LiveRoom, clients: Clients, database: Database, diary: Diary, signer: SignerProcess | None
) -> list[str]:
    """Let everything come to rest, stop the service, and return all faults."""
    clients.stop_working()
    until, deadline = now_utc(), time.monotonic() + QUIET_S
    while time.monotonic() < deadline and _is_waiting(database, until):
        time.sleep(1)
    status = room.stop()
    clients.stop_listening()
    faults = [] if status == 0 else [f"the service ended with status {status}"]
    with database.reading() as session:
        faults += faults_of(session, room.home, diary) + faults_at_the_end(session, room.home, diary, until)
    unsigned = None if signer is None else signer.ask(room)
    faults += [] if unsigned is None else [unsigned]
    return faults + _verify(room, signer)


def _verify(room: LiveRoom, signer: SignerProcess | None) -> list[str]:
    """Return what `thirdcard verify` reports, with key and anchors if there is a signer; empty if all verifies."""
    command = [*COMMAND, "verify", "--home", str(room.home.folder), *(signer.options if signer is not None else ())]
    done = subprocess.run(command, env=room.environment, capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"thirdcard verify: {done.stdout}{done.stderr}"]


def _is_waiting(database: Database, until: datetime) -> bool:
    """Return whether a report was not taken yet, or a picture of an alert before `until` is still promised."""
    with database.reading() as session:
        query = select(func.count()).select_from(EvidenceRow).join(AlertRow, AlertRow.id == EvidenceRow.alert_id)
        promised = session.scalar(query.where(EvidenceRow.state == "promised", AlertRow.noticed_at <= until))
        untaken = session.scalar(select(func.count()).where(SignalRow.is_taken.is_(False)))
    return bool(promised or untaken)


def _report(killer: Killer, diary: Diary, database: Database, faults: list[str], took_s: float) -> dict[str, object]:
    with database.reading() as session:
        stored = {
            table.__tablename__: session.scalar(select(func.count()).select_from(table))
            for table in (AlertRow, RoundRow, ChainLine, SignalRow)
        }
    back_s = sorted(killer.back_s) or [0.0]
    return {
        "kills": dict(killer.counts),
        "minutes": round(took_s / 60, 1),
        "watched again after s, median and longest": [round(back_s[len(back_s) // 2], 1), round(back_s[-1], 1)],
        "acknowledged": {
            "signals": len(diary.signals),
            "decisions": len(diary.decisions),
            "notes": len(diary.notes),
            "alerts shown": len(diary.alerts),
            "log lines shown": sum(len(lines) for lines in diary.lines.values()),
            "events on the stream": len(diary.told),
        },
        "answered": diary.answered,
        "not answered": diary.unanswered,
        "stored": stored,
        "faults": faults,
    }


def _end(room: LiveRoom, postgres: PostgresServer | None) -> None:
    if room.process is not None and room.process.poll() is None:
        room.kill_all()
    if postgres is not None:
        postgres.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="the number of kills")
    parser.add_argument("--tables", type=int, default=2, choices=range(1, 5), help="the number of tables that play")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL, which is killed as well")
    parser.add_argument(
        "--signed", action="store_true", help="run a signer, which is killed as well; verify after each kill"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random choice of what is killed when")
    parser.add_argument("--least-s", type=float, default=3.0, help="shortest wait before a kill, in seconds")
    parser.add_argument("--most-s", type=float, default=15.0, help="longest wait before a kill, in seconds")
    parser.add_argument("--most-minutes", type=float, default=240.0, help="no kill after so many minutes")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
