"""Judge a shift's log by its rulebook: alerts, rounds, and the lines of each round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from thirdcard.calibration.layout import Layout
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import Event, RoundClosed
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.media.overlay_memory import AreaText, area_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRound:
    """A round with its place in the log."""

    record: RoundRecord
    first_line: int
    """From 1."""
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogVerdict:
    """The verdict on a log."""

    rounds: tuple[JudgedRound, ...]
    alerts: tuple[Alert, ...]
    """In order of time."""
    doubtful: tuple[Alert, ...]
    """Findings that were never certain enough for alerts."""
    areas: tuple[tuple[float, tuple[AreaText, ...]], ...]
    """The contents of hands' boxes and wagering areas from each time on, in words."""
    setup_hint: str | None = None
    """What to check in the table's set-up, when that is likelier to be wrong than the dealer."""


def judge(log: Sequence[Event], belief: Belief, layout: Layout) -> LogVerdict:
    """Judge a whole log."""
    areas: list[tuple[float, tuple[AreaText, ...]]] = []
    rounds: list[JudgedRound] = []
    alerts: list[Alert] = []
    doubtful: list[Alert] = []
    first_line = 1
    for line, event in enumerate(log, 1):
        told = belief.observe(event)
        alerts = [*_without(alerts, told.withdrawn), *_noticed(told.alerts, event.t)]
        doubtful += _noticed(told.doubtful, event.t)
        rounds += [_round(record, first_line, line) for record in told.rounds]
        if isinstance(event, RoundClosed):
            first_line = line + 1
        texts = area_texts(layout, belief.state)
        if not areas or areas[-1][1] != texts:
            areas.append((event.t, texts))
    told = belief.finish()
    alerts = [*_without(alerts, told.withdrawn), *_noticed(told.alerts, log[-1].t if log else 0.0)]
    doubtful += _noticed(told.doubtful, log[-1].t if log else 0.0)
    rounds += [_round(record, min(first_line, len(log)), len(log)) for record in told.rounds]
    return LogVerdict(
        rounds=tuple(rounds),
        alerts=tuple(sorted(alerts, key=lambda alert: alert.t)),
        doubtful=tuple(sorted(doubtful, key=lambda alert: alert.t)),
        areas=tuple(areas),
        setup_hint=belief.setup_hint,
    )


def _without(alerts: Sequence[Alert], withdrawn: Iterable[Alert]) -> list[Alert]:
    return [alert for alert in alerts if not any(map(alert.is_same_as, withdrawn))]


def _noticed(alerts: Iterable[Alert], t: float) -> list[Alert]:
    return [replace(alert, noticed_at=round(t, 3)) for alert in alerts]


def _round(record: RoundRecord, first_line: int, last_line: int) -> JudgedRound:
    return JudgedRound(record=record, first_line=first_line, last_line=last_line)
