"""A record of what a service acknowledged, to be compared with its store later."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

CHANGING = frozenset({"state", "owner", "evidence", "repeats"})
"""The fields of an alert that may change after it was shown."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event of the alert stream."""

    place: str
    """The event's id; empty if it has none."""
    kind: str
    data: dict[str, Any]


@dataclass(slots=True)
class Diary:
    """All that was acknowledged. Clients write to it from their threads."""

    signals: dict[str, int] = field(default_factory=dict)
    """The number of each report, by the dealer or camera that it names."""
    decisions: dict[str, tuple[int, str]] = field(default_factory=dict)
    """The alert and its new state, by the note of the decision."""
    notes: dict[str, int] = field(default_factory=dict)
    """The case of each note, by the note's text."""
    alerts: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The alerts as they were shown, without the fields that may change, by number."""
    lines: dict[str, set[str]] = field(default_factory=dict)
    """The log lines as they were shown, by table."""
    told: list[Told] = field(default_factory=list)
    unanswered: dict[str, int] = field(default_factory=dict)
    """The number of requests without an answer, or answered with 502, 503 or 504, by client."""
    answered: dict[str, int] = field(default_factory=dict)
    surprises: list[str] = field(default_factory=list)
    """Answers that were not expected."""
    lock: Lock = field(default_factory=Lock)

    def so_far(self) -> Diary:
        """Return a copy of what is in it now, without the counts of requests."""
        with self.lock:
            lines = {table: set(seen) for table, seen in self.lines.items()}
            plain = {name: copy(getattr(self, name)) for name in ("signals", "decisions", "notes", "alerts", "told")}
            return Diary(**plain, lines=lines, surprises=list(self.surprises))

    def note_alert(self, alert: dict[str, Any]) -> None:
        """Note an alert that was shown. It is a surprise if it differs from what was shown before."""
        seen = {name: value for name, value in alert.items() if name not in CHANGING}
        with self.lock:
            known = self.alerts.setdefault(alert["id"], seen)
            if known != seen:
                self.surprises.append(f"alert {alert['id']} was {known} and is {seen}")

    def count(self, who: str, *, is_answered: bool) -> None:
        """Count a request as answered or unanswered."""
        counts = self.answered if is_answered else self.unanswered
        with self.lock:
            counts[who] = counts.get(who, 0) + 1

    def surprise(self, what: str) -> None:
        """Note an answer that was not expected."""
        with self.lock:
            self.surprises.append(what)
