"""Calibrate the confidence of findings on recordings with known truth.

    python -m thirdcard.service.evaluate.fit_sureness RECORDINGS RUNS --write --drawing docs/sureness.svg

RECORDINGS holds recordings at any depth, RUNS the outputs of watches at the same relative places. Logs are judged
again, so that findings have their uncalibrated weight. Recordings used here are no longer blind.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log10
from pathlib import Path

import yaml

from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import Event
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.evaluate.accounts import Incident, TableAccount, load_found, load_truth
from thirdcard.service.evaluate.matching import match
from thirdcard.service.evaluate.panels import GREEN, INK, RED, Panel, PanelAxis, draw_panels, share_ticks
from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR
from thirdcard.service.evaluate.reliability import Prediction, bands, calibration_error, calibration_interval
from thirdcard.service.evaluate.sureness_fit import (
    LEAST_WEIGHT,
    Curve,
    LineRate,
    Tail,
    WeighedFinding,
    calibrated,
    calibrated_by_others,
    fit_families,
    fit_tail,
    line_rates,
    logit,
)
from thirdcard.service.interpretation.alert_policy import SURENESS, AlertPolicy
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.factory import build_belief

HEADING = "# What the confidence of a finding means. Written by python -m thirdcard.service.evaluate.fit_sureness.\n"
READ = ("truth.jsonl", "alerts.jsonl", "tolerated.jsonl", "table.yaml")
FINISHED = "report.html"
"""A watch writes it last."""
_LOGITS = (-5.0, 7.0)
_LEAST_RATE, _MOST_RATE = 0.01, 10.0


class SurenessFitError(ServiceError):
    """There is no data to fit to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRun:
    """One recording and the findings of its watch."""

    name: str
    rounds: int
    is_clean: bool
    findings: tuple[WeighedFinding, ...]
    digests: tuple[str, ...]
    """SHA-256 of each file that was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurenessFit:
    """All results of the fit."""

    curves: Mapping[str, Curve]
    tail: Tail
    rates: Sequence[LineRate]
    claims: Sequence[Prediction]
    """The findings with calibrated confidence."""


def find_runs(recordings: Path, runs: Path) -> Iterator[FitRun]:
    """The recordings with a finished watch.

    Raises:
        SurenessFitError: There is none.
    """
    folders = sorted(path.parent for path in runs.rglob(FINISHED))
    if not folders:
        raise SurenessFitError(f"{runs}: no finished watch is in it; must hold folders with {FINISHED}")
    for left in folders:
        recording = recordings / left.relative_to(runs)
        table = load_table(recording / "table.yaml")
        truth, found = load_truth(recording, table), load_found(left, table)
        files = [*(recording / name for name in READ), left / "events.jsonl"]
        yield FitRun(
            name=str(left.relative_to(runs)),
            rounds=len(truth.rounds),
            is_clean=not truth.incidents,
            findings=tuple(findings_of(str(left.relative_to(runs)), truth, weighed(found.events, table))),
            digests=tuple(hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()),
        )


def weighed(events: Iterable[Event], table: TableConfig) -> list[Alert]:
    """The findings of a log with their uncalibrated weight at the end of their round."""
    shipped = build_belief(table)
    belief = replace(shipped, tell=lambda _: Telling.ALERT, calibrate=lambda alert: alert.confidence)
    found: dict[Hashable, Alert] = {}
    for event in [*events, None]:
        _take(found, belief, event)
    return sorted(found.values(), key=lambda alert: alert.t)


def findings_of(name: str, truth: TableAccount, alerts: Iterable[Alert]) -> list[WeighedFinding]:
    """The findings with whether they are true; the heaviest are paired first, tolerated ones are left out."""
    told = [_incident(alert) for alert in alerts if alert.confidence >= LEAST_WEIGHT]
    paired = match(truth.incidents, told, truth.tolerated)
    judged = [*((hit.found, True) for hit in paired.hits), *((one, False) for one in paired.false)]
    return [
        WeighedFinding(
            code=one.code,
            prediction=Prediction(
                confidence=one.confidence or 0.0, is_true=is_true, recording=name, is_clean=not truth.incidents
            ),
        )
        for one, is_true in judged
    ]


def fit(runs: Sequence[FitRun]) -> SurenessFit:
    """Fit the curves of all families, and the rate of false alerts for each threshold.

    Raises:
        SurenessFitError: No recording is of clean play, in which false alerts per hour are counted.
    """
    hours = clean_hours(runs)
    if not hours:
        raise SurenessFitError("no recording is of clean play; false alerts an hour are counted in it")
    findings = [one for run in runs for one in run.findings]
    curves = fit_families(findings)
    claims = calibrated(findings, curves)
    tail = fit_tail(claims, hours)
    return SurenessFit(curves=curves, tail=tail, rates=line_rates(claims, tail, hours), claims=claims)


def clean_hours(runs: Iterable[FitRun]) -> float:
    """Table-hours of the recordings without any fault."""
    return sum(run.rounds for run in runs if run.is_clean) / ROUNDS_AN_HOUR


def format_fit(runs: Sequence[FitRun], fitted: SurenessFit, date: str) -> str:
    """The text of `sureness.yaml`."""
    findings = [one for run in runs for one in run.findings]
    raw, others = [one.prediction for one in findings], calibrated_by_others(findings)
    lines = sorted(digest for run in runs for digest in run.digests)
    about = {
        "date": date,
        "recordings": len(runs),
        "rounds": sum(run.rounds for run in runs),
        "clean_table_hours": round(clean_hours(runs), 3),
        "findings": len(findings),
        "true": sum(one.prediction.is_true for one in findings),
        "calibration_error": {"weights": _error(raw), "fitted": _error(fitted.claims), "by_others": _error(others)},
        "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
    }
    tail = fitted.tail
    parts = [
        HEADING,
        "# Hash: of the sorted hashes of all files read. Errors: of weights as they are, of confidences, and of\n",
        "# those where each recording is judged by a fit to the others.\n",
        yaml.safe_dump({"fitted": about}, sort_keys=False, width=120),
        "families:" + ("\n" if fitted.curves else " {}\n"),
        *(f"  {family}: {_curve(curve)}\n" for family, curve in fitted.curves.items()),
        "# False alerts an hour of clean play, and the share of true findings told. Where none was counted:\n",
        f"# {tail.rate:.3f} an hour from {tail.from_line:g} on, fewer by the factor e each {tail.scale:.2f} logits.\n",
        "false_per_hour:\n",
        *(f"  - {_rate(each)}\n" for each in fitted.rates),
    ]
    return "".join(parts)


def draw_fit(runs: Sequence[FitRun], fitted: SurenessFit) -> str:
    """Draw the calibration curves, and the false alerts per hour by threshold, as SVG."""
    return draw_panels([_curves_panel(runs, fitted), _rates_panel(runs, fitted)])


def _take(found: dict[Hashable, Alert], belief: Belief, event: Event | None) -> None:
    judgement = belief.finish() if event is None else belief.observe(event)
    for alert in judgement.alerts:
        found[_key(alert)] = alert
    for alert in judgement.withdrawn:
        found.pop(_key(alert), None)
    if judgement.rounds:
        found.update({_key(alert): alert for alert in belief.found})


def _key(alert: Alert) -> Hashable:
    return alert.code, alert.t, alert.area, alert.hand


def _incident(alert: Alert) -> Incident:
    hand = None if alert.hand is None else str(alert.hand)
    return Incident(code=alert.code, t=alert.t, seat=alert.seat, hand=hand, confidence=alert.confidence)


def _error(claims: Sequence[Prediction]) -> dict[str, object]:
    error, interval = calibration_error(claims), calibration_interval(claims)
    return {
        "value": None if error is None else round(error, 4),
        "interval": None if interval is None else [round(end, 4) for end in interval],
    }


def _curve(curve: Curve) -> str:
    figures = f"slope: {curve.slope:.4f}, offset: {curve.offset:.4f}"
    return f"{{{figures}, findings: {curve.findings}, true: {curve.true}}}"


def _rate(each: LineRate) -> str:
    found = "null" if each.found is None else f"{each.found:.3f}"
    by = "tail" if each.is_tail else "count"
    return f"{{line: {each.line:g}, rate: {each.rate:.4f}, counted: {each.counted}, by: {by}, found: {found}}}"


def _curves_panel(runs: Sequence[FitRun], fitted: SurenessFit) -> Panel:
    shares = (0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
    x = PanelAxis(
        title="Weight of the accounts that show the fault",
        ticks=tuple((_along(share), f"{100 * share:g} %") for share in shares),
    )
    panel = Panel("How often findings were right", x, PanelAxis(title="How often they were right", ticks=share_ticks()))
    panel.line([(_along(share), share) for share in _even(0.01, 0.999)], INK, is_dashed=True)
    for curve in fitted.curves.values():
        panel.line([(_along(share), curve.confidence(share)) for share in _even(0.01, 0.999)], GREEN)
    for band in bands([one.prediction for run in runs for one in run.findings]):
        if band.share is not None and band.said is not None and band.interval is not None:
            panel.bar(_along(band.said), *band.interval, INK)
            panel.point((_along(band.said), band.share), INK)
    return panel


def _rates_panel(runs: Sequence[FitRun], fitted: SurenessFit) -> Panel:
    x_ticks = tuple((_along(line), f"{100 * line:g} %") for line in (0.05, 0.2, 0.5, 0.8, 0.95, 0.99))
    y_ticks = tuple((_height(rate), f"{rate:g}") for rate in (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0))
    hours = clean_hours(runs)
    panel = Panel(
        f"In {hours:.1f} hours of clean play",
        PanelAxis(title="Line from which findings are alerts", ticks=x_ticks),
        PanelAxis(title="False alerts in a table-hour", ticks=y_ticks),
    )
    panel.line([(_along(each.line), _height(each.rate)) for each in fitted.rates], GREEN)
    for each in fitted.rates:
        if each.counted:
            panel.point((_along(each.line), _height(each.counted / hours)), INK)
    accepted = _height(AlertPolicy().false_per_table_hour)
    panel.line([(0.0, accepted), (1.0, accepted)], RED, is_dashed=True)
    panel.text((0.02, accepted + 0.02), "what a house accepts unless it says otherwise", RED)
    return panel


def _even(low: float, high: float, n: int = 60) -> list[float]:
    """Shares between two bounds, evenly spaced in logits."""
    from_x, to_x = logit(low), logit(high)
    places = [from_x + (to_x - from_x) * i / n for i in range(n + 1)]
    return [1.0 / (1.0 + exp(-place)) for place in places]


def _along(share: float) -> float:
    """A share's position on a logit axis, 0 to 1."""
    low, high = _LOGITS
    return min(max((logit(share) - low) / (high - low), 0.0), 1.0)


def _height(rate: float) -> float:
    """A rate's position on a logarithmic axis, 0 to 1."""
    low, high = log10(_LEAST_RATE), log10(_MOST_RATE)
    return min(max((log10(max(rate, _LEAST_RATE)) - low) / (high - low), 0.0), 1.0)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path, help="folder of recordings with their truth, at any depth")
    parser.add_argument("runs", type=Path, help="what watches of them left, at the same places")
    parser.add_argument("--write", action="store_true", help="write sureness.yaml; else the text is printed")
    parser.add_argument("--drawing", type=Path, help="the SVG to draw")
    given = parser.parse_args()
    runs = list(find_runs(given.recordings, given.runs))
    fitted = fit(runs)
    text = format_fit(runs, fitted, now_utc().date().isoformat())
    if given.write:
        SURENESS.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    if given.drawing is not None:
        given.drawing.write_text(draw_fit(runs, fitted), encoding="utf-8")


if __name__ == "__main__":
    main()
