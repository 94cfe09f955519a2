"""Write the readings during a clip as a small JSON file: outlines in pixels, by seconds of the clip.

`areas` are the hands' boxes and wagering areas; `cards` and `texts` are lists of changes, each valid until the next. It
is sealed like a picture; a browser draws it over the clip.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.service.media.overlay import area_outline, project
from thirdcard.service.media.overlay_memory import OverlayStretch

VERSION = 1
_SHOWN_KINDS = ("hand", "wager")


def write_overlay(
    path: Path,
    stretch: OverlayStretch,
    *,
    began: datetime,
    layout: Layout,
    calibration: Calibration,
    questioned: str | None = None,
) -> None:
    """Write the file of a clip.

    Args:
        path: The output file.
        stretch: The readings.
        began: The time of the clip's first frame.
        layout: The cloth.
        calibration: The camera's; its picture size is the clip's.
        questioned: The area that the alert is about.
    """

    @cache
    def shown(polygon_mm: tuple[tuple[float, float], ...]) -> list[list[float]]:
        pixels: list[list[float]] = project(calibration, polygon_mm).round(1).tolist()
        return pixels

    body = {
        "version": VERSION,
        "size": list(calibration.image_size_wh_px),
        "areas": [
            {
                "id": area.id,
                "kind": area.kind,
                "polygon": shown(area_outline(area).polygon_mm),
                "questioned": area.id == questioned,
            }
            for area in layout.areas
            if area.kind in _SHOWN_KINDS
        ],
        "cards": [
            {
                "t": _seconds(since.at - began),
                "shown": [{"polygon": shown(card.polygon_mm), "text": card.text} for card in since.what],
            }
            for since in stretch.cards
        ],
        "texts": [
            {"t": _seconds(since.at - began), "shown": {one.area: one.text for one in since.what}}
            for since in stretch.areas
        ],
    }
    path.write_text(json.dumps(body, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _seconds(length: timedelta) -> float:
    return round(length.total_seconds(), 3)
