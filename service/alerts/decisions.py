"""How alerts were decided, by code or by table: how many were false, and how long they waited.

A false alert was dismissed because the system misread something. The false share is of the decided alerts, with
Wilson's interval at 95 % (E. B. Wilson, Probable inference, JASA 22, 1927).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import NormalDist, median

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
    """The decisions on a group of alerts."""

    name: str
    """The code or the table."""
    raised: int
    states: Mapping[str, int]
    """The number of alerts in each state now."""
    reasons: Mapping[str, int]
    """The number of dismissals for each reason."""
    taken_after_s: float | None
    """The median time in seconds until somebody acted on them; None where nobody did."""
    decided_after_s: float | None
    borne_out: BorneOut = field(default_factory=BorneOut)
    """The alerts' confidences beside people's decisions."""

    @property
    def decided(self) -> int:
        """The number that were confirmed or dismissed."""
        return sum(self.states.get(state, 0) for state in CLOSED)

    @property
    def false(self) -> int:
        """The number that were dismissed as misread."""
        return sum(count for reason, count in self.reasons.items() if reason in FALSE_ALERT_REASONS)

    @property
    def false_share(self) -> float | None:
        """The share of false alerts among the decided, 0 to 1; None where none is decided."""
        return self.false / self.decided if self.decided else None

    @property
    def false_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the false share; None where none is decided."""
        if not self.decided:
            return None
        return _wilson(self.false, self.decided)


@dataclass(frozen=True, slots=True)
class _Life:
    """One alert from when it was raised until now."""

    name: str
    state: str
    reason: str | None
    taken_after_s: float | None
    decided_after_s: float | None
    confidence: float | None
    """The confidence of a decided alert, where it was estimated; else None."""

    @property
    def is_false(self) -> bool:
        """Whether it was dismissed as misread."""
        return self.reason in FALSE_ALERT_REASONS


def tell_decisions(session: Session, person: Person, wish: AlertWish, by: Grouping) -> list[Decisions]:
    """The decisions on matching alerts that the person may see, the largest group first.

    Logs that cover the same time as another log are left out.
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
    """The confidence in an alert's body; None where it was not estimated."""
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


def _wilson(hits: int, trials: int) -> tuple[float, float]:
    """Wilson's interval of a share (E. B. Wilson, Probable inference, JASA 22, 1927); `trials` is above 0.

    Not SciPy's, whose import of all its statistics is a tenth of the service's start.
    """
    z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    centre = (hits + z * z / 2) / (trials + z * z)
    half = z / (trials + z * z) * math.sqrt(hits * (trials - hits) / trials + z * z / 4)
    return centre - half if hits else 0.0, centre + half if hits < trials else 1.0
