"""Read a house's lists of dealers and rosters as CSV; a fault in one line does not affect the others."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

from thirdcard.service.dealers.register import DealerError, DealerFields
from thirdcard.service.dealers.roster import StintFields

MOST_LINES = 20_000
DELIMITERS = ",;\t"
YES, NO = frozenset({"", "yes", "true", "1", "y"}), frozenset({"no", "false", "0", "n"})
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


def read_dealers(text: str) -> ReadList[DealerFields]:
    """Parse a list of dealers: `name`, and optionally `id`, `badge` and `active` (yes or no).

    Raises:
        DealerError: The list has no column of names, an unknown one, or too many lines.
    """
    return _read(text, DEALER_COLUMNS, ("name",), _dealer)


def read_roster(text: str, zone: ZoneInfo, tables: Sequence[str] = ()) -> ReadList[StintFields]:
    """Parse lines of the roster: `table`, `from`, `to`, `dealer`; an empty dealer is a break.

    Args:
        text: The list.
        zone: The time zone of times without an offset.
        tables: The known tables; empty where unknown.

    Raises:
        DealerError: A column is missing or unknown, or there are too many lines.
    """
    return _read(text, ROSTER_COLUMNS, ROSTER_COLUMNS, lambda fields: _stint(fields, zone, tables))


def _read(
    text: str, columns: Sequence[str], needed: Sequence[str], parse: Callable[[Mapping[str, str]], Entry]
) -> ReadList[Entry]:
    lines: list[Line[Entry]] = []
    faults: list[LineFault] = []
    for number, fields in _rows(text, columns, needed):
        try:
            lines.append(Line(number, parse(fields)))
        except DealerError as error:
            faults.append(LineFault(line=number, field=error.field, message=str(error)))
    return ReadList(lines=lines, faults=faults)


def _rows(text: str, columns: Sequence[str], needed: Sequence[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    plain = text.removeprefix("\ufeff")
    head = plain.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(plain, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
        unknown = [name for name in names if name not in columns]
        if unknown or len(set(names)) < len(names):
            odd = unknown[0] if unknown else "a column stands twice"
            raise DealerError("columns", f"line 1: {odd or '(empty)'}; allowed columns: {', '.join(columns)}")
        missing = [name for name in needed if name not in names]
        if missing:
            raise DealerError("columns", f"line 1: no column {missing[0]}; needed: {', '.join(needed)}")
        for count, row in enumerate(reader):
            if count >= MOST_LINES:
                raise DealerError("lines", f"more than {MOST_LINES} lines; import it in parts")
            if any(cell.strip() for cell in row):
                yield reader.line_num, dict(zip(names, (cell.strip() for cell in row), strict=False))
    except csv.Error as error:
        raise DealerError("lines", f"line {reader.line_num}: no CSV: {error}") from error


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


def _stint(fields: Mapping[str, str], zone: ZoneInfo, tables: Sequence[str]) -> StintFields:
    table = fields.get("table", "")
    if not table or (tables and table not in tables):
        raise DealerError("table", f"table = {table or '(empty)'}; allowed: {', '.join(tables) or 'a name'}")
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
        at = datetime.fromisoformat(text)
    except ValueError:
        raise DealerError(field, f"{field} = {text or '(empty)'}; such as 2026-11-26 20:00") from None
    if at.tzinfo is not None:
        return at.astimezone(UTC)
    local = at.replace(tzinfo=zone)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != at:
        raise DealerError(field, f"{field} = {text}; that hour did not exist: clocks were set forward")
    return local.astimezone(UTC)
