"""Compute the drawing of a watch along a time line: rounds with phases, alerts, spans that could not be seen.

The x coordinates run from 0 to 1000, left to right in each row. Times are stream time in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thirdcard.rules.log.events import CardDealt, Event, NoMoreBets, ResultAnnounced
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.watch.result import Findings, Unseen, WatchedAlert
from thirdcard.service.watch.wording import clock, round_text

ROW_WIDTH = 1000.0
LONGEST_ROW_S = 1200.0
NARROWEST = 0.8
TICK_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300)
MOST_TICKS = 14
CROWDED = 11.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A span of time."""

    x: float
    width: float
    kind: str
    title: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMark:
    """A point in time; `level` raises the mark where marks would overlap."""

    x: float
    label: str
    kind: str = ""
    target: str = ""
    title: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One row of the drawing."""

    bars: tuple[Bar, ...]
    phases: tuple[Bar, ...]
    unseen: tuple[Bar, ...]
    alerts: tuple[ReportMark, ...]
    ticks: tuple[ReportMark, ...]
    levels: int


@dataclass(frozen=True, slots=True)
class _Scale:
    from_s: float
    to_s: float

    def x(self, t: float) -> float:
        share = (t - self.from_s) / (self.to_s - self.from_s)
        return round(ROW_WIDTH * min(1.0, max(0.0, share)), 2)

    def meets(self, from_s: float, to_s: float) -> bool:
        return from_s < self.to_s and to_s >= self.from_s

    def bar(self, from_s: float, to_s: float, *, kind: str, title: str, target: str = "") -> Bar:
        left = self.x(from_s)
        width = max(NARROWEST, round(self.x(to_s) - left, 2))
        return Bar(x=left, width=width, kind=kind, title=title, target=target)


def lay_out(findings: Findings) -> tuple[ReportRow, ...]:
    """The rows of the timeline, all covering the same duration."""
    end_s = max(findings.duration_s, 1.0)
    n_rows = max(1, -(-int(end_s) // int(LONGEST_ROW_S)))
    length_s = end_s / n_rows
    return tuple(_row(findings, _Scale(i * length_s, (i + 1) * length_s)) for i in range(n_rows))


def _row(findings: Findings, scale: _Scale) -> ReportRow:
    rounds = [record for record in findings.rounds if scale.meets(record.opened, _closed(record, findings))]
    alerts = _alert_marks(findings.alerts, scale, is_last=scale.to_s >= findings.duration_s)
    return ReportRow(
        bars=tuple(_round_bar(record, findings, scale) for record in rounds),
        phases=tuple(phase for record in rounds for phase in _phase_bars(record, findings, scale)),
        unseen=tuple(
            _unseen_bar(stretch, scale) for stretch in findings.unseen if scale.meets(stretch.from_s, stretch.to_s)
        ),
        alerts=alerts,
        ticks=_ticks(scale),
        levels=1 + max((mark.level for mark in alerts), default=0),
    )


def _closed(record: RoundRecord, findings: Findings) -> float:
    return findings.duration_s if record.closed is None else record.closed


def _round_bar(record: RoundRecord, findings: Findings, scale: _Scale) -> Bar:
    kind = "void" if record.void else str(record.winner or "open")
    title = f"{clock(record.opened)} {round_text(record)}"
    return scale.bar(record.opened, _closed(record, findings), kind=kind, title=title, target=f"round-{record.round}")


def _phase_bars(record: RoundRecord, findings: Findings, scale: _Scale) -> list[Bar]:
    """The phases of a round: betting until the call or first card, dealing until the result, settling until the
    close."""
    inside = [event for event in findings.events if record.opened <= event.t <= _closed(record, findings)]
    end_s = _closed(record, findings)
    call_s = _first(inside, (NoMoreBets, CardDealt), end_s)
    result_s = max(call_s, _first(inside, (ResultAnnounced,), _last_card(inside, end_s)))
    cuts = (("betting", record.opened, call_s), ("dealing", call_s, result_s), ("settling", result_s, end_s))
    return [
        scale.bar(from_s, to_s, kind=name, title=f"Round {record.round}: {name}")
        for name, from_s, to_s in cuts
        if to_s > from_s and scale.meets(from_s, to_s)
    ]


def _first(events: Sequence[Event], kinds: tuple[type[Event], ...], default: float) -> float:
    return next((event.t for event in events if isinstance(event, kinds)), default)


def _last_card(events: Sequence[Event], default: float) -> float:
    times = [event.t for event in events if isinstance(event, CardDealt)]
    return times[-1] if times else default


def _unseen_bar(stretch: Unseen, scale: _Scale) -> Bar:
    title = f"Could not see from {clock(stretch.from_s)} to {clock(stretch.to_s)}: {stretch.reason}"
    return scale.bar(stretch.from_s, stretch.to_s, kind="unseen", title=title)


def _alert_marks(alerts: Sequence[WatchedAlert], scale: _Scale, *, is_last: bool) -> tuple[ReportMark, ...]:
    marks: list[ReportMark] = []
    ends: list[float] = []
    for number, watched in enumerate(alerts, start=1):
        alert = watched.alert
        if not (scale.from_s <= alert.t < scale.to_s or (is_last and alert.t >= scale.to_s)):
            continue
        x = scale.x(alert.t)
        level = next((i for i, end in enumerate(ends) if x - end >= CROWDED), len(ends))
        ends[level : level + 1] = [x]
        title = f"{clock(alert.t)} {alert.message}"
        target = f"alert-{number}"
        marks.append(
            ReportMark(x=x, label=str(number), kind=str(alert.severity), target=target, title=title, level=level)
        )
    return tuple(marks)


def _ticks(scale: _Scale) -> tuple[ReportMark, ...]:
    length_s = scale.to_s - scale.from_s
    step_s = next((step for step in TICK_STEPS_S if length_s / step <= MOST_TICKS), TICK_STEPS_S[-1])
    first = int(-(-scale.from_s // step_s))
    times = [n * step_s for n in range(first, int(scale.to_s // step_s) + 1)]
    return tuple(ReportMark(x=scale.x(t), label=clock(t, tenths=False)) for t in times)
