"""Decide who reached over an area, from where the arm crossed the table's edge.

The dealer stands at the top edge; players sit at the other three. Millimetres of the layout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from thirdcard.calibration.layout import Area, Layout
from thirdcard.rules.log.events import DEALER, UNKNOWN

KNOWN_SHARE = 0.25
"""The least share of looks that must show where the arm came in."""

Point = tuple[float, float]


def who_reached(entries_mm: Sequence[Point | None], area: Area, layout: Layout) -> str:
    """`dealer`, `seat:n`, or `unknown` where no arm was followed to an edge or both sides reached in.

    Args:
        entries_mm: Where arms came in while the area was covered, one per look; None where a look does not show it.
        area: The wagering area.
        layout: The cloth.
    """
    known = [entry for entry in entries_mm if entry is not None]
    if not known or len(known) < KNOWN_SHARE * len(entries_mm):
        return UNKNOWN
    seats = list(_seat_places(layout))
    dealer_looks = sum(_is_dealers(entry, seats) for entry in known)
    if dealer_looks >= 0.8 * len(known):
        return DEALER
    if dealer_looks > 0.2 * len(known) or area.seat is None:
        return UNKNOWN
    return f"seat:{area.seat}"


def _is_dealers(entry_mm: Point, seats_mm: Sequence[Point]) -> bool:
    """Whether the top edge, over which the dealer leans at any place, is nearer than every player's place."""
    return all(entry_mm[1] < math.dist(entry_mm, seat) for seat in seats_mm)


def _seat_places(layout: Layout) -> Iterator[Point]:
    """Where each player sits: on the cloth's edge, behind the seat's areas as seen from the middle of the top edge.

    A cloth without seats has one place, opposite the dealer.
    """
    width, depth = layout.size_mm
    dealer = np.array([width / 2, 0.0])
    seats = {area.seat for area in layout.areas if area.seat is not None}
    if not seats:
        yield (width / 2, depth)
    for seat in seats:
        centre = np.mean([area.centre_mm for area in layout.areas if area.seat == seat], axis=0)
        across, down = (float(part) for part in centre - dealer)
        to_side = math.inf if across == 0 else width / 2 / abs(across)
        to_bottom = math.inf if down <= 0 else depth / down
        reach = min(to_side, to_bottom)
        yield (float(dealer[0] + reach * across), float(max(reach * down, 0.0)))
