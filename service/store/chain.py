"""Append-only lines: each is sealed with a hash over itself and the line before.

To change, drop or insert a line, one would have to reseal all following lines; the head of each chain records its end,
so missing last lines are detected as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import BigInteger, Connection, Engine, bindparam, select, type_coerce
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from thirdcard.service.store.columns import stored_time, time_of
from thirdcard.service.store.driver import execute
from thirdcard.service.store.schema import Base, ChainHead, ChainLine

FIRST_SEAL = "0" * 64
PAGE = 5000
_LINES, _HEADS = (Base.metadata.tables[kind.__tablename__] for kind in (ChainLine, ChainHead))
_ADD = f"INSERT INTO {_LINES.name} (chain, seq, at, body, seal) VALUES (?, ?, ?, ?, ?)"
_BEGIN = insert(_HEADS).on_conflict_do_nothing()
_END = select(_HEADS.c.seq, _HEADS.c.seal).where(_HEADS.c.chain == bindparam("of_chain")).with_for_update()
_MOVE = f"UPDATE {_HEADS.name} SET seq = ?, seal = ? WHERE chain = ? AND seq = ? AND seal = ?"
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
End = tuple[int, str]
"""Number and seal of a chain's last line."""
MOST_ENDS = 1000
"""How many ends are remembered: some chains of each table, and those of recent cases and reviews."""
_ENDS: WeakKeyDictionary[Engine, dict[str, End]] = WeakKeyDictionary()


class AppendedLine(NamedTuple):
    """A line as it is written."""

    chain: str
    seq: int
    at: datetime
    body: str
    seal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """A line whose seal is confirmed by something outside the chain."""

    seq: int
    seal: str
    by: str
    """The source in words: `the checkpoint of 2026-11-26 20:00`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """The first place where a chain is not as it was written."""

    chain: str
    seq: int
    """The number of the line."""
    what: str


def append(session: Session, chain: str, bodies: Iterable[Mapping[str, object]], *, at: datetime) -> list[AppendedLine]:
    """Append lines to a chain and return them; they are stored when the session's transaction is committed."""
    texts = [canonical(body) for body in bodies]
    if not texts:
        return []
    session.flush()
    connection = session.connection()
    ends = _last_ends(connection)
    end = ends.get(chain)
    lines = None if end is None else _move(connection, chain, end, texts, at)
    if lines is None:
        lines = _move(connection, chain, _end_to_move(connection, chain), texts, at)
        assert lines is not None, "the end is locked"
    ends[chain] = (lines[-1].seq, lines[-1].seal)
    execute(connection, _ADD, *((*line[:2], stored_time(line.at), *line[3:]) for line in lines))
    return lines


def _last_ends(connection: Connection) -> dict[str, End]:
    """The ends of chains as this process last wrote them, committed or not: a guess that saves reading them."""
    ends = _ENDS.setdefault(connection.engine, {})
    if len(ends) > MOST_ENDS:
        ends.clear()
    return ends


def _move(
    connection: Connection, chain: str, end: End, texts: Iterable[str], at: datetime
) -> list[AppendedLine] | None:
    """Seal lines behind this end and move the chain's end there; None where the chain ends elsewhere."""
    seq, seal = end
    lines = []
    for text in texts:
        seq, seal = seq + 1, seal_of(seal, chain, seq + 1, at, text)
        lines.append(AppendedLine(chain, seq, at, text, seal))
    moved = execute(connection, _MOVE, (seq, seal, chain, *end))
    return lines if moved.rowcount == 1 else None


def _end_to_move(connection: Connection, chain: str) -> End:
    """Number and seal of the last line, locked until the transaction ends."""
    end = connection.execute(_END, {"of_chain": chain}).first()
    if end is None:
        # PostgreSQL cannot lock a row that does not exist yet: of two that begin a chain at once, the second waits here
        connection.execute(_BEGIN, {"chain": chain, "seq": 0, "seal": FIRST_SEAL})
        end = connection.execute(_END, {"of_chain": chain}).one()
    return end[0], end[1]


def read(session: Session, chain: str, *, first: int = 1, last: int | None = None) -> Iterator[ChainLine]:
    """The lines `first` to `last` (inclusive) in order."""
    while last is None or first <= last:
        wanted = select(ChainLine).where(ChainLine.chain == chain, ChainLine.seq >= first)
        if last is not None:
            wanted = wanted.where(ChainLine.seq <= last)
        lines = session.scalars(wanted.order_by(ChainLine.seq).limit(PAGE)).all()
        yield from lines
        if len(lines) < PAGE:
            return
        first = lines[-1].seq + 1


def contents(session: Session, chain: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and content of every line in order; faster than `read` for millions of lines."""
    for seq, _, body, _ in _rows(session, chain):
        yield seq, _content(body)


def parsed(line: ChainLine) -> dict[str, Any]:
    """The parsed body of a line; empty where it was changed to anything but a JSON mapping, which its seal shows."""
    return _content(line.body)


def _content(body: str) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def chains(session: Session) -> Sequence[str]:
    """The names of all chains, including those that lost their head."""
    named = set(session.scalars(select(ChainHead.chain)))
    wanted = select(ChainLine.chain).order_by(ChainLine.chain).limit(1)
    name = session.scalar(wanted)
    while name is not None:  # a step of the index for each: DISTINCT would read all lines
        named.add(name)
        name = session.scalar(wanted.where(ChainLine.chain > name))
    return sorted(named)


def first_breach(session: Session, chain: str, vouched: Iterable[Vouched] = ()) -> Breach | None:
    """The first line that was changed, lost or inserted; None where all are as they were written.

    Args:
        session: A transaction.
        chain: The chain.
        vouched: Lines whose seals are known from elsewhere, in order: with these a resealed chain is detected too.
    """
    seal, seq, known = FIRST_SEAL, 0, 0
    following = iter(vouched)
    due = next(following, None)
    for number, at, body, sealed in _rows(session, chain):
        seq += 1
        if number != seq:
            return Breach(chain=chain, seq=seq, what="is missing")
        if not _is_sealed(sealed, seal, chain, number, at, body):
            return Breach(chain=chain, seq=seq, what="was changed, or one was slipped in before it")
        seal = sealed
        while due is not None and due.seq <= seq:
            if (due.seq, due.seal) != (seq, seal):
                last = f"to {due.seq} are" if due.seq > known + 1 else "is"
                return Breach(chain=chain, seq=known + 1, what=f"{last} not what was signed: {due.by} has another seal")
            known, due = seq, next(following, None)
    if due is not None:
        return Breach(chain=chain, seq=seq + 1, what=f"is missing: {due.by} covers the lines to {due.seq}")
    return _breach_at_end(session, chain, seq, seal)


def _is_sealed(sealed: str, before: str, chain: str, seq: int, at: int, body: str) -> bool:
    """Whether a line has the seal of its content; false where the database holds something that no line can."""
    try:
        return sealed == seal_of(before, chain, seq, time_of(at), body)
    except (OverflowError, TypeError, UnicodeError):
        return False


def _breach_at_end(session: Session, chain: str, seq: int, seal: str) -> Breach | None:
    head = session.get(ChainHead, chain)
    if head is None:
        return Breach(chain=chain, seq=seq, what="ends here, and nothing says that it should")
    if (head.seq, head.seal) != (seq, seal):
        lost = head.seq > seq
        return Breach(
            chain=chain, seq=seq + 1 if lost else seq, what="is missing" if lost else "was added behind the end"
        )
    return None


def _rows(session: Session, chain: str) -> Iterator[tuple[int, int, str, str]]:
    """Number, stored time, body and seal of every line in order, without the cost of mapped objects."""
    at = type_coerce(ChainLine.at, BigInteger)
    wanted = select(ChainLine.seq, at, ChainLine.body, ChainLine.seal).order_by(ChainLine.seq).limit(PAGE)
    first = 0
    while True:
        rows = session.execute(wanted.where(ChainLine.chain == chain, ChainLine.seq > first)).all()
        for row in rows:
            yield row[0], row[1], row[2], row[3]
        if len(rows) < PAGE:
            return
        first = rows[-1][0]


def seal_of(before: str, chain: str, seq: int, at: datetime, body: str) -> str:
    """SHA-256 over the previous seal, the chain's name, the number, the time and the body, one per line."""
    return seal_of_text(before, chain, seq, at.isoformat(), body)


def seal_of_text(before: str, chain: str, seq: int, at: str, body: str) -> str:
    """The same, with the time in the form that is hashed: ISO 8601, in UTC."""
    text = "\n".join((before, chain, str(seq), at, body))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def canonical(body: Mapping[str, object]) -> str:
    """JSON text that is identical for equal content."""
    return _ENCODER.encode(body)
