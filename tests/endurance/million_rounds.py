"""Fill a database with a month of a busy floor: a million rounds at forty tables, with alerts and log lines.

    python -m tests.endurance.million_rounds sqlite:////somewhere/big.db --rounds 1000000

Bodies are as tables write them. Only the log lines that the figures need are written, and they are not sealed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, insert, text
from sqlalchemy.orm import Session

from thirdcard.service.store.columns import UtcTime
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.schema import AlertRow, ChainLine, LogRow, RoundRow

TABLES = 40
DEALERS = 200
EVERY_S = 72.0
DAY_ROUNDS = 800
"""The rounds of one table in a day of sixteen hours."""
DEALER_ROUNDS = 33
"""The rounds until the next dealer comes: forty minutes."""
BEGAN = datetime(2026, 3, 1, 6, tzinfo=UTC)
RULEBOOKS = ("tas", "nz-secretary", "sg-rws", "nsw")
CODES = ("misdeal.order", "misdeal.third_card_missing", "procedure.no_call", "payout.wrong_amount", "payout.loser_paid",
         "late_bet.placed", "late_bet.increased", "exposed_card.excess", "limit.above_maximum")  # fmt: skip
STATES = ("open", "acknowledged", "escalated", "confirmed", "confirmed", "confirmed", "dismissed")
RANKS, SUITS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"), "CDHS"
BATCH = 20_000

Row = dict[str, Any]


@dataclass(slots=True)
class Floor:
    """Makes the rows of all kinds, in order."""

    rounds: int
    dice: random.Random = field(default_factory=lambda: random.Random(6))
    rates: Mapping[str, float] = field(default_factory=dict)
    line: int = 0
    number: int = 0
    alert: int = 0
    log: int = 0

    def rows(self) -> Iterator[tuple[type[Any], Row]]:
        """Yield every row with its table, logs before the rows that belong to them."""
        rates = {f"dealer {i:03}": self.dice.gammavariate(3.0, 0.006 / 3.0) for i in range(DEALERS)}
        names = list(rates)
        per_table = -(-self.rounds // TABLES)
        for table in range(TABLES):
            place, left, day = 0, min(per_table, self.rounds - table * per_table), 0
            while left > 0:
                dealt = min(left, DAY_ROUNDS)
                began = BEGAN + timedelta(days=day)
                yield LogRow, self._log(f"B{table:02}", began, place + 1, RULEBOOKS[table % len(RULEBOOKS)])
                for number in range(1, dealt + 1):
                    who = names[(table * 7 + day * 31 + number // DEALER_ROUNDS) % DEALERS]
                    yield from self._round(f"B{table:02}", began, number, place, who)
                    place += 5
                    if self.dice.random() < rates[who]:
                        yield AlertRow, self._alert(f"B{table:02}", began, number, who)
                left, day = left - dealt, day + 1

    def _log(self, table: str, began: datetime, first_line: int, rulebook: str) -> Row:
        self.log += 1
        rules = {"rulebook": rulebook, "options": {}, "shoe": {"decks": 8}, "limits": {}, "chips": [5]}
        return {"id": self.log, "table_id": table, "began_at": began, "rules": json.dumps(rules),
                "first_line": first_line, "origin": "live", "is_counted": True}  # fmt: skip

    def _round(self, table: str, began: datetime, number: int, place: int, who: str) -> Iterator[tuple[type[Any], Row]]:
        self.number += 1
        t = (number - 1) * EVERY_S
        steps = [("bets_opened", 0.0), ("no_more_bets", self.dice.gauss(26, 5)), ("card_dealt", 30.0),
                 ("result_announced", self.dice.gauss(44, 3)), ("round_closed", self.dice.gauss(62, 3))]  # fmt: skip
        for i, (kind, after) in enumerate(steps, place + 1):
            self.line += 1
            body = {"at": _rfc3339(began + timedelta(seconds=t + after)), "source": "camera", "t": round(t + after, 2),
                    "type": kind}  # fmt: skip
            yield ChainLine, {"id": self.line, "chain": f"log/{table}", "seq": i, "at": began,
                              "body": json.dumps(body), "seal": "0" * 64}  # fmt: skip
        closed = round(t + steps[-1][1], 2)
        yield RoundRow, {
            "id": self.number, "table_id": table, "log_id": self.log, "number": number, "dealer": who,
            "opened_at": began + timedelta(seconds=t), "closed_at": began + timedelta(seconds=closed),
            "first_line": place + 1, "last_line": place + 5, "body": json.dumps(self._record(number, t, closed)),
        }  # fmt: skip

    def _record(self, number: int, t: float, closed: float) -> Row:
        cards = [self.dice.choice(RANKS) + self.dice.choice(SUITS) for _ in range(5)]
        due = [{"area": f"s{seat}-banker", "seat": seat, "bet": "banker", "stake": 100, "outcome": "win", "pays": 95}
               for seat in range(1, self.dice.randint(2, 6))]  # fmt: skip
        return {"round": number, "opened": t, "closed": closed, "player": cards[:2], "banker": cards[2:],
                "player_total": 4, "banker_total": 7, "winner": "banker", "complete": True, "void": False,
                "due": due}  # fmt: skip

    def _alert(self, table: str, began: datetime, number: int, who: str) -> Row:
        self.alert += 1
        code, t = self.dice.choice(CODES), (number - 1) * EVERY_S + 31.0
        body = {"t": t, "round": number, "code": code, "severity": "high", "rulebook": "tas", "rule": "6.3", "seat": 3,
                "bet": "banker", "area": "s1-banker", "hand": None, "cards": [], "amount": 100,
                "message": "Seat 3 placed 500 on Banker 2.4 s after betting closed.", "confidence": 0.97,
                "remedy": {"action": "void_wager", "rule": "6.3", "text": "The wager is void."}}  # fmt: skip
        at = began + timedelta(seconds=t)
        return {"id": self.alert, "table_id": table, "log_id": self.log, "round": number, "code": code,
                "severity": "high", "state": self.dice.choice(STATES), "dealer": who, "at": at, "noticed_at": at,
                "body": json.dumps(body), "repeats": 0, "is_quiet": False}  # fmt: skip


def fill(database: Database, rounds: int) -> None:
    """Enter a floor's rows, and mark every hour as changed, so that it will be summed up."""
    waiting: dict[type[Any], list[Row]] = {LogRow: [], ChainLine: [], RoundRow: [], AlertRow: []}
    with database.writing() as session:
        for kind, row in Floor(rounds).rows():
            waiting[kind].append(row)
            if len(waiting[kind]) >= BATCH:
                for each, rows in waiting.items():
                    _enter(session, each.__table__, rows)
                    rows.clear()
        for each, rows in waiting.items():
            _enter(session, each.__table__, rows)
        for moment, table in (("closed_at", "rounds"), ("at", "alerts")):
            touched = f"SELECT DISTINCT table_id, {moment} - {moment} % 3600000000 FROM {table}"
            session.execute(text(f"INSERT INTO touched_hours (table_id, hour) {touched}"))
    with database.engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


def _enter(session: Session, table: Table, rows: Sequence[Row]) -> None:
    if not rows:
        return
    if session.get_bind().dialect.name != "postgresql":
        session.execute(insert(table), rows)
        return
    names = list(rows[0])
    moments = {name for name in names if isinstance(table.c[name].type, UtcTime)}
    cursor = session.connection().connection.cursor()
    with cursor.copy(f"COPY {table.name} ({', '.join(names)}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([_microseconds(row[name]) if name in moments else row[name] for name in names])


def _microseconds(at: datetime) -> int:
    return int((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))


def _rfc3339(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--rounds", type=int, default=1_000_000)
    said = parser.parse_args()
    fill(open_database(said.url), said.rounds)
