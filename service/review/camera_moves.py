"""The camera's calibrations over a shift: it may have been moved and refitted in any segment.

Seconds of the shift's time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from thirdcard.calibration.camera import Calibration, format_calibration, parse_calibration
from thirdcard.calibration.history import CameraHistory
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.review.segments import FilmSource
from thirdcard.service.watch.film_sight import refit_text
from thirdcard.vision.errors import UnreadableVideoError
from thirdcard.vision.frames import Image
from thirdcard.vision.observations import CameraRefitted
from thirdcard.vision.plane.keyframe_skip import FilmStretch, key_frame


class WatchedPart(Protocol):
    """The findings of one segment."""

    @property
    def from_t(self) -> float:
        """The time of its first frame."""
        ...

    @property
    def to_t(self) -> float:
        """The end of the time in which its lines count."""
        ...

    @property
    def moves(self) -> Sequence[Mapping[str, object]]:
        """The moves, in the form of `told_move`."""
        ...


def first_luma(table: TableConfig, source: FilmSource) -> Image | None:
    """(H, W) uint8: the first picture of a shift, to which the table's calibration is taken to belong; None where none
    can be read."""
    size = table.cameras[0].calibration.image_size_wh_px
    try:
        frame = key_frame(FilmStretch(source.path, source.from_s, source.to_s, source.index, size))
    except UnreadableVideoError:
        return None
    return None if frame is None else frame.luma


def told_move(refitted: CameraRefitted, zero_t: float) -> dict[str, object]:
    """A camera's move and refit as JSON."""
    return {
        "t": round(refitted.t + zero_t, 3),
        "moved_mm": round(refitted.moved_mm, 1),
        "within_mm": round(refitted.within_mm, 2),
        "is_used": refitted.is_used,
        "calibration": dict(format_calibration(refitted.calibration)),
    }


def read_move(line: Mapping[str, Any]) -> CameraRefitted:
    """A move and refit from JSON."""
    values = {**line, "calibration": parse_calibration(line["calibration"], "a segment's result")}
    return CameraRefitted(**values)


def camera_history(first: Calibration, results: Sequence[WatchedPart]) -> CameraHistory:
    """The calibrations of a shift; each segment began with `first` until it noticed otherwise."""
    history, counted_t = CameraHistory(first), float("-inf")
    if not any(result.moves for result in results):
        return history
    for result in results:
        own = CameraHistory(first)
        for move in map(read_move, result.moves):
            if move.is_used:
                own.change(move.t, move.calibration)
        from_t = max(result.from_t, counted_t)
        for t in [from_t, *(float(str(move["t"])) for move in result.moves if float(str(move["t"])) > from_t)]:
            history.change(t, own.at(t))
        counted_t = result.to_t
    return history


def move_texts(results: Sequence[WatchedPart]) -> list[tuple[float, str]]:
    """When the camera was moved, and how that was handled; a move seen by two segments is listed once."""
    told, counted_t = [], float("-inf")
    for result in results:
        told += [(move.t, refit_text(move)) for move in map(read_move, result.moves) if move.t > counted_t]
        counted_t = result.to_t
    return told
