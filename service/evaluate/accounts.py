"""The true and the found account of the same stretch of play, in the same form.

Times are stream time in seconds. Both are read from the contract's files, so that a comparison needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from thirdcard.rules.errors import LogError
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.log.events import Event
from thirdcard.rules.log.reader import read_log_file, read_objects
from thirdcard.rules.round.records import RoundRecord, format_round
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.factory import build_belief
from thirdcard.service.watch.recording_run import format_watched
from thirdcard.service.watch.result import Findings, Unseen, unseen_stretches
from thirdcard.service.watch.spread_count import format_spread


class TruthError(ServiceError):
    """A recording's truth is missing or cannot be read."""


Built = TypeVar("Built")
_ROUND_KEYS = ("opened", "closed", "player", "banker", "winner")


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """An alert, true or found, with the fields that are compared."""

    code: str
    t: float
    seat: int | None = None
    hand: str | None = None
    message: str = ""
    noticed_at: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """A case where rulebook or contract leave room: such an alert is neither a hit nor false."""

    code: str
    """An alert code; `payout.*` matches any ending."""
    from_s: float
    to_s: float
    seat: int | None = None
    hand: str | None = None

    def covers(self, incident: Incident) -> bool:
        """Whether the tolerance covers the alert."""
        prefix, star, _ = self.code.partition("*")
        is_code = incident.code.startswith(prefix) if star else incident.code == self.code
        is_time = self.from_s - 1e-6 <= incident.t <= self.to_s + 1e-6
        is_seat = self.seat is None or incident.seat is None or incident.seat == self.seat
        return is_code and is_time and is_seat and (self.hand is None or incident.hand in (None, self.hand))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundAccount:
    """A round's cards and winner."""

    opened: float
    closed: float
    player: tuple[str | None, ...]
    banker: tuple[str | None, ...]
    winner: str | None
    probability: float = 1.0
    """The probability of these cards, where alternatives were recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAccount:
    """The true or the found account of a table."""

    events: tuple[Event, ...]
    incidents: tuple[Incident, ...]
    rounds: tuple[RoundAccount, ...]
    end_s: float
    tolerated: tuple[Tolerance, ...] = ()
    spreads: tuple[Mapping[str, Any], ...] = ()
    """The lines of `spread.jsonl`."""
    doubtful: tuple[Incident, ...] = ()
    """Findings that were not certain enough for alerts."""

    @property
    def unseen(self) -> tuple[Unseen, ...]:
        """The stretches in which the table could not be watched."""
        return unseen_stretches(self.events, self.end_s)


def account_of(findings: Findings) -> TableAccount:
    """The account from a watch's findings."""
    return TableAccount(
        events=findings.events,
        incidents=tuple(_incident(format_watched(watched)) for watched in findings.alerts),
        rounds=_rounds(findings.rounds, findings.duration_s),
        end_s=findings.duration_s,
        spreads=tuple(format_spread(spread) for spread in findings.spreads),
        doubtful=tuple(_incident(format_alert(alert)) for alert in findings.doubtful),
    )


def load_found(folder: Path, table: TableConfig) -> TableAccount:
    """The account from the files of an earlier watch."""
    account = _load(folder, table, log="events.jsonl")
    if not (folder / "rounds.jsonl").is_file():
        return account
    rounds = _lines(folder / "rounds.jsonl", lambda line: _round(line, account.end_s), keys=_ROUND_KEYS)
    return replace(account, rounds=tuple(rounds))


def load_truth(folder: Path, table: TableConfig) -> TableAccount:
    """The true account that comes with a recording; its rounds follow from its log.

    Raises:
        TruthError: There is none, or a line cannot be read.
    """
    return _load(folder, table, log="truth.jsonl")


def _load(folder: Path, table: TableConfig, *, log: str) -> TableAccount:
    path = folder / log
    if not path.is_file():
        raise TruthError(f"{folder}: holds no {log}; it is what the comparison is made with")
    try:
        events = tuple(read_log_file(path))
    except LogError as error:
        raise TruthError(f"{path}: {error}") from error
    end_s = events[-1].t if events else 0.0
    return TableAccount(
        events=events,
        incidents=tuple(_lines(folder / "alerts.jsonl", _incident)),
        rounds=_rounds(judge(events, table), end_s),
        end_s=end_s,
        tolerated=tuple(_lines(folder / "tolerated.jsonl", _tolerance)),
        spreads=tuple(_lines(folder / "spread.jsonl", dict, keys=("t", "to", "rows"))),
        doubtful=tuple(_lines(folder / "doubtful.jsonl", _incident)),
    )


def judge(events: Iterable[Event], table: TableConfig) -> list[RoundRecord]:
    """The rounds of a log, judged by the table's rulebook."""
    belief = build_belief(table)
    records: list[RoundRecord] = []
    for event in events:
        records += belief.observe(event).rounds
    return [*records, *belief.finish().rounds]


def _rounds(records: Iterable[RoundRecord], end_s: float) -> tuple[RoundAccount, ...]:
    return tuple(_round(format_round(record), end_s) for record in records)


def _round(line: Mapping[str, Any], end_s: float) -> RoundAccount:
    closed = end_s if line["closed"] is None else line["closed"]
    return RoundAccount(
        opened=line["opened"],
        closed=closed,
        player=tuple(line["player"]),
        banker=tuple(line["banker"]),
        winner=line["winner"],
        probability=max(0.0, 1.0 - sum(other["probability"] for other in line.get("otherwise", ()))),
    )


def _incident(line: Mapping[str, Any]) -> Incident:
    return Incident(
        code=line["code"],
        t=float(line["t"]),
        seat=line.get("seat"),
        hand=line.get("hand"),
        message=line.get("message", ""),
        noticed_at=line.get("noticed_at"),
        confidence=line.get("confidence"),
    )


def _tolerance(line: Mapping[str, Any]) -> Tolerance:
    t = float(line["t"])
    return Tolerance(
        code=line["code"],
        from_s=float(line.get("from", t)),
        to_s=float(line.get("to", t)),
        seat=line.get("seat"),
        hand=line.get("hand"),
    )


def _lines(
    path: Path, build: Callable[[dict[str, Any]], Built], *, keys: tuple[str, ...] = ("code", "t")
) -> Iterator[Built]:
    """The objects in a file's lines; none where the file is missing."""
    if not path.is_file():
        return
    try:
        for number, line in read_objects(path):
            if not line.keys() >= set(keys):
                raise TruthError(f"{path}: line {number}: must hold {', '.join(keys)}")
            try:
                built = build(line)
            except (ArithmeticError, TypeError, ValueError) as error:
                raise TruthError(f"{path}: line {number}: {error}") from error
            yield built
    except LogError as error:
        raise TruthError(f"{path}: {error}") from error
