"""Read what is summed for one hour of a table: rounds with their log lines, and alerts with their decisions.

Rounds, and the alerts in them, count in the hour in which the round closed. Alerts without such a round count in the
hour of the first one, so that no fault is lost. Unseen time counts in the hour in which it passed. A log or round that
covers the same time as another does not count, nor do its alerts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.alerts.reasons import FALSE_ALERT_REASONS
from thirdcard.service.analytics.hour_sums import NOBODY, AlertSum, ErringRound, Fault, RoundSum, Who
from thirdcard.service.analytics.round_facts import Line, TalliedRound, facts_of
from thirdcard.service.analytics.settlement import difference_of, is_accepted
from thirdcard.service.store.alert_states import SAVED_BY_HAND
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.schema import AlertChange, AlertRow, ChainLine, LogRow, RoundRow
from thirdcard.service.store.touched import HOUR, hour_of

Key = tuple[int, int]
"""A log and the number of a round in it."""


@dataclass(slots=True)
class HourReading:
    """The data of one hour of a table."""

    session: Session
    table: str
    hour: datetime
    are_names_kept: bool
    """Whether dealers' names of that time may still be stored."""
    earlier: set[datetime] = field(default_factory=set)
    """Earlier hours with a part of a stretch that ends here and could not be watched."""
    _logs: dict[int, LogRow] = field(default_factory=dict)
    _by_round: dict[Key, list[AlertRow]] | None = None

    def rounds(self) -> Iterator[RoundSum]:
        """The contribution of each round, and of the first round after the hour for the unseen time before it."""
        rows = self._rounds_here()
        befores = self._befores(rows)
        lines = self._lines(rows)
        ends_unseen = False
        for row in rows:
            before = befores.get((row.log_id, row.number))
            record = json.loads(row.body)
            opened, closed = record["opened"], record["closed"] if record["closed"] is not None else record["opened"]
            before_t = None if before is None else self._t(before, row.log_id)
            facts = facts_of(lines(row), opened, closed, before=before_t, begins_unseen=ends_unseen)
            ends_unseen = facts.ends_unseen
            yield self._round_sum(row, facts)

    def alerts(self) -> Iterator[AlertSum]:
        """The contribution of each alert."""
        groups = self._alerts_by_round()
        reasons = self._dismissals([row for rows in groups.values() for row in rows])
        rounds = self._round_rows(groups)
        for key, rows in groups.items():
            closed = rounds.get(key)
            record, who = None if closed is None else json.loads(closed.body), self._who_erred(rows, closed)
            for row in rows:
                alert = json.loads(row.body)
                difference = difference_of(alert, record)
                yield AlertSum(
                    who=self._who(row) if row.dealer else who,
                    code=row.code,
                    state=row.state,
                    is_false=reasons.get(row.id) in FALSE_ALERT_REASONS,
                    is_accepted=is_accepted(alert, record),
                    overpaid_minor=difference.overpaid_minor,
                    underpaid_minor=difference.underpaid_minor,
                )

    def erring(self) -> Iterator[ErringRound]:
        """The rounds with alerts."""
        groups = self._alerts_by_round()
        rounds = self._round_rows(groups)
        for key, rows in groups.items():
            faults = frozenset(Fault(row.code, row.state) for row in rows)
            yield ErringRound(who=self._who_erred(rows, rounds.get(key)), faults=faults)

    def _who_erred(self, alerts: Sequence[AlertRow], closed: RoundRow | None) -> Who:
        """The dealer at the first alert with a known dealer, else at the round's close."""
        rows = (*alerts, *(() if closed is None else (closed,)))
        return self._who(next((row for row in rows if row.dealer), rows[0]))

    def _alerts_by_round(self) -> dict[Key, list[AlertRow]]:
        """The alerts of each round that counts in this hour, in order of time."""
        if self._by_round is None:
            found: dict[Key, list[AlertRow]] = {}
            for row in self._counted(self._alerts_around()):
                found.setdefault((row.log_id, row.round), []).append(row)
            rounds = self._round_rows(found)
            for rows in found.values():
                rows.sort(key=lambda row: (row.at, row.id))
            moments = {key: rounds[key].closed_at if key in rounds else rows[0].at for key, rows in found.items()}
            self._by_round = {key: rows for key, rows in found.items() if hour_of(moments[key]) == self.hour}
        return self._by_round

    def _alerts_around(self) -> list[AlertRow]:
        """All alerts of the rounds that closed in this hour, and of those with an alert in it."""
        within = (AlertRow.table_id == self.table, AlertRow.at >= self.hour, AlertRow.at < self.hour + HOUR)
        alerts = select(AlertRow.log_id, AlertRow.round).where(*within)
        rounds = select(RoundRow.log_id, RoundRow.number).where(
            RoundRow.table_id == self.table, RoundRow.closed_at >= self.hour, RoundRow.closed_at < self.hour + HOUR
        )
        keys = {(log, number) for wanted in (alerts, rounds) for log, number in self.session.execute(wanted)}
        found: list[AlertRow] = []
        for log_id, numbers in _by_log(keys).items():
            wanted = (
                select(AlertRow)
                .where(AlertRow.log_id == log_id, AlertRow.round >= min(numbers), AlertRow.round <= max(numbers))
                .where(AlertRow.code != SAVED_BY_HAND)
            )
            found += [row for row in self.session.scalars(wanted.order_by(AlertRow.id)) if row.round in numbers]
        return found

    def _counted(self, rows: Sequence[AlertRow]) -> list[AlertRow]:
        """The alerts in logs and rounds that count."""
        rounds = self._round_rows({(row.log_id, row.round) for row in rows})
        left_out = {key for key, row in rounds.items() if not row.is_counted}
        return [row for row in rows if self._log(row.log_id).is_counted and (row.log_id, row.round) not in left_out]

    def _round_rows(self, keys: Iterable[Key]) -> dict[Key, RoundRow]:
        found: dict[Key, RoundRow] = {}
        for log_id, numbers in _by_log(keys).items():
            wanted = select(RoundRow).where(RoundRow.log_id == log_id, RoundRow.number.in_(numbers))
            found |= {(log_id, row.number): row for row in self.session.scalars(wanted)}
        return found

    def _rounds_here(self) -> list[RoundRow]:
        of_table = select(RoundRow).join(LogRow).where(RoundRow.table_id == self.table)
        of_table = of_table.where(LogRow.is_counted, RoundRow.is_counted)
        order = (RoundRow.closed_at, RoundRow.id)
        end = self.hour + HOUR
        here = of_table.where(RoundRow.closed_at >= self.hour, RoundRow.closed_at < end).order_by(*order)
        after = of_table.where(RoundRow.closed_at >= end).order_by(*order).limit(1)
        return [*self.session.scalars(here), *self.session.scalars(after)]

    def _befores(self, rows: Sequence[RoundRow]) -> Mapping[Key, datetime]:
        """By round, the time when the previous round of the same log closed."""
        known = {(row.log_id, row.number + 1): row.closed_at for row in rows}
        for row in rows:
            if (row.log_id, row.number) not in known and row.number > 1:
                wanted = select(RoundRow.closed_at).where(
                    RoundRow.log_id == row.log_id, RoundRow.number == row.number - 1
                )
                found = self.session.scalar(wanted.limit(1))
                known |= {} if found is None else {(row.log_id, row.number): found}
        return known

    def _lines(self, rows: Sequence[RoundRow]) -> Any:
        """A function from a round to its log lines; all lines are read at once."""
        if not rows:
            return None
        found: dict[int, Line] = {}
        for log in {row.log_id for row in rows}:
            of_log = [row for row in rows if row.log_id == log]
            first, last = min(row.first_line for row in of_log), max(row.last_line for row in of_log)
            wanted = select(ChainLine.seq, ChainLine.body).where(ChainLine.chain == chain_of_log(self._log(log)))
            wanted = wanted.where(ChainLine.seq >= first, ChainLine.seq <= last)
            found |= {seq: json.loads(body) for seq, body in self.session.execute(wanted)}
        return lambda row: [found[seq] for seq in range(row.first_line, row.last_line + 1) if seq in found]

    def _round_sum(self, row: RoundRow, facts: TalliedRound) -> RoundSum:
        began, end = self._log(row.log_id).began_at, self.hour + HOUR
        unseen = [(began + timedelta(seconds=a), began + timedelta(seconds=b)) for a, b in facts.unseen]
        is_here = row.closed_at < end
        if is_here:
            self.earlier |= {hour for stretch in unseen for hour in hours_before(stretch[0], self.hour)}
        within = sum(max((min(to_at, end) - max(from_at, self.hour)).total_seconds(), 0.0) for from_at, to_at in unseen)
        return RoundSum(
            who=self._who(row),
            is_closed_here=is_here,
            is_watched=facts.is_watched,
            phases_s=facts.phases_s,
            unseen_s=within,
        )

    def _who(self, row: RoundRow | AlertRow) -> Who:
        rules = json.loads(self._log(row.log_id).rules)
        return Who((row.dealer or NOBODY) if self.are_names_kept else NOBODY, str(rules.get("rulebook", "")))

    def _log(self, log_id: int) -> LogRow:
        if log_id not in self._logs:
            self._logs[log_id] = self.session.get_one(LogRow, log_id)
        return self._logs[log_id]

    def _t(self, at: datetime, log_id: int) -> float:
        return (at - self._log(log_id).began_at).total_seconds()

    def _dismissals(self, rows: Sequence[AlertRow]) -> Mapping[int, str | None]:
        dismissed = [row.id for row in rows if row.state == "dismissed"]
        wanted = select(AlertChange.alert_id, AlertChange.reason).where(
            AlertChange.alert_id.in_(dismissed), AlertChange.after == "dismissed"
        )
        return {row.alert_id: row.reason for row in self.session.execute(wanted.order_by(AlertChange.id))}


def _by_log(keys: Iterable[Key]) -> dict[int, set[int]]:
    """The round numbers by log."""
    found: dict[int, set[int]] = {}
    for log_id, number in keys:
        found.setdefault(log_id, set()).add(number)
    return found


def hours_before(begin: datetime, hour: datetime) -> Iterator[datetime]:
    """The hours before `hour`, back to the one that contains `begin`."""
    while begin < hour:
        hour -= HOUR
        yield hour
