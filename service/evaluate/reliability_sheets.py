"""Tables and JSON of the reliability of predictions."""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR
from thirdcard.service.evaluate.reliability import (
    LineFigures,
    PredictedPlay,
    Prediction,
    SurenessBand,
    bands,
    calibration_error,
    calibration_interval,
    line_figures,
)
from thirdcard.service.evaluate.sheets import Sheet, percent, share_of


def reliability_sheets(play: PredictedPlay) -> list[Sheet]:
    """The tables for findings, rounds and thresholds that are not empty."""
    said = play.predictions
    sheets = []
    if said.findings:
        sheets.append(_bands_sheet("How often findings were true", said.findings))
        sheets.append(_lines_sheet(line_figures(play), is_clean=bool(play.clean_rounds)))
    if said.rounds:
        title = "How often rounds were as said"
        sheets.append(_bands_sheet(title, said.rounds, unread=said.rounds_unread))
    return sheets


def reliability_json(play: PredictedPlay) -> dict[str, object]:
    """The sheets, and the predictions themselves, as a mapping."""
    said = play.predictions
    return {
        "findings": _claims_json(said.findings),
        "rounds": {**_claims_json(said.rounds), "unread": said.rounds_unread},
        "lines": [
            {
                "line": each.line,
                "found": each.found,
                "true": each.n_true,
                "false": each.false,
                "false_per_table_hour": each.hourly.per_hour,
                "interval": each.hourly.interval,
            }
            for each in line_figures(play)
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
        "predictions": [
            {"confidence": each.confidence, "true": each.is_true} | ({} if each.code is None else {"code": each.code})
            for each in claims
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
