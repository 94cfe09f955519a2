"""What earlier reviews saw of a table: which stretch of which file, and what could not be watched.

Film that was seen is not watched again. If a damaged file was replaced, or can be read now, the lost stretch is watched
with the complete rounds around it, since half a round cannot be judged. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise

from thirdcard.service.review import clocks
from thirdcard.service.review.clocks import Claim
from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.shift_timeline import Part
from thirdcard.vision.video.film_index import FilmRun

SAME_BEGIN_S = 2.0
"""A file of the same name that begins within this many seconds of a lost one replaces it."""
LEAST_S = 1.0
"""Shorter lost stretches are not watched again, seconds."""
BEFORE_ROUND_S = 6.0
"""The time before its first wager or card at which a round may begin, to see what lay there before."""
AFTER_ROUND_S = 4.0
AROUND_S = 12.0
"""Seconds that are watched around a stretch that was lost between rounds."""
LONGEST_ROUND_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """A span of UTC time."""

    from_at: datetime
    to_at: datetime

    @property
    def lasts_s(self) -> float:
        """Its length in seconds."""
        return (self.to_at - self.from_at).total_seconds()

    def touches(self, other: TimeSpan) -> bool:
        """Whether they share more than an end."""
        return self.from_at < other.to_at and other.from_at < self.to_at


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenFile:
    """A stretch of a file in a log."""

    log_id: int
    name: str
    fingerprint: str
    span: TimeSpan
    begins_s: float
    """The stretch's position in the file, seconds."""

    @property
    def began_at(self) -> datetime:
        """When the file's first frame was filmed."""
        return self.span.from_at - timedelta(seconds=self.begins_s)


@dataclass(frozen=True, kw_only=True)
class SeenFilm:
    """What reviews of one table saw."""

    files: tuple[SeenFile, ...] = ()
    lost: tuple[tuple[int, TimeSpan], ...] = ()
    """Stretches that could not be watched, each with its log."""
    rounds: tuple[TimeSpan, ...] = ()
    """Rounds of logs that lost something, or whose files are present."""
    alerts: tuple[tuple[str, datetime], ...] = ()
    """Code and time of the alerts in those logs."""

    def knows(self, fingerprint: str) -> bool:
        """Whether a file was reviewed."""
        return any(seen.fingerprint == fingerprint for seen in self.files)

    def placed(self, file: RecordedFile) -> RecordedFile:
        """The file with the date of an earlier review, if there is one."""
        seen = next((one for one in self.files if one.fingerprint == file.fingerprint), None)
        if seen is None:
            return file
        claim = Claim(told_by=clocks.STORE, at=seen.began_at)
        return replace(file, began_at=claim.at, told_by=claim.told_by, claims=(claim, *file.claims))

    def of_file(self, file: RecordedFile) -> list[SeenFile]:
        """What was seen of a file, or of the one that it replaces."""
        lost = [span for _, span in self.lost]

        def is_place_taken(seen: SeenFile) -> bool:
            is_meant = seen.name == file.path.name or any(span.touches(seen.span) for span in lost)
            return is_meant and abs((seen.began_at - file.began_at).total_seconds()) <= SAME_BEGIN_S

        return [seen for seen in self.files if seen.fingerprint == file.fingerprint or is_place_taken(seen)]

    @cached_property
    def still_lost(self) -> list[TimeSpan]:
        """The stretches that no log saw."""
        left = []
        for log_id, span in self.lost:
            later = [seen.span for seen in self.files if seen.log_id > log_id]
            left += without([span], list(self._whole(later, log_id)))
        return [span for span in merged(left) if span.lasts_s >= LEAST_S]

    def unseen(self, part: Part) -> list[TimeSpan]:
        """The unseen stretches of a part, if its file was reviewed or replaces one that was."""
        logs = {one.log_id for one in self.of_file(part.file)}
        seen = [one.span for one in self.files if one.log_id in logs]
        lost = self.still_lost
        spans = without([TimeSpan(from_at=part.from_at, to_at=part.to_at)], seen)
        spans += [both for one in lost for both in _shared(one, TimeSpan(from_at=part.from_at, to_at=part.to_at))]
        return [span for span in spans if span.lasts_s >= LEAST_S]

    def without_lost(self, file: RecordedFile) -> RecordedFile:
        """A known file with only the runs that could be watched; unchanged where that was all, or nothing."""
        if not self.knows(file.fingerprint):
            return file
        lost = self.still_lost
        runs = [
            FilmRun(_second(left.from_at, file), _second(left.to_at, file))
            for run in file.runs
            for left in without([_span_of(file, run)], lost)
        ]
        return replace(file, index=replace(file.index, runs=tuple(runs))) if runs else file

    def window(self, unseen: TimeSpan) -> TimeSpan:
        """The window to watch so that all rounds of an unseen stretch are complete, and the one before.

        A watch that begins within a round takes the things on the cloth for print, so it begins a round earlier.
        """
        slack, longest = timedelta(seconds=AROUND_S), timedelta(seconds=LONGEST_ROUND_S)
        near = TimeSpan(from_at=unseen.from_at - slack, to_at=unseen.to_at + slack)
        around = [one for one in self.rounds if one.touches(near)]
        opened = min([unseen.from_at, *(one.from_at for one in around)])
        closed = max([unseen.to_at, *(one.to_at for one in around)])
        before = sorted((one for one in self.rounds if one.to_at <= opened), key=lambda one: one.to_at)[-2:]
        from_at = opened - slack
        if before:
            from_at = min(from_at, before[-1].from_at - timedelta(seconds=BEFORE_ROUND_S))
        if len(before) > 1:
            from_at = max(from_at, before[0].to_at)
        return TimeSpan(
            from_at=max(from_at, unseen.from_at - longest),
            to_at=min(closed + timedelta(seconds=AFTER_ROUND_S), unseen.to_at + longest),
        )

    def _whole(self, spans: Iterable[TimeSpan], log_id: int) -> Iterator[TimeSpan]:
        """The stretches without what later logs lost again."""
        again = [span for other, span in self.lost if other > log_id]
        for span in spans:
            yield from without([span], again)


def without(spans: Sequence[TimeSpan], taken: Sequence[TimeSpan]) -> list[TimeSpan]:
    """What remains of stretches after removing others."""
    left = list(spans)
    for one in taken:
        left = [piece for span in left for piece in _beside(span, one)]
    return left


def merged(spans: Iterable[TimeSpan], *, within_s: float = 0.0) -> list[TimeSpan]:
    """Stretches in order of time; those that touch or are within `within_s` are merged."""
    found: list[TimeSpan] = []
    for span in sorted(spans, key=lambda one: one.from_at):
        if found and (span.from_at - found[-1].to_at).total_seconds() <= within_s:
            found[-1] = replace(found[-1], to_at=max(found[-1].to_at, span.to_at))
        else:
            found.append(span)
    return found


def clipped(parts: Sequence[Part], window: TimeSpan) -> list[Part]:
    """The parts, and pieces of parts, that lie in a window."""
    found = []
    for part in parts:
        for both in _shared(TimeSpan(from_at=part.from_at, to_at=part.to_at), window):
            found.append(
                replace(part, from_s=_second(both.from_at, part.file), to_s=_second(both.to_at, part.file))
            )  # fmt: skip
    return found


def holes(file: RecordedFile, seen: RecordedFile) -> list[Part]:
    """The stretches of a file outside its seen runs."""
    bounds = [(run.from_s, run.to_s) for run in seen.runs]
    found = []
    for run in file.runs:
        inside = [(a, b) for a, b in bounds if a < run.to_s and b > run.from_s]
        edges = [(run.from_s, run.from_s), *inside, (run.to_s, run.to_s)]
        found += [
            Part(file=file, from_s=before[1], to_s=after[0])
            for before, after in pairwise(edges)
            if after[0] - before[1] >= LEAST_S
        ]
    return found


def _beside(span: TimeSpan, other: TimeSpan) -> list[TimeSpan]:
    if not span.touches(other):
        return [span]
    ends = [replace(span, to_at=other.from_at), replace(span, from_at=other.to_at)]
    return [one for one in ends if one.to_at > one.from_at]


def _shared(one: TimeSpan, other: TimeSpan) -> list[TimeSpan]:
    if not one.touches(other):
        return []
    return [TimeSpan(from_at=max(one.from_at, other.from_at), to_at=min(one.to_at, other.to_at))]


def _span_of(file: RecordedFile, run: FilmRun) -> TimeSpan:
    return TimeSpan(
        from_at=file.began_at + timedelta(seconds=run.from_s), to_at=file.began_at + timedelta(seconds=run.to_s)
    )


def _second(at: datetime, file: RecordedFile) -> float:
    return (at - file.began_at).total_seconds()
