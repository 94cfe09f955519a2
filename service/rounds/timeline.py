"""Compute the drawing of a log along a time line: rounds with phases, alerts, unwatched spans, dealers.

The x coordinates run from 0 to 1000, left to right. A whole shift is summed up in narrow columns; an hour of it is
drawn round by round. Only the rows that are drawn are read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from thirdcard.service.rounds.phases import phases_of
from thirdcard.service.rounds.search.terms import BLIND_LINES
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.schema import AlertRow, ChainLine, LogRow, RoundRow
from thirdcard.service.store.shift_schema import LogNoteRow

WIDTH = 1000.0
COLUMNS = 200
NARROWEST = 1.2
CROWDED = 13.0
SEVERITIES = ("info", "low", "medium", "high", "critical")
BLIND_REASONS = {"camera_lost": "no picture", "camera_moved": "the camera was moved", "camera_obstructed": "covered"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of time with its place in the drawing."""

    from_at: datetime
    to_at: datetime
    x: float
    width: float
    kind: str
    title: str
    target: int | None = None
    """The round's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point in time; `level` raises the mark where marks would overlap."""

    at: datetime
    x: float
    kind: str
    title: str
    target: int | None = None
    """The alert's id."""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One narrow column of a summary."""

    x: float
    rounds: int
    height: float
    """0 to 1, relative to the fullest column."""
    severity: str | None
    """The highest severity of its alerts."""
    alerts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """An hour of a log, round by round."""

    rounds: Sequence[Span]
    phases: Sequence[Span]
    unseen: Sequence[Span]
    notes: Sequence[Span]
    alerts: Sequence[Mark]
    dealers: Sequence[Mark]
    ticks: Sequence[Mark]
    levels: int


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Converts times to x coordinates."""

    from_at: datetime
    to_at: datetime

    def x(self, at: datetime) -> float:
        """The x coordinate of a time, clipped to the edges of the drawing."""
        share = (at - self.from_at) / (self.to_at - self.from_at)
        return round(WIDTH * min(1.0, max(0.0, share)), 1)

    def span(self, from_at: datetime, to_at: datetime, *, kind: str, title: str, target: int | None = None) -> Span:
        """A span of time, drawn at least `NARROWEST` wide so that it is visible."""
        x = self.x(from_at)
        width = max(NARROWEST, round(self.x(to_at) - x, 1))
        return Span(from_at=from_at, to_at=to_at, x=x, width=width, kind=kind, title=title, target=target)


def sum_up(session: Session, log_id: int, scale: TimeScale) -> list[Column]:
    """A log in columns: the number of rounds closed in each, and the highest severity of its alerts."""
    rounds, worst, alerts = [0] * COLUMNS, [-1] * COLUMNS, [0] * COLUMNS
    wanted = select(RoundRow.closed_at).where(RoundRow.log_id == log_id)
    for at in session.scalars(wanted.where(RoundRow.closed_at >= scale.from_at, RoundRow.closed_at < scale.to_at)):
        rounds[_column(scale, at)] += 1
    for at, severity in session.execute(select(AlertRow.at, AlertRow.severity).where(AlertRow.log_id == log_id)):
        if scale.from_at <= at < scale.to_at:
            i = _column(scale, at)
            alerts[i] += 1
            worst[i] = max(worst[i], SEVERITIES.index(severity))
    most = max(rounds, default=0) or 1
    return [
        Column(
            x=i * WIDTH / COLUMNS, rounds=rounds[i], height=rounds[i] / most, alerts=alerts[i],
            severity=SEVERITIES[worst[i]] if worst[i] >= 0 else None,
        )
        for i in range(COLUMNS)
        if rounds[i] or alerts[i]
    ]  # fmt: skip


def unseen_spans(session: Session, log: LogRow, scale: TimeScale, end_at: datetime) -> list[Span]:
    """The spans when a camera did not see: from a camera fault until the camera is back."""
    spans, began, why = [], None, ""
    for body in _lines_like(session, log, '"type":"camera_'):
        at = log.began_at + timedelta(seconds=body["t"])
        if body["type"] in BLIND_LINES and began is None:
            began, why = at, str(body.get("fault") or BLIND_REASONS[body["type"]]).replace("_", " ")
        elif body["type"] == "camera_back" and began is not None:
            spans.append((began, at, why))
            began = None
    if began is not None:
        spans.append((began, end_at, why))
    return [
        scale.span(from_at, to_at, kind="unseen", title=f"Could not be seen: {why}")
        for from_at, to_at, why in spans
        if from_at < scale.to_at and to_at > scale.from_at
    ]


def dealer_marks(session: Session, log: LogRow, scale: TimeScale) -> list[Mark]:
    """The marks where the dealer changes; the dealer at the start of the drawing is marked at its left edge."""
    wanted = select(RoundRow.opened_at, RoundRow.dealer).where(
        RoundRow.log_id == log.id, RoundRow.opened_at < scale.to_at
    )
    marks: list[Mark] = []
    before: str | None = None
    for at, dealer in session.execute(wanted.order_by(RoundRow.number)):
        if dealer == before:
            continue
        before = dealer
        mark = Mark(at=at, x=scale.x(at), kind="dealer", title=dealer or "nobody known")
        marks = [mark] if at <= scale.from_at else [*marks, mark]
    return marks


def note_spans(session: Session, log_id: int, scale: TimeScale) -> list[Span]:
    """The notes of a log as spans: gaps, overlaps, clock problems, damaged, skipped or later watched footage."""
    wanted = select(LogNoteRow).where(LogNoteRow.log_id == log_id, LogNoteRow.from_at < scale.to_at)
    rows = session.scalars(wanted.where(LogNoteRow.to_at >= scale.from_at).order_by(LogNoteRow.from_at))
    return [scale.span(row.from_at, row.to_at, kind=row.kind, title=row.text) for row in rows]


def draw(session: Session, log: LogRow, scale: TimeScale, end_at: datetime) -> Detail:
    """Compute the drawing of a span of a log, round by round."""
    wanted = select(RoundRow).where(RoundRow.log_id == log.id, RoundRow.opened_at < scale.to_at)
    rows = session.scalars(wanted.where(RoundRow.closed_at >= scale.from_at).order_by(RoundRow.number)).all()
    alerts = _alert_marks(session, log.id, scale)
    return Detail(
        rounds=[_round_span(row, scale) for row in rows],
        phases=_phase_spans(session, log, rows, scale),
        unseen=unseen_spans(session, log, scale, end_at),
        notes=note_spans(session, log.id, scale),
        alerts=alerts,
        dealers=dealer_marks(session, log, scale),
        ticks=_ticks(scale),
        levels=1 + max((mark.level for mark in alerts), default=0),
    )


def _column(scale: TimeScale, at: datetime) -> int:
    return min(int(scale.x(at) / WIDTH * COLUMNS), COLUMNS - 1)


def _lines_like(session: Session, log: LogRow, part: str) -> Iterable[Mapping[str, Any]]:
    """The log's lines that contain a text, up to its last round."""
    last = select(func.max(RoundRow.last_line)).where(RoundRow.log_id == log.id).scalar_subquery()
    wanted = select(ChainLine.body).where(
        ChainLine.chain == chain_of_log(log),
        ChainLine.seq >= log.first_line,
        ChainLine.seq <= last,
        ChainLine.body.contains(part, autoescape=True),
    )
    return [json.loads(body) for body in session.scalars(wanted.order_by(ChainLine.seq))]


def _round_span(row: RoundRow, scale: TimeScale) -> Span:
    record = json.loads(row.body)
    kind = "void" if record.get("void") else str(record.get("winner") or "open")
    words = {"player": "Player wins", "banker": "Banker wins", "tie": "Tie", "void": "void"}.get(kind, "no result")
    totals = [str(record.get(f"{side}_total") if record.get(f"{side}_total") is not None else "?")
              for side in ("player", "banker")]  # fmt: skip
    title = f"Round {row.number}: {words}, Player {totals[0]}, Banker {totals[1]}"
    title += "" if row.is_counted else "; better seen in another log, which counts"
    return scale.span(row.opened_at, row.closed_at, kind=kind, title=title, target=row.id)


def _phase_spans(session: Session, log: LogRow, rows: Sequence[RoundRow], scale: TimeScale) -> list[Span]:
    if not rows:
        return []
    wanted = select(ChainLine.seq, ChainLine.body).where(
        ChainLine.chain == chain_of_log(log),
        ChainLine.seq.between(rows[0].first_line, rows[-1].last_line),
    )
    bodies = {seq: json.loads(body) for seq, body in session.execute(wanted)}
    spans = []
    for row in rows:
        lines = [bodies[seq] for seq in range(row.first_line, row.last_line + 1) if seq in bodies]
        record = json.loads(row.body)
        for phase in phases_of(lines, record["opened"], record["closed"]):
            from_at, to_at = (log.began_at + timedelta(seconds=t) for t in (phase.from_t, phase.to_t))
            title = f"Round {row.number}: {phase.name}, {phase.lasts_s:.0f} s"
            spans.append(scale.span(from_at, to_at, kind=phase.name, title=title, target=row.id))
    return spans


def _alert_marks(session: Session, log_id: int, scale: TimeScale) -> list[Mark]:
    wanted = select(AlertRow).where(AlertRow.log_id == log_id, AlertRow.at >= scale.from_at)
    marks: list[Mark] = []
    ends: list[float] = []
    for row in session.scalars(wanted.where(AlertRow.at < scale.to_at).order_by(AlertRow.at, AlertRow.id)):
        x = scale.x(row.at)
        level = next((i for i, end in enumerate(ends) if x - end >= CROWDED), len(ends))
        ends[level : level + 1] = [x]
        title = json.loads(row.body)["message"]
        marks.append(Mark(at=row.at, x=x, kind=row.severity, title=title, target=row.id, level=level))
    return marks


def _ticks(scale: TimeScale) -> list[Mark]:
    length = scale.to_at - scale.from_at
    minutes = next((n for n in (1, 5, 10, 15, 30, 60, 120, 180) if length / timedelta(minutes=n) <= 13), 360)
    step = timedelta(minutes=minutes)
    midnight = scale.from_at.replace(hour=0, minute=0, second=0, microsecond=0)
    at = midnight + step * -(-(scale.from_at - midnight) // step)
    marks = []
    while at <= scale.to_at:
        marks.append(Mark(at=at, x=scale.x(at), kind="tick", title=""))
        at += step
    return marks
