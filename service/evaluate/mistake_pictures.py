"""Pictures of the worst mistakes: false and missed alerts, and misread cards, highest confidence first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.layout import Area
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.evaluate.accounts import Incident
from thirdcard.service.evaluate.comparison import Comparison
from thirdcard.service.evaluate.sights import RecordingConditions
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.overlay import crop_area
from thirdcard.service.media.stills import save_picture, still_at

MARGIN_MM = 120.0
CARD_RESTS_S = 1.2
MOST = 40
"""The most pictures of one recording."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A mistake to look at."""

    t: float
    name: str
    """The middle part of the picture's file name."""
    sureness: float
    around_mm: NDArray[np.float64]
    """(N, 2) polygon in mm that the picture shows, with a margin."""


def write_pictures(
    comparison: Comparison, table: TableConfig, scene: RecordingConditions | None, folder: Path
) -> list[Path]:
    """Write a picture of each mistake, named by its rank; mistakes that the video does not show are left out."""
    camera = table.cameras[0]
    written = []
    worst = sorted(mistakes(comparison, table, scene), key=lambda each: -each.sureness)[:MOST]
    for rank, each in enumerate(worst, start=1):
        try:
            still = still_at(Path(camera.source), each.t)
        except ClipError:
            continue
        if still is None:
            continue
        path = folder / f"{comparison.name}-{rank:02d}-{each.t:.1f}-{each.name}.jpg"
        folder.mkdir(parents=True, exist_ok=True)
        around = [(float(x), float(y)) for x, y in each.around_mm]
        save_picture(path, crop_area(still.image_hw3, camera.calibration, around, margin_mm=MARGIN_MM))
        written.append(path)
    return written


def mistakes(comparison: Comparison, table: TableConfig, scene: RecordingConditions | None) -> list[Mistake]:
    """All mistakes of a recording with their confidence; missed incidents count as certain."""
    alerts = [
        Mistake(
            t=each.t + CARD_RESTS_S * (not each.code.startswith("late_bet.")),
            name=f"{what}-{each.code}",
            sureness=1.0 if what == "missed" else each.confidence or 0.0,
            around_mm=_place(each, table),
        )
        for what, incidents in (("false", comparison.incidents.false), ("missed", comparison.incidents.missed))
        for each in incidents
    ]
    cards = []
    for wrong in comparison.cards.wrong:
        t = wrong.t + CARD_RESTS_S
        place = _card_place(wrong.truth, t, table, scene)
        name = f"{wrong.truth or 'face-down'}-read-as-{wrong.said}"
        cards.append(Mistake(t=t, name=name, sureness=wrong.confidence or 0.0, around_mm=place))
    return alerts + cards


def _place(incident: Incident, table: TableConfig) -> NDArray[np.float64]:
    """The outline in mm of the seat's areas, or the hand's box, or all boxes."""
    areas = [
        area
        for area in table.layout.areas
        if (incident.seat is not None and area.seat == incident.seat)
        or (incident.seat is None and area.kind == "hand" and incident.hand in (None, area.hand))
    ]
    return _around(areas, table)


def _card_place(
    face: str | None, t: float, table: TableConfig, scene: RecordingConditions | None
) -> NDArray[np.float64]:
    sights = [] if scene is None or face is None else scene.of(face, t, t + 3.0)
    if sights:
        return np.asarray(table.cameras[0].calibration.layout_from_image(sights[0].corners_px), np.float64)
    return _around(table.layout.of_kind("hand"), table)


def _around(areas: Sequence[Area], table: TableConfig) -> NDArray[np.float64]:
    chosen = areas or table.layout.of_kind("hand")
    return np.concatenate([area.polygon_mm for area in chosen])
