"""A recorded shift, and how to find shifts: folders with a `table.yaml` and recordings of that table, or single videos.

A folder may hold many tables, each in its own folder; videos may be in folders below their table's. Whether a file is a
video is decided by its content, not its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from thirdcard.rules.log.events import Event, format_event
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.review.files import may_be_film
from thirdcard.service.review.seen_film import TimeSpan
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.review.shift_timeline import ShiftTimeline
from thirdcard.service.watch.recordings import TABLE_NAME

OUTPUTS = frozenset({"clips", "reviews", "evidence", "cuts", "ring", "live"})
"""Folders that `watch`, `review` and `serve` write to; they hold no recordings."""
BESIDE_OUTPUTS = ("alerts.jsonl", "thirdcard.db", "house.yaml")
"""One of these files is beside such a folder."""
NAMED_EACH = 5
"""If more files are left out for one reason, one note names them all."""


class ShiftError(ServiceError):
    """The input is no recorded shift, or nothing of it can be watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that is left out, and why."""

    path: Path
    reason: str
    is_broken: bool = False
    """Whether it is meant as film, so that something may be missing."""


@dataclass(frozen=True, kw_only=True)
class Shift:
    """All recordings of one table that are reviewed together."""

    table: TableConfig
    timeline: ShiftTimeline
    signals: tuple[Event, ...]
    """In the shift's time."""
    skipped: tuple[Skipped, ...]
    completes: tuple[TimeSpan, ...] = ()
    """The stretches that earlier reviews could not see; empty: the shift is new."""
    known_alerts: tuple[tuple[str, datetime], ...] = ()
    """Code and time of alerts that those reviews stored: they are not raised again."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for people: gaps, overlaps, jumping clocks, files that cannot be watched."""
        return (*self._left_out(), *self.timeline.notes)

    def _left_out(self) -> Iterator[Note]:
        """Notes on the files that are left out, grouped by reason where there are many."""
        at = self.timeline.began_at
        by_reason: dict[tuple[str, bool], list[str]] = {}
        for one in self.skipped:
            by_reason.setdefault((one.reason, one.is_broken), []).append(one.path.name)
        for (reason, is_broken), names in by_reason.items():
            kind = NoteKind.BROKEN if is_broken else NoteKind.LEFT_OUT
            texts = [f"{name} is left out: {reason}" for name in names]
            if len(names) > NAMED_EACH:
                texts = [f"{len(names)} files are left out, {names[0]} to {names[-1]}: each {reason}"]
            yield from (Note(kind=kind, from_at=at, to_at=at, text=text) for text in texts)

    @cached_property
    def key(self) -> str:
        """SHA-256 over the table's rules, the footage and the signals: equal shifts have equal keys."""
        parts = [
            [part.file.fingerprint, part.from_at.isoformat(), round(part.from_s, 3), round(part.to_s, 3)]
            for part in self.timeline.parts
        ]
        lines = [format_event(event) for event in self.signals]
        text = json.dumps([self.table.id, rules_of(self.table), parts, lines], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def lasts_s(self) -> float:
        """The length of the film in seconds."""
        return sum(part.to_s - part.from_s for part in self.timeline.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedShift:
    """The videos of one table, not opened yet."""

    table: Path
    videos: tuple[Path, ...]


def find_wanted(targets: Sequence[Path], table: Path | None) -> list[WantedShift]:
    """The tables in the targets, each with its videos.

    Raises:
        ShiftError: A target is neither a folder with tables nor a video, or a video comes without a table.
    """
    found: dict[Path, list[Path]] = {}
    for target in targets:
        for table_file, video in _of_target(target, table):
            found.setdefault(table_file.resolve(), []).append(video)
    return [WantedShift(table=file, videos=tuple(dict.fromkeys(videos))) for file, videos in found.items()]


def _of_target(target: Path, table: Path | None) -> Iterator[tuple[Path, Path]]:
    if target.is_file():
        beside = table or target.parent / TABLE_NAME
        if not beside.is_file():
            raise ShiftError(f"{target}: a video needs --table, or a {TABLE_NAME} beside it")
        yield beside, target
        return
    if not target.is_dir():
        raise ShiftError(
            f"{target}: no such file or folder; allowed: a video, or a folder with {TABLE_NAME} and videos"
        )
    count = 0
    for video in sorted(path for path in target.rglob("*") if path.is_file() and _is_wanted(path, target)):
        owner = _owner(video, target) or table
        if owner is not None:
            count += 1
            yield owner, video
    if count == 0:
        raise ShiftError(f"{target}: holds no video with a {TABLE_NAME} beside or above it; allowed: --table names one")


def _is_wanted(path: Path, top: Path) -> bool:
    """Whether a file may be film of a shift: neither hidden, nor a table's, nor written by this program."""
    folders = [folder for folder in path.parents if folder != top and folder.is_relative_to(top)]
    if not may_be_film(path.name) or any(folder.name.startswith(".") for folder in folders):
        return False
    if path.name.startswith("thirdcard.db"):
        return False
    return not any(
        folder.name in OUTPUTS and any((folder.parent / name).exists() for name in BESIDE_OUTPUTS) for folder in folders
    )


def _owner(video: Path, top: Path) -> Path | None:
    """The nearest table file beside or above a video, not above `top`; None where there is none."""
    for folder in video.parents:
        if (folder / TABLE_NAME).is_file():
            return folder / TABLE_NAME
        if folder == top:
            return None
    return None
