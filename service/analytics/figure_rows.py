"""Figures as flat rows, with the same names and values in JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from thirdcard.service.analytics.figures import Estimate, Figure

Value = str | int | float | bool | None
Row = dict[str, Value]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _rate(
    name: str, of: Callable[[Figure], Estimate | None]
) -> dict[str, tuple[pa.DataType, Callable[[Figure], Value]]]:
    def part(key: str) -> Callable[[Figure], Value]:
        return lambda figure: None if (estimate := of(figure)) is None else _finite(getattr(estimate, key))

    keys = {name: "per_1000", f"{name}_low": "low", f"{name}_high": "high"}
    return {column: (pa.float64(), part(key)) for column, key in keys.items()}


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else value


COLUMNS: dict[str, tuple[pa.DataType, Callable[[Figure], Value]]] = {
    "name": (pa.string(), lambda figure: figure.name),
    "rounds": (pa.int64(), lambda figure: figure.rounds),
    "watched_rounds": (pa.int64(), lambda figure: figure.watched_rounds),
    "errors": (pa.int64(), lambda figure: figure.errors),
    "confirmed_errors": (pa.int64(), lambda figure: figure.confirmed),
    "undecided_errors": (pa.int64(), lambda figure: figure.undecided),
    "alerts": (pa.int64(), lambda figure: figure.alerts),
    **_rate("per_1000", lambda figure: figure.raw),
    **_rate("shrunken_per_1000", lambda figure: figure.shrunken),
    "above_house": (pa.float64(), lambda figure: figure.above_house),
    "is_ranked": (pa.bool_(), lambda figure: figure.is_ranked),
    "decided": (pa.int64(), lambda figure: figure.decided),
    "false_alerts": (pa.int64(), lambda figure: figure.false_alerts),
    "false_share": (pa.float64(), lambda figure: figure.false_share),
    "false_share_low": (pa.float64(), lambda figure: figure.false_low),
    "false_share_high": (pa.float64(), lambda figure: figure.false_high),
    "accepted_late_bets": (pa.int64(), lambda figure: figure.accepted_late_bets),
    "overpaid_minor": (pa.float64(), lambda figure: figure.overpaid_minor),
    "underpaid_minor": (pa.float64(), lambda figure: figure.underpaid_minor),
    "unseen_s": (pa.float64(), lambda figure: figure.unseen_s),
    "rounds_per_hour": (pa.float64(), lambda figure: figure.rounds_per_hour),
}
"""The type and source of each column; docs/analytics.md explains them."""


def figure_row(figure: Figure) -> Row:
    """One figure as a row."""
    return {name: value(figure) for name, (_type, value) in COLUMNS.items()}


def format_csv(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """The rows as CSV with a header; a text that a spreadsheet would take for a formula gets a quote in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _tame(value) for name, value in row.items()})
    return out.getvalue()


def figures_csv(figures: Iterable[Figure]) -> str:
    """The figures as CSV."""
    return format_csv(map(figure_row, figures), list(COLUMNS))


def figures_parquet(figures: Iterable[Figure]) -> bytes:
    """The figures as a Parquet file's bytes."""
    schema = pa.schema([pa.field(name, kind) for name, (kind, _value) in COLUMNS.items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([figure_row(figure) for figure in figures], schema), out, compression="zstd")
    return out.getvalue()


def _tame(value: Value) -> Value:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
