"""Read a house's lists of dealers and rosters as CSV; a fault in one line does not affect the others."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

from thirdcard.service.dealers.register import DealerError, DealerFields
from thirdcard.service.dealers.roster import StintFields

MOST_LINES = 20_000
DELIMITERS = ",;\t"
YES, NO = frozenset({"", "yes", "true", "1", "y", "active"}), frozenset({"no", "false", "0", "n", "inactive"})
SEPARATOR = re.compile(r"sep=.\s*", re.IGNORECASE)
"""A first line by which spreadsheets name the delimiter."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
YEARS = range(2000, 2100)
MOST_UNREADABLE = 100
"""Lines that are no CSV in a list that is read all the same: each is a mistake by itself."""
UNREADABLE = "\ufffd"
"""Stands where a letter could not be decoded."""
DEALER_COLUMNS, ROSTER_COLUMNS = ("name", "id", "badge", "active"), ("table", "from", "to", "dealer")
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFault:
    """The fault of a line."""

    line: int
    """The line's number, from 1, as in an editor."""
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Line(Generic[Entry]):
    """A valid line."""

    number: int
    entry: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadList(Generic[Entry]):
    """The valid and the faulty lines of a list."""

    lines: Sequence[Line[Entry]]
    faults: Sequence[LineFault]
    columns: Sequence[str] = ()
    """The columns that the list has."""


def read_dealers(text: str) -> ReadList[DealerFields]:
    """Parse a list of dealers: `name`, and optionally `id`, `badge` and `active` (yes or no).

    Raises:
        DealerError: The list has no column of names, an unknown one, or too many lines.
    """
    return _read(text, DEALER_COLUMNS, ("name",), _dealer)


def read_roster(text: str, zone: ZoneInfo, tables: Sequence[str] | None = None) -> ReadList[StintFields]:
    """Parse lines of the roster: `table`, `from`, `to`, `dealer`; an empty dealer is a break.

    Args:
        text: The list.
        zone: The time zone of times without an offset.
        tables: The tables that may be named; None: any.

    Raises:
        DealerError: A column is missing or unknown, or there are too many lines.
    """
    return _read(text, ROSTER_COLUMNS, ROSTER_COLUMNS, lambda fields: _stint(fields, zone, tables))


def _read(
    text: str, columns: Sequence[str], needed: Sequence[str], parse: Callable[[Mapping[str, str]], Entry]
) -> ReadList[Entry]:
    if "\0" in text:
        raise DealerError("lines", "the list is no text in UTF-8; save it as CSV in UTF-8")
    sheet = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    first = next((i for i, line in enumerate(sheet) if line.strip() and not SEPARATOR.fullmatch(line)), 0)
    delimiter = max(DELIMITERS, key=sheet[first].count) if sheet else DELIMITERS[0]
    names: list[str] = []
    lines: list[Line[Entry]] = []
    faults: list[LineFault] = []
    for number, row in _rows(sheet, first, delimiter):
        try:
            cells = _cells(row)
            if not names:
                names = _names(number, cells, columns, needed)
            elif any(cells):
                lines.append(Line(number, parse(_fields(names, cells, needed))))
        except DealerError as error:
            if not names:
                raise
            faults.append(LineFault(line=number, field=error.field, message=str(error)))
        if len(lines) + len(faults) > MOST_LINES:
            raise DealerError("lines", f"more than {MOST_LINES} lines; import it in parts")
    if not names:
        raise DealerError("columns", f"line 1: no column {needed[0]}; needed: {', '.join(needed)}")
    return ReadList(lines=lines, faults=faults, columns=names)


def _rows(sheet: Sequence[str], first: int, delimiter: str) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """The rows with the number of their first line; one that is no CSV costs its first line alone.

    Raises:
        DealerError: Too many are none.
    """
    for _ in range(MOST_UNREADABLE):
        reader = csv.reader(sheet[first:], delimiter=delimiter, strict=True)
        begin = 0
        try:
            for row in reader:
                yield first + begin + 1, row
                begin = reader.line_num
            return
        except csv.Error as error:
            yield first + begin + 1, error
            first += begin + 1
    raise DealerError("lines", f"{MOST_UNREADABLE} lines are no CSV; is a quote missing in the first of them?")


def _cells(row: list[str] | csv.Error) -> list[str]:
    if isinstance(row, csv.Error):
        raise DealerError("line", f"no CSV: {row}")
    cells = [cell.strip() for cell in row]
    odd = next((cell for cell in cells if UNREADABLE in cell), None)
    if odd is not None:
        raise DealerError("line", f"{odd}: a letter is not in UTF-8; save the list as CSV in UTF-8")
    return cells


def _names(number: int, cells: list[str], columns: Sequence[str], needed: Sequence[str]) -> list[str]:
    """The columns of a list, without empty ones at its right edge."""
    names = [cell.lower() for cell in cells]
    while names and not names[-1]:
        names.pop()
    unknown = [name for name in names if name not in columns]
    if unknown or len(set(names)) < len(names):
        odd = unknown[0] if unknown else "a column stands twice"
        raise DealerError("columns", f"line {number}: {odd or '(empty)'}; allowed columns: {', '.join(columns)}")
    missing = [name for name in needed if name not in names]
    if missing:
        raise DealerError("columns", f"line {number}: no column {missing[0]}; needed: {', '.join(needed)}")
    return names


def _fields(names: Sequence[str], cells: Sequence[str], needed: Sequence[str]) -> Mapping[str, str]:
    surplus = [cell for cell in cells[len(names) :] if cell]
    if surplus:
        raise DealerError("line", f"{surplus[0]}: more cells than columns; put a text with a comma in quotes")
    absent = [name for name in names[len(cells) :] if name in needed]
    if absent:
        raise DealerError(absent[0], f"{absent[0]}: the line ends before it; an empty cell needs its comma too")
    return dict(zip(names, cells, strict=False))


def _dealer(fields: Mapping[str, str]) -> DealerFields:
    is_active = fields.get("active", "").lower()
    if is_active not in YES | NO:
        raise DealerError("active", f"active = {is_active}; yes or no")
    if not fields.get("name"):
        raise DealerError("name", "name: a text that is not empty")
    return DealerFields(
        name=fields["name"],
        staff_id=fields.get("id") or None,
        badge=fields.get("badge") or None,
        is_active=is_active in YES,
    )


def _stint(fields: Mapping[str, str], zone: ZoneInfo, tables: Sequence[str] | None) -> StintFields:
    table = fields.get("table", "")
    if not table or (tables is not None and table not in tables):
        allowed = "a name" if tables is None else ", ".join(tables) or "none"
        raise DealerError("table", f"table = {table or '(empty)'}; allowed: {allowed}")
    return StintFields(
        table_id=table,
        from_at=read_moment("from", fields.get("from", ""), zone),
        to_at=read_moment("to", fields.get("to", ""), zone),
        dealer=fields.get("dealer") or None,
    )


def read_moment(field: str, text: str, zone: ZoneInfo) -> datetime:
    """A time as people write it: with an offset, or by the house's clock, where an hour that occurs twice means the
    first.

    Raises:
        DealerError: It is no time, or one that the clock skipped.
    """
    try:
        at = datetime.fromisoformat(text) if MOMENT.fullmatch(text) else None
    except ValueError:
        at = None
    if at is None:
        raise DealerError(field, f"{field} = {text or '(empty)'}; date and time, such as 2026-11-26 20:00")
    if at.year not in YEARS:
        raise DealerError(field, f"{field} = {text}; a year from {YEARS[0]} to {YEARS[-1]}")
    if at.tzinfo is not None:
        return at.astimezone(UTC)
    local = at.replace(tzinfo=zone)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != at:
        raise DealerError(field, f"{field} = {text}; that hour did not exist: clocks were set forward")
    return local.astimezone(UTC)
