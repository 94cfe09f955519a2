"""The progress of the watch of a shift: in total, and in each file. Pure."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift import Shift


@dataclass(slots=True)
class FileReach:
    """The progress in one file; film that another file shows as well is not counted."""

    name: str
    """Its path below the common folder of all files of the shift."""
    lasts_s: float = 0.0
    watched_s: float = 0.0

    @property
    def left_s(self) -> float:
        """Seconds of it that are left."""
        return max(self.lasts_s - self.watched_s, 0.0)

    @property
    def is_whole(self) -> bool:
        """Whether it is complete, up to rounding."""
        return self.left_s < 0.1


@dataclass(slots=True, kw_only=True)
class ShiftReach:
    """The progress of a shift, in seconds of film; segments are watched in any order and in parallel."""

    shift: Shift
    segments: Sequence[Segment]
    done: Collection[int]
    """The numbers of segments that an earlier review watched."""
    files: list[FileReach] = field(init=False)
    """In the order in which they are first shown."""
    before_s: float = field(init=False)
    """Seconds of film that earlier reviews watched."""
    watched_s: float = field(init=False, default=0.0)
    _parts: list[tuple[float, float, FileReach]] = field(init=False)
    """From and to in the shift's time, and the file."""
    _reached_t: dict[int, float] = field(init=False)
    _under_way: dict[int, FileReach] = field(init=False, default_factory=dict)
    """The file that each segment is in."""

    def __post_init__(self) -> None:
        timeline = self.shift.timeline
        files = {path: FileReach(name) for path, name in _names([part.file.path for part in timeline.parts]).items()}
        self._parts = []
        for part in timeline.parts:
            file = files[part.file.path]
            file.lasts_s += part.to_s - part.from_s
            self._parts.append((timeline.t(part.from_at), timeline.t(part.to_at), file))
        self.files = list(files.values())
        self._reached_t = {one.number: one.core_from_t for one in self.segments}
        for one in self.segments:
            if one.number in self.done:
                self.advance(one.number, one.core_to_t)
        self.before_s = self.watched_s

    @property
    def left_s(self) -> float:
        """Seconds of film that are left."""
        return max(self.shift.lasts_s - self.watched_s, 0.0)

    @property
    def under_way(self) -> list[FileReach]:
        """The files that are being watched, in the order in which they are shown."""
        return [file for file in self.files if any(file is one for one in self._under_way.values())]

    def advance(self, number: int, t: float) -> None:
        """Note a segment's progress, in the shift's time."""
        segment, from_t = self.segments[number], self._reached_t[number]
        to_t = max(from_t, min(max(t, segment.core_from_t), segment.core_to_t))
        self._reached_t[number] = to_t
        self._under_way.pop(number, None)
        for part_from_t, part_to_t, file in self._parts:
            watched_s = max(min(part_to_t, to_t) - max(part_from_t, from_t), 0.0)
            file.watched_s += watched_s
            self.watched_s += watched_s
            if part_from_t <= to_t < part_to_t and to_t < segment.core_to_t:
                self._under_way[number] = file


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """The shortest distinct names of the files."""
    top = Path(os.path.commonpath([path.parent for path in paths]))
    return {path: path.relative_to(top).as_posix() for path in paths}
