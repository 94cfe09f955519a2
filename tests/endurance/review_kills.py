"""Review a shift while the review is killed again and again, and compare with an undisturbed review.

`python -m tests.endurance.review_kills SHIFT --home DIR --kills 3`: the review in the first home is not disturbed. The
one in the second home is killed with -9 at random moments, half of the times with its watching processes, and started
again each time. `--calm HOME` names a home that already has an undisturbed review.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import select

from thirdcard.service.config.data_folder import Home
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.row_verification import verify_rows
from thirdcard.service.store.schema import AlertRow, ChainLine, EvidenceRow, LogRow, RoundRow
from thirdcard.service.store.shift_schema import FootageRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

COMMAND = (sys.executable, "-c", "from thirdcard.service.cli.entry import main; main()", "review")
SHORTEST_S = 3.0
WITHOUT = {"id", "log_id", "alert_id", "at", "seal", "path", "noticed_at"}
"""Columns that may differ: when, under which number and in which folder something was entered."""


def run(shift: Path, home: Path, *, kill_after_s: float | None, rest: list[str]) -> bool:
    """Review once, and kill the review after so many seconds; return whether it ended by itself.

    Raises:
        SystemExit: The review failed.
    """
    process = subprocess.Popen([*COMMAND, str(shift), "--home", str(home), *rest], start_new_session=True)
    try:
        process.wait(kill_after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL) if random.random() < 0.5 else process.kill()
        process.wait()
        return False
    if process.returncode != 0:
        raise SystemExit(f"the review failed with status {process.returncode}")
    return True


def contents(home: Path) -> dict[str, object]:
    """Return all that a home holds, by name, without the columns that may differ."""
    held: dict[str, object] = {}
    for path in sorted((home / "reviews").glob("*/*.jsonl")):
        held[path.relative_to(home).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    for path in sorted(path for path in (home / "evidence").rglob("*") if path.is_file()):
        held[path.relative_to(home).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    database = Home(home).open_database({})
    for table in (LogRow, RoundRow, AlertRow, EvidenceRow, FootageRow, ChainLine):
        held[table.__tablename__] = list(_rows(database, table))
    with database.reading() as session:
        breach = verify_chains(session) or verify_evidence(session, EvidenceStore(home / "evidence"))
        held["breach"] = breach or next(iter(verify_rows(session)), None)
    database.close()
    return held


def _rows(database: Database, table: Any) -> Iterator[str]:
    names = [column.name for column in table.__table__.columns if column.name not in WITHOUT]
    with database.reading() as session:
        for row in session.scalars(select(table).order_by(table.id)):
            yield json.dumps({name: getattr(row, name) for name in names}, sort_keys=True, default=str)


def main() -> None:
    """Review with and without kills, and compare; exit status 1 if the results differ or do not verify."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shift", type=Path)
    parser.add_argument("--home", type=Path, required=True, help="a new folder for both homes")
    parser.add_argument("--calm", type=Path, help="a home that already has an undisturbed review of this shift")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--longest-s", type=float, default=90.0, help="longest time in seconds before a kill")
    parser.add_argument("--seed", type=int, default=1)
    given, rest = parser.parse_known_args()
    random.seed(given.seed)
    given.home.mkdir(parents=True)
    calm, troubled = given.calm or given.home / "calm", given.home / "troubled"
    if given.calm is None:
        began = time.monotonic()
        run(given.shift, calm, kill_after_s=None, rest=rest)
        print(f"undisturbed: {time.monotonic() - began:.0f} s", flush=True)
    kills, began = 0, time.monotonic()
    while not run(
        given.shift,
        troubled,
        kill_after_s=random.uniform(SHORTEST_S, given.longest_s) if kills < given.kills else None,
        rest=rest,
    ):
        kills += 1
        print(f"killed {kills}", flush=True)
    print(f"killed {kills} times: {time.monotonic() - began:.0f} s", flush=True)
    one, other = contents(calm), contents(troubled)
    differing = [name for name in {*one, *other} if one.get(name) != other.get(name)]
    print("the same, and nothing twice" if not differing else f"differ: {sorted(differing)}")
    raise SystemExit(bool(differing) or one["breach"] is not None)


if __name__ == "__main__":
    main()
