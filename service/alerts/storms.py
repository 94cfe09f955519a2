"""Find storms: many open alerts of one table that came in quick succession, which people take in better as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alerts import AlertWish, conditions, may_see
from thirdcard.service.alerts.lifecycle import IllegalMoveError, Step, take_step
from thirdcard.service.alerts.views import AlertView, alert_views
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertRow

LEAST = 4
"""So many alerts make a storm."""
GAP = timedelta(minutes=3)
"""So long after the one before an alert is still of the same storm."""
MOST_LOOKED_AT = 5000
MOST_SHOWN = 200
_BY_WEIGHT = tuple(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """Alerts of one table that nobody has taken, the newest first."""

    table_id: str
    ids: Sequence[int]
    severities: Sequence[str]
    codes: Mapping[str, int]
    """How many of each."""
    first_at: datetime
    """When the first was raised."""
    last_at: datetime
    shown: Sequence[AlertView] = ()
    """The newest of them."""

    @property
    def worst(self) -> Severity:
        """The severity of its worst alert."""
        return max(map(Severity, self.severities), key=_BY_WEIGHT.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of the wish to take some alerts."""

    taken: Sequence[int]
    left: Mapping[int, str]
    """Those that could not be taken, and why."""


def find_storms(session: Session, person: Person, wish: AlertWish) -> list[Storm]:
    """The storms among the open alerts that fit and that the person may see."""
    columns = (AlertRow.id, AlertRow.table_id, AlertRow.severity, AlertRow.code, AlertRow.noticed_at)
    is_open = AlertRow.state == AlertState.OPEN
    query = select(*columns).where(is_open, *conditions(wish), *may_see(person, AlertRow.table_id))
    by_table: dict[str, list[_Member]] = {}
    for number, table, severity, code, at in session.execute(query.order_by(AlertRow.id.desc()).limit(MOST_LOOKED_AT)):
        by_table.setdefault(table, []).append(_Member(number, severity, code, at))
    return [_storm(table, some) for table, members in by_table.items() for some in _chains(members)]


def with_shown(session: Session, storm: Storm) -> Storm:
    """A storm with its newest alerts as they are shown."""
    rows = session.scalars(
        select(AlertRow).where(AlertRow.id.in_(storm.ids[:MOST_SHOWN])).order_by(AlertRow.id.desc())
    ).all()
    return Storm(
        table_id=storm.table_id,
        ids=storm.ids,
        severities=storm.severities,
        codes=storm.codes,
        first_at=storm.first_at,
        last_at=storm.last_at,
        shown=alert_views(session, rows),
    )


def take_all(session: Session, person: Person, alert_ids: Iterable[int], *, now: datetime) -> Taken:
    """Take several alerts in one act; each has its own line in its history.

    One that is not there or that somebody else has is left, and does not keep the others from being taken.
    """
    taken: list[int] = []
    left: dict[int, str] = {}
    for number in dict.fromkeys(alert_ids):
        try:
            row = take_step(session, person, number, Step(state=AlertState.ACKNOWLEDGED), now=now)
        except IllegalMoveError as error:
            left[number] = str(error)
            continue
        if row is None:
            left[number] = "there is no such alert"
        else:
            taken.append(number)
    return Taken(taken=taken, left=left)


@dataclass(frozen=True, slots=True)
class _Member:
    id: int
    severity: str
    code: str
    at: datetime


def _chains(members: Sequence[_Member]) -> list[list[_Member]]:
    """The stretches without a longer gap that are long enough; `members` have the newest first."""
    chains: list[list[_Member]] = []
    for member in members:
        if chains and chains[-1][-1].at - member.at <= GAP:
            chains[-1].append(member)
        else:
            chains.append([member])
    return [some for some in chains if len(some) >= LEAST]


def _storm(table: str, members: Sequence[_Member]) -> Storm:
    return Storm(
        table_id=table,
        ids=[member.id for member in members],
        severities=[member.severity for member in members],
        codes=Counter(member.code for member in members),
        first_at=members[-1].at,
        last_at=members[0].at,
    )
