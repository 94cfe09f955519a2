"""Raise a hundred alerts a second in a room, and measure what chains, records of rows and signatures cost.

    python -m tests.endurance.sealing_cost [--seconds 60] [--rate 100] [--rounds 2] [--json FILE]

Three rooms are measured in turn: without chains, with chains alone, and with records of rows and a signer as well. Each
begins empty. One process raises alerts as a table's process does, and another requests lists and pages. Processor
seconds are those of the raising process, the service and the signer. They are counted only while alerts are raised.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean
from unittest.mock import patch

import httpx
from sqlalchemy.orm import Session

from tests.endurance.live_room import LiveRoom, free_port
from tests.endurance.requests_per_second import ask_all, quantiles_ms
from tests.endurance.signer_process import SignerProcess, make_signer
from tests.service.stores import BODY
from thirdcard.service.config.data_folder import Home
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import chain, database
from thirdcard.service.store.alert_writer import FIRST_KINDS, AlertEvidence, RaisedAlert, write_alert
from thirdcard.service.store.people import add_token, add_user
from thirdcard.service.store.schema import LogRow
from thirdcard.service.store.touched import follow_changes

BARE, CHAINS, ALL = VARIANTS = "without", "chains", "all"
ASKED_HZ = 20.0
"""Requests a second, as of ten people who look at a page every half second."""
READY_S = 60.0
TABLE = "B07"
ASKED_ABOUT = 50
"""The number of alerts that are raised before the measurement, so that lists have their full length."""
ALERTS_A_ROUND = 2
"""One mistake often raises two alerts."""
MOST_SHARE, MOST_SLOWER = 0.05, 1.10
"""The goals: the largest share of a core that sealing may cost, and the largest factor by which it may lengthen the
99th percentile of requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one round in one room cost."""

    variant: str
    raised: int
    raising_s: float
    """Processor seconds of the process that raised the alerts."""
    service_s: float
    signer_s: float
    late_s: float
    """How many seconds behind its pace the raising process ended."""
    p99_ms: float
    """The 99th percentile of all requests."""
    failed: int
    """The number of requests that failed."""

    @property
    def processor_s(self) -> float:
        """The processor seconds of all three processes."""
        return self.raising_s + self.service_s + self.signer_s


def raise_alerts(home: Path, variant: str, count: int, rate_hz: float, result: Connection) -> None:
    """Raise alerts in a process of its own, at that rate; send its processor seconds and its delay in seconds."""
    opened = Home(home).open_database({})
    with opened.writing() as session:
        log = LogRow(table_id=TABLE, began_at=now_utc(), rules="{}", first_line=1)
        session.add(log)
        session.flush()
        log_id = log.id
    with patch.object(database, "WritingSession", _sessions(variant)), patch.object(chain, "append", _append(variant)):
        for _ in range(ASKED_ABOUT):
            opened.write(_alert(log_id, 1))
        result.send("ready")
        result.recv()
        used, began = _own_processor_s(), time.monotonic()
        for number in range(count):
            time.sleep(max(0.0, began + number / rate_hz - time.monotonic()))
            opened.write(_alert(log_id, 2 + number // ALERTS_A_ROUND))
        late_s = time.monotonic() - began - count / rate_hz
        result.send((_own_processor_s() - used, late_s))
    opened.close()


def _alert(log_id: int, number: int) -> Callable[[Session], object]:
    at = now_utc()
    evidence = AlertEvidence(from_at=at - timedelta(seconds=5), to_at=at, promised=FIRST_KINDS)
    body = {**BODY, "round": number}
    raised = RaisedAlert(
        table_id=TABLE, log_id=log_id, body=body, dealer="d17", at=at, noticed_at=at, evidence=evidence
    )
    return lambda session: write_alert(session, raised, now=at)


class _Unrecorded(Session):
    """A session of a house that keeps no records of its rows."""


follow_changes(_Unrecorded)


def _sessions(variant: str) -> type[Session]:
    return database.WritingSession if variant == ALL else _Unrecorded


def _append(variant: str) -> Callable[..., object]:
    return (lambda *_given, **_more: []) if variant == BARE else chain.append


def _own_processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _processor_s(process: subprocess.Popen[bytes] | None) -> float:
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(folder: Path, variant: str, seconds: float, rate_hz: float) -> Cost:
    """Return the cost of one round in a fresh room."""
    room, signer = _room(folder, variant)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    count = round(seconds * rate_hz)
    given = (room.home.folder, variant, count, rate_hz, theirs)
    raising = context.Process(target=raise_alerts, args=given, daemon=True)
    answers, end = context.Pipe()
    asked = (room.port, room.tokens["operator"], ASKED_HZ, seconds, end)
    asking = context.Process(target=ask_all, args=asked, daemon=True)
    try:
        room.start()
        _wait_for(room)
        raising.start()
        assert ours.recv() == "ready"
        time.sleep(5.0)  # what the service does at its start is no cost of alerts
        before = (_processor_s(room.process), _processor_s(None if signer is None else signer.process))
        ours.send("go")
        asking.start()
        raising_s, late_s = ours.recv()
        after = (_processor_s(room.process), _processor_s(None if signer is None else signer.process))
        if not answers.poll(seconds + READY_S):
            raise TimeoutError("the requests do not end")
        answered, failures = answers.recv()
    finally:
        room.stop()
        if signer is not None:
            signer.stop()
    return Cost(
        variant=variant,
        raised=count,
        raising_s=raising_s,
        service_s=after[0] - before[0],
        signer_s=after[1] - before[1],
        late_s=late_s,
        p99_ms=quantiles_ms([s for of in answered.values() for s in of])["p99"],
        failed=len(failures),
    )


def _room(folder: Path, variant: str) -> tuple[LiveRoom, SignerProcess | None]:
    """Return a room without tables, and its signer if it has one."""
    home = Home(folder / "room")
    home.make()
    room = LiveRoom(home, {}, free_port())
    opened = room.open_database()
    with opened.writing() as session:
        add_user(session, "ada", "admin", "a long enough password", now=now_utc())
        room.tokens = {role: add_token(session, role, role, now=now_utc()) for role in ("operator", "admin")}
    opened.close()
    signer = make_signer(folder / "signer", room) if variant == ALL else None
    if signer is not None:
        signer.start()
    return room, signer


def _wait_for(room: LiveRoom) -> None:
    deadline = time.monotonic() + READY_S
    while True:
        try:
            room.states()
            return
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.25)


def summary(costs: list[Cost], seconds: float) -> tuple[dict[str, float], bool]:
    """Return what sealing costs, by the mean of the rounds, and whether the goals are reached."""
    used = {name: mean(cost.processor_s for cost in costs if cost.variant == name) for name in VARIANTS}
    p99 = {name: mean(cost.p99_ms for cost in costs if cost.variant == name) for name in VARIANTS}
    share = (used[ALL] - used[BARE]) / seconds
    slower = p99[ALL] / p99[CHAINS]
    figures = {
        "share of a core: chains, records and signer": round(share, 4),
        "share of a core: chains alone": round((used[CHAINS] - used[BARE]) / seconds, 4),
        "p99 with all, against chains alone": round(slower, 3),
    }
    return figures, share < MOST_SHARE and slower <= MOST_SLOWER


def main() -> int:
    """Measure all rooms and print the costs; return exit status 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long alerts are raised in each round")
    parser.add_argument("--rate", type=float, default=100.0, help="alerts a second")
    parser.add_argument("--rounds", type=int, default=2, help="how often each room is measured")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    wish = parser.parse_args()
    costs: list[Cost] = []
    print("| room | processor s: raising | service | signer | behind s | p99 ms | failed |\n" + "| --- " * 7 + "|")
    for number in range(wish.rounds):
        for variant in VARIANTS:
            with tempfile.TemporaryDirectory(prefix="cost") as folder:
                cost = measure(Path(folder) / str(number), variant, wish.seconds, wish.rate)
            costs.append(cost)
            spent = f"{cost.raising_s:.2f} | {cost.service_s:.2f} | {cost.signer_s:.2f}"
            print(f"| {variant} | {spent} | {cost.late_s:.2f} | {cost.p99_ms} | {cost.failed} |", flush=True)
    figures, is_reached = summary(costs, wish.seconds)
    print(json.dumps(figures, indent=1))
    if wish.json is not None:
        wish.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
