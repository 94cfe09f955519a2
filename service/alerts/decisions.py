"""How alerts were decided, by code and by table: how many were false, and how long they waited.

A false alert is one that was dismissed because the system had misread what it saw. The share of false ones is of the
decided alerts; its interval is Wilson's at 95 % (E. B. Wilson, Probable inference, JASA 22, 1927).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import median

from scipy.stats import binomtest
from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.alerts import AlertWish, conditions, may_see
from thirdcard.service.alerts.borne_out import BorneOut
from thirdcard.service.alerts.reasons import FALSE_ALERT_REASONS, OTHER
from thirdcard.service.store.alert_states import CLOSED, SAVED_BY_HAND, AlertState
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import AlertChange, AlertRow, LogRow

LEVEL = 0.95


class Grouping(StrEnum):
    """What figures are grouped by."""

    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """What became of some alerts."""

    name: str
    """The code or the table."""
    raised: int
    states: Mapping[str, int]
    """How many stand in each state now."""
    reasons: Mapping[str, int]
    """Why some were dismissed."""
    taken_after_s: float | None
    """The median of the seconds until somebody did something about them; None where nobody did."""
    decided_after_s: float | None
    borne_out: BorneOut = field(default_factory=BorneOut)
    """What people decided beside how sure the alerts were."""

    @property
    def decided(self) -> int:
        """How many were confirmed or dismissed."""
        return sum(self.states.get(state, 0) for state in CLOSED)

    @property
    def false(self) -> int:
        """How many were dismissed as misread."""
        return sum(count for reason, count in self.reasons.items() if reason in FALSE_ALERT_REASONS)

    @property
    def false_share(self) -> float | None:
        """Of the decided ones; None where none is."""
        return self.false / self.decided if self.decided else None

    @property
    def false_interval(self) -> tuple[float, float] | None:
        """Where the true share lies in 95 of 100 cases."""
        if not self.decided:
            return None
        found = binomtest(self.false, self.decided).proportion_ci(LEVEL, method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True, slots=True)
class _Life:
    """One alert from its raising to now."""

    name: str
    state: str
    reason: str | None
    taken_after_s: float | None
    decided_after_s: float | None
    confidence: float | None
    """Of one that is decided, where somebody estimated it."""

    @property
    def is_false(self) -> bool:
        """Whether it was dismissed as misread."""
        return self.reason in FALSE_ALERT_REASONS


def tell_decisions(session: Session, person: Person, wish: AlertWish, by: Grouping) -> list[Decisions]:
    """The figures of the alerts that fit and that the person may see, those with most alerts first.

    Logs that cover again a time which another log reports are left out.
    """
    lives: dict[str, list[_Life]] = {}
    for life in _lives(session, person, wish, by):
        lives.setdefault(life.name, []).append(life)
    found = [_decisions(name, some) for name, some in lives.items()]
    return sorted(found, key=lambda one: (-one.raised, one.name))


def _lives(session: Session, person: Person, wish: AlertWish, by: Grouping) -> Iterable[_Life]:
    fits = (LogRow.is_counted, AlertRow.code != SAVED_BY_HAND, *conditions(wish), *may_see(person, AlertRow.table_id))
    name = AlertRow.code if by is Grouping.CODE else AlertRow.table_id
    columns = (AlertRow.id, name, AlertRow.state, AlertRow.noticed_at)
    rows = session.execute(select(*columns).join(LogRow, LogRow.id == AlertRow.log_id).where(*fits)).all()
    of_decided = select(AlertRow.id, AlertRow.body).join(LogRow, LogRow.id == AlertRow.log_id)
    bodies = session.execute(of_decided.where(*fits, AlertRow.state.in_([str(state) for state in CLOSED])))
    confidences = {number: _estimated(body) for number, body in bodies}
    steps = (
        select(AlertChange.alert_id, AlertChange.at, AlertChange.after, AlertChange.reason)
        .join(AlertRow, AlertRow.id == AlertChange.alert_id)
        .join(LogRow, LogRow.id == AlertRow.log_id)
        .where(*fits)
        .order_by(AlertChange.id)
    )
    changes: dict[int, list[tuple[datetime, str, str | None]]] = {}
    for number, at, after, reason in session.execute(steps):
        changes.setdefault(number, []).append((at, after, reason))
    for number, group, state, raised_at in rows:
        yield _life(group, state, raised_at, changes.get(number, []), confidences.get(number))


def _estimated(body: str) -> float | None:
    """The confidence in an alert's body; None where nobody estimated it."""
    confidence = json.loads(body).get("confidence")
    return confidence if isinstance(confidence, float) and confidence < 1.0 else None


def _life(
    name: str,
    state: str,
    raised_at: datetime,
    changes: Sequence[tuple[datetime, str, str | None]],
    confidence: float | None,
) -> _Life:
    closings = [(at, after, reason) for at, after, reason in changes if after in CLOSED]
    ended = closings[-1] if closings and AlertState(state) in CLOSED else None
    is_dismissed = ended is not None and ended[1] == AlertState.DISMISSED
    return _Life(
        name=name,
        state=state,
        reason=(ended[2] or OTHER) if ended is not None and is_dismissed else None,
        taken_after_s=(changes[0][0] - raised_at).total_seconds() if changes else None,
        decided_after_s=None if ended is None else (ended[0] - raised_at).total_seconds(),
        confidence=None if ended is None else confidence,
    )


def _decisions(name: str, lives: Sequence[_Life]) -> Decisions:
    confidences = tuple(sure for life in lives if (sure := life.confidence) is not None)
    false = sum(life.is_false for life in lives if life.confidence is not None)
    return Decisions(
        name=name,
        raised=len(lives),
        states=Counter(life.state for life in lives),
        reasons=Counter(life.reason for life in lives if life.reason is not None),
        taken_after_s=_median(life.taken_after_s for life in lives),
        decided_after_s=_median(life.decided_after_s for life in lives),
        borne_out=BorneOut(confidences, false),
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
