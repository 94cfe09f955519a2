"""A room for tests: its own database and folder, tables whose state is set by hand, a clock that moves on request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from tests.service.databases import copied_url, url_of
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.ports.messages import ShownStake, TableStatus, Written
from thirdcard.service.rounds.search.index import enter_round
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.doubtful import LogPlace, write_doubtful
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.people import Person, Role, add_token, add_user
from thirdcard.service.store.schema import AlertRow, EvidenceRow, LogRow, RoundRow
from thirdcard.service.web.app import create_app

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PASSWORD = "a long enough password"
EVERYONE = Person(name="boss", role=Role.ADMIN)
"""A person who may see everything."""
ROLES = ("viewer", "operator", "supervisor", "admin")
REMEDY = {"action": "void_wager", "rule": "6.3", "text": "The wager is void."}


@dataclass(slots=True)
class HandClock:
    """A clock that only moves on request."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def move(self, **step: float) -> None:
        """Advance the time."""
        self.now += timedelta(**step)


@dataclass(slots=True)
class StillTables:
    """Tables whose state and picture are set by hand."""

    known: dict[str, TableStatus] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    nudged: list[str] = field(default_factory=list)
    _boxes: list[asyncio.Queue[TableStatus | Written]] = field(default_factory=list)

    def states(self) -> Sequence[TableStatus]:
        """All tables."""
        return list(self.known.values())

    def state(self, table_id: str) -> TableStatus | None:
        """One table."""
        return self.known.get(table_id)

    def picture(self, table_id: str) -> Picture | None:
        """A table's picture."""
        return self.pictures.get(table_id)

    def nudge(self, table_id: str) -> None:
        """Record the call."""
        self.nudged.append(table_id)

    def tell(self, change: TableStatus | Written) -> None:
        """Send a change to all listeners."""
        for box in self._boxes:
            box.put_nowait(change)

    async def changes(self) -> AsyncIterator[TableStatus | Written]:
        """The changes from now on."""
        box: asyncio.Queue[TableStatus | Written] = asyncio.Queue()
        self._boxes.append(box)
        while True:
            yield await box.get()


@dataclass(slots=True)
class TestRoom:
    """A service in this process, with all its parts."""

    __test__ = False
    app: FastAPI
    database: Database
    live: StillTables
    clock: HandClock
    folder: Path
    tokens: Mapping[str, str]
    """By role."""

    def as_role(self, role: str) -> TestClient:
        """A program with a token of that role."""
        client = self.anybody()
        client.headers["Authorization"] = f"Bearer {self.tokens[role]}"
        return client

    def anybody(self) -> TestClient:
        """A client without a login."""
        return TestClient(self.app, raise_server_exceptions=False, follow_redirects=False)

    def browser(self, name: str) -> TestClient:
        """A browser with a logged-in user; unsafe requests carry the session's CSRF token."""
        client = self.anybody()
        answer = client.post("/login", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return client


@dataclass(frozen=True, slots=True)
class Seed:
    """A database with users, made once and copied."""

    path: Path
    tokens: Mapping[str, str]


def sow(folder: Path) -> Seed:
    """A user and a token for each role, and `anna`, an operator who sees B08 only."""
    path = folder / "seed.db"
    database = open_database(url_of(path))
    with database.writing() as session:
        for role in ROLES:
            add_user(session, role, role, PASSWORD, now=NOON)
        add_user(session, "anna", "operator", PASSWORD, now=NOON, tables=["B08"])
        tokens = {role: add_token(session, role, role, now=NOON) for role in ROLES}
        tokens["device"] = add_token(session, "device", "device", now=NOON, tables=["B08"])
        tokens["anna"] = add_token(session, "anna", "operator", now=NOON, tables=["B08"])
    database.close()
    return Seed(path, tokens)


@contextmanager
def a_room(folder: Path, seed: Seed, **settings: Any) -> Iterator[TestRoom]:
    """A room with two tables, B07 and B08."""
    database = open_database(copied_url(seed.path, folder / "room.db"))
    (folder / "evidence").mkdir()
    live, clock = StillTables(), HandClock()
    live.known = {name: table_state(name) for name in ("B07", "B08")}
    quick = {"poll_s": 0.05, "heartbeat_s": 0.1, "picture_s": 0.01}
    made = RoomSettings(evidence=folder / "evidence", version="0.0.1", **quick | settings)
    app = create_app(settings=made, database=database, live=live, clock=clock)
    try:
        yield TestRoom(app, database, live, clock, folder, seed.tokens)
    finally:
        database.close()


def table_state(name: str, **changes: Any) -> TableStatus:
    """A table in the middle of a round."""
    facts: dict[str, Any] = {
        "table_id": name,
        "at": "2026-05-04T12:00:00.000Z",
        "t": 83.0,
        "camera": "playing",
        "round": 4,
        "phase": "dealing",
        "dealer": "d17",
        "player": ("7H", None),
        "banker": ("KD", "6C"),
        "banker_total": 6,
        "wagers": (ShownStake(area="s3-banker", place="Seat 3", bet="banker", amount=500, chips=5),),
    }
    return TableStatus(**facts | changes)


def alert_body(**changes: Any) -> dict[str, Any]:
    """An alert in the form of CONTRACT.md."""
    return {
        "t": 83.2,
        "round": 4,
        "code": "late_bet.placed",
        "severity": "high",
        "rulebook": "tas",
        "rule": "6.3",
        "seat": 3,
        "bet": "banker",
        "area": "s3-banker",
        "hand": None,
        "cards": [],
        "amount": 500,
        "message": "Seat 3 placed 500 on Banker 2.4 s after betting closed.",
        "remedy": REMEDY,
        "confidence": 0.97,
    } | changes


def raise_alert(room: TestRoom, table: str = "B07", *, dealer: str | None = "d17", **changes: Any) -> int:
    """Insert an alert in the same way as a table's process; returns its id."""
    body = alert_body(**changes)
    with room.database.writing() as session:
        log = _log(session, table)
        row = AlertRow(
            table_id=table,
            log_id=log.id,
            round=body["round"],
            code=body["code"],
            severity=body["severity"],
            state="open",
            dealer=dealer,
            at=log.began_at + timedelta(seconds=body["t"]),
            noticed_at=room.clock(),
            body=json.dumps(body),
        )
        session.add(row)
        session.flush()
        return row.id


def note_doubtful(room: TestRoom, table: str = "B07", **changes: Any) -> None:
    """Insert a doubtful finding in the same way as a table's process."""
    with room.database.writing() as session:
        log = _log(session, table)
        place = LogPlace(table_id=table, log_id=log.id, began_at=log.began_at)
        write_doubtful(session, place, [alert_body(**{"confidence": 0.4} | changes)])


def keep_evidence(room: TestRoom, alert: int, kind: str, content: bytes | None, **changes: Any) -> None:
    """Add an evidence file to an alert; None for a promised one."""
    name = f"B07/{alert}-{kind}.{'mp4' if kind == 'clip' else 'jpg'}"
    if content is not None:
        path = room.folder / "evidence" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    facts: dict[str, Any] = {
        "state": "promised" if content is None else "kept",
        "from_at": NOON + timedelta(seconds=75),
        "to_at": NOON + timedelta(seconds=90),
        "path": None if content is None else name,
        "size_bytes": None if content is None else len(content),
        "sha256": None if content is None else sha256(content).hexdigest(),
    }
    with room.database.writing() as session:
        session.add(EvidenceRow(alert_id=alert, kind=kind, **facts | changes))


def close_round(room: TestRoom, number: int, table: str = "B07", *, dealer: str | None = "d17") -> int:
    """Insert a closed round with its three lines; returns its id."""
    t = number * 20.0
    lines = [
        {"t": t, "type": "no_more_bets", "source": "signal"},
        {"t": t + 1, "type": "card_dealt", "card_id": f"c{number}", "hand": "player", "card": "7H", "face_up": True},
        {"t": t + 9, "type": "round_closed"},
    ]
    bodies = [line | {"at": f"2026-05-04T12:0{number}:00.000Z"} for line in lines]
    record = {"round": number, "opened": t, "closed": t + 9, "player": ["7H", "2S"], "banker": ["KD", "6C"], "due": [],
              "player_total": 9, "banker_total": 6, "winner": "player", "complete": True, "void": False}  # fmt: skip
    with room.database.writing() as session:
        log = _log(session, table)
        written = chain.append(session, log_chain(table), bodies, at=room.clock())
        row = RoundRow(
            table_id=table,
            log_id=log.id,
            number=number,
            dealer=dealer,
            opened_at=NOON + timedelta(seconds=t),
            closed_at=NOON + timedelta(seconds=t + 9),
            first_line=written[0].seq,
            last_line=written[-1].seq,
            body=json.dumps(record),
        )
        session.add(row)
        session.flush()
        enter_round(session, row)
        return row.id


def _log(session: Any, table: str) -> LogRow:
    row = session.scalar(select(LogRow).where(LogRow.table_id == table))
    if row is None:
        row = LogRow(table_id=table, began_at=NOON, rules="{}", first_line=1)
        session.add(row)
        session.flush()
    assert isinstance(row, LogRow)
    return row
