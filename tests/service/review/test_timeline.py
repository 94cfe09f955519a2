"""A table's files in one order of time, cut into segments."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.service.review.shift_fakes import EVENING, recorded, same_by_clock
from thirdcard.service.review.clocks import CONTAINER, NAME, Claim
from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.segments import LONGEST_RUN_IN_S, RUN_OUT_S, SEGMENT_S, cut_segments
from thirdcard.service.review.shift_notes import NoteKind
from thirdcard.service.review.shift_timeline import build_timeline
from thirdcard.vision.video.film_clock import ClockFault
from thirdcard.vision.video.film_index import FilmIndex, FilmRun


def spans(files: list[RecordedFile]) -> list[tuple[str, float, float]]:
    """Each part's file, and what of it counts."""
    return [(part.file.path.name, part.from_s, part.to_s) for part in build_timeline(files, same_by_clock).parts]


def notes(files: list[RecordedFile]) -> list[tuple[str, float, float]]:
    """Each note's kind and stretch, in seconds of the evening."""
    found = build_timeline(files, same_by_clock).notes
    return [
        (str(note.kind), (note.from_at - EVENING).total_seconds(), (note.to_at - EVENING).total_seconds())
        for note in found
    ]


def claims(begins_s: float, container: datetime) -> tuple[Claim, ...]:
    """What a name and a container say."""
    return (
        Claim(told_by=NAME, at=EVENING + timedelta(seconds=begins_s)),
        Claim(told_by=CONTAINER, at=container),
    )


def test_files_that_follow_each_other_are_joined_in_order_of_time() -> None:
    files = [recorded("b", 600.4, 600), recorded("a", 0, 600)]
    assert spans(files) == [("a", 0.0, 600), ("b", 0.0, 600)]
    assert notes(files) == []


def test_gap_is_told() -> None:
    files = [recorded("a", 0, 600), recorded("b", 660, 600)]
    assert notes(files) == [("gap", 600.0, 660.0)]


def test_overlap_counts_once_and_the_first_is_believed() -> None:
    files = [recorded("a", 0, 600), recorded("b", 590, 600), recorded("inside", 100, 60)]
    assert spans(files) == [("a", 0.0, 600), ("b", 10.0, 600)]
    assert notes(files) == [("overlap", 100.0, 160.0), ("overlap", 590.0, 600.0)]


def test_one_that_can_be_read_counts_where_one_that_breaks_shows_the_same() -> None:
    broken = recorded("a", 0, 600, fault="breaks after 600.0 s: Invalid data")
    assert spans([broken, recorded("b", 0, 900)]) == [("b", 0.0, 900)]
    assert spans([broken, recorded("b", 100, 900)]) == [("a", 0.0, 100.0), ("b", 0.0, 900)]


def test_clock_that_jumps_within_a_file_leaves_a_gap() -> None:
    jumping = recorded("a", 0, 0, runs=(FilmRun(0.0, 100.0), FilmRun(150.0, 300.0)))
    assert spans([jumping]) == [("a", 0.0, 100.0), ("a", 150.0, 300.0)]
    assert notes([jumping]) == [("clock", 100.0, 150.0)]


def test_clock_that_was_set_between_files_is_told() -> None:
    container = EVENING + timedelta(hours=-11)
    kept = recorded("a", 0, 600, claims=claims(0, container))
    moved = recorded("b", 3600, 600, claims=claims(3600, container + timedelta(seconds=600)))
    told = [note for note in build_timeline([kept, moved]).notes if note.kind is NoteKind.CLOCK]
    assert [note.text for note in told] == ["the clock was set by +3000 s between a and b"]


def test_file_that_breaks_is_told_where_it_ends() -> None:
    assert notes([recorded("a", 0, 300, fault="breaks after 300.0 s: Invalid data")]) == [("broken", 300.0, 300.0)]


def test_short_shift_is_one_segment() -> None:
    (segment,) = cut_segments(build_timeline([recorded("a", 0, 300)]))
    assert (segment.core_from_t, segment.core_to_t) == (0.0, 300.0)
    assert [(source.from_s, source.to_s, source.at_t) for source in segment.sources] == [(0.0, 300.0, 0.0)]
    assert segment.is_after_gap
    assert segment.is_before_gap


def test_segments_count_each_moment_once_and_begin_before_their_own_time() -> None:
    length_s = 4 * SEGMENT_S
    half_s = 1.5 * SEGMENT_S
    segments = cut_segments(build_timeline([recorded("a", 0, half_s), recorded("b", half_s, length_s - half_s)]))
    bounds = [SEGMENT_S * each for each in (0, 1, 2, 2.5, 3, 3.5, 4)]
    assert [segment.core_from_t for segment in segments] == bounds[:-1]
    assert [segment.core_to_t for segment in segments] == bounds[1:]
    middle = segments[1]
    assert middle.sources[0].at_t == SEGMENT_S - LONGEST_RUN_IN_S
    assert middle.sources[-1].at_t + middle.sources[-1].to_s == pytest.approx(2 * SEGMENT_S + RUN_OUT_S)
    assert [source.path.rpartition("/")[2] for source in middle.sources] == ["a", "b"]
    assert not middle.is_after_gap


@pytest.mark.parametrize(("segments", "count"), [(0.5, 1), (1.5, 2), (2.5, 6), (4.5, 10), (12, 14)])
def test_processes_side_by_side_end_together(segments: float, count: int) -> None:
    assert len(cut_segments(build_timeline([recorded("a", 0, segments * SEGMENT_S)]))) == count


def test_no_segment_reaches_over_a_gap() -> None:
    segments = cut_segments(build_timeline([recorded("a", 0, 300), recorded("b", 900, 300)]))
    assert [(segment.core_from_t, segment.core_to_t) for segment in segments] == [(0.0, 300.0), (900.0, 1200.0)]
    assert all(segment.is_after_gap and segment.is_before_gap for segment in segments)


def test_what_was_mended_of_a_films_own_clock_is_noted() -> None:
    index = FilmIndex(
        zero=0, step=1, step_s=0.04, runs=(FilmRun(0.0, 60.0),), packets=1,
        faults=tuple((float(n), ClockFault.SET, -14.0) for n in range(7)), assumed_rate_hz=15.0,
    )  # fmt: skip
    told = [note.text for note in build_timeline([recorded("a", 0, 60, index=index)]).notes]
    assert "a: 0.0 s: the film's clock changes by -14.0 s; time goes on" in told
    assert "a: and 2 times more" in told
    assert "a: the film has no times: 15 frames a second are assumed" in told
