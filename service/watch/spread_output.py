"""Write the counted decks of an opening spread: a line each in `spread.jsonl`, and a picture with the doubtful places
marked.

Pictures are BGR, `image_hw3`; positions in layout millimetres, times in seconds of stream time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.service.media.overlay import Outline, draw_overlay
from thirdcard.service.watch.spread_count import CountedSpread, SpreadFinding, SpreadPlace, count_decks, format_spread
from thirdcard.vision.spread.spread_reading import SeenCard, shown_corners_mm
from thirdcard.vision.spread.spread_watch import SpreadSight

if TYPE_CHECKING:
    from thirdcard.service.watch.recordings import Recording


ROOM_PX = 60
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class ShownSpread:
    """A finished spread with its picture."""

    spread: CountedSpread
    image_hw3: Image


def shown_spreads(sights: Iterable[SpreadSight]) -> tuple[ShownSpread, ...]:
    """The spreads with their decks counted."""
    return tuple(ShownSpread(spread_of(sight), sight.image) for sight in sights)


def spread_of(sight: SpreadSight) -> CountedSpread:
    """A spread with its decks counted."""
    rows = tuple(tuple(laid_card(card) for card in row.cards) for row in sight.rows)
    is_ordered = all(row.is_ordered for row in sight.rows)
    return CountedSpread(
        from_t=sight.from_t, to_t=sight.to_t, rows=rows, decks=count_decks(rows), is_ordered=is_ordered
    )


def laid_card(card: SeenCard) -> SpreadPlace:
    """One place of a row, in the words of the game."""
    corners = tuple((float(x), float(y)) for x, y in shown_corners_mm(card.strip))
    return SpreadPlace(
        card=None if card.is_hidden else card.label,
        expected=card.expected,
        confidence=card.confidence,
        corners_mm=corners,
        is_sure=card.is_sure,
        is_back=card.is_back,
        is_foreign=card.is_odd and not card.is_back,
        hides=card.hides,
    )


def draw_spread(shown: ShownSpread, calibration: Calibration, layout: Layout) -> Image:
    """The part of the picture with the spread, with an outline and a label at each place to check."""
    words = {
        SpreadFinding.MISSING: "{} missing after this",
        SpreadFinding.DOUBLED: "{} again",
        SpreadFinding.ONE_TOO_MANY: "one too many",
        SpreadFinding.FOREIGN: "not {}",
        SpreadFinding.FACE_DOWN: "back, {}?",
        SpreadFinding.COULD_NOT_SEE: "{}?",
    }
    outlines = [
        Outline(polygon_mm=doubt.place.corners_mm, text=words[doubt.finding].format(doubt.card), in_question=True)
        for doubt in shown.spread.doubts
        if doubt.place is not None
    ]
    drawn = draw_overlay(shown.image_hw3, calibration, layout, outlines)
    points = np.array([point for row in shown.spread.rows for card in row for point in card.corners_mm])
    if not len(points):
        return drawn
    on_image = calibration.image_from_layout(points.astype(np.float64))
    x, y, width, height = cv2.boundingRect(on_image.astype(np.float32))
    top, left = max(0, y - ROOM_PX), max(0, x - ROOM_PX)
    return np.ascontiguousarray(drawn[top : y + height + ROOM_PX, left : x + width + ROOM_PX])


SPREADS_NAME = "spread.jsonl"


@dataclass(frozen=True, slots=True)
class SpreadKeeper:
    """Writes the spreads of one output folder."""

    recording: Recording
    folder: Path

    def keep(self, shown: ShownSpread) -> CountedSpread:
        """Write a spread's line and picture; returns the spread with the picture's name."""
        from thirdcard.service.media.stills import save_picture

        name = f"clips/0000-spread-{shown.spread.from_t:.1f}.jpg"
        table = self.recording.table
        save_picture(self.folder / name, draw_spread(shown, table.cameras[0].calibration, table.layout))
        spread = shown.spread.with_still(name)
        with (self.folder / SPREADS_NAME).open("a", encoding="utf-8") as file:
            file.write(json.dumps(format_spread(spread)) + "\n")
        return spread
