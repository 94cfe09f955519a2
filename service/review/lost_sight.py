"""The stretches of a shift that could not be watched, each once with its cause, from its segments' results. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.review.shift_timeline import ShiftTimeline

LEAST_S = 0.1
NEVER_FILMED = {"gap": NoteKind.GAP, "clock": NoteKind.CLOCK}
"""Causes that another copy of the file would hardly mend."""
WORDS = {
    "damaged": "is damaged",
    "size": "has another picture size there",
    "no_picture": "shows no picture",
    "gap": "holds nothing",
    "clock": "has a clock there that cannot be followed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LostSight:
    """A stretch that was not seen, in the shift's time."""

    from_t: float
    to_t: float
    fault: str

    @property
    def kind(self) -> NoteKind:
        """Whether film is broken, or never existed."""
        return NEVER_FILMED.get(self.fault, NoteKind.BROKEN)


def lost_sights(segments: Sequence[Segment], results: Sequence[SegmentResult]) -> list[LostSight]:
    """All stretches of a shift that could not be watched, in order of time."""
    found: list[LostSight] = []
    counted_to_t = float("-inf")
    for segment, result in zip(segments, results, strict=True):
        for lost in _of_result(segment, result, counted_to_t):
            is_same = found and found[-1].fault == lost.fault and lost.from_t <= found[-1].to_t + LEAST_S
            if is_same:
                found[-1] = replace(found[-1], to_t=max(found[-1].to_t, lost.to_t))
            else:
                found.append(lost)
        counted_to_t = max(result.to_t, segment.core_to_t if result.fault is not None else result.to_t)
    return found


def lost_notes(timeline: ShiftTimeline, losts: Sequence[LostSight]) -> list[Note]:
    """The notes about them."""
    notes = []
    for lost in losts:
        from_at = timeline.began_at + timedelta(seconds=lost.from_t)
        to_at = timeline.began_at + timedelta(seconds=lost.to_t)
        part = next((one for one in reversed(timeline.parts) if one.from_at <= from_at), timeline.parts[0])
        name = part.file.path.name
        what = f"{name} {WORDS[lost.fault]}" if lost.fault in WORDS else lost.fault.replace(str(part.file.path), name)
        text = f"{what}: nobody saw {lost.to_t - lost.from_t:.1f} s"
        notes.append(Note(kind=lost.kind, from_at=from_at, to_at=to_at, text=text))
    return notes


def _of_result(segment: Segment, result: SegmentResult, counted_to_t: float) -> Iterator[LostSight]:
    """The stretches that count for one segment: without what the previous one saw and the next will see."""
    for from_t, to_t, fault in result.lost:
        begin_t, end_t = max(float(str(from_t)), counted_to_t), min(float(str(to_t)), result.to_t)
        if end_t - begin_t >= LEAST_S:
            yield LostSight(from_t=begin_t, to_t=end_t, fault=str(fault))
    begin_t = max(result.to_t, counted_to_t)
    if result.fault is not None and segment.core_to_t - begin_t >= LEAST_S:
        yield LostSight(from_t=begin_t, to_t=segment.core_to_t, fault=result.fault)
