"""Notes on a stretch of a shift: text and bounds, for the store, the page and the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class NoteKind(StrEnum):
    """The kinds of notes."""

    GAP = "gap"
    OVERLAP = "overlap"
    CLOCK = "clock"
    BROKEN = "broken"
    """Film that exists and could not be watched."""
    LEFT_OUT = "left_out"
    """A file that is no film of this shift: nothing is missing."""
    SETUP = "setup"
    """The table's set-up is likelier to be wrong than the dealer."""
    COMPLETED = "completed"
    """A broken stretch was seen later, in another log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note on a stretch of a shift."""

    kind: NoteKind
    from_at: datetime
    to_at: datetime
    text: str
