"""Tables and JSON of the reliability of predictions."""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.service.evaluate.comparison import Comparison
from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR
from thirdcard.service.evaluate.reliability import (
    LineFigures,
    Prediction,
    SurenessBand,
    bands,
    calibration_error,
    calibration_interval,
    line_figures,
)
from thirdcard.service.evaluate.sheets import Sheet, percent, share_of


def reliability_sheets(whole: Comparison) -> list[Sheet]:
    """The tables for findings, rounds and thresholds that are not empty."""
    said = whole.claims
    sheets = []
    if said.findings:
        sheets.append(_bands_sheet("How often findings were true", said.findings))
        sheets.append(_lines_sheet(lines_of(whole), is_clean=bool(whole.clean.rounds)))
    if said.rounds:
        title = "How often rounds were as said"
        sheets.append(_bands_sheet(title, said.rounds, unread=said.rounds_unread))
    return sheets


def lines_of(whole: Comparison) -> list[LineFigures]:
    """The results of every threshold in these recordings."""
    return line_figures(whole.claims, whole.incidents.n_true, whole.clean.rounds, whole.rounds)


def reliability_json(whole: Comparison) -> dict[str, object]:
    """The sheet as a mapping."""
    return {
        "findings": _claims_json(whole.claims.findings),
        "rounds": {**_claims_json(whole.claims.rounds), "unread": whole.claims.rounds_unread},
        "lines": [
            {
                "line": each.line,
                "found": each.found,
                "true": each.n_true,
                "false": each.false,
                "false_per_table_hour": each.hourly.per_hour,
                "interval": each.hourly.interval,
            }
            for each in lines_of(whole)
        ],
    }


def band_name(band: SurenessBand) -> str:
    """The name of a band: `80 to 95 %`, `99.9 % and more`."""
    low = f"{100 * band.from_share:g}"
    return f"{low} % and more" if band.to_share == 1.0 else f"{low} to {100 * band.to_share:g} %"


def _claims_json(claims: Sequence[Prediction]) -> dict[str, object]:
    return {
        "calibration_error": calibration_error(claims),
        "calibration_interval": calibration_interval(claims),
        "bands": [
            {
                "from": each.from_share,
                "to": each.to_share,
                "said": len(each.claims),
                "true": each.true,
                "mean_confidence": each.said,
                "interval": each.interval,
            }
            for each in bands(claims)
        ],
    }


def _bands_sheet(title: str, claims: Sequence[Prediction], *, unread: int = 0) -> Sheet:
    rows = [_band_row(band_name(each), each) for each in bands(claims) if each.claims]
    error, interval = calibration_error(claims), calibration_interval(claims)
    rows.append(("expected calibration error", "", "", percent(error), _between(interval)))
    if unread:
        rows.append(("a card was not read: nothing said", f"{unread}", "", "", ""))
    columns = ("said to be this sure", "how many", "sure on the mean", "were true", "95 % of cases")
    return Sheet(title=title, columns=columns, rows=tuple(rows))


def _band_row(name: str, band: SurenessBand) -> tuple[str, ...]:
    said = "" if band.said is None else f"{100 * band.said:.1f} %"
    return (name, f"{len(band.claims)}", said, share_of(band.true, len(band.claims)), _between(band.interval))


def _lines_sheet(lines: Sequence[LineFigures], *, is_clean: bool) -> Sheet:
    play = "clean play" if is_clean else "this play"
    columns = (
        "alerts from", "faults found", "false alerts", f"false in a table-hour of {play} ({ROUNDS_AN_HOUR} rounds)",
        "95 % of cases",
    )  # fmt: skip
    return Sheet(title="Faults found and false alerts", columns=columns, rows=tuple(_line_row(each) for each in lines))


def _line_row(figures: LineFigures) -> tuple[str, ...]:
    rate, interval = figures.hourly.per_hour, figures.hourly.interval
    return (
        f"{100 * figures.line:g} %",
        share_of(figures.found, figures.n_true),
        f"{figures.false}",
        "" if rate is None else f"{rate:.2f}",
        "" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
    )


def _between(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"
