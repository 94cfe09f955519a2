"""Join the results of a shift's segments into one log.

Each segment counts from where the previous one ended. If a segment ended in a round, or film is missing, the log says
that what came then was not seen, and the round ends there. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from thirdcard.rules.log.events import CameraBack, CameraLost, Event, RoundClosed, Source, parse_event
from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment

NO_FILM = "no_recording"
"""The fault of a camera without film."""
CUT = "not_watched"
"""The fault where a watch had to end within a round."""
_NAMES_CARD = ("card_id", "together_with")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenStretch:
    """A stretch that was not seen, in the shift's time."""

    from_t: float
    to_t: float
    fault: str


def join(segments: Sequence[Segment], results: Sequence[SegmentResult], camera: str) -> list[Event]:
    """The lines of the whole shift, in order of time.

    Args:
        segments: All segments, in order.
        results: The result of each.
        camera: The camera's name.
    """
    log: list[Event] = []
    counted_to_t = float("-inf")
    for segment, result in zip(segments, results, strict=True):
        before = results[segment.number - 1] if segment.number else None
        if before is not None and (segment.is_after_gap or before.is_amid_round or before.fault is not None):
            fault = NO_FILM if segment.is_after_gap or before.fault is not None else CUT
            begins_t = max(result.from_t, counted_to_t)
            log += _unseen(counted_to_t, begins_t, camera, fault, is_amid_round=before.is_amid_round)
        lines = (line for line in result.lines if counted_to_t < _t(line) <= result.to_t)
        log += [parse_event(_renamed(line, segment.number)) for line in lines]
        counted_to_t = result.to_t
    return sorted(log, key=lambda event: event.t)


def _unseen(from_t: float, to_t: float, camera: str, fault: str, *, is_amid_round: bool) -> Iterable[Event]:
    yield CameraLost(t=from_t, camera=camera, fault=fault, source=Source.CAMERA)
    if is_amid_round:
        yield RoundClosed(t=from_t, source=Source.INFERRED)
    yield CameraBack(t=to_t, camera=camera, source=Source.CAMERA)


def _renamed(line: Mapping[str, object], number: int) -> dict[str, object]:
    """The line with card ids that are unique across segments."""
    return {key: f"{number}-{value}" if key in _NAMES_CARD and value else value for key, value in line.items()}


def _t(line: Mapping[str, object]) -> float:
    return float(str(line["t"]))
