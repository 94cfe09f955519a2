"""A shift report as a PDF to print and to file, with the content of its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from thirdcard.service.alerts.views import AlertView
from thirdcard.service.analytics.figures import Estimate, Figure
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.web.pages.pdf_report import SOFT, PdfSheet
from thirdcard.service.web.pages.shift_report import ShiftReport
from thirdcard.service.web.pages.showing import build_environment

Words = Mapping[str, Callable[..., Any]]


def print_report(settings: RoomSettings, report: ShiftReport, *, signed: tuple[str, datetime]) -> bytes:
    """The PDF; `signed` holds the person who made it and the time."""
    words: Words = build_environment(settings).filters
    sheet = PdfSheet(f"{report.subject}, {report.covered}", signed[1])
    sheet.say(report.subject, size=19, bold=True)
    shift = f", {report.shift}" if report.shift else ""
    made = f"Made by {signed[0]} on {words['moment'](signed[1])}, Thirdcard {settings.version}."
    sheet.say(
        f"Shift report, {report.covered}{shift}{report.counted}. {made} Times are {settings.time_zone}.",
        size=9,
        colour=SOFT,
    )
    sheet.small_heading("In short")
    sheet.rows(_in_short(report, settings.house.settings.money), (30, 70), size=9.5)
    for title, figures in (("By kind", report.codes), ("By day", report.days)):
        if figures:
            sheet.small_heading(f"{title}: erring rounds, rounds, per 1000 rounds, 95 %")
            sheet.rows([_row(one, words if title == "By kind" else None) for one in figures], (46, 12, 14, 12, 16))
    for title, alerts in (("Confirmed alerts", report.confirmed), ("Alerts that nobody has decided", report.undecided)):
        sheet.small_heading(title)
        if alerts:
            sheet.rows([_alert(one, words) for one in alerts], (22, 10, 53, 15))
        else:
            sheet.say("None.")
    if report.is_cut:
        sheet.say("Only the newest are listed.", size=9, colour=SOFT)
    return bytes(sheet.output())


def _in_short(report: ShiftReport, money: Callable[..., str]) -> list[tuple[str, str]]:
    own, house = report.own, report.house
    pace = "–" if own.rounds_per_hour is None else f"{own.rounds_per_hour:.1f}"
    phases = ", ".join(f"{part.phase} {part.median_s:.0f} s" for part in report.pace.phases)
    return [
        ("Erring rounds", f"{own.errors} in {own.rounds} rounds, with {own.alerts} alerts"),
        ("Confirmed, undecided", f"{own.confirmed} confirmed; {own.undecided} undecided"),
        ("Per 1000 rounds, 95 %", _estimate(own)),
        ("The whole house", f"{_estimate(house)} in {house.rounds} rounds"),
        ("Rounds an hour", pace),
        ("Phases, median", phases or "–"),
        ("Late bets accepted", str(own.accepted_late_bets)),
        ("Overpaid, underpaid", money(own.overpaid_minor, own.underpaid_minor)),
        ("Not watched", f"{own.unseen_s / 60:.0f} min"),
        ("False alerts", f"{own.false_alerts} of {own.decided} decided"),
    ]


def _row(figure: Figure, words: Words | None) -> tuple[str, ...]:
    name = figure.name if words is None else words["title_of"](figure.name)
    rate = figure.raw.per_1000
    return name, str(figure.errors), str(figure.rounds), f"{rate:.2f}", _interval(figure.raw)


def _alert(one: AlertView, words: Words) -> tuple[str, ...]:
    said = words["rule_words"](one.body["rule"], one.body["rulebook"])
    what = f"{words['title_of'](one.body['code'])}: {one.body['message']}"
    what += f" ({one.body['rule']}: {said})" if said else ""
    return words["moment"](one.at), one.table_id, what, words["state_word"](one.state)


def _estimate(figure: Figure) -> str:
    return f"{figure.raw.per_1000:.2f} ({_interval(figure.raw)})" if figure.rounds else "–"


def _interval(estimate: Estimate) -> str:
    return f"{estimate.low:.2f}–{estimate.high:.2f}"
