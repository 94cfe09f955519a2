"""Film that breaks whoever watches it costs its own segment, not those of others."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.service.review.shift_fakes import recorded
from thirdcard.service.review import engine, local_engine
from thirdcard.service.review.engine import JobKey, watch_or_tell
from thirdcard.service.review.local_engine import LocalEngine
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.review.segments import cut_segments
from thirdcard.service.review.shift_timeline import build_timeline

(SEGMENT,) = cut_segments(build_timeline([recorded("a.mp4", 0, 100)]))
JOB = SegmentJob(table=Path("/tables/t.yaml"), segment=SEGMENT, signals=())


def test_any_error_is_a_segment_that_was_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> SegmentResult:
        raise ZeroDivisionError("a picture of no height")

    monkeypatch.setattr(engine, "watch_segment", fail)
    result = watch_or_tell(JOB, lambda _: None)
    assert result.fault == "ZeroDivisionError: a picture of no height"
    assert (result.from_t, result.to_t) == (0.0, 0.0)


def test_table_that_cannot_be_read_is_a_segment_that_was_not_watched() -> None:
    assert "t.yaml" in str(watch_or_tell(JOB, lambda _: None).fault)


def test_process_that_always_ends_costs_one_segment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_engine, "TRIES", 1)
    monkeypatch.setattr(local_engine, "_watch", watch_or_die)
    deadly = replace(JOB, table=Path("/tables/deadly.yaml"))
    found = dict(LocalEngine(1).watch([(JobKey(0, 0), deadly), (JobKey(1, 0), JOB)], lambda _key, _t: None))
    assert found[JobKey(0, 0)].fault == "the process that watched it ended 2 times"
    assert "t.yaml" in str(found[JobKey(1, 0)].fault)


def watch_or_die(_key: JobKey, job: SegmentJob) -> SegmentResult:
    """What another process does, which dies of one film."""
    if "deadly" in job.table.name:
        os._exit(1)
    return watch_or_tell(job, lambda _: None)
