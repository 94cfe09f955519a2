"""Write down what a service acknowledged, so that it can be compared with what it knows later."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

CHANGING = frozenset({"state", "owner", "evidence", "repeats"})
"""What may be another of the same alert later."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event of the alert stream."""

    place: str
    """Its id; empty where it has none."""
    kind: str
    data: dict[str, Any]


@dataclass(slots=True)
class Diary:
    """All that was acknowledged; clients write in it from their threads."""

    signals: dict[str, int] = field(default_factory=dict)
    """Number of a report, by the dealer or camera that it names."""
    decisions: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Alert and its state then, by the note that went with it."""
    notes: dict[str, int] = field(default_factory=dict)
    """Case, by the note's text."""
    alerts: dict[int, dict[str, Any]] = field(default_factory=dict)
    """As they were shown, without what may change."""
    lines: dict[str, set[str]] = field(default_factory=dict)
    """Of the log, as they were shown, by table."""
    told: list[Told] = field(default_factory=list)
    unanswered: dict[str, int] = field(default_factory=dict)
    """Requests that nobody answered, or with 503, by who asked."""
    answered: dict[str, int] = field(default_factory=dict)
    surprises: list[str] = field(default_factory=list)
    """Answers that there should not be."""
    lock: Lock = field(default_factory=Lock)

    def so_far(self) -> Diary:
        """What stands in it now."""
        with self.lock:
            lines = {table: set(seen) for table, seen in self.lines.items()}
            plain = {name: copy(getattr(self, name)) for name in ("signals", "decisions", "notes", "alerts", "told")}
            return Diary(**plain, lines=lines, surprises=list(self.surprises))

    def note_alert(self, alert: dict[str, Any]) -> None:
        """An alert was shown."""
        seen = {name: value for name, value in alert.items() if name not in CHANGING}
        with self.lock:
            known = self.alerts.setdefault(alert["id"], seen)
            if known != seen:
                self.surprises.append(f"alert {alert['id']} was {known} and is {seen}")

    def count(self, who: str, *, is_answered: bool) -> None:
        """A request was answered, or was not."""
        counts = self.answered if is_answered else self.unanswered
        with self.lock:
            counts[who] = counts.get(who, 0) + 1

    def surprise(self, what: str) -> None:
        """Something came that should not."""
        with self.lock:
            self.surprises.append(what)
