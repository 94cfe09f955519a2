"""Measure three ways of processing the same stretch of video, one after the other on the same cores.

Decoding alone is the limit. The plain way runs a whole-picture detector on every frame: the graph of YOLO11n at 640
pixels as Ultralytics exports it, with random weights, since only its time matters here.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from thirdcard.service.watch.recordings import Recording
from thirdcard.vision.frames import Frame
from thirdcard.vision.video.video import VideoReader

if TYPE_CHECKING:
    from thirdcard.service.watch.film_watch import Progress

PLAIN_GRAPH = Path(__file__).resolve().parents[2] / "models" / "plain" / "yolo11n_640.onnx"
PLAIN_WEIGHT_BYTES = 12_000_000
PLAIN_SIDE_PX = 640
NOISE = 0.05

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The duration of one way."""

    frames: int
    seconds: float
    stages: Mapping[str, float]
    """Seconds of each stage; empty where it has none."""

    @property
    def frames_per_s(self) -> float:
        """Frames per second."""
        return self.frames / self.seconds if self.seconds else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedReport:
    """The three ways side by side; each the median of its runs."""

    decoding: Timing
    plain: Timing
    ours: Timing
    cores: int
    size_wh_px: tuple[int, int]

    @property
    def share_of_decoding(self) -> float:
        """Our frames per second over those of decoding alone; 1 is the limit."""
        return self.ours.frames_per_s / self.decoding.frames_per_s

    @property
    def times_plain(self) -> float:
        """Our frames per second over those of the plain way."""
        return self.ours.frames_per_s / self.plain.frames_per_s


def measure(
    recording: Recording, *, seconds: float, plain_frames: int, rounds: int = 3, clock: Clock = time.perf_counter
) -> SpeedReport:
    """Process the first `seconds` of a recording in each way in turn, `rounds` times.

    Args:
        recording: What is watched.
        seconds: Stream time.
        plain_frames: How many frames the plain way gets; it is slow, and every frame takes it the same time.
        rounds: The number of runs; the median counts.
        clock: Seconds of wall time.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = open_plain(Path(folder))
        runs: dict[str, list[Timing]] = {"decoding": [], "plain": [], "ours": []}
        for _ in range(rounds):
            runs["decoding"].append(time_decoding(recording.source, seconds, clock))
            runs["plain"].append(time_plain(recording.source, plain, plain_frames, clock))
            runs["ours"].append(time_pipeline(recording, seconds, clock))
    with VideoReader(recording.source) as reader:
        size = reader.info.size_wh_px
    return SpeedReport(
        **{name: _middle(timings) for name, timings in runs.items()},
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        size_wh_px=size,
    )


def time_decoding(source: str, seconds: float, clock: Clock) -> Timing:
    """Decode only."""
    frames = 0
    with VideoReader(source) as reader:
        started = clock()
        for frame in reader:
            frames += 1
            if frame.t >= seconds:
                break
        return Timing(frames=frames, seconds=clock() - started, stages={})


def time_plain(source: str, session: ort.InferenceSession, most_frames: int, clock: Clock) -> Timing:
    """Decode, convert and run the whole-picture detector on every frame."""
    decode_s, detect_s, frames = 0.0, 0.0, 0
    with VideoReader(source) as reader:
        moments = iter(reader)
        while frames < most_frames:
            started = clock()
            frame = next(moments, None)
            decoded = clock()
            if frame is None:
                break
            session.run(None, {session.get_inputs()[0].name: _letterbox(frame)})
            decode_s, detect_s, frames = decode_s + decoded - started, detect_s + clock() - decoded, frames + 1
    return Timing(frames=frames, seconds=decode_s + detect_s, stages={"decode": decode_s, "detect": detect_s})


def time_pipeline(recording: Recording, seconds: float, clock: Clock) -> Timing:
    """Run the whole pipeline up to the alerts, without evidence and report; loading the models is not counted."""
    reports: Iterator[Progress] = _watch(recording)
    first = next(reports, None)
    if first is None:
        return Timing(frames=0, seconds=0.0, stages={})
    started, before = clock(), dict(first.stage_seconds)
    last = first
    for last in reports:
        if last.t >= seconds:
            break
    stages = {name: value - before.get(name, 0.0) for name, value in last.stage_seconds.items()}
    return Timing(frames=last.frame_index - first.frame_index, seconds=clock() - started, stages=stages)


def open_plain(folder: Path, *, threads: int | None = None) -> ort.InferenceSession:
    """The plain way's network, with random weights written to `folder`; by default it uses every core."""
    weights = np.random.default_rng(0).normal(0.0, NOISE, PLAIN_WEIGHT_BYTES // 4).astype(np.float32)
    (folder / "yolo11n_640.bin").write_bytes(weights.tobytes())
    graph = folder / PLAIN_GRAPH.name
    graph.write_bytes(PLAIN_GRAPH.read_bytes())
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def format_report(report: SpeedReport) -> dict[str, object]:
    """The figures as a mapping."""
    return {
        "cores": report.cores,
        "size": list(report.size_wh_px),
        "frames_per_s": {
            "decoding": round(report.decoding.frames_per_s, 1),
            "plain": round(report.plain.frames_per_s, 1),
            "ours": round(report.ours.frames_per_s, 1),
        },
        "share_of_decoding": round(report.share_of_decoding, 3),
        "times_plain": round(report.times_plain, 2),
        "stage_shares": {name: round(share, 3) for name, share in shares(report.ours.stages).items()},
    }


def shares(stages: Mapping[str, float]) -> dict[str, float]:
    """Each stage's share of the total time."""
    total = sum(stages.values())
    return {name: seconds / total for name, seconds in stages.items()} if total else {}


def _watch(recording: Recording) -> Iterator[Progress]:
    from thirdcard.service.watch.film_watch import watch_table

    return watch_table(recording.table, signals=recording.signals)


def _middle(timings: Sequence[Timing]) -> Timing:
    rate = median(timing.frames_per_s for timing in timings)
    return min(timings, key=lambda timing: abs(timing.frames_per_s - rate))


def _letterbox(frame: Frame) -> NDArray[np.float32]:
    """(1, 3, 640, 640) float32 RGB: the whole picture with a grey border, as such detectors take it."""
    image = frame.image
    scale = PLAIN_SIDE_PX / max(image.shape[:2])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    canvas = np.full((PLAIN_SIDE_PX, PLAIN_SIDE_PX, 3), 114, np.uint8)
    top, left = (PLAIN_SIDE_PX - size[1]) // 2, (PLAIN_SIDE_PX - size[0]) // 2
    canvas[top : top + size[1], left : left + size[0]] = cv2.resize(image, size)
    planes = canvas[:, :, ::-1].transpose(2, 0, 1)[None]
    return np.ascontiguousarray(planes, dtype=np.float32) / np.float32(255)
