"""Decide who reached over an area, from where the arm crossed the table's edge.

The dealer stands at the top edge; players sit at the other three. Millimetres of the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.calibration.layout import Area, Layout
from thirdcard.rules.log.events import DEALER, UNKNOWN

DEALER_SHARE = 0.25
"""The dealer reaches in over the top edge, or over a side within this share of the cloth's height from the top."""

KNOWN_SHARE = 0.25
"""The least share of looks that must show where the arm came in."""


def who_reached(entries_mm: Sequence[tuple[float, float] | None], area: Area, layout: Layout) -> str:
    """`dealer`, `seat:n`, or `unknown` where no arm was followed to an edge or both sides reached in.

    Args:
        entries_mm: Where arms came in while the area was covered, one per look; None where a look does not show it.
        area: The wagering area.
        layout: The cloth.
    """
    known = [entry for entry in entries_mm if entry is not None]
    if not known or len(known) < KNOWN_SHARE * len(entries_mm):
        return UNKNOWN
    dealer_looks = sum(y < layout.size_mm[1] * DEALER_SHARE for _, y in known)
    if dealer_looks >= 0.8 * len(known):
        return DEALER
    if dealer_looks > 0.2 * len(known) or area.seat is None:
        return UNKNOWN
    return f"seat:{area.seat}"
