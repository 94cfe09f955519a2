"""Hold a shift's log against its rulebook: alerts, rounds, and which lines belong to which round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from thirdcard.calibration.layout import Layout
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import DealerChanged, Event, RoundClosed
from thirdcard.rules.round.records import RoundRecord
from thirdcard.service.media.overlay_memory import AreaText, area_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRound:
    """A round with its place in the log."""

    record: RoundRecord
    dealer: str | None
    first_line: int
    """From 1."""
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAlert:
    """An alert, who dealt then, and the line of the log that showed it."""

    alert: Alert
    dealer: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogVerdict:
    """All that a log says."""

    rounds: tuple[JudgedRound, ...]
    alerts: tuple[JudgedAlert, ...]
    """In order of time."""
    doubtful: tuple[JudgedAlert, ...]
    """Findings that were never sure enough to be alerts."""
    areas: tuple[tuple[float, tuple[AreaText, ...]], ...]
    """What hands' boxes and wagering areas held from which time on, in words."""


def judge(log: Sequence[Event], belief: Belief, layout: Layout) -> LogVerdict:
    """Judge a whole log."""
    areas: list[tuple[float, tuple[AreaText, ...]]] = []
    rounds: list[JudgedRound] = []
    alerts: list[JudgedAlert] = []
    doubtful: list[JudgedAlert] = []
    dealer: str | None = None
    first_line = 1
    for line, event in enumerate(log, 1):
        if isinstance(event, DealerChanged):
            dealer = event.dealer
        told = belief.observe(event)
        alerts = [*_without(alerts, told.withdrawn), *_judged(told.alerts, dealer, event.t)]
        doubtful += _judged(told.doubtful, dealer, event.t)
        rounds += [_round(record, dealer, first_line, line) for record in told.rounds]
        if isinstance(event, RoundClosed):
            first_line = line + 1
        texts = area_texts(layout, belief.state)
        if not areas or areas[-1][1] != texts:
            areas.append((event.t, texts))
    told = belief.finish()
    alerts = [*_without(alerts, told.withdrawn), *_judged(told.alerts, dealer, log[-1].t if log else 0.0)]
    doubtful += _judged(told.doubtful, dealer, log[-1].t if log else 0.0)
    rounds += [_round(record, dealer, min(first_line, len(log)), len(log)) for record in told.rounds]
    return LogVerdict(
        rounds=tuple(rounds),
        alerts=tuple(sorted(alerts, key=lambda judged: judged.alert.t)),
        doubtful=tuple(sorted(doubtful, key=lambda judged: judged.alert.t)),
        areas=tuple(areas),
    )


def _without(alerts: Sequence[JudgedAlert], withdrawn: Iterable[Alert]) -> list[JudgedAlert]:
    return [judged for judged in alerts if not any(judged.alert.is_same_as(one) for one in withdrawn)]


def _judged(alerts: Iterable[Alert], dealer: str | None, t: float) -> list[JudgedAlert]:
    return [JudgedAlert(alert=replace(alert, noticed_at=round(t, 3)), dealer=dealer) for alert in alerts]


def _round(record: RoundRecord, dealer: str | None, first_line: int, last_line: int) -> JudgedRound:
    return JudgedRound(record=record, dealer=dealer, first_line=first_line, last_line=last_line)
