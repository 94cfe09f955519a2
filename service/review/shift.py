"""Find what is to be reviewed: folders with a `table.yaml` and recordings of that table, or loose videos with a table.

A folder may hold many tables, each in a folder of its own; videos may lie in folders below their table's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from thirdcard.rules.errors import RulesError, UnknownEventError
from thirdcard.rules.log.events import Event, format_event, parse_event
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.review.files import VIDEO_SUFFIXES, RecordedFile, read_file
from thirdcard.service.review.shift_timeline import Note, NoteKind, ShiftTimeline, build_timeline
from thirdcard.service.watch.recordings import SIGNALS_NAME, TABLE_NAME
from thirdcard.vision.errors import UnreadableVideoError

KNOWN = "was reviewed before"
READ_AT_ONCE = 4


class ShiftError(ServiceError):
    """What was given is no recorded shift, or nothing of it can be watched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that is left out, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, kw_only=True)
class Shift:
    """All recordings of one table that are to be reviewed together."""

    table: TableConfig
    timeline: ShiftTimeline
    signals: tuple[Event, ...]
    """In the shift's time."""
    skipped: tuple[Skipped, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        """What people should know: gaps, overlaps, clocks that jump, files that cannot be watched."""
        at = self.timeline.began_at
        broken = (
            Note(kind=NoteKind.BROKEN, from_at=at, to_at=at, text=f"{one.path.name} is left out: {one.reason}")
            for one in self.skipped
        )
        return (*broken, *self.timeline.notes)

    @cached_property
    def key(self) -> str:
        """SHA-256 over the table's rules, the footage and the signals: the same shift has the same."""
        parts = [
            [part.file.fingerprint, part.from_at.isoformat(), round(part.from_s, 3), round(part.to_s, 3)]
            for part in self.timeline.parts
        ]
        lines = [format_event(event) for event in self.signals]
        text = json.dumps([self.table.id, rules_of(self.table), parts, lines], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def lasts_s(self) -> float:
        """How much film there is."""
        return sum(part.to_s - part.from_s for part in self.timeline.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedShift:
    """The videos of one table, not opened yet."""

    table: Path
    videos: tuple[Path, ...]


def find_wanted(targets: Sequence[Path], table: Path | None) -> list[WantedShift]:
    """The tables that the targets hold, each with its videos.

    Raises:
        ShiftError: A target is neither a folder with tables nor a video, or a video comes without a table.
    """
    found: dict[Path, list[Path]] = {}
    for target in targets:
        for table_file, video in _of_target(target, table):
            found.setdefault(table_file.resolve(), []).append(video)
    return [WantedShift(table=file, videos=tuple(dict.fromkeys(videos))) for file, videos in found.items()]


def open_shift(wanted: WantedShift, zone: ZoneInfo, known: Container[str] = ()) -> Shift | None:
    """Read all that belongs to one table's shift; what cannot be read is skipped and named.

    Gives None where all that can be watched was reviewed before.

    Args:
        wanted: The table and its videos.
        zone: The recorders' time zone.
        known: The fingerprints of files that were reviewed before: they are left out.

    Raises:
        ShiftError: None of its videos can be read.
        ServiceError: The table's files cannot be used.
    """
    table = load_table(wanted.table)
    files: list[RecordedFile] = []
    skipped: list[Skipped] = []
    for file in _read_files(wanted.videos, zone, table.cameras[0].calibration.image_size_wh_px):
        reason = file.reason if isinstance(file, Skipped) else _why_not(file, files, table, known)
        if reason is not None:
            skipped.append(Skipped(path=file.path, reason=reason))
        elif isinstance(file, RecordedFile):
            files.append(file)
    if not files and any(one.reason == KNOWN for one in skipped):
        return None
    if not files:
        reasons = "; ".join(f"{one.path.name} {one.reason}" for one in skipped) or "there is none"
        raise ShiftError(f"{wanted.table}: no video of this table can be watched: {reasons}")
    timeline = build_timeline(files)
    signals = _signals(wanted.videos, files, timeline)
    return Shift(table=table, timeline=timeline, signals=tuple(signals), skipped=tuple(skipped))


def _read_files(paths: Sequence[Path], zone: ZoneInfo, size_wh_px: tuple[int, int]) -> list[RecordedFile | Skipped]:
    """All files in their order; some are read at once, since one without an index is read to its end."""

    def read(path: Path) -> RecordedFile | Skipped:
        try:
            return read_file(path, zone, size_wh_px)
        except UnreadableVideoError as error:
            return Skipped(path=path, reason=error.reason)

    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        return list(pool.map(read, paths))


def _why_not(
    file: RecordedFile, others: Sequence[RecordedFile], table: TableConfig, known: Container[str]
) -> str | None:
    """Why a file that can be read is left out all the same; None where it is not."""
    width, height = table.cameras[0].calibration.image_size_wh_px
    if file.size_wh_px != (width, height):
        return f"is {file.size_wh_px[0]} x {file.size_wh_px[1]}; the calibration is for {width} x {height}"
    if file.fingerprint in {other.fingerprint for other in others}:
        return "is a copy of another file of the shift"
    return KNOWN if file.fingerprint in known else None


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
    for video in sorted(path for path in target.rglob("*") if path.suffix.lower() in VIDEO_SUFFIXES and path.is_file()):
        owner = _owner(video, target) or table
        if owner is not None:
            count += 1
            yield owner, video
    if count == 0:
        raise ShiftError(f"{target}: holds no video with a {TABLE_NAME} beside or above it; allowed: --table names one")


def _owner(video: Path, top: Path) -> Path | None:
    """The nearest table file beside or above a video, not above `top`."""
    for folder in video.parents:
        if (folder / TABLE_NAME).is_file():
            return folder / TABLE_NAME
        if folder == top:
            return None
    return None


def _signals(videos: Sequence[Path], files: Sequence[RecordedFile], timeline: ShiftTimeline) -> list[Event]:
    """What devices reported, in order of the shift's time.

    A line with `at` has its moment by the wall clock. In `NAME.signals.jsonl` beside NAME.mp4, and in a `signals.jsonl`
    beside a single video, `t` counts from that video's first frame; in one beside several, from the shift's beginning.
    """
    paths: dict[Path, datetime] = {}
    for file in files:
        own = file.path.with_name(f"{file.path.stem}.{SIGNALS_NAME}")
        if own.is_file():
            paths[own] = file.began_at
        shared = file.path.with_name(SIGNALS_NAME)
        if shared.is_file():
            is_alone = sum(path.parent == shared.parent for path in videos) == 1
            paths[shared] = file.began_at if is_alone else timeline.began_at
    events = [event for path, zero_at in paths.items() for event in _read_signals(path, zero_at, timeline)]
    return sorted(events, key=lambda event: event.t)


def _read_signals(path: Path, zero_at: datetime, timeline: ShiftTimeline) -> Iterator[Event]:
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
            at = datetime.fromisoformat(line["at"]) if "at" in line else zero_at + timedelta(seconds=float(line["t"]))
            yield parse_event({**line, "t": round(timeline.t(at), 3)})
        except UnknownEventError:
            continue
        except (ValueError, KeyError, TypeError, RulesError) as error:
            raise ShiftError(
                f"{path}: line {number}: {error}; allowed: a line of the table log with `t` or `at`"
            ) from error
