"""The bench: three ways through a tiny video. Nothing here asserts on how long anything takes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from tests.service.watch_fakes import LENGTH_S, RATE_HZ, make_progress, write_table, write_video
from thirdcard.service.bench.speed import (
    SpeedReport,
    Timing,
    format_report,
    open_plain,
    shares,
    time_decoding,
    time_pipeline,
    time_plain,
)
from thirdcard.service.watch.recordings import Recording, find_recording


class Clock:
    """Every look at it is a second later."""

    def __init__(self) -> None:
        self._ticks = itertools.count()

    def __call__(self) -> float:
        return float(next(self._ticks))


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    write_table(tmp_path)
    write_video(tmp_path / "video.mp4")
    return find_recording(str(tmp_path))


def test_decoding_counts_the_frames_of_the_stretch(recording: Recording) -> None:
    assert time_decoding(recording.source, 2.0, Clock()).frames == 2 * RATE_HZ + 1
    assert time_decoding(recording.source, 900.0, Clock()).frames == int(LENGTH_S * RATE_HZ)


def test_plain_way_runs_its_network_on_every_frame(recording: Recording, tmp_path: Path) -> None:
    session = open_plain(tmp_path, threads=1)
    timing = time_plain(recording.source, session, 2, Clock())
    assert (timing.frames, timing.stages) == (2, {"decode": 2.0, "detect": 2.0})
    output = session.run(None, {session.get_inputs()[0].name: np.zeros((1, 3, 640, 640), np.float32)})[0]
    assert np.isfinite(output).all()


def test_pipeline_counts_from_its_first_report(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [make_progress(t, stage_seconds={"decode": t, "detect": 2 * t}) for t in (1.0, 2.0, 3.0, 9.0)]
    monkeypatch.setattr("thirdcard.service.bench.speed._watch", lambda recording: iter(reports))
    timing = time_pipeline(recording, 2.5, Clock())
    assert (timing.frames, timing.stages) == (2 * RATE_HZ, {"decode": 2.0, "detect": 4.0})


def test_pipeline_that_reports_nothing_has_no_frames(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.bench.speed._watch", lambda recording: iter(()))
    assert time_pipeline(recording, 2.5, Clock()).frames_per_s == 0.0


def test_report_gives_ratios_and_shares() -> None:
    decoding, plain = Timing(frames=100, seconds=1.0, stages={}), Timing(frames=10, seconds=2.0, stages={})
    ours = Timing(frames=120, seconds=2.0, stages={"decode": 0.5, "detect": 1.5})
    report = SpeedReport(decoding=decoding, plain=plain, ours=ours, cores=2, size_wh_px=(1920, 1080))
    mapping = json.loads(json.dumps(format_report(report)))
    assert (mapping["share_of_decoding"], mapping["times_plain"]) == (0.6, 12.0)
    assert mapping["stage_shares"] == {"decode": 0.25, "detect": 0.75}
    assert shares({}) == {}
