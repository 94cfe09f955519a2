"""Read the rows for the data export in batches, as plain values by column.

A time range contains the rounds that closed, the alerts that happened and the hours that began in it. Decisions are
exported with their alerts; cards, wagers and events with their rounds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from thirdcard.service.config.house import House
from thirdcard.service.export.shapes import SHAPES
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.schema import AlertChange, AlertRow, LogRow, RoundRow
from thirdcard.service.store.tally_schema import CodeTallyRow, ErringTallyRow, TallyRow

PART = 2000
"""Database rows in one batch."""

_TALLIES: dict[str, Any] = {"tallies": TallyRow, "code_tallies": CodeTallyRow, "erring_tallies": ErringTallyRow}
Row = dict[str, Any]
Rows = dict[str, list[Row]]
"""Rows by file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportWish:
    """What to export; None: from the beginning, to the end."""

    from_at: datetime | None = None
    to_at: datetime | None = None
    are_names_shown: bool = False
    """Whether dealers' names are written; otherwise their pseudonyms."""
    names_from: datetime | None = None
    """Dealers of earlier times are left out."""


@dataclass(frozen=True, slots=True)
class DataReader:
    """Reads the rows of one database."""

    session: Session
    house: House
    wish: ExportWish

    def parts(self) -> Iterator[Rows]:
        """All rows, in batches."""
        logs = {row.id: row for row in self.session.scalars(select(LogRow))}
        for rounds in self._pages(select(RoundRow), RoundRow, RoundRow.closed_at):
            yield self._rounds(rounds, logs)
        for alerts in self._pages(select(AlertRow), AlertRow, AlertRow.at):
            yield self._alerts(alerts, logs)
        for name, row in _TALLIES.items():
            wanted = self._within(select(row), row.hour).order_by(row.hour, row.table_id, row.dealer)
            for part in self.session.scalars(wanted).partitions(PART):
                yield {name: [self._tally(name, one) for one in part]}

    def _pages(self, query: Select[Any], row: Any, moment: Any) -> Iterator[Sequence[Any]]:
        last = 0
        while True:
            wanted = self._within(query, moment).where(row.id > last).order_by(row.id).limit(PART)
            page = self.session.scalars(wanted).all()
            if not page:
                return
            last = page[-1].id
            yield page
            self.session.expunge_all()

    def _within(self, query: Select[Any], moment: Any) -> Select[Any]:
        query = query if self.wish.from_at is None else query.where(moment >= self.wish.from_at)
        return query if self.wish.to_at is None else query.where(moment < self.wish.to_at)

    def _rounds(self, rounds: Sequence[RoundRow], logs: dict[int, LogRow]) -> Rows:
        found: Rows = {"rounds": [], "cards": [], "wagers": [], "events": []}
        for row in rounds:
            record = json.loads(row.body)
            found["rounds"].append(self._round(row, logs[row.log_id], record))
            for hand in ("player", "banker"):
                found["cards"] += [
                    {"round_id": row.id, "hand": hand, "position": i, "card": card}
                    for i, card in enumerate(record[hand], 1)
                ]
            found["wagers"] += [_wager(row.id, due) for due in record.get("due", ())]
            found["wagers"] += [_wager(row.id, due) for due in record.get("due_open", ())]
            lines = chain.read(self.session, chain_of_log(logs[row.log_id]), first=row.first_line, last=row.last_line)
            found["events"] += [self._event(row, line.seq, json.loads(line.body)) for line in lines]
        return found

    def _round(self, row: RoundRow, log: LogRow, record: Row) -> Row:
        return {
            "round_id": row.id,
            "log_id": row.log_id,
            "table": row.table_id,
            "dealer": self._dealer(row.dealer, row.closed_at),
            "rulebook": json.loads(log.rules).get("rulebook"),
            "origin": log.origin,
            "is_counted": log.is_counted and row.is_counted,
            "number": row.number,
            "opened_at": row.opened_at,
            "closed_at": row.closed_at,
            "player_total": record["player_total"],
            "banker_total": record["banker_total"],
            "winner": record["winner"],
            "is_complete": record["complete"],
            "is_void": record["void"],
        }

    def _event(self, row: RoundRow, seq: int, body: Row) -> Row:
        if "dealer" in body:
            body = body | {"dealer": self._dealer(body["dealer"], row.closed_at)}
        at = body.get("at")
        return {
            "round_id": row.id,
            "line": seq,
            "t": body["t"],
            "at": None if at is None else datetime.fromisoformat(at),
            "type": body["type"],
            "source": body.get("source"),
            "confidence": body.get("confidence"),
            "body": chain.canonical(body),
        }

    def _alerts(self, alerts: Sequence[AlertRow], logs: dict[int, LogRow]) -> Rows:
        changes = self.session.scalars(
            select(AlertChange).where(AlertChange.alert_id.in_([row.id for row in alerts])).order_by(AlertChange.id)
        )
        names = ("alert_id", "at", "who", "before", "after", "reason")
        twice = select(RoundRow.log_id, RoundRow.number).where(RoundRow.is_counted.is_(False))
        within = twice.where(RoundRow.log_id.in_({row.log_id for row in alerts}))
        left_out = {(log, number) for log, number in self.session.execute(within)}
        return {
            "alerts": [
                self._alert(row, json.loads(row.body))
                | {"is_counted": logs[row.log_id].is_counted and (row.log_id, row.round) not in left_out}
                for row in alerts
            ],
            "decisions": [{name: getattr(change, name) for name in names} for change in changes],
        }

    def _alert(self, row: AlertRow, body: Row) -> Row:
        of_body = {name: body.get(name) for name in SHAPES["alerts"] if name in body}
        return of_body | {
            "alert_id": row.id,
            "log_id": row.log_id,
            "table": row.table_id,
            "dealer": self._dealer(row.dealer, row.at),
            "at": row.at,
            "raised_at": row.noticed_at,
            "state": row.state,
            "remedy": body["remedy"]["action"],
        }

    def _tally(self, name: str, row: Any) -> Row:
        found = {column: getattr(row, "table_id" if column == "table" else column) for column in SHAPES[name]}
        return found | {"dealer": self._dealer(row.dealer, row.hour)}

    def _dealer(self, dealer: str | None, at: datetime) -> str | None:
        is_outlived = self.wish.names_from is not None and at < self.wish.names_from
        if not dealer or is_outlived:
            return None
        return self.house.shown(dealer, are_names_shown=self.wish.are_names_shown)


def _wager(round_id: int, due: Row) -> Row:
    pays = due.get("pays")
    return {
        "round_id": round_id,
        "area": due["area"],
        "seat": due["seat"],
        "bet": due["bet"],
        "stake": due["stake"],
        "outcome": due.get("outcome"),
        "pays": None if pays is None else float(Fraction(pays)),
    }
