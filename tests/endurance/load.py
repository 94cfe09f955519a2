"""Load a service with listeners and requests while its tables play, and measure answers, memory and lag.

`python -m tests.endurance.load --listeners 200 --rate 100 --minutes 5 --tables 4 --out DIR`
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

import httpx
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import func, select, update

from tests.endurance.clients import Client, decide_alerts, report_cameras
from tests.endurance.diary import Diary
from tests.endurance.listeners import Heard, faults_of, listen_all
from tests.endurance.live_room import LiveRoom, furnish_room, resident_bytes
from tests.endurance.requests_per_second import ask_all, quantiles_ms
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Remedy, Severity
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import load_table
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertChange, AlertRow, EvidenceRow

STILL_OPEN = 20
"""The number of older alerts that are still open; all others are decided."""
PAST = timedelta(days=30)
WARM_S = 20.0
"""The seconds before the measurement begins."""
PAUSE_S = {"guard": 5.0, "operator": 2.0}
"""The seconds between two acts of a writer. So there is an alert every few seconds; four real tables raise a few an
hour."""
CONNECT_S = 10.0
"""The seconds in which all listeners connect."""
LOOK_S = 5.0
DRAIN_S = 8.0
"""The seconds after the last expected event in which it reaches all listeners."""
OLD = Alert(
    t=0.0, round=0, code="late_bet.placed", severity=Severity.HIGH, rulebook="nz-authority", rule="8.3", seat=3,
    area="s3-banker", message="Seat 3 placed 500 after no more bets.", remedy=Remedy("void_wager", "8.3", "Void."),
)  # fmt: skip


@dataclass(slots=True)
class Gauges:
    """What was measured of the service under load."""

    memory_mb: list[float] = field(default_factory=list)
    """The server's memory, every `LOOK_S` seconds."""
    tables_mb: list[float] = field(default_factory=list)
    """The memory of all tables' processes together."""
    lag_s: dict[str, list[float]] = field(default_factory=dict)
    frames: dict[str, list[float]] = field(default_factory=dict)
    missed: dict[str, list[float]] = field(default_factory=dict)
    """By table; frames are counted from the table's start."""

    def look(self, room: LiveRoom) -> None:
        """Measure everything once."""
        assert room.process is not None, "start() comes first"
        self.memory_mb.append(round(resident_bytes(room.process.pid) / 1e6, 1))
        self.tables_mb.append(round(sum(map(resident_bytes, room.table_pids())) / 1e6, 1))
        series = {
            "thirdcard_table_lag_seconds": self.lag_s,
            "thirdcard_table_frames_total": self.frames,
            "thirdcard_table_frames_missed_total": self.missed,
        }
        for family in text_string_to_metric_families(httpx.get(f"{room.address}/metrics", timeout=30).text):
            for sample in family.samples:
                if sample.name in series:
                    series[sample.name].setdefault(sample.labels["table"], []).append(sample.value)

    def report(self) -> dict[str, object]:
        """Return the memory of each minute, and lag and frames by table."""
        return {
            "server MB, each minute's median": _by_minute(self.memory_mb),
            "tables MB, each minute's median": _by_minute(self.tables_mb),
            "longest lag s": {table: round(max(lags), 3) for table, lags in self.lag_s.items()},
            "median lag s": {table: sorted(lags)[len(lags) // 2] for table, lags in self.lag_s.items()},
            "frames looked at": {table: counts[-1] - counts[0] for table, counts in self.frames.items()},
            "frames missed": {table: counts[-1] - counts[0] for table, counts in self.missed.items()},
        }


def main() -> int:
    """Run the load and print the report; return exit status 1 if an event was lost or a request failed or was slow."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="load-"))
    room = furnish_room(folder / "room", tables=options.tables)
    database = room.open_database()
    try:
        raise_old_alerts(database, room, options.history)
        room.start()
        room.wait_until_watched()
        time.sleep(WARM_S)
        report = run_load(room, database, options)
        room.stop()
    finally:
        database.close()
        if room.process is not None and room.process.poll() is None:
            room.kill_all()
    (folder / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))
    return 1 if report["faults"] else 0


def run_load(room: LiveRoom, database: Database, options: argparse.Namespace) -> dict[str, object]:
    """Listen, request and write for the given minutes; return the report."""
    gauges, diary, lasting_s = Gauges(), Diary(), options.minutes * 60
    gauges.look(room)
    alert, change = _last_numbers(database)
    listeners, ears = _start(listen_all, room, options.listeners, f"{alert}-{change}")
    time.sleep(CONNECT_S)
    asking, answers = _start(ask_all, room, options.rate, lasting_s)
    writers = start_writers(room, diary)
    while not answers.poll(LOOK_S):
        gauges.look(room)
    seconds, failures = answers.recv()
    writers.set()
    with database.reading() as session:
        alerts = session.scalars(select(AlertRow.id).where(AlertRow.id > alert).order_by(AlertRow.id)).all()
        changes = session.scalars(select(AlertChange.id).where(AlertChange.id > change).order_by(AlertChange.id)).all()
    time.sleep(DRAIN_S)
    ears.send("end")
    told: list[Heard] = ears.recv()
    for process in (asking, listeners):
        process.join(30)
    faults = [*failures, *diary.surprises, *faults_of(told, list(alerts), list(changes))]
    answered = {route: quantiles_ms(of_route) for route, of_route in seconds.items()}
    slow = [f"{route}: p99 {of['p99']} ms" for route, of in answered.items() if of.get("p99", 0) > options.slowest_ms]
    return {
        "listeners": options.listeners,
        "requests a second": sum(len(of) for of in seconds.values()) / lasting_s,
        "answers ms": {**answered, "all": quantiles_ms([s for of in seconds.values() for s in of])},
        "events to each listener": {"alerts": len(alerts), "changes": len(changes)},
        **gauges.report(),
        "failed requests": len(failures),
        "faults": [*faults[:50], *slow],
    }


def start_writers(room: LiveRoom, diary: Diary) -> threading.Event:
    """Start a guard who raises alerts and an operator who decides; return the event that ends their work."""
    tables, ended = [str(state["id"]) for state in room.states()], threading.Event()
    work = {"guard": lambda client: report_cameras(client, tables), "operator": decide_alerts}
    for number, (name, make) in enumerate(work.items()):
        headers = {"Authorization": f"Bearer {room.tokens['operator']}"}
        http = httpx.Client(base_url=room.address, headers=headers, timeout=30)
        client = Client(name, room, "operator", diary, ended, PAUSE_S[name], random.Random(number), http)
        threading.Thread(target=client.keep_at, args=(make(client),), daemon=True).start()
    return ended


def raise_old_alerts(database: Database, room: LiveRoom, count: int) -> None:
    """Write `count` alerts of the past month to the store; their evidence is gone."""
    table = load_table(min(room.home.tables.glob("*.yaml")))
    journal = Journal(database, table.id, rules_of(table))
    journal.open(now_utc() - PAST)
    step_s = PAST.total_seconds() / (count + 1)
    journal.write(News(alerts=[replace(OLD, t=round(number * step_s, 1)) for number in range(count)]), now_utc())
    with database.writing() as session:
        session.execute(update(EvidenceRow).values(state="failed", fault="long ago"))
        session.execute(update(AlertRow).where(AlertRow.id <= count - STILL_OPEN).values(state="confirmed"))


def _start(body: object, room: LiveRoom, *given: object) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    token = room.tokens["operator"]
    process = context.Process(target=body, args=(room.port, token, *given, theirs), daemon=True)  # type: ignore[arg-type]
    process.start()
    return process, ours


def _by_minute(looks: list[float]) -> list[float]:
    """Return each minute's median, so that short peaks, as while a clip is made, do not count."""
    in_one = round(60 / LOOK_S)
    return [round(median(looks[i : i + in_one]), 1) for i in range(0, len(looks), in_one)]


def _last_numbers(database: Database) -> tuple[int, int]:
    with database.reading() as session:
        numbers = (session.scalar(select(func.max(column))) or 0 for column in (AlertRow.id, AlertChange.id))
        alert, change = numbers
    return alert, change


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.load", description=__doc__)
    parser.add_argument("--listeners", type=int, default=200, help="the number of listeners on the alert stream")
    parser.add_argument("--rate", type=float, default=100.0, help="requests a second")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long the load lasts")
    parser.add_argument("--tables", type=int, default=4, choices=range(1, 5), help="the number of tables that play")
    parser.add_argument("--history", type=int, default=5000, help="the number of older alerts")
    parser.add_argument("--slowest-ms", type=float, default=300.0, help="largest allowed 99th percentile of a route")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
