"""Find storms: many open alerts of one kind at one table, close together, which people handle better as one group.

A storm has a single code, so camera alerts neither form a storm with dealing faults nor hide them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from sqlalchemy import case, select
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alerts import AlertWish, conditions, may_see
from thirdcard.service.alerts.views import AlertView, alert_views
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow

LEAST = 4
"""The number of alerts that makes a storm."""
GAP = timedelta(minutes=3)
"""The longest gap between two alerts of a storm."""
SPAN = timedelta(minutes=10)
"""The longest time from a storm's first alert to its last; a later alert starts anew."""
CAMERA = "camera"
"""The prefix of camera codes."""
MOST_LOOKED_AT = 5000
MOST_SHOWN = 200
_BY_WEIGHT = tuple(Severity)


class Raised(Protocol):
    """The facts of an alert that are needed to find storms."""

    @property
    def at(self) -> datetime:
        """When it was raised."""


AnAlert = TypeVar("AnAlert", bound=Raised)


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """Alerts of one kind at one table that nobody has taken, newest first."""

    table_id: str
    code: str
    ids: Sequence[int]
    severities: Sequence[str]
    first_at: datetime
    """When the first was raised."""
    last_at: datetime
    shown: Sequence[AlertView] = ()
    """The most severe first; among equals the newest."""

    @property
    def worst(self) -> Severity:
        """The severity of its most severe alert."""
        return max(map(Severity, self.severities), key=_BY_WEIGHT.index)

    @property
    def lasted_s(self) -> float:
        """Seconds from its first alert to its last."""
        return (self.last_at - self.first_at).total_seconds()


def stretches(alerts: Iterable[AnAlert]) -> list[list[AnAlert]]:
    """Split alerts into groups, at each gap longer than `GAP` and where a group would last longer than `SPAN`.

    Args:
        alerts: Of one kind, the oldest first.
    """
    found: list[list[AnAlert]] = []
    for alert in alerts:
        if found and alert.at - found[-1][-1].at <= GAP and alert.at - found[-1][0].at <= SPAN:
            found[-1].append(alert)
        else:
            found.append([alert])
    return found


def is_told_alone(code: str, severity: Severity) -> bool:
    """Whether every alert of that kind is sent even in a storm: true for severe dealing faults."""
    is_grave = _BY_WEIGHT.index(severity) >= _BY_WEIGHT.index(Severity.HIGH)
    return is_grave and not code.startswith(f"{CAMERA}.")


def is_worth_saying(count: int) -> bool:
    """Whether a storm of this size is announced: at its start, and each time its size has doubled."""
    times, rest = divmod(count, LEAST)
    return rest == 0 and times > 0 and times & (times - 1) == 0


def find_storms(session: Session, person: Person, wish: AlertWish) -> list[Storm]:
    """The storms among the matching open alerts that the person may see."""
    columns = (AlertRow.id, AlertRow.table_id, AlertRow.severity, AlertRow.code, AlertRow.noticed_at)
    is_open = AlertRow.state == AlertState.OPEN
    query = select(*columns).where(is_open, *conditions(wish), *may_see(person, AlertRow.table_id))
    by_kind: dict[tuple[str, str], list[_Member]] = {}
    for number, table, severity, code, at in session.execute(query.order_by(AlertRow.id.desc()).limit(MOST_LOOKED_AT)):
        by_kind.setdefault((table, code), []).append(_Member(number, severity, at))
    return [
        _storm(table, code, some[::-1])
        for (table, code), members in by_kind.items()
        for some in stretches(members[::-1])
        if len(some) >= LEAST
    ]


def with_shown(session: Session, storm: Storm) -> Storm:
    """The storm with its most severe alerts for display."""
    weight = case({str(severity): n for n, severity in enumerate(_BY_WEIGHT)}, value=AlertRow.severity)
    order = (weight.desc(), AlertRow.id.desc())
    rows = session.scalars(select(AlertRow).where(AlertRow.id.in_(storm.ids)).order_by(*order).limit(MOST_SHOWN)).all()
    return replace(storm, shown=alert_views(session, rows))


@dataclass(frozen=True, slots=True)
class _Member:
    id: int
    severity: str
    at: datetime


def _storm(table: str, code: str, members: Sequence[_Member]) -> Storm:
    """The storm of these members, which come newest first."""
    moments = [member.at for member in members]
    return Storm(
        table_id=table,
        code=code,
        ids=[member.id for member in members],
        severities=[member.severity for member in members],
        first_at=min(moments),
        last_at=max(moments),
    )
