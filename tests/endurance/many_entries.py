"""Fill a home with millions of sealed, signed and anchored entries, and measure how long it takes to check them.

    python -m tests.endurance.many_entries --entries 1000000 --out DIR

Half of the entries are log lines of forty tables. Three tenths are records of rows: an alert and two decisions each
time. The rest are raised alerts and acts. About every fifth line is a leaf of the log over all chains. The program
prints the seconds and the memory of `thirdcard verify`, and the seconds of proofs, of noting new heads before a
signature, and of an export's search for its lines.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Table, delete, insert

from tests.endurance.live_room import COMMAND
from tests.service.stores import BODY
from thirdcard.service.config.data_folder import Home
from thirdcard.service.sealing.anchors import Anchoring
from thirdcard.service.sealing.keys import load_key, load_verifier, new_key, public_path
from thirdcard.service.sealing.line_proof import LineProofs
from thirdcard.service.sealing.merkle import Leaf
from thirdcard.service.sealing.signer import Signer, begin_state, open_state
from thirdcard.service.sealing.subtrees import keep_subtrees
from thirdcard.service.sealing.tree import note_heads
from thirdcard.service.store import chain
from thirdcard.service.store.audit import AUDIT
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import alert_chain, log_chain
from thirdcard.service.store.recorded_rows import (
    RecordSubject,
    chain_of_subject,
    column_names,
    recorded_values,
    table_of,
)
from thirdcard.service.store.schema import AlertChange, AlertRow, Base, ChainHead, ChainLine, LogRow
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf
from thirdcard.service.web.case_seal import lines_of_alerts

ORIGIN = "endurance.example/thirdcard"
TABLES = [f"T{number:02}" for number in range(40)]
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
IN_ONE = 10
"""The entries of one table in one turn: 5 log lines, an alert, its row, two decisions and an act."""
SIGNED_EVERY = 50
"""The turns between two checkpoints: 50 turns of 40 tables are 20,000 entries."""


@dataclass(slots=True)
class Filling:
    """The rows to write in one transaction, and the end of each chain."""

    database: Database
    ends: dict[str, tuple[int, str]] = field(default_factory=dict)
    rows: dict[type[Base], list[Mapping[str, Any]]] = field(default_factory=dict)
    leaves: int = 0
    signed: set[str] = field(default_factory=set)
    """The chains that have a leaf."""

    def line(self, name: str, body: Mapping[str, object], at: datetime) -> None:
        """Add a line to a chain."""
        seq, before = self.ends.get(name, (0, chain.FIRST_SEAL))
        text = chain.canonical(body)
        seal = chain.seal_of(before, name, seq + 1, at, text)
        self.row(ChainLine, {"chain": name, "seq": seq + 1, "at": at, "body": text, "seal": seal})
        self.ends[name] = seq + 1, seal

    def row(self, kind: type[Base], values: Mapping[str, Any]) -> None:
        """Add a row."""
        self.rows.setdefault(kind, []).append(values)

    def recorded(self, kind: type[Base], values: Mapping[str, Any], table: str, at: datetime) -> None:
        """Add a row and its record."""
        self.row(kind, values)
        told = recorded_values(kind, [values.get(name) for name in column_names(kind)])
        entry = {"table": table_of(kind).name, "columns": column_names(kind), "added": [[*told.values()]]}
        self.line(chain_of_subject(RecordSubject.ALERTS, table), {"rows": [entry]}, at)

    def leaf(self, name: str) -> Leaf:
        """Add a chain's end to the log over all chains, and return it as a leaf."""
        seq, seal = self.ends[name]
        self.row(TreeLeaf, {"origin": ORIGIN, "number": self.leaves, "chain": name, "seq": seq, "seal": seal})
        self.leaves += 1
        self.signed.add(name)
        return Leaf(chain=name, seq=seq, seal=seal)

    def write(self, notes: Sequence[tuple[int, str]]) -> None:
        """Write all rows that were added, and these checkpoints."""
        with self.database.writing(is_shown=False) as session:
            for kind in sorted(self.rows, key=lambda one: one is not LogRow and one is not AlertRow):
                session.execute(insert(_table(kind)), self.rows[kind])
            told = [{"origin": ORIGIN, "number": number, "note": text} for number, text in notes]
            session.execute(insert(_table(CheckpointRow)), told)
        self.rows.clear()

    def write_heads(self) -> None:
        """Write the end of each chain."""
        with self.database.writing(is_shown=False) as session:
            session.execute(delete(_table(ChainHead)))
            heads = [{"chain": name, "seq": seq, "seal": seal} for name, (seq, seal) in self.ends.items()]
            session.execute(insert(_table(ChainHead)), heads)


def fill(folder: Path, entries: int) -> tuple[Home, Path]:
    """Return a home with so many entries, and the path of the signer's key, beside which the anchors lie."""
    home, key, anchors = Home(folder / "room"), folder / "key", folder / "anchors"
    home.make()
    anchors.mkdir()
    begin_state(key, new_key(key, ORIGIN), "first key", BEGAN)
    database = home.open_database({})
    filling, now = Filling(database), [BEGAN]
    signer = Signer(load_key(key), open_state(key), lambda: now[0])
    anchoring = Anchoring(signer, anchors, None, lambda: 0.0)
    with database.writing() as session:
        session.add_all(
            LogRow(id=n, table_id=t, began_at=BEGAN, rules="{}", first_line=1) for n, t in enumerate(TABLES, 1)
        )
    filling.ends = _ends(database)
    known = 0
    for turn in range(entries // IN_ONE // len(TABLES)):
        now[0] = BEGAN + timedelta(seconds=30 * turn)
        leaves = [leaf for number in range(len(TABLES)) for leaf in _turn(filling, turn, number, now[0])]
        signer.extend(signer.size, [*leaves, filling.leaf(AUDIT)])
        if turn % SIGNED_EVERY == SIGNED_EVERY - 1:
            known = _sign(filling, signer, known)
            anchoring()
    filling.write_heads()
    _sign(filling, signer, known)
    anchoring()
    signer.close()
    database.close()
    return home, key


def _ends(database: Database) -> dict[str, tuple[int, str]]:
    with database.reading() as session:
        return {head.chain: (head.seq, head.seal) for head in session.query(ChainHead)}


def _turn(filling: Filling, turn: int, number: int, at: datetime) -> Iterator[Leaf]:
    table, alert = TABLES[number], turn * len(TABLES) + number + 1
    for n in range(5):
        filling.line(log_chain(table), {"t": 30.0 * turn + n, "type": "card_dealt", "side": "player", "card": "8H"}, at)
    body = {**BODY, "round": turn}
    facts = {"table_id": table, "log_id": number + 1, "round": turn, "at": at, "noticed_at": at, "dealer": "d17"}
    kinds = {
        "code": BODY["code"],
        "severity": BODY["severity"],
        "state": "confirmed",
        "is_quiet": False,
        "owner": None,
        "repeats": 0,
    }
    filling.line(alert_chain(table), {"alert": alert, "body": body}, at)
    filling.recorded(AlertRow, {"id": alert, **facts, **kinds, "body": chain.canonical(body)}, table, at)
    for n, (before, after) in enumerate((("open", "acknowledged"), ("acknowledged", "confirmed"))):
        told = {"id": 2 * alert + n, "alert_id": alert, "at": at, "who": "ada", "before": before, "after": after}
        filling.recorded(AlertChange, {**told, "reason": None, "note": "Seen on the clip."}, table, at)
    filling.line(AUDIT, {"who": "ada", "what": "alert.confirmed", "on": f"alert:{alert}"}, at)
    for name in (log_chain(table), chain_of_subject(RecordSubject.ALERTS, table)):
        yield filling.leaf(name)
    if turn % 5 == 0:
        yield filling.leaf(alert_chain(table))


def _sign(filling: Filling, signer: Signer, known: int) -> int:
    """Sign the log over all chains and write everything; return the number of the newest checkpoint."""
    signer.sign(len(filling.signed))
    notes = signer.notes(known)
    filling.write([*enumerate(notes, start=known + 1)])
    return known + len(notes)


def _table(kind: type[Base]) -> Table:
    return table_of(kind)


@contextmanager
def timed(told: dict[str, object], name: str) -> Iterator[None]:
    """Note and print the seconds that the block took."""
    began = time.monotonic()
    yield
    told[name] = round(time.monotonic() - began, 3)
    print(f"{name}: {told[name]}", flush=True)


def measure(home: Home, key: Path, entries: int) -> dict[str, object]:
    """Return the seconds that verifying, proving and searching take, and the memory of verifying, by name."""
    told: dict[str, object] = {}
    database = home.open_database({})
    verifier = load_verifier(public_path(key))
    middle = entries // IN_ONE // len(TABLES) // 2 + 1
    for name in ("a proof by all leaves, s", "a proof by kept subtrees, s"):
        with database.reading() as session, timed(told, name):
            proofs = LineProofs(session, ORIGIN, verifier)
            proofs.prove(alert_chain("T07"), [middle])
        assert len(proofs.proofs) == 1, proofs.left_out
        if name.startswith("a proof by all"):
            with timed(told, "keeping subtrees for the first time, s"):
                keep_subtrees(database, ORIGIN)
    with database.reading() as session, timed(told, "the lines of three alerts of an export, s"):
        assert lines_of_alerts(session, [8, 48, 88])
    with database.writing() as session, timed(told, "noting heads that moved, s"):
        note_heads(session, ORIGIN)
    database.close()
    options = ["--home", home.folder, "--key", public_path(key), "--anchors", key.parent / "anchors"]
    with timed(told, "thirdcard verify with key and anchors, s"):
        done = subprocess.run([*COMMAND, "verify", *map(str, options)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told["memory of verify, MB"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    return told


def main() -> int:
    """Fill a home, measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=1_000_000, help="the number of lines in all chains")
    parser.add_argument("--out", type=Path, required=True, help="a new folder; 10 million entries take some 8 GB")
    wish = parser.parse_args()
    told: dict[str, object] = {"entries": wish.entries}
    with timed(told, "filling, s"):
        home, key = fill(wish.out, wish.entries)
    told |= measure(home, key, wish.entries)
    told["database, MB"] = round((home.folder / "thirdcard.db").stat().st_size / 2**20)
    print(json.dumps(told, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
