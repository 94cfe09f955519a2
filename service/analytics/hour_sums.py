"""Sum one hour of a table: rounds by dealer and rulebook, alerts also by code and state.

An erring round is a round with alerts. Which alerts count as errors is decided at query time, so each row keeps all
codes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

import numpy as np

from thirdcard.service.analytics.durations import BINS, Counts, count_durations
from thirdcard.service.analytics.round_facts import PHASES
from thirdcard.service.store.tally_schema import CodeTallyRow, ErringTallyRow, TallyRow

LARGEST = 2**16 - 1
NOBODY = ""
"""The dealer where none is known."""


class Who(NamedTuple):
    """A dealer and a rulebook."""

    dealer: str
    rulebook: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSum:
    """The contribution of a round to an hour."""

    who: Who
    is_closed_here: bool
    """Whether it closed within the hour; otherwise only its unseen time counts."""
    is_watched: bool
    phases_s: tuple[float, ...] | None
    unseen_s: float
    """Seconds within the hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSum:
    """The contribution of an alert to an hour."""

    who: Who
    code: str
    state: str
    is_false: bool
    is_accepted: bool
    overpaid_minor: float
    underpaid_minor: float


class Fault(NamedTuple):
    """An alert's code and state."""

    code: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErringRound:
    """A round with alerts."""

    who: Who
    faults: frozenset[Fault]


@dataclass(slots=True)
class _Sums:
    rounds: int = 0
    watched: int = 0
    unseen_s: float = 0.0
    phases_s: list[tuple[float, ...]] = field(default_factory=list)


def tally_rounds(table: str, hour: datetime, rounds: Iterable[RoundSum]) -> list[TallyRow]:
    """One row for each dealer and rulebook."""
    sums: dict[Who, _Sums] = {}
    for one in rounds:
        if one.is_closed_here or one.unseen_s > 0:
            into = sums.setdefault(one.who, _Sums())
            into.unseen_s += one.unseen_s
        if one.is_closed_here:
            into.rounds += 1
            into.watched += one.is_watched
            into.phases_s += [] if one.phases_s is None else [one.phases_s]
    return [
        TallyRow(
            table_id=table,
            hour=hour,
            dealer=who.dealer,
            rulebook=who.rulebook,
            rounds=of.rounds,
            watched_rounds=of.watched,
            timed_rounds=len(of.phases_s),
            timed_s=float(sum(map(sum, of.phases_s))),
            unseen_s=of.unseen_s,
            durations=pack_durations(of.phases_s),
        )
        for who, of in sums.items()
    ]


def tally_alerts(table: str, hour: datetime, alerts: Iterable[AlertSum]) -> list[CodeTallyRow]:
    """One row for each dealer, rulebook, code and state."""
    rows: dict[tuple[Who, str, str], CodeTallyRow] = {}
    for one in alerts:
        key = (one.who, one.code, one.state)
        if key not in rows:
            zeros = {"alerts": 0, "false_alerts": 0, "accepted": 0, "overpaid_minor": 0.0, "underpaid_minor": 0.0}
            names = {**one.who._asdict(), "code": one.code, "state": one.state}
            rows[key] = CodeTallyRow(table_id=table, hour=hour, **names, **zeros)
        row = rows[key]
        row.alerts += 1
        row.false_alerts += one.is_false
        row.accepted += one.is_accepted
        row.overpaid_minor += one.overpaid_minor
        row.underpaid_minor += one.underpaid_minor
    return list(rows.values())


def tally_erring(table: str, hour: datetime, erring: Iterable[ErringRound]) -> list[ErringTallyRow]:
    """One row for each dealer, rulebook and set of faults, sorted."""
    counts = Counter((one.who, format_faults(one.faults)) for one in erring)
    return [
        ErringTallyRow(table_id=table, hour=hour, **who._asdict(), faults=faults, rounds=rounds)
        for (who, faults), rounds in sorted(counts.items())
    ]


def format_faults(faults: Iterable[Fault]) -> str:
    """Faults as text, as stored in `ErringTallyRow.faults`."""
    return "\n".join(sorted(" ".join(fault) for fault in faults))


def parse_faults(text: str) -> frozenset[Fault]:
    """The faults from the text of `format_faults`."""
    return frozenset(Fault(*line.rsplit(" ", 1)) for line in text.splitlines())


def pack_durations(phases_s: list[tuple[float, ...]]) -> bytes:
    """Histograms of each phase's durations as bytes, as stored in `TallyRow.durations`; empty where nothing was
    timed."""
    if not phases_s:
        return b""
    counts = np.array([count_durations(of_phase) for of_phase in zip(*phases_s, strict=True)])
    packed: bytes = np.minimum(counts, LARGEST).astype("<u2").tobytes()
    return packed


def unpack_durations(packed: Iterable[bytes]) -> Counts:
    """The sum of packed histograms: (phases, bins) counts."""
    joined = np.frombuffer(b"".join(packed), "<u2").reshape(-1, len(PHASES), BINS)
    total: Counts = joined.sum(axis=0, dtype=np.int64)
    return total
