"""Put a table's files into one order of time: film that is shown twice counts once, missing film is a gap.

Where files show the same, the one that began first counts until its end; a complete file goes before one that breaks
off. Nothing is opened here: `compare` compares pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.placing import JOINED_S, place
from thirdcard.service.review.sameness import Compare, compare
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.watch.film_sight import clock_text

MOST_CLOCK_NOTES = 5
"""The most notes for one file; the number of others is given in one."""
LEAST_S = 0.5
"""A shorter rest of a file is left out, seconds."""
DRIFT_S = 5.0
"""The largest change of the difference between the container's clock and the names' from file to file, seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of one file in the shift."""

    file: RecordedFile
    from_s: float
    """From the file's first frame, seconds."""
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
    """The film of one table in order of time, no time twice."""

    parts: tuple[Part, ...]
    notes: tuple[Note, ...]

    @property
    def began_at(self) -> datetime:
        """When the first frame was filmed."""
        return self.parts[0].from_at

    def t(self, at: datetime) -> float:
        """Seconds from the beginning to a given time."""
        return (at - self.began_at).total_seconds()


def build_timeline(files: Sequence[RecordedFile], compare: Compare = compare) -> ShiftTimeline:
    """The order of a table's files, at least one.

    Args:
        files: All of one table.
        compare: Decides whether two files show the same; files whose clocks overlap are opened for it.
    """
    placement = place(files, compare)
    ordered = placement.files
    notes = [
        *placement.notes,
        *_clock_notes(ordered),
        *(_fault_note(file) for file in ordered if file.fault is not None),
        *(note for file in ordered for note in _mended_notes(file)),
    ]
    parts: list[Part] = []
    for file in sorted(ordered, key=lambda file: file.fault is not None):
        pieces, shown_twice = _free_pieces(file, parts)
        notes += shown_twice
        parts = sorted([*parts, *pieces], key=lambda part: part.from_at)
    notes += [_gap(before, after) for before, after in pairwise(parts) if gap_s(before, after) > JOINED_S]
    return ShiftTimeline(parts=tuple(parts), notes=tuple(sorted(notes, key=lambda note: (note.from_at, note.kind))))


def _free_pieces(file: RecordedFile, taken: Sequence[Part]) -> tuple[list[Part], list[Note]]:
    """The stretches of a file that no part shows yet, and notes where it shows the same again."""
    pieces = [Part(file=file, from_s=run.from_s, to_s=run.to_s) for run in file.runs]
    notes = []
    for other in taken:
        both = [one for one in pieces if one.from_at < other.to_at and other.from_at < one.to_at]
        shared_s = sum((min(one.to_at, other.to_at) - max(one.from_at, other.from_at)).total_seconds() for one in both)
        if shared_s > JOINED_S:
            notes.append(_overlap(file, other, max(both[0].from_at, other.from_at), min(both[-1].to_at, other.to_at)))
        pieces = [piece for one in pieces for piece in _without(one, other)]
    return [piece for piece in pieces if piece.to_s - piece.from_s >= LEAST_S], notes


def _without(part: Part, other: Part) -> Iterable[Part]:
    """What remains of a part after removing another."""
    before_s = (other.from_at - part.file.began_at).total_seconds()
    after_s = (other.to_at - part.file.began_at).total_seconds()
    if before_s >= part.to_s or after_s <= part.from_s:
        return [part]
    ends = [replace(part, to_s=before_s), replace(part, from_s=after_s)]
    return [one for one in ends if one.to_s > one.from_s]


def gap_s(before: Part, after: Part) -> float:
    """The unfilmed time between two parts, seconds."""
    return (after.from_at - before.to_at).total_seconds()


def _overlap(file: RecordedFile, before: Part, from_at: datetime, to_at: datetime) -> Note:
    name = before.file.path.name
    text = f"{file.path.name} shows again what {name} shows: {name} counts"
    return Note(kind=NoteKind.OVERLAP, from_at=from_at, to_at=to_at, text=text)


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


def _mended_notes(file: RecordedFile) -> list[Note]:
    """Notes on repairs and assumptions of a film's own clock."""
    texts = [(fault[0], clock_text(*fault)) for fault in file.index.faults]
    more = len(texts) - MOST_CLOCK_NOTES
    texts = [*texts[:MOST_CLOCK_NOTES], *([(texts[MOST_CLOCK_NOTES][0], f"and {more} times more")] if more > 0 else [])]
    if (rate_hz := file.index.assumed_rate_hz) is not None:
        texts.append((0.0, f"the film has no times: {rate_hz:.4g} frames a second are assumed"))
    at = [(file.began_at + timedelta(seconds=t), text) for t, text in texts]
    return [Note(kind=NoteKind.CLOCK, from_at=t, to_at=t, text=f"{file.path.name}: {text}") for t, text in at]


def _clock_notes(ordered: Sequence[RecordedFile]) -> list[Note]:
    """Notes where the containers' clock and the names' diverge: one of the two was set."""
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
