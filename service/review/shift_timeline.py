"""Put a table's files into one order of time: what is shown twice counts once, what is missing is a gap.

Where files overlap, the one that began first is believed until its end. Pure: nothing is opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from thirdcard.service.review.files import RecordedFile

JOINED_S = 1.5
"""A shorter gap between two files is none: recorders need a moment to begin the next."""
LEAST_S = 0.5
"""What is left of a file and is shorter is left out."""
DRIFT_S = 5.0
"""So far the container's clock may change against the names' from file to file."""


class NoteKind(StrEnum):
    """What people should know of a stretch."""

    GAP = "gap"
    OVERLAP = "overlap"
    CLOCK = "clock"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something odd about a stretch of a shift."""

    kind: NoteKind
    from_at: datetime
    to_at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of one file in the shift."""

    file: RecordedFile
    from_s: float
    """From the file's first frame."""
    to_s: float

    @property
    def from_at(self) -> datetime:
        """By the wall clock."""
        return self.file.began_at + timedelta(seconds=self.from_s)

    @property
    def to_at(self) -> datetime:
        """By the wall clock."""
        return self.file.began_at + timedelta(seconds=self.to_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftTimeline:
    """What a shift's files show of one table, in order of time, no moment twice."""

    parts: tuple[Part, ...]
    notes: tuple[Note, ...]

    @property
    def began_at(self) -> datetime:
        """When the first frame was filmed."""
        return self.parts[0].from_at

    def t(self, at: datetime) -> float:
        """Seconds from the beginning to a moment."""
        return (at - self.began_at).total_seconds()


def build_timeline(files: Sequence[RecordedFile]) -> ShiftTimeline:
    """The order of a table's files, at least one."""
    ordered = sorted(files, key=lambda file: (file.began_at, -file.lasts_s, file.fingerprint))
    parts: list[Part] = []
    notes = [*_clock_notes(ordered), *(_fault_note(file) for file in ordered if file.fault is not None)]
    for file in ordered:
        for run in file.runs:
            part = Part(file=file, from_s=run.from_s, to_s=run.to_s)
            if parts and part.from_at < parts[-1].to_at:
                late_s = (parts[-1].to_at - part.from_at).total_seconds()
                if late_s > JOINED_S:
                    notes.append(_overlap(part, parts[-1], late_s))
                part = replace(part, from_s=part.from_s + late_s)
            if part.to_s - part.from_s >= LEAST_S:
                parts.append(part)
    notes += [_gap(before, after) for before, after in pairwise(parts) if gap_s(before, after) > JOINED_S]
    return ShiftTimeline(parts=tuple(parts), notes=tuple(sorted(notes, key=lambda note: (note.from_at, note.kind))))


def gap_s(before: Part, after: Part) -> float:
    """How long nothing was filmed between two parts."""
    return (after.from_at - before.to_at).total_seconds()


def _overlap(part: Part, before: Part, late_s: float) -> Note:
    to_at = min(before.to_at, part.to_at)
    text = f"{part.file.path.name} shows again what {before.file.path.name} shows: {before.file.path.name} counts"
    return Note(kind=NoteKind.OVERLAP, from_at=part.from_at, to_at=to_at, text=text)


def _gap(before: Part, after: Part) -> Note:
    if before.file is after.file:
        text = f"the clock of {before.file.path.name} jumps by {gap_s(before, after):.1f} s"
        return Note(kind=NoteKind.CLOCK, from_at=before.to_at, to_at=after.from_at, text=text)
    text = f"nothing was filmed for {gap_s(before, after):.1f} s"
    return Note(kind=NoteKind.GAP, from_at=before.to_at, to_at=after.from_at, text=text)


def _fault_note(file: RecordedFile) -> Note:
    at = file.began_at + timedelta(seconds=file.lasts_s)
    kind = NoteKind.CLOCK if "clock" in str(file.fault) else NoteKind.BROKEN
    return Note(kind=kind, from_at=at, to_at=at, text=f"{file.path.name}: {file.fault}")


def _clock_notes(ordered: Sequence[RecordedFile]) -> list[Note]:
    """Where the containers' clock and the names' part: one of the two was set."""
    both = [file for file in ordered if file.other_clock is not None]
    notes = []
    for before, after in pairwise(both):
        shift_s = _difference_s(after) - _difference_s(before)
        if abs(shift_s) > DRIFT_S:
            text = f"the clock was set by {shift_s:+.0f} s between {before.path.name} and {after.path.name}"
            notes.append(Note(kind=NoteKind.CLOCK, from_at=before.began_at, to_at=after.began_at, text=text))
    return notes


def _difference_s(file: RecordedFile) -> float:
    assert file.other_clock is not None
    return (file.began_at - file.other_clock).total_seconds()
