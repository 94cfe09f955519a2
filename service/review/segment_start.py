"""Find a time at which a watch may begin: no open card and nobody at the hands' boxes, and as few wagers as possible.

Things on the cloth at the start of a watch are taken for print for a while. Printed outlines are sometimes detected as
backs too, but are always there: so times are compared with each other, and backs count no more than wagers, without
which no card is dealt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.review.segments import RUN_IN_S, Segment
from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CHIPS, HAND, Detections
from thirdcard.vision.errors import UnreadableVideoError
from thirdcard.vision.frames import Frame
from thirdcard.vision.observer import Eyes
from thirdcard.vision.plane.keyframe_skip import FilmStretch, key_frame
from thirdcard.vision.plane.rectify import Rectifier

STEP_S = 12.0
LEAST_SCORE = 0.5
"""The least score of a possible card, chip or hand."""
NOTHING = (0, 0)
REACH_MM = 60.0
"""A hand within this distance of a box is over it."""


def begun_at_rest(table: TableConfig, segment: Segment, eyes: Eyes) -> Segment:
    """The segment with its run-in cut to the time with the fewest things on the cloth; the last of equals."""
    if segment.is_after_gap:
        return segment
    rectifier = Rectifier(table.cameras[0].calibration, table.layout.size_mm)
    best: tuple[tuple[int, int], float] | None = None
    at_t = segment.core_from_t - RUN_IN_S
    while at_t >= segment.sources[0].at_t:
        begun = _frame_before(segment, at_t, table.cameras[0].calibration.image_size_wh_px)
        if begun is not None:
            frame, frame_t = begun
            crowd = _crowd(frame, table, rectifier, eyes)
            best = (crowd, frame_t) if best is None or crowd < best[0] else best
            if crowd == NOTHING:
                break
        at_t -= STEP_S
    return _from(segment, max(segment.core_from_t - RUN_IN_S, segment.sources[0].at_t) if best is None else best[1])


def _frame_before(segment: Segment, at_t: float, size_wh_px: tuple[int, int]) -> tuple[Frame, float] | None:
    """The key frame at or before a time of the shift, with its own time; None where its file has none before."""
    source = next((one for one in reversed(segment.sources) if one.at_t <= at_t), None)
    if source is None:
        return None
    from_s = source.from_s + at_t - source.at_t
    try:
        frame = key_frame(FilmStretch(source.path, from_s, source.to_s, source.index, size_wh_px))
    except UnreadableVideoError:
        return None
    if frame is None or frame.t < source.from_s:
        return None
    return frame, source.at_t + frame.t - source.from_s


def _crowd(frame: Frame, table: TableConfig, rectifier: Rectifier, eyes: Eyes) -> tuple[int, int]:
    """The number of open cards and hands at the hands' boxes; and of backs there, and chips and hands on wagers."""
    width, height = table.layout.size_mm
    found = eyes.detector.detect_regions(frame.image, rectifier, [(0.0, 0.0, float(width), float(height))])
    found = found.take(found.score >= LEAST_SCORE)
    boxes = [area.polygon_mm for area in table.layout.of_kind("hand")]
    wagers = [area.polygon_mm for area in table.layout.of_kind("wager")]
    open_or_hands = _count_near(found, (CARD_FACE, HAND), boxes, REACH_MM)
    backs = _count_near(found, (CARD_BACK,), boxes, REACH_MM)
    return open_or_hands, backs + _count_near(found, (CHIPS, HAND), wagers, 0.0)


def _count_near(
    found: Detections, labels: tuple[int, ...], areas: Sequence[NDArray[np.float64]], within_mm: float
) -> int:
    """The number of detections of these kinds with their middle or a corner in or near one of the areas."""
    things = found.take(np.isin(found.label, labels)).corners_mm
    outlines = [area.astype(np.float32) for area in areas]
    return sum(
        any(
            cv2.pointPolygonTest(outline, (float(x), float(y)), True) >= -within_mm
            for outline in outlines
            for x, y in (*corners, corners.mean(axis=0))
        )
        for corners in things
    )


def _from(segment: Segment, from_t: float) -> Segment:
    """The segment without what was filmed before a time."""
    sources = []
    for source in segment.sources:
        late_s = max(from_t - source.at_t, 0.0)
        if source.from_s + late_s < source.to_s:
            sources.append(replace(source, from_s=source.from_s + late_s, at_t=round(source.at_t + late_s, 3)))
    return replace(segment, sources=tuple(sources))
