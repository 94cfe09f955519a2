"""How far a shift is watched, in all and in each of its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.repository import DEMO
from tests.service.review.shift_fakes import recorded
from thirdcard.service.config.table_file import load_table
from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.reach import ShiftReach
from thirdcard.service.review.segments import cut_segments
from thirdcard.service.review.shift import Shift
from thirdcard.service.review.shift_timeline import build_timeline
from thirdcard.vision.video.film_index import FilmRun

TABLE = load_table(DEMO / "table.yaml")
HOUR_S = 3600.0


def reach_of(*files: RecordedFile, done: tuple[int, ...] = ()) -> ShiftReach:
    """Of a shift of these files."""
    shift = Shift(table=TABLE, timeline=build_timeline(files), signals=(), skipped=())
    return ShiftReach(shift=shift, segments=cut_segments(shift.timeline), done=done)


def test_a_watch_that_goes_through_two_files_counts_in_each() -> None:
    reach = reach_of(recorded("a", 0, 600), recorded("b", 600, 1200))
    reach.advance(0, 900.0)
    assert [(file.name, file.watched_s, file.left_s) for file in reach.files] == [("a", 600, 0), ("b", 300, 900)]
    assert [file.name for file in reach.under_way] == ["b"]
    assert (reach.watched_s, reach.left_s) == (900, 900)


def test_what_two_files_show_counts_once() -> None:
    reach = reach_of(recorded("a", 0, 600), recorded("b", 300, 600))
    reach.advance(0, 900.0)
    assert [(file.lasts_s, file.is_whole) for file in reach.files] == [(600, True), (300, True)]
    assert reach.left_s == 0


def test_a_file_whose_clock_jumps_is_one_file() -> None:
    jumping = recorded("a", 0, 900, runs=(FilmRun(0, 300), FilmRun(400, 900)))
    reach = reach_of(jumping)
    assert [file.lasts_s for file in reach.files] == [800]
    for segment in reach.segments:
        reach.advance(segment.number, segment.core_to_t)
    assert reach.files[0].is_whole
    assert reach.under_way == []


def test_a_watch_of_the_run_in_counts_nothing_and_is_in_its_segments_file() -> None:
    reach = reach_of(recorded("a", 0, HOUR_S), recorded("b", HOUR_S, HOUR_S))
    last = reach.segments[-1]
    reach.advance(last.number, last.core_from_t - 10.0)
    assert reach.watched_s == 0
    assert [file.name for file in reach.under_way] == ["b"]


def test_what_was_watched_before_is_told_apart() -> None:
    reach = reach_of(recorded("a", 0, 3 * HOUR_S), done=(0, 1))
    before_s = reach.segments[1].core_to_t
    assert reach.before_s == reach.watched_s == pytest.approx(before_s)
    assert reach.under_way == []


def test_files_of_one_name_are_told_apart_by_their_folders() -> None:
    one = replace(recorded("a", 0, 600), path=Path("/recordings/20/cam.mp4"))
    other = replace(recorded("b", 600, 600), path=Path("/recordings/21/cam.mp4"))
    assert [file.name for file in reach_of(one, other).files] == ["20/cam.mp4", "21/cam.mp4"]


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.floats(-100, 4 * HOUR_S)), max_size=30))
def test_whatever_is_told_nothing_counts_twice_and_nothing_goes_back(steps: list[tuple[int, float]]) -> None:
    reach = reach_of(recorded("a", 0, HOUR_S), recorded("b", HOUR_S - 200, HOUR_S), recorded("c", 9000, HOUR_S))
    watched_s = 0.0
    for number, t in steps:
        reach.advance(number % len(reach.segments), t)
        assert reach.watched_s >= watched_s
        watched_s = reach.watched_s
    assert watched_s == pytest.approx(sum(file.watched_s for file in reach.files))
    for segment in reach.segments:
        reach.advance(segment.number, segment.core_to_t + 100.0)
    assert all(file.is_whole for file in reach.files)
    assert reach.watched_s == pytest.approx(reach.shift.lasts_s)
