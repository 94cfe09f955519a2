"""Open a table's recordings as shifts: the new film as one, and each stretch that must be seen again as one.

All present files help to date each other, including those reviewed before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from thirdcard.rules.errors import LogError, RulesError, UnknownEventError
from thirdcard.rules.log.events import Event, parse_event
from thirdcard.rules.log.reader import read_objects
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.review.files import IS_TEXT, VIDEO_SUFFIXES, RecordedFile, read_file
from thirdcard.service.review.seen_film import SeenFilm, TimeSpan, clipped, holes, merged
from thirdcard.service.review.shift import Shift, ShiftError, Skipped, WantedShift
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.review.shift_timeline import Part, ShiftTimeline, build_timeline
from thirdcard.service.watch.recordings import SIGNALS_NAME
from thirdcard.vision.errors import NoFilmError, UnreadableVideoError

READ_AT_ONCE = 4
NEAR_S = 30.0
"""Stretches to be seen again within this many seconds of each other are watched together."""
LOOK_BYTES = 1024
NOTHING_SEEN = SeenFilm()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedTable:
    """The shifts of a table that must be watched."""

    shifts: tuple[Shift, ...]
    """Empty where everything was reviewed before."""
    faults: tuple[str, ...]
    """The faults of files that are meant as film and are broken, reviewed before or not."""


def open_shift(wanted: WantedShift, zone: ZoneInfo) -> Shift:
    """All recordings of one table as one shift, as if nothing had been reviewed; see `open_table`."""
    return open_table(wanted, zone).shifts[0]


def open_table(wanted: WantedShift, zone: ZoneInfo, seen: SeenFilm = NOTHING_SEEN) -> OpenedTable:
    """Open all recordings of one table; files that cannot be watched are skipped and named.

    Args:
        wanted: The table and its videos.
        zone: The recorders' time zone.
        seen: What was reviewed before: only what was lost in it is watched again.

    Raises:
        ShiftError: None of its videos can be read.
        ServiceError: The table's files cannot be used.
    """
    table = load_table(wanted.table)
    files, skipped = _usable(wanted, zone, table)
    if not files:
        reasons = "; ".join(f"{one.path.name} {one.reason}" for one in skipped) or "there is none"
        raise ShiftError(f"{wanted.table}: no video of this table can be watched: {reasons}")
    known = [seen.placed(file) for file in files]
    timeline = build_timeline([seen.without_lost(file) for file in known])
    builder = _Builder(table=table, timeline=timeline, files=tuple(known), seen=seen)
    faults = [f"{one.path.name} {one.reason}" for one in skipped if one.is_broken]
    faults += [f"{file.path.name}: {file.fault}" for file in files if file.fault is not None]
    return OpenedTable(shifts=tuple(builder.shifts(skipped)), faults=tuple(faults))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    """Builds the shifts of one table from its whole timeline."""

    table: TableConfig
    timeline: ShiftTimeline
    files: tuple[RecordedFile, ...]
    seen: SeenFilm

    def shifts(self, skipped: Sequence[Skipped]) -> Iterator[Shift]:
        """The new film, then the stretches to be seen again."""
        lost = self.seen.still_lost
        new = [part for part in self.timeline.parts if self._is_new(part, lost)]
        if new:
            notes = _notes_of(self.timeline, new) if len(new) < len(self.timeline.parts) else self.timeline.notes
            yield self._shift(ShiftTimeline(parts=tuple(new), notes=tuple(notes)), skipped=skipped)
        again = self._with_holes()
        unseen = [span for part in again if part not in new for span in self._unseen(part, lost)]
        for group in _groups(merged(unseen), self.seen):
            parts = clipped(again, TimeSpan(from_at=group[0].from_at, to_at=group[0].to_at))
            if parts:
                notes = [_completes(span) for span in group[1]]
                yield self._shift(ShiftTimeline(parts=tuple(parts), notes=tuple(notes)), completes=tuple(group[1]))

    def _is_new(self, part: Part, lost: Sequence[TimeSpan]) -> bool:
        """Whether a part is of a file that was never reviewed, and not of a lost stretch."""
        span = TimeSpan(from_at=part.from_at, to_at=part.to_at)
        return not self.seen.of_file(part.file) and not any(span.touches(one) for one in lost)

    def _unseen(self, part: Part, lost: Sequence[TimeSpan]) -> list[TimeSpan]:
        if self.seen.of_file(part.file):
            return self.seen.unseen(part)
        return [TimeSpan(from_at=part.from_at, to_at=part.to_at)]

    def _with_holes(self) -> list[Part]:
        """All parts, and the lost stretches of files that are present unchanged."""
        shown = list(self.timeline.parts)
        placed = {part.file.fingerprint: part.file.began_at for part in shown}
        for file in self.files:
            if self.seen.knows(file.fingerprint) and file.fingerprint in placed:
                whole = replace(file, began_at=placed[file.fingerprint])
                for hole in holes(whole, self.seen.without_lost(whole)):
                    span = TimeSpan(from_at=hole.from_at, to_at=hole.to_at)
                    if not any(span.touches(TimeSpan(from_at=one.from_at, to_at=one.to_at)) for one in shown):
                        shown.append(hole)
        return sorted(shown, key=lambda part: part.from_at)

    def _shift(
        self, timeline: ShiftTimeline, *, skipped: Sequence[Skipped] = (), completes: tuple[TimeSpan, ...] = ()
    ) -> Shift:
        signals = _signals(self.files, self.timeline.began_at, timeline)
        return Shift(
            table=self.table,
            timeline=timeline,
            signals=tuple(signals),
            skipped=tuple(skipped),
            completes=completes,
            known_alerts=self.seen.alerts if completes else (),
        )


def _usable(wanted: WantedShift, zone: ZoneInfo, table: TableConfig) -> tuple[list[RecordedFile], list[Skipped]]:
    files: list[RecordedFile] = []
    skipped: list[Skipped] = []
    for file in _read_files(wanted.videos, zone, table.cameras[0].calibration.image_size_wh_px):
        reason = None if isinstance(file, Skipped) else _why_not(file, files, table)
        if isinstance(file, Skipped):
            skipped.append(file)
        elif reason is not None:
            skipped.append(Skipped(path=file.path, reason=reason))
        else:
            files.append(file)
    return files, skipped


def _read_files(paths: Sequence[Path], zone: ZoneInfo, size_wh_px: tuple[int, int]) -> list[RecordedFile | Skipped]:
    """Read all files, several at a time, since a file without an index is read to its end; results are in order."""

    def read(path: Path) -> RecordedFile | Skipped:
        try:
            return replace(read_file(path, zone, size_wh_px), heard=_heard(path))
        except NoFilmError as error:
            return Skipped(path=path, reason=error.reason)
        except UnreadableVideoError as error:
            return _unreadable(path, error.reason)
        except OSError as error:
            return Skipped(path=path, reason=f"cannot be read: {error.strerror}", is_broken=True)

    with ThreadPoolExecutor(READ_AT_ONCE) as pool:
        return list(pool.map(read, paths))


def _unreadable(path: Path, reason: str) -> Skipped:
    """Why a file cannot be used: one with a film's ending is broken, any other is no film."""
    is_meant = path.suffix.lower() in VIDEO_SUFFIXES
    is_other = reason == "holds no video stream"
    if not is_meant and not is_other and _is_text(path):
        return Skipped(path=path, reason=IS_TEXT)
    text = reason if is_meant or is_other or reason.startswith("is ") else f"is no film: {reason}"
    return Skipped(path=path, reason=text, is_broken=is_meant and not is_other)


def _is_text(path: Path) -> bool:
    """Whether a file begins like text."""
    with path.open("rb") as file:
        begin = file.read(LOOK_BYTES)
    try:
        return bool(begin) and b"\x00" not in begin and bool(begin.decode("utf-8", errors="strict"))
    except UnicodeDecodeError as error:
        return error.start >= LOOK_BYTES - 4 and b"\x00" not in begin


def _size_wh_px(table: TableConfig) -> tuple[int, int]:
    """The picture size of the table's calibration."""
    return table.cameras[0].calibration.image_size_wh_px


def _why_not(file: RecordedFile, others: Sequence[RecordedFile], table: TableConfig) -> str | None:
    """Why a readable file is left out; None where it is not."""
    width, height = _size_wh_px(table)
    if file.size_wh_px != (width, height):
        return f"is {file.size_wh_px[0]} x {file.size_wh_px[1]}; the calibration is for {width} x {height}"
    copied = next((one.path.name for one in others if one.fingerprint == file.fingerprint), None)
    return None if copied is None else f"is a copy of another file of the shift, {copied}: it counts once"


def _notes_of(timeline: ShiftTimeline, parts: Sequence[Part]) -> list[Note]:
    """The notes that concern some of a timeline's parts."""
    return [
        note
        for note in timeline.notes
        if any(part.from_at <= note.to_at and note.from_at <= part.to_at for part in parts)
    ]


def _groups(unseen: Sequence[TimeSpan], seen: SeenFilm) -> list[tuple[TimeSpan, list[TimeSpan]]]:
    """The windows to watch, each with the stretches to be seen in it."""
    windows = merged((seen.window(span) for span in unseen), within_s=NEAR_S)
    return [(window, [span for span in unseen if span.touches(window)]) for window in windows]


def _completes(span: TimeSpan) -> Note:
    text = f"{span.lasts_s:.1f} s are seen here that an earlier review could not see"
    return Note(kind=NoteKind.COMPLETED, from_at=span.from_at, to_at=span.to_at, text=text)


def _own_signals(path: Path) -> Path:
    return path.with_name(f"{path.stem}.{SIGNALS_NAME}")


def _heard(path: Path) -> tuple[datetime, datetime] | None:
    """The first and the last time in a file's own signals; None where they have no times."""
    own = _own_signals(path)
    moments = []
    for text in own.read_text(encoding="utf-8").splitlines() if own.is_file() else ():
        try:
            at = datetime.fromisoformat(json.loads(text)["at"])
            moments.append(at if at.tzinfo is not None else at.replace(tzinfo=UTC))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # invalid lines are reported when the signals are read
    return (min(moments), max(moments)) if moments else None


def _signals(files: Sequence[RecordedFile], whole_began_at: datetime, timeline: ShiftTimeline) -> list[Event]:
    """The devices' reports, in order of the shift's time.

    A line with `at` has its time by the wall clock. In `NAME.signals.jsonl` beside NAME.mp4, and in a `signals.jsonl`
    beside a single video, `t` counts from that video's first frame; beside several, from the shift's beginning.
    """
    paths: dict[Path, datetime] = {}
    for file in {part.file.path: part.file for part in timeline.parts}.values():
        own = _own_signals(file.path)
        if own.is_file():
            paths[own] = file.began_at
        shared = file.path.with_name(SIGNALS_NAME)
        if shared.is_file():
            is_alone = sum(one.path.parent == shared.parent for one in files) == 1
            paths[shared] = file.began_at if is_alone else whole_began_at
    events = [event for path, zero_at in paths.items() for event in _read_signals(path, zero_at, timeline)]
    return sorted(events, key=lambda event: event.t)


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        yield from read_objects(path)
    except LogError as error:
        raise ShiftError(f"{path}: {error}") from error


def _read_signals(path: Path, zero_at: datetime, timeline: ShiftTimeline) -> Iterator[Event]:
    for number, line in _objects(path):
        try:
            at = datetime.fromisoformat(line["at"]) if "at" in line else zero_at + timedelta(seconds=float(line["t"]))
            yield parse_event({**line, "t": round(timeline.t(at), 3)})
        except UnknownEventError:
            continue
        except (ValueError, KeyError, TypeError, OverflowError, RulesError) as error:
            raise ShiftError(
                f"{path}: line {number}: {error}; allowed: a line of the table log with `t` or `at`"
            ) from error
