"""The tables of the data export: columns, types and meaning. Any change needs a new version.

Times are UTC in microseconds; money is in minor units; cards are rank then suit, null where unread.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import pyarrow as pa

VERSION = "2"
"""In the metadata of every file, as `thirdcard.schema`; raised with every change of the tables."""
FINGERPRINT = "84deae02e2724bdf"
"""The fingerprint of this version's tables: a test fails where they change and the version does not."""
VERSION_KEY = b"thirdcard.schema"

_MOMENT = pa.timestamp("us", tz="UTC")
_COUNT, _ID, _TEXT = pa.int32(), pa.int64(), pa.string()
_ROUND = {"round_id": _ID}

SHAPES: Mapping[str, Mapping[str, pa.DataType]] = {
    "rounds": {
        "round_id": _ID,
        "log_id": _ID,
        "table": _TEXT,
        "dealer": _TEXT,
        "rulebook": _TEXT,
        "origin": _TEXT,
        "is_counted": pa.bool_(),
        "number": _COUNT,
        "opened_at": _MOMENT,
        "closed_at": _MOMENT,
        "player_total": _COUNT,
        "banker_total": _COUNT,
        "winner": _TEXT,
        "is_complete": pa.bool_(),
        "is_void": pa.bool_(),
    },
    "cards": {
        **_ROUND,
        "hand": _TEXT,
        "position": _COUNT,
        "card": _TEXT,
    },
    "wagers": {
        **_ROUND,
        "area": _TEXT,
        "seat": _COUNT,
        "bet": _TEXT,
        "stake": pa.int64(),
        "outcome": _TEXT,
        "pays": pa.float64(),
    },
    "alerts": {
        "alert_id": _ID,
        "log_id": _ID,
        "table": _TEXT,
        "dealer": _TEXT,
        "round": _COUNT,
        "at": _MOMENT,
        "raised_at": _MOMENT,
        "code": _TEXT,
        "severity": _TEXT,
        "state": _TEXT,
        "rulebook": _TEXT,
        "rule": _TEXT,
        "seat": _COUNT,
        "bet": _TEXT,
        "area": _TEXT,
        "amount": pa.int64(),
        "confidence": pa.float64(),
        "message": _TEXT,
        "remedy": _TEXT,
        "is_counted": pa.bool_(),
    },
    "decisions": {
        "alert_id": _ID,
        "at": _MOMENT,
        "who": _TEXT,
        "before": _TEXT,
        "after": _TEXT,
        "reason": _TEXT,
    },
    "events": {
        **_ROUND,
        "line": _ID,
        "t": pa.float64(),
        "at": _MOMENT,
        "type": _TEXT,
        "source": _TEXT,
        "confidence": pa.float64(),
        "body": _TEXT,
    },
    "tallies": {
        "hour": _MOMENT,
        "table": _TEXT,
        "dealer": _TEXT,
        "rulebook": _TEXT,
        "rounds": _COUNT,
        "watched_rounds": _COUNT,
        "timed_rounds": _COUNT,
        "timed_s": pa.float64(),
        "unseen_s": pa.float64(),
    },
    "code_tallies": {
        "hour": _MOMENT,
        "table": _TEXT,
        "dealer": _TEXT,
        "rulebook": _TEXT,
        "code": _TEXT,
        "state": _TEXT,
        "alerts": _COUNT,
        "false_alerts": _COUNT,
        "accepted": _COUNT,
        "overpaid_minor": pa.float64(),
        "underpaid_minor": pa.float64(),
    },
    "erring_tallies": {
        "hour": _MOMENT,
        "table": _TEXT,
        "dealer": _TEXT,
        "rulebook": _TEXT,
        "faults": _TEXT,
        "rounds": _COUNT,
    },
}
"""Columns by file. All may be null; docs/data.md gives their meaning."""


def schema_of(name: str) -> pa.Schema:
    """A file's schema, with the version in its metadata."""
    fields = [pa.field(column, kind) for column, kind in SHAPES[name].items()]
    return pa.schema(fields, metadata={VERSION_KEY: VERSION.encode()})


def fingerprint() -> str:
    """A hash of all tables, which differs after any change."""
    told = "\n".join(f"{name}.{column} {kind}" for name, shape in SHAPES.items() for column, kind in shape.items())
    return hashlib.sha256(told.encode()).hexdigest()[:16]
