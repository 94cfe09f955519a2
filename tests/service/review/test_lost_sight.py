"""What could not be watched of a shift: each stretch once, with its cause."""

from __future__ import annotations

from dataclasses import replace

from tests.service.review.shift_fakes import recorded
from thirdcard.service.review.lost_sight import lost_notes, lost_sights
from thirdcard.service.review.segment_watch import SegmentResult
from thirdcard.service.review.segments import Segment, cut_segments
from thirdcard.service.review.shift_timeline import build_timeline

TIMELINE = build_timeline([recorded("a.mp4", 0, 100), recorded("b.mp4", 100, 100)])
(WHOLE,) = cut_segments(TIMELINE)
FIRST, SECOND = replace(WHOLE, core_to_t=90.0), replace(WHOLE, number=1, core_from_t=90.0)


def result(segment: Segment, to_t: float, *lost: tuple[float, float, str], fault: str | None = None) -> SegmentResult:
    return SegmentResult(
        number=segment.number, from_t=segment.core_from_t, to_t=to_t, lines=[], is_amid_round=False, fault=fault,
        decoded=0, passed=0, lost=[list(one) for one in lost],
    )  # fmt: skip


def told(*results: SegmentResult) -> list[tuple[str, str]]:
    found = lost_sights([FIRST, SECOND][: len(results)], results)
    return [(str(note.kind), note.text) for note in lost_notes(TIMELINE, found)]


def test_stretch_that_two_segments_watch_counts_once() -> None:
    both = ((95.0, 105.0, "damaged"),)
    assert told(result(FIRST, 100.0, *both), result(SECOND, 200.0, *both)) == [
        ("broken", "a.mp4 is damaged: nobody saw 10.0 s")
    ]


def test_cause_says_whether_film_is_broken_or_was_never_there() -> None:
    lost = ((10.0, 12.0, "gap"), (20.0, 21.5, "clock"), (120.0, 130.0, "size"))
    assert told(result(FIRST, 90.0, *lost), result(SECOND, 200.0, *lost)) == [
        ("gap", "a.mp4 holds nothing: nobody saw 2.0 s"),
        ("clock", "a.mp4 has a clock there that cannot be followed: nobody saw 1.5 s"),
        ("broken", "b.mp4 has another picture size there: nobody saw 10.0 s"),
    ]


def test_segment_that_ends_early_lost_the_rest() -> None:
    fault = "/recordings/a.mp4: breaks after 60.00 s (900 frames): Invalid data"
    assert told(result(FIRST, 60.0, fault=fault), result(SECOND, 200.0)) == [
        ("broken", "a.mp4: breaks after 60.00 s (900 frames): Invalid data: nobody saw 30.0 s")
    ]


def test_all_was_seen() -> None:
    assert told(result(FIRST, 95.0), result(SECOND, 200.0)) == []
