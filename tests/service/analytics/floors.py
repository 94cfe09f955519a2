"""Test data of a floor: rounds, log lines and alerts in the form of tables' processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.service.hand_clock import NOON
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import AlertChange, AlertRow, LogRow, RoundRow

RULES = {"rulebook": "tas", "options": {}, "shoe": {"decks": 8, "device": "shoe"}, "limits": {}, "chips": [5]}
PLAY = ((0.0, "bets_opened"), (25.0, "no_more_bets"), (45.0, "result_announced"), (60.0, "round_closed"))
"""Seconds within a round, and the event."""
EVERY_S = 70.0


def deal(
    database: Database, rounds: int, *, table: str = "B07", dealer: str | None = "ann", at: datetime = NOON, **log: Any
) -> int:
    """Add a number of plain rounds, one after the other, in a new log; returns the log's id."""
    with database.writing() as session:
        row = LogRow(table_id=table, began_at=at, rules=json.dumps(RULES), first_line=1, **log)
        session.add(row)
        session.flush()
        _put_rounds(session, row, [(i + 1, i * EVERY_S) for i in range(rounds)], dealer, PLAY)
        return row.id


def add_round(
    database: Database,
    log_id: int,
    number: int,
    t: float,
    *,
    dealer: str | None = "ann",
    play: Sequence[tuple[float, str]] = PLAY,
    **record: Any,
) -> int:
    """Add a round that begins at stream time `t` of a log; returns its database id."""
    with database.writing() as session:
        return _put_round(session, session.get_one(LogRow, log_id), number, t, dealer, play, **record)


def err(
    database: Database,
    log_id: int,
    number: int = 1,
    *,
    code: str = "misdeal.order",
    dealer: str | None = "ann",
    at_s: float = 30.0,
    **alert: Any,
) -> int:
    """Add an alert in a round of a log, `at_s` after the usual start of that round; returns its id."""
    with database.writing() as session:
        log = session.get_one(LogRow, log_id)
        t = (number - 1) * EVERY_S + at_s
        body = {"t": t, "round": number, "code": code, "severity": "high", "rulebook": "tas", "rule": "6.3", "seat": 3,
                "bet": None, "area": "s3-banker", "hand": None, "cards": [], "amount": None, "message": "A fault.",
                "remedy": {"action": "supervisor", "rule": None, "text": ""}, "confidence": 1.0} | alert  # fmt: skip
        at = log.began_at + timedelta(seconds=t)
        row = AlertRow(
            table_id=log.table_id,
            log_id=log_id,
            round=number,
            code=code,
            severity="high",
            state="open",
            dealer=dealer,
            at=at,
            noticed_at=at,
            body=json.dumps(body),
        )
        session.add(row)
        session.flush()
        return row.id


def decide(
    database: Database, alert: int, state: str, reason: str | None = None, *, after_s: float | None = None
) -> None:
    """Confirm or dismiss an alert: so long after its fault, or else at noon."""
    with database.writing() as session:
        row = session.scalars(select(AlertRow).where(AlertRow.id == alert)).one()
        at = NOON if after_s is None else row.at + timedelta(seconds=after_s)
        change = AlertChange(alert_id=alert, at=at, who="anna", before=row.state, after=state, reason=reason)
        row.state = state
        session.add(change)


def _put_round(
    session: Session,
    log: LogRow,
    number: int,
    t: float,
    dealer: str | None,
    play: Sequence[tuple[float, str]],
    **record: Any,
) -> int:
    (row,) = _put_rounds(session, log, [(number, t)], dealer, play, **record)
    return row.id


def _put_rounds(
    session: Session,
    log: LogRow,
    begins: Sequence[tuple[int, float]],
    dealer: str | None,
    play: Sequence[tuple[float, str]],
    **record: Any,
) -> list[RoundRow]:
    """Add rounds by their numbers and start times, in one transaction, which is fast enough for hundreds."""
    lines = [{"t": t + after, "type": kind, "camera": "overhead"} for _, t in begins for after, kind in play]
    written = chain.append(session, log_chain(log.table_id), lines, at=NOON)
    rows = [
        _round_row(log, number, t, dealer, record, written[i * len(play) : (i + 1) * len(play)])
        for i, (number, t) in enumerate(begins)
    ]
    session.add_all(rows)
    session.flush()
    return rows


def _round_row(
    log: LogRow,
    number: int,
    t: float,
    dealer: str | None,
    record: dict[str, Any],
    written: Sequence[chain.AppendedLine],
) -> RoundRow:
    closed = json.loads(written[-1].body)["t"]
    due = {"area": "s3-banker", "seat": 3, "bet": "banker", "stake": 100, "outcome": "lose", "pays": 0}
    body = {"round": number, "opened": t, "closed": closed, "player": ["7H", "2S"], "banker": ["KD", "6C", None],
            "player_total": 9, "banker_total": None, "winner": "player", "complete": True, "void": False,
            "due": [due]} | record  # fmt: skip
    return RoundRow(
        table_id=log.table_id,
        log_id=log.id,
        number=number,
        dealer=dealer,
        opened_at=log.began_at + timedelta(seconds=t),
        closed_at=log.began_at + timedelta(seconds=closed),
        first_line=written[0].seq,
        last_line=written[-1].seq,
        body=json.dumps(body),
    )
