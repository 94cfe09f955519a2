"""A reviewed shift in the store: the log of the shipped recording, any number of times, with its video.

`tests/data/review/events.jsonl` was written by `thirdcard watch datasets/demo`; everything else is computed from it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import select

from tests.repository import ROOT
from thirdcard.rules.log.events import DealerChanged, Event, parse_event
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import load_table
from thirdcard.service.corrections.judging import belief_of
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import LogRow, RoundRow
from thirdcard.service.store.shift_schema import FootageRow, LogNoteRow

RECORDING = ROOT / "datasets" / "demo"
VIDEO = RECORDING / "video.mp4"
LENGTH_S = 80.0
EVENTS = ROOT / "tests" / "data" / "review" / "events.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedShift:
    """The ids of an entered shift."""

    log_id: int
    rounds: list[int]
    """The rounds' ids in the store."""


@cache
def recorded_lines() -> tuple[dict[str, Any], ...]:
    """The log of the shipped recording."""
    return tuple(json.loads(line) for line in EVENTS.read_text(encoding="utf-8").splitlines())


def enter_shift(
    database: Database,
    began_at: datetime,
    *,
    table: str = "DEMO",
    times: int = 1,
    origin: str = "review",
    dealers: tuple[str, ...] = ("Ada",),
) -> RecordedShift:
    """Enter the recording's log `times` times in a row, each with its video where it was reviewed.

    With more than one repetition the cards come from a continuous shuffler, and only every sixth repetition keeps the
    faults.
    """
    rules = rules_of(load_table(RECORDING / "table.yaml"))
    if times > 1:
        rules["shoe"] = {"decks": 8, "device": "continuous_shuffler"}
    journal, belief = Journal(database, table, rules), belief_of(rules)
    journal.open(began_at)
    for n in range(times):
        pending: list[Event] = []
        if n % max(times // len(dealers), 1) == 0 and n // max(times // len(dealers), 1) < len(dealers):
            pending.append(DealerChanged(t=n * LENGTH_S, dealer=dealers[n // max(times // len(dealers), 1)]))
        for line in recorded_lines() if n % 6 == 0 else _without_faults():
            pending.append(parse_event(_shifted(line, n)))
            if line["type"] == "round_closed":
                judged = [belief.observe(event) for event in pending]
                news = News(
                    events=pending,
                    alerts=[alert for one in judged for alert in one.alerts],
                    rounds=[record for one in judged for record in one.rounds],
                )
                journal.write(news, began_at + timedelta(seconds=pending[-1].t))
                pending = []
    return _noted(database, table, began_at, times, origin)


@cache
def _without_faults() -> tuple[dict[str, Any], ...]:
    """The log without its late bets and cards dealt face up."""
    late = [line for line in recorded_lines() if line.get("area") != "s6-banker"]
    return tuple(line | {"face_up": False} if line["type"] == "card_dealt" else line for line in late)


def _shifted(line: dict[str, Any], n: int) -> dict[str, Any]:
    shifted = line | {"t": round(line["t"] + n * LENGTH_S, 3)}
    if "card_id" in line:
        shifted["card_id"] = f"c{n * 100 + int(line['card_id'][1:])}"
    return shifted


def _noted(database: Database, table: str, began_at: datetime, times: int, origin: str) -> RecordedShift:
    with database.writing() as session:
        log = session.scalars(select(LogRow).where(LogRow.table_id == table).order_by(LogRow.id.desc())).first()
        assert log is not None
        log.origin = origin
        for n in range(times if origin == "review" else 0):
            from_at = began_at + timedelta(seconds=n * LENGTH_S)
            to_at = from_at + timedelta(seconds=LENGTH_S)
            size = VIDEO.stat().st_size
            facts = {"log_id": log.id, "path": str(VIDEO), "size_bytes": size, "begins_s": 0.0, "fingerprint": "0" * 64}
            session.add(FootageRow(from_at=from_at, to_at=to_at, **facts))
        numbers = select(RoundRow.id).where(RoundRow.log_id == log.id).order_by(RoundRow.number)
        return RecordedShift(log_id=log.id, rounds=list(session.scalars(numbers)))


def note(database: Database, log_id: int, kind: str, from_at: datetime, to_at: datetime) -> None:
    """Add a note to a shift: a gap, an overlap, a clock that jumps or a broken file."""
    with database.writing() as session:
        text = f"A {kind} from {from_at:%H:%M:%S} to {to_at:%H:%M:%S}."
        session.add(LogNoteRow(log_id=log_id, kind=kind, from_at=from_at, to_at=to_at, text=text))
