"""What a person sees while a shift is reviewed."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tests.repository import DEMO
from tests.service.review.shift_fakes import recorded
from thirdcard.service.config.table_file import load_table
from thirdcard.service.review.progress import ReviewProgress
from thirdcard.service.review.reviewing import ShiftOutcome
from thirdcard.service.review.segments import Segment, cut_segments
from thirdcard.service.review.shift import Shift, WantedShift
from thirdcard.service.review.shift_timeline import build_timeline
from thirdcard.service.watch.wording import duration

TABLE = DEMO / "table.yaml"
HOUR_S = 3600.0


class Page:
    """A review of files that were never filmed, and what is reported about it."""

    def __init__(self, *, terminal: bool = False) -> None:
        self.now = 0.0
        self._text = io.StringIO()
        console = Console(file=self._text, width=200, height=60, force_terminal=terminal, no_color=True)
        self.progress = ReviewProgress(console, clock=lambda: self.now)

    @property
    def lines(self) -> list[str]:
        return self._text.getvalue().splitlines()

    def begin(self, shift: Shift, *, done: int = 0) -> list[Segment]:
        """So many of its segments were watched before; gives the others."""
        segments = cut_segments(shift.timeline)
        self.progress.begin(shift, segments, {one.number for one in segments[:done]})
        return segments[done:]

    def watch(self, shift: Shift, segment: Segment, *, speed: float) -> None:
        """The watch of a segment ends, so many times as fast as it was filmed."""
        self.now += (segment.core_to_t - segment.core_from_t) / speed
        self.progress.advance(shift, segment.number, segment.core_to_t)

    def end(self, shift: Shift) -> None:
        """It is in the store."""
        self.progress.finish(shift, ShiftOutcome(log_id=1, was_there=False, decoded=1, passed=3))


def filmed(*hours: str, table: str = "T01") -> Shift:
    """An hour of film in each of these files."""
    files = [recorded(name, n * HOUR_S, HOUR_S) for n, name in enumerate(hours)]
    config = replace(load_table(TABLE), id=table)
    return Shift(table=config, timeline=build_timeline(files), signals=(), skipped=())


def reviewed(*, done: int, speed: float) -> list[str]:
    """What is reported about four hours of film, so many segments watched before, the others in their order."""
    page, shift = Page(), filmed("a.mp4", "b.mp4", "c.mp4", "d.mp4")
    with page.progress:
        for segment in page.begin(shift, done=done):
            page.watch(shift, segment, speed=speed)
        page.end(shift)
    return page.lines


def test_the_time_left_is_told_by_what_was_watched() -> None:
    lines = reviewed(done=0, speed=20.0)
    halfway = next(line for line in lines if " 50 % " in line)
    assert halfway == "T01: 50 % watched, 2 of 4 files, 6 min left"
    assert lines[-2] == "T01: no rounds, no alerts in log 1; 75 % of the frames showed nothing new"
    assert lines[-1] == "reviewed in 12 min, 20.0 x as fast as it was filmed"


def test_a_review_that_goes_on_counts_what_was_watched_before_as_done_and_not_as_its_speed() -> None:
    segments = len(cut_segments(filmed("a.mp4", "b.mp4", "c.mp4", "d.mp4").timeline))
    lines = reviewed(done=segments // 2, speed=20.0)
    assert f"{segments // 2} of {segments} segments watched before" in lines[0]
    shares = [int(line.split(": ")[1].split(" %")[0]) for line in lines[1:-2]]
    assert shares == sorted(shares)
    assert 50 < shares[0] < 80
    first = next(line for line in lines if f"{shares[0]} %" in line)
    minutes_left = int(first.split("files, ")[1].split(" min")[0])
    assert abs(minutes_left - 12 * (1 - shares[0] / 100)) <= 1
    assert " 20.0 x as fast" in lines[-1]


def test_the_files_under_way_are_told_with_their_share_and_time_left() -> None:
    page, shift = Page(), filmed("a.mp4", "b.mp4")
    with page.progress:
        segments = page.begin(shift)
        page.now = 60.0
        page.progress.advance(shift, segments[0].number, 0.25 * HOUR_S)
    assert page.lines[-1] == "T01: 12 % watched, 0 of 2 files, 7 min left; a.mp4 25 %, 3 min left"


def test_of_many_tables_the_time_left_is_told_of_each_and_in_all() -> None:
    page, one, other = Page(), filmed("a.mp4", table="T01"), filmed("c.mp4", "d.mp4", "e.mp4", table="T02")
    with page.progress:
        first, second = page.begin(one), page.begin(other)
        for segment in first:
            page.watch(one, segment, speed=60.0)
        page.end(one)
        page.watch(other, second[0], speed=60.0)
    assert "all 2 tables: 25 % watched, 3 min left" in page.lines
    assert not any(line.startswith("reviewed in") for line in page.lines)
    last = next(line for line in reversed(page.lines) if line.startswith("T02: "))
    share = (second[0].core_to_t - second[0].core_from_t) / (3 * HOUR_S)
    left = duration(180.0 * (1 - share))
    assert last.startswith(f"T02: {100 * share:.0f} % watched, 0 of 3 files, {left} left")


def test_a_terminal_shows_a_bar_for_all_and_for_the_tables_and_files_under_way() -> None:
    page, one, other = Page(terminal=True), filmed("a.mp4", "b.mp4", table="T[1]"), filmed("c.mp4", table="T02")
    with page.progress:
        segments = page.begin(one)
        page.begin(other)
        page.progress.advance(one, segments[0].number, 0.25 * HOUR_S)
    shown = "\n".join(page.lines[-4:])
    for text, share in (("all tables", 8), ("T[1]", 12), ("  a.mp4", 25)):
        assert re.search(rf"{re.escape(text)} .* {share} %", shown), shown
    assert "b.mp4" not in shown
    assert "T02" not in shown


def test_where_all_was_watched_before_no_speed_is_told() -> None:
    segments = len(cut_segments(filmed("a.mp4", "b.mp4", "c.mp4", "d.mp4").timeline))
    assert reviewed(done=segments, speed=20.0)[-1] == "reviewed in 0 s"


def test_a_fault_is_told_and_a_review_that_fails_tells_no_pace() -> None:
    page, shift = Page(), filmed("a.mp4")
    with pytest.raises(KeyError), page.progress:
        page.begin(shift)
        raise KeyError
    assert not any(line.startswith("reviewed in") for line in page.lines)

    with page.progress:
        page.progress.finish(shift, ShiftOutcome(log_id=1, was_there=False, faults=("a.mp4 ends at 12:00",)))
    assert "T01: could not be watched whole: a.mp4 ends at 12:00" in page.lines


def test_the_files_that_are_read_first_are_shown_and_then_gone() -> None:
    page = Page(terminal=True)
    tables = [WantedShift(table=Path(name), videos=(Path("a.mp4"), Path("b.mp4"))) for name in ("one", "other")]
    with page.progress:
        assert list(page.progress.opening(tables)) == tables
    assert "reading files" in "".join(page.lines)
    assert "reading files" not in page.lines[-1]
