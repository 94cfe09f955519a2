"""Cut a shift into segments that can be watched separately, each with a run-in that shows the table before its start.

A segment counts from where the previous one ended: at the first time after its own end at which no round is running. So
segments are independent, and together give one log. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from thirdcard.service.review.placing import JOINED_S
from thirdcard.service.review.shift_timeline import Part, ShiftTimeline, gap_s
from thirdcard.vision.video.film_index import FilmIndex

SEGMENT_S = 2400.0
"""The longest segment, in seconds."""
SIDE_BY_SIDE = 4
"""More than two segments are a multiple of this number, so that two or four processes end together."""
HALVED = 2
"""The number of last segments that are halved, so that no process waits long for the others at the end."""
RUN_IN_S = 20.0
LONGEST_RUN_IN_S = 150.0
"""The most seconds that a segment may begin early, to begin where the cloth is clear."""
RUN_OUT_S = 240.0
"""A round that lasts longer beyond a segment's end is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmSource:
    """A stretch of a file, and its place in the shift's time."""

    path: str
    from_s: float
    to_s: float
    at_t: float
    """The shift's time at `from_s`."""
    index: FilmIndex | None = None
    """The file's index; None: it is read when the file is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a shift, in seconds of the shift's time."""

    number: int
    core_from_t: float
    core_to_t: float
    sources: tuple[FilmSource, ...]
    """From the longest run-in to the end of the run-out, in order of time."""
    is_after_gap: bool
    is_before_gap: bool


def cut_segments(timeline: ShiftTimeline) -> list[Segment]:
    """All segments of a shift, in order of time."""
    segments: list[Segment] = []
    for filmed in _without_gaps(timeline.parts):
        from_t, to_t = timeline.t(filmed[0].from_at), timeline.t(filmed[-1].to_at)
        bounds = _bounds(from_t, to_t)
        count = len(bounds) - 1
        for n in range(count):
            is_first, is_last = n == 0, n == count - 1
            begins_t = from_t if is_first else max(from_t, bounds[n] - LONGEST_RUN_IN_S)
            ends_t = to_t if is_last else min(to_t, bounds[n + 1] + RUN_OUT_S)
            segments.append(
                Segment(
                    number=len(segments),
                    core_from_t=round(bounds[n], 3),
                    core_to_t=round(bounds[n + 1], 3),
                    sources=tuple(_sources(timeline, filmed, begins_t, ends_t)),
                    is_after_gap=is_first,
                    is_before_gap=is_last,
                )
            )
    return segments


def _bounds(from_t: float, to_t: float) -> list[float]:
    """The bounds of the segments, with both ends."""
    count = _count(to_t - from_t)
    bounds = [from_t + (to_t - from_t) * n / count for n in range(count + 1)]
    halves = [(one + other) / 2 for one, other in pairwise(bounds[-1 - HALVED :])] if count > 2 else []
    return sorted([*bounds, *halves])


def _count(lasts_s: float) -> int:
    least = max(1, math.ceil(lasts_s / SEGMENT_S))
    return least if least <= 2 else SIDE_BY_SIDE * math.ceil(least / SIDE_BY_SIDE)


def _without_gaps(parts: Sequence[Part]) -> list[list[Part]]:
    """Groups of parts that follow each other without a gap."""
    filmed: list[list[Part]] = []
    for part in parts:
        if filmed and gap_s(filmed[-1][-1], part) <= JOINED_S:
            filmed[-1].append(part)
        else:
            filmed.append([part])
    return filmed


def _sources(timeline: ShiftTimeline, parts: Sequence[Part], begins_t: float, ends_t: float) -> list[FilmSource]:
    sources = []
    for part in parts:
        part_t = timeline.t(part.from_at)
        from_t, to_t = max(begins_t, part_t), min(ends_t, timeline.t(part.to_at))
        if to_t > from_t:
            from_s = part.from_s + from_t - part_t
            sources.append(
                FilmSource(
                    path=str(part.file.path),
                    from_s=from_s,
                    to_s=from_s + to_t - from_t,
                    at_t=round(from_t, 3),
                    index=part.file.index,
                )
            )
    return sources
