"""Find the cards of a spread that do not look like the others of their face: of a strange deck, or no face at all.

Only parts that both show are compared. Without an enrolled deck a face needs two others for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.enrolled_deck import HouseDeck
from thirdcard.vision.inference.similarity import Small, likeness, prepared
from thirdcard.vision.spread.spread_reading import SeenCard, SeenRow, shown_columns, strip_crop

LEAST_OTHERS = 2
"""Least number of other cards of a face: of two cards that differ it is unknown which is strange; of three it is the
odd one out."""
MANY_OTHERS = 4
"""Number of other cards from which their median counts; of fewer the best counts, since one may be strange itself: a
joker made two genuine cards look foreign (docs/accuracy/special.md)."""
ODD_BELOW = 0.85
"""A card with a lower similarity to its kind may be odd; it is if most others are much more similar to theirs."""
ODD_SPREADS = 6.0
"""It must also be this many usual deviations below the median."""
LEAST_DEVIATION = 0.02
"""Lower limit of the usual deviation: where all cards look exactly alike, a little noise would be odd. Chosen by
hand."""


def compared(
    rows: Sequence[SeenRow], image: Image, calibration: Calibration, deck: HouseDeck | None = None
) -> list[SeenRow]:
    """Return the same rows with each card's similarity to its kind, and whether it is odd."""
    places = [(r, n) for r, row in enumerate(rows) for n in range(len(row.cards))]
    small: dict[tuple[int, int], Small] = {}
    for place in places:
        crop = strip_crop(image, calibration, rows[place[0]].cards[place[1]].strip)
        if crop is not None:
            small[place] = prepared(crop)
    alike = {place: _alike(place, rows, small, deck) for place in small}
    known = np.array([value for value in alike.values() if value is not None])
    usual = float(np.median(known)) if len(known) else 1.0
    deviation = (
        max(1.4826 * float(np.median(np.abs(known - usual))), LEAST_DEVIATION) if len(known) else LEAST_DEVIATION
    )
    limit = min(ODD_BELOW, usual - ODD_SPREADS * deviation)
    return [
        replace(row, cards=tuple(_judged(card, alike.get((r, n)), limit) for n, card in enumerate(row.cards)))
        for r, row in enumerate(rows)
    ]


def _judged(card: SeenCard, value: float | None, limit: float) -> SeenCard:
    is_odd = value is not None and value < limit and not card.is_hidden
    return replace(card, likeness=value, is_odd=is_odd)


def _alike(
    place: tuple[int, int],
    rows: Sequence[SeenRow],
    small: dict[tuple[int, int], Small],
    deck: HouseDeck | None,
) -> float | None:
    """Return a card's similarity to the others of its face, or to the enrolled one if that is higher."""
    card = rows[place[0]].cards[place[1]]
    values = []
    for other, picture in small.items():
        kin = rows[other[0]].cards[other[1]]
        if other == place or kin.expected != card.expected or kin.is_hidden:
            continue
        own, its = shown_columns(card.strip.shown), shown_columns(kin.strip.shown)
        values.append(likeness(small[place], picture, slice(max(own.start, its.start), min(own.stop, its.stop))))
    values = [value for value in values if np.isfinite(value)]
    # of a few, one similar card is enough: the other may be the strange one
    among = (
        float(np.median(values) if len(values) >= MANY_OTHERS else max(values)) if len(values) >= LEAST_OTHERS else None
    )
    enrolled = None if deck is None else _enrolled_likeness(small[place], card, deck)
    return max((each for each in (among, enrolled) if each is not None), default=None)


def _enrolled_likeness(seen: Small, card: SeenCard, deck: HouseDeck) -> float | None:
    """Return the similarity of a card's visible part to the enrolled face, in either orientation."""
    face = deck.faces.get(card.expected)
    if face is None:
        return None
    own = shown_columns(card.strip.shown)
    values = []
    for crop, columns in (
        (face.crop, face.columns),
        (face.crop[::-1, ::-1], _turned(face.columns, face.crop.shape[1])),
    ):
        both = slice(max(own.start, columns.start), min(own.stop, columns.stop))
        values.append(likeness(seen, prepared(np.ascontiguousarray(crop)), both))
    kept = [value for value in values if np.isfinite(value)]
    return max(kept, default=None)


def _turned(columns: slice, width: int) -> slice:
    return slice(width - columns.stop, width - columns.start)
