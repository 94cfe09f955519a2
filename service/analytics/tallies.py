"""Read the tallies of a stretch of time as column arrays, from which the figures are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, ColumnElement, Select, select, type_coerce
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import may_see
from thirdcard.service.analytics.rates import Floats
from thirdcard.service.store.columns import UtcTime
from thirdcard.service.store.people import Person
from thirdcard.service.store.tally_schema import CodeTallyRow, ErringTallyRow, TallyRow

ROUND_SUMS = ("rounds", "watched_rounds", "timed_rounds", "timed_s", "unseen_s")
CODE_SUMS = ("alerts", "false_alerts", "accepted", "overpaid_minor", "underpaid_minor")
KEYS = ("hour", "table_id", "dealer", "rulebook")
CODE_KEYS = (*KEYS, "code", "state")
FAULTS = "faults"
ERRING_KEYS, ERRING_SUMS = (*KEYS, FAULTS), ("rounds",)
DURATIONS = "durations"
CAMERA = "camera"
"""The family of alerts that a table cannot be watched; these are nobody's errors."""
ERRORS = ("misdeal", "exposed_card", "procedure", "payout")
"""The families of alerts that are dealing errors."""
LATE = "late_bet"


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyWish:
    """A filter for tallies; None matches all."""

    from_at: datetime | None = None
    to_at: datetime | None = None
    rulebook: str | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows as columns: keys as object arrays, sums as number arrays, all of equal length."""

    keys: dict[str, NDArray[np.object_]]
    sums: dict[str, Floats]

    def where(self, mask: NDArray[np.bool_]) -> Columns:
        """Only the rows where the mask is true."""
        return Columns(
            {name: column[mask] for name, column in self.keys.items()},
            {name: column[mask] for name, column in self.sums.items()},
        )

    def __len__(self) -> int:
        return len(self.keys["hour"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """The tallies that figures are computed from."""

    rounds: Columns
    alerts: Columns
    """By code and state."""
    erring: Columns
    """Rounds with alerts, by their codes and states."""

    def where(self, fits: Callable[[Columns], NDArray[np.bool_]]) -> Tallies:
        """Only the rows for which `fits` returns true."""
        rounds, alerts, erring = (part.where(fits(part)) for part in (self.rounds, self.alerts, self.erring))
        return Tallies(rounds=rounds, alerts=alerts, erring=erring)


def read_rounds(session: Session, person: Person, wish: TallyWish, *, has_durations: bool = False) -> Columns:
    """The tallies of matching rounds that the person may see.

    Args:
        session: Of the database.
        person: Who asks.
        wish: The filter.
        has_durations: Whether to read packed durations as one more key; that is several times as much data.
    """
    keys = (*KEYS, DURATIONS) if has_durations else KEYS
    return _columns(session, _fitting(TallyRow, person, wish, (*keys, *ROUND_SUMS)), keys, ROUND_SUMS)


def read_alerts(session: Session, person: Person, wish: TallyWish) -> Columns:
    """The tallies of matching alerts that the person may see."""
    query = _fitting(CodeTallyRow, person, wish, (*CODE_KEYS, *CODE_SUMS))
    return _columns(session, query, CODE_KEYS, CODE_SUMS)


def read_erring(session: Session, person: Person, wish: TallyWish) -> Columns:
    """The tallies of matching erring rounds that the person may see."""
    query = _fitting(ErringTallyRow, person, wish, (*ERRING_KEYS, *ERRING_SUMS))
    return _columns(session, query, ERRING_KEYS, ERRING_SUMS)


def list_names(session: Session, person: Person, column: str) -> list[str]:
    """Every table, dealer or rulebook in the tallies that the person may see, sorted, without empty texts."""
    names = getattr(TallyRow, column)
    query = select(names).where(*may_see(person, TallyRow.table_id)).distinct()
    return sorted(name for name in session.scalars(query) if name)


def _fitting(row: type[Any], person: Person, wish: TallyWish, columns: Sequence[str]) -> Select[Any]:
    query = select(*(_raw(row, name) for name in columns)).where(*may_see(person, row.table_id))
    conditions: list[ColumnElement[bool]] = []
    if wish.from_at is not None:
        conditions.append(row.hour >= wish.from_at)
    if wish.to_at is not None:
        conditions.append(row.hour < wish.to_at)
    if wish.rulebook is not None:
        conditions.append(row.rulebook == wish.rulebook)
    return query.where(*conditions)


def _raw(row: type[Any], name: str) -> Any:
    """A column; hours as stored, so that each distinct hour is converted only once."""
    column = getattr(row, name)
    return type_coerce(column, BigInteger) if name == "hour" else column


def _moments(hours: Iterable[int]) -> dict[int, datetime]:
    kept = UtcTime()
    found = {hour: kept.process_result_value(hour, DefaultDialect()) for hour in set(hours)}
    return {hour: at for hour, at in found.items() if at is not None}


def _columns(session: Session, query: Select[Any], keys: Sequence[str], sums: Sequence[str]) -> Columns:
    rows = session.execute(query).all()
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * (len(keys) + len(sums))
    named = dict(zip((*keys, *sums), columns, strict=True))
    moments = _moments(named["hour"])
    named["hour"] = [moments[hour] for hour in named["hour"]]
    return Columns(
        {name: np.fromiter(named[name], object, len(rows)) for name in keys},
        {name: np.array(named[name], np.float64) for name in sums},
    )
