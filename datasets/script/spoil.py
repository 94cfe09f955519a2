"""Copy a recording with a defect: a camera's faults, or a beginning in the middle of play.

The copy's truth contains the faults too. An alert that is due while the camera cannot see is tolerated instead of due:
it may be reported or not. Seconds of stream time.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from thirdcard.calibration.camera import Calibration, load_calibration
from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.calibration.layout import Layout, load_layout
from thirdcard.datasets.script.errors import RecordingWriteError
from thirdcard.datasets.script.faults import CameraFault, FaultMaker, Image, Spell
from thirdcard.datasets.script.recording import write_lines
from thirdcard.datasets.script.video import write_video
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.log.events import (
    CameraBack,
    CameraFaulted,
    CameraLost,
    CameraMoved,
    CameraObstructed,
    format_event,
    parse_event,
)
from thirdcard.rules.log.reader import read_objects
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.options import elect
from thirdcard.vision.video.video import VideoReader

Line = Mapping[str, object]

KEPT = ("chips.yaml", "layout.yaml", "overhead.yaml", "table.yaml", "script.yaml", "spread.jsonl")
TRUTH, SIGNALS, ALERTS, TOLERATED = "truth.jsonl", "signals.jsonl", "alerts.jsonl", "tolerated.jsonl"
COPIED = (*KEPT, TRUTH, SIGNALS, ALERTS, TOLERATED)
"""The files of a copy besides the video."""
AFTER_CARD_S = 0.3
BEFORE_CARD_S = 1.5
LONGEST_S = 8.0
WITHIN_S = 2.0
"""Tolerance in seconds between the time of an alert and that of its cause."""
_TYPES: Mapping[CameraFault, type[CameraFaulted]] = {CameraFault.FROZEN: CameraLost, CameraFault.MOVED: CameraMoved}
"""Events of faults; all other faults obstruct the view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copying:
    """How the copy is encoded: at its source's rate and size."""

    fps: Fraction
    mbit_s: float
    key_frame_s: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CopySource:
    """A recording to be copied."""

    folder: Path
    table: Mapping[str, Any]
    video: Path
    camera: str
    calibration: Calibration
    layout: Layout


def load_source(folder: Path) -> CopySource:
    """Load a recording's folder as `thirdcard render` writes it.

    Raises:
        RecordingWriteError: It has no table.yaml with a camera, a calibration and a layout beside it.
    """
    try:
        table: Any = read_document(folder / "table.yaml")
        camera = table["cameras"][0]
        return CopySource(
            folder=folder,
            table=table,
            video=folder / camera["source"],
            camera=camera["name"],
            calibration=load_calibration(folder / camera["calibration"]),
            layout=load_layout(table["layout"], folder),
        )
    except (DocumentError, KeyError, TypeError, IndexError) as error:
        raise RecordingWriteError(f"{folder}: {error!r}; must be a folder as `thirdcard render` writes it") from error


def spoil_recording(source: CopySource, out: Path, spells: Sequence[Spell], *, begin_s: float = 0.0) -> None:
    """Write the copy.

    Args:
        source: The recording.
        out: The copy's folder.
        spells: The faults and their times, in the source's time.
        begin_s: What comes before is left out, in seconds.

    Raises:
        RecordingWriteError: The folder is the recording's own.
    """
    if out.resolve() == source.folder.resolve():
        raise RecordingWriteError(f"{out}: must be another folder than the recording's")
    out.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        if (source.folder / name).is_file():
            shutil.copyfile(source.folder / name, out / name)
    _write_logs(source, out, spells, begin_s)
    with VideoReader(source.video, threads=1) as reader:
        info = reader.info
        rate = Fraction(info.rate_hz or 25.0).limit_denominator(1001)
        bits = 8 * source.video.stat().st_size / (info.duration_s or 1.0)
        images = _spoiled(reader, FaultMaker(source.calibration, source.layout), spells, begin_s)
        write_video(out / source.video.name, Copying(fps=rate, mbit_s=bits / 1e6), images, info.size_wh_px)


def between_and_amid(source: CopySource, fault: CameraFault) -> list[Spell]:
    """Return the fault once between two rounds and once in the middle of a later round's deal, by the truth.

    Raises:
        RecordingWriteError: The recording has no truth, or fewer than four rounds with cards.
    """
    truth = _lines(source.folder / TRUTH)
    closed = [_time(line) for line in truth if line["type"] == "round_closed"]
    dealt = [_time(line) for line in truth if line["type"] == "card_dealt"]
    if len(closed) < 4:
        raise RecordingWriteError(
            f"{source.folder / TRUTH}: {len(closed)} rounds; must be 4 at least, or name each --fault"
        )
    following = min(t for t in dealt if t > closed[0])
    second = sorted(t for t in dealt if t > closed[1])[1]
    gap_s, rest_s = following - BEFORE_CARD_S - closed[0], closed[2] - second
    return [
        Spell(fault, closed[0], closed[0] + min(gap_s, LONGEST_S)),
        Spell(fault, second + AFTER_CARD_S, second + AFTER_CARD_S + min(rest_s, LONGEST_S)),
    ]


def _spoiled(reader: VideoReader, maker: FaultMaker, spells: Sequence[Spell], begin_s: float) -> Iterator[Image]:
    for frame in reader:
        if frame.t >= begin_s - 1e-6:
            fault = next((spell.fault for spell in spells if spell.is_at(frame.t)), None)
            yield maker.spoil(frame.image, frame.t, fault)


def _write_logs(source: CopySource, out: Path, spells: Sequence[Spell], begin_s: float) -> None:
    """Write the recording's logs from `begin_s` on, with the faults."""
    folder = source.folder
    if (folder / SIGNALS).is_file():
        write_lines(out / SIGNALS, _shifted(_lines(folder / SIGNALS), begin_s))
    if not (folder / TRUTH).is_file():
        return
    faults = [line for spell in spells for line in _camera_lines(spell, source.camera)]
    truth = sorted([*_lines(folder / TRUTH), *faults], key=_time)
    write_lines(out / TRUTH, _shifted(truth, begin_s))
    seen: list[Line] = []
    unseen: list[Line] = []
    for line in _lines(folder / ALERTS):
        (unseen if any(spell.is_at(_time(line)) for spell in spells) else seen).append(line)
    due = sorted([*seen, *_camera_alerts(source, truth)], key=_time)
    tolerated = [{**line, "from": _time(line) - WITHIN_S, "to": _time(line) + WITHIN_S} for line in unseen]
    write_lines(out / ALERTS, _shifted(due, begin_s))
    write_lines(out / TOLERATED, _shifted([*_lines(folder / TOLERATED), *tolerated], begin_s))


def _camera_lines(spell: Spell, camera: str) -> list[Line]:
    begun = _TYPES.get(spell.fault, CameraObstructed)(t=spell.from_s, camera=camera, fault=str(spell.fault))
    return [format_event(begun), format_event(CameraBack(t=spell.to_s, camera=camera))]


def _camera_alerts(source: CopySource, truth: Sequence[Line]) -> list[Line]:
    """Return the referee's alerts about the camera."""
    table = source.table
    referee = Referee(elect(load_rulebook(str(table["rulebook"])), table.get("options") or {}))
    alerts = [alert for line in truth for alert in referee.observe(parse_event(line)).alerts]
    return [format_alert(alert) for alert in alerts if alert.code.startswith("camera.")]


def _shifted(lines: Sequence[Line], begin_s: float) -> list[Line]:
    """Return the lines from `begin_s` on, in the copy's time."""
    moved: list[Line] = []
    for line in lines:
        if _time(line) >= begin_s:
            own = {key: line.get(key) for key in ("t", "from", "to")}
            times = {key: round(t - begin_s, 3) for key, t in own.items() if isinstance(t, int | float)}
            moved.append({**line, **times})
    return moved


def _lines(path: Path) -> list[Line]:
    if not path.is_file():
        return []
    return [line for _, line in read_objects(path)]


def _time(line: Line) -> float:
    return float(str(line["t"]))
