"""Render the report page of a watch.

The page holds everything it needs: style, script, pictures and, up to a size limit, clips. It refers to nothing outside
its own folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from thirdcard.rules.log.events import Event, WagerChanged
from thirdcard.rules.round.records import RoundRecord, format_money
from thirdcard.service.config.rule_words import RuleWords
from thirdcard.service.media.alert_media import Evidence
from thirdcard.service.ports.code_words import code_title
from thirdcard.service.watch import wording
from thirdcard.service.watch.report import report_timeline
from thirdcard.service.watch.report.media import Medium, embed
from thirdcard.service.watch.report.playing_cards import draw_card, draw_hand, suit_symbols
from thirdcard.service.watch.result import Findings, WatchedAlert
from thirdcard.service.watch.spread_count import spread_text

FOLDER = Path(__file__).parent
SEVERITIES = ("critical", "high", "medium", "low", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPanel:
    """One alert for the page."""

    number: int
    watched: WatchedAlert
    clip: Medium | None
    still: Medium | None
    before: Medium | None
    after: Medium | None
    fault_s: float
    """The position of the fault in the clip, in seconds."""

    @property
    def wager(self) -> str:
        """The place and bet, such as `Seat 3, Banker`; empty where neither is known."""
        alert = self.watched.alert
        place = f"Seat {alert.seat}" if alert.seat is not None else alert.area
        return ", ".join(part for part in (place, wording.bet_text(alert.bet)) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPanel:
    """One round for the page."""

    record: RoundRecord
    alerts: tuple[AlertPanel, ...]
    events: tuple[tuple[Event, Medium | None], ...]
    """The events of the round, each with the picture of a wager that changed."""


def write_report(path: Path, findings: Findings) -> None:
    """Write the page; evidence files are looked up in its folder."""
    path.write_text(render_report(findings, path.parent), encoding="utf-8")


def render_report(findings: Findings, folder: Path) -> str:
    """The page's HTML; `folder` holds the evidence."""
    stills = [Evidence(from_s=each.from_t, to_s=each.to_t, still=each.still) for each in findings.spreads]
    changes = [name for event in findings.events if (name := _picture_name(event)) is not None]
    media = embed(folder, [*stills, *(watched.evidence for watched in findings.alerts)], last=changes)
    alerts = [_alert_view(n, watched, media) for n, watched in enumerate(findings.alerts, start=1)]
    return (
        _environment()
        .from_string(_text("page.html"))
        .render(
            findings=findings,
            found=wording.found_text(findings),
            alerts=alerts,
            clips=_embedded_clips(alerts),
            rounds=[_round_view(record, alerts, findings, media) for record in findings.rounds],
            spreads=[(each, spread_text(each), media.get(each.still or "")) for each in findings.spreads],
            rows=report_timeline.lay_out(findings),
            severities=_severity_counts(findings.alerts),
            style=Markup(_text("page.css")),
            script=Markup(_text("page.js")),
            symbols=suit_symbols(),
            row_width=report_timeline.ROW_WIDTH,
        )
    )


def _embedded_clips(alerts: Sequence[AlertPanel]) -> dict[str, str]:
    """The clips embedded in the page, each once."""
    clips = [view.clip for view in alerts if view.clip is not None]
    return {clip.key: clip.data for clip in clips if clip.data is not None}


@cache
def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        clock=wording.clock,
        duration=wording.duration,
        card=draw_card,
        hand=draw_hand,
        bet=wording.bet_text,
        title_of=code_title,
        action=lambda action: wording.ACTION_WORDS.get(action, action),
        outcome=wording.outcome_text,
        event=wording.event_text,
        rule_words=RuleWords().of,
        money=lambda amount: "?" if amount is None else f"{amount:,}".replace(",", " "),
        pays=lambda amount: format_money(amount),
        shares=lambda stage_seconds: wording.stage_shares(dict(stage_seconds)),
    )
    return environment


def _alert_view(number: int, watched: WatchedAlert, media: Mapping[str, Medium]) -> AlertPanel:
    evidence = watched.evidence or Evidence(from_s=watched.alert.t, to_s=watched.alert.t)

    def find(name: str | None) -> Medium | None:
        return None if name is None else media.get(name)

    return AlertPanel(
        number=number,
        watched=watched,
        clip=find(evidence.clip),
        still=find(evidence.still),
        before=find(evidence.before),
        after=find(evidence.after),
        fault_s=max(0.0, watched.alert.t - evidence.from_s),
    )


def _picture_name(event: Event) -> str | None:
    return event.picture if isinstance(event, WagerChanged) else None


def _round_view(
    record: RoundRecord, alerts: Sequence[AlertPanel], findings: Findings, media: Mapping[str, Medium]
) -> RoundPanel:
    closed = findings.duration_s if record.closed is None else record.closed
    return RoundPanel(
        record=record,
        alerts=tuple(view for view in alerts if view.watched.alert.round == record.round),
        events=tuple(
            (event, media.get(_picture_name(event) or ""))
            for event in findings.events
            if record.opened <= event.t <= closed
        ),
    )


def _severity_counts(alerts: Sequence[WatchedAlert]) -> list[tuple[str, int]]:
    counts = [(name, sum(str(watched.alert.severity) == name for watched in alerts)) for name in SEVERITIES]
    return [(name, n) for name, n in counts if n]
