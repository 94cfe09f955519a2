"""What a person is told while a shift is reviewed."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from service.config import load_table
from service.review.progress import ReviewProgress
from service.review.reviewing import Outcome
from service.review.segments import cut_segments
from service.review.shift import Shift
from service.review.timeline import build_timeline
from tests.service.review.shift_fakes import recorded

TABLE = Path(__file__).parents[3] / "datasets" / "demo" / "table.yaml"
HOUR_S = 3600.0


def told(*, done: int, speed: float) -> list[str]:
    """What is told of four hours of film, so many of its segments watched before, the others in their order."""
    shift = Shift(
        table=load_table(TABLE), timeline=build_timeline([recorded("a", 0, 4 * HOUR_S)]), signals=(), skipped=()
    )
    segments = cut_segments(shift.timeline)
    now = 0.0
    page = io.StringIO()
    progress = ReviewProgress(Console(file=page, width=200), clock=lambda: now)
    with progress:
        progress.begin(shift, segments, {one.number for one in segments[:done]})
        for segment in segments[done:]:
            now += (segment.core_to_t - segment.core_from_t) / speed
            progress.advance(shift, segment.number, segment.core_to_t)
        progress.finish(shift, Outcome(log_id=1, was_there=False, decoded=1, passed=3))
    return page.getvalue().splitlines()


def test_the_time_left_is_told_by_what_was_watched() -> None:
    lines = told(done=0, speed=20.0)
    halfway = next(line for line in lines if " 50 % " in line)
    assert halfway.endswith(": 50 % watched, 6 min left")
    assert "; 12 min, 20.0 x as fast as it was filmed; 75 % of the frames" in lines[-1]


def test_a_review_that_goes_on_counts_what_was_watched_before_as_done_and_not_as_its_speed() -> None:
    segments = len(cut_segments(build_timeline([recorded("a", 0, 4 * HOUR_S)])))
    lines = told(done=segments // 2, speed=20.0)
    assert f"{segments // 2} of {segments} segments watched before" in lines[0]
    shares = [int(line.split(": ")[1].split(" %")[0]) for line in lines[1:-1]]
    assert shares == sorted(shares)
    assert 50 < shares[0] < 80
    first = next(line for line in lines if f"{shares[0]} %" in line)
    minutes_left = int(first.split("watched, ")[1].split(" min")[0])
    assert abs(minutes_left - 12 * (1 - shares[0] / 100)) <= 1
    assert " 20.0 x as fast" in lines[-1]
