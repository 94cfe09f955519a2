"""Turn what was seen of a spread into what is said of its decks, and draw it.

Pictures are BGR, `image_hw3`; layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Calibration
from calibration.layout import Layout
from service.overlay import Outline, draw_overlay
from service.spreads import Finding, LaidCard, Spread, count_decks
from vision.spread_reading import SeenCard, shown_corners_mm
from vision.spread_watch import SpreadSight

ROOM_PX = 60
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class ShownSpread:
    """A spread that is over, with its picture."""

    spread: Spread
    image_hw3: Image


def shown_spreads(sights: Iterable[SpreadSight]) -> tuple[ShownSpread, ...]:
    """The decks of each lay, counted."""
    return tuple(ShownSpread(spread_of(sight), sight.image) for sight in sights)


def spread_of(sight: SpreadSight) -> Spread:
    """The decks of a lay, counted."""
    rows = tuple(tuple(laid_card(card) for card in row.cards) for row in sight.rows)
    is_ordered = all(row.is_ordered for row in sight.rows)
    return Spread(from_t=sight.from_t, to_t=sight.to_t, rows=rows, decks=count_decks(rows), is_ordered=is_ordered)


def laid_card(card: SeenCard) -> LaidCard:
    """One place of a row, in the words of the game."""
    corners = tuple((float(x), float(y)) for x, y in shown_corners_mm(card.strip))
    return LaidCard(
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
    """The spread's part of the picture, each place that wants a look outlined and named."""
    words = {
        Finding.MISSING: "{} missing after this",
        Finding.DOUBLED: "{} again",
        Finding.ONE_TOO_MANY: "one too many",
        Finding.FOREIGN: "not {}",
        Finding.FACE_DOWN: "back, {}?",
        Finding.COULD_NOT_SEE: "{}?",
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
