"""Set the dealer of rounds, alerts and findings from the log, the corrections of the log, and the roster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.dealers.register import known_as
from thirdcard.service.dealers.roster import Change, who_deals
from thirdcard.service.rounds.corrections import correct_lines, holding, judged_bodies
from thirdcard.service.rounds.search.index import enter_round
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.schema import AlertRow, ChainLine, DoubtfulRow, LogRow, RoundRow

CHANGED = "dealer_changed"
Row = RoundRow | AlertRow | DoubtfulRow


def dealer_changes(session: Session, log: LogRow, *, now: datetime) -> list[Change]:
    """The dealer changes of a log with its corrections, with names from the register."""
    following = select(func.min(LogRow.first_line)).where(
        LogRow.table_id == log.table_id,
        LogRow.shift.is_not_distinct_from(log.shift),
        LogRow.first_line > log.first_line,
    )
    end = session.scalar(following)
    wanted = select(ChainLine).where(
        ChainLine.chain == chain_of_log(log), ChainLine.seq >= log.first_line, ChainLine.body.contains(f'"{CHANGED}"')
    )
    if end is not None:
        wanted = wanted.where(ChainLine.seq < end)
    lines = [(line.seq, json.loads(line.body)) for line in session.scalars(wanted.order_by(ChainLine.seq))]
    bodies = judged_bodies(correct_lines(lines, holding(session, log.id)))
    return [
        (
            log.began_at + timedelta(seconds=body["t"]),
            None if body["dealer"] is None else known_as(session, body["dealer"], now=now),
        )
        for body in bodies
        if body["type"] == CHANGED
    ]


def follow_roster(session: Session, table_id: str, from_at: datetime, to_at: datetime, *, now: datetime) -> int:
    """Update the dealer of everything at a table in a span of time; returns how many rounds changed."""
    rounds = session.scalars(
        select(RoundRow).where(
            RoundRow.table_id == table_id, RoundRow.closed_at >= from_at, RoundRow.closed_at <= to_at
        )
    ).all()
    found: list[Row] = [*rounds]
    for kind in (AlertRow, DoubtfulRow):
        found += session.scalars(select(kind).where(kind.table_id == table_id, kind.at >= from_at, kind.at <= to_at))
    return _follow(session, found, now)


def follow_log(session: Session, log: LogRow, numbers: Iterable[int], *, now: datetime) -> None:
    """Update the dealer of some rounds of a log, and of the alerts and findings raised in them."""
    wanted = sorted(set(numbers))
    found: list[Row] = [
        *session.scalars(select(RoundRow).where(RoundRow.log_id == log.id, RoundRow.number.in_(wanted)))
    ]
    for kind in (AlertRow, DoubtfulRow):
        found += session.scalars(select(kind).where(kind.log_id == log.id, kind.round.in_(wanted)))
    _follow(session, found, now)


def rename(session: Session, was: str, name: str) -> int:
    """Replace a dealer's name everywhere; returns the number of rounds changed."""
    rounds = session.scalars(select(RoundRow).where(RoundRow.dealer == was)).all()
    found: list[Row] = [*rounds]
    for kind in (AlertRow, DoubtfulRow):
        found += session.scalars(select(kind).where(kind.dealer == was))
    for row in found:
        row.dealer = name
    session.flush()
    for row in rounds:
        enter_round(session, row)
    return len(rounds)


def _follow(session: Session, rows: Sequence[Row], now: datetime) -> int:
    """Update the dealer of rows; returns how many rounds among them changed."""
    changed: list[RoundRow] = []
    changes: dict[int, list[Change]] = {}
    for row in rows:
        if row.log_id not in changes:
            changes[row.log_id] = dealer_changes(session, session.get_one(LogRow, row.log_id), now=now)
        at = row.closed_at if isinstance(row, RoundRow) else row.at
        dealer = who_deals(session, row.table_id, at, changes[row.log_id])
        if dealer != row.dealer:
            row.dealer = dealer
            if isinstance(row, RoundRow):
                changed.append(row)
    session.flush()
    for each in changed:
        enter_round(session, each)
    return len(changed)
