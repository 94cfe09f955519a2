"""Say what became of chips that the dealer's arm took, by how far it went: he carries outward what he gives back.

Knows nothing of how chips or arms are seen. Millimetres of the layout plane.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.layout import Area, Layout
from rules.events import Bet, SettleAction, Source, WagerSettled

Point = tuple[float, float]

TAKEN_MM = 75.0
"""An arm that took chips to the tray went at most so far beyond them."""
GIVEN_MM = 95.0
"""One that pushed them to their player went at least so far."""
SURE, DOUBTFUL = 0.9, 0.5


def settled_line(
    t: float,
    area: Area,
    layout: Layout,
    *,
    growth: int | None,
    at_mm: Point | None,
    tips_mm: Sequence[Point | None],
) -> WagerSettled:
    """What the dealer did with a wager when its chips changed at `t`.

    Args:
        t: when.
        area: the wager's.
        layout: the cloth.
        growth: whether chips were added (above 0); None where that cannot be told.
        at_mm: where they stood before; None: nothing was there.
        tips_mm: how far the dealer's arm reached, look by look.
    """
    action, sure = SettleAction.COLLECTED, DOUBTFUL
    if (growth or 0) > 0:
        action, sure = SettleAction.PAID, 1.0
    elif at_mm is not None:
        action, sure = way_of_chips(at_mm, tips_mm, area, layout)
    assert area.bet is not None, "chips lie on wager areas"
    return WagerSettled(
        t=t, area=area.id, seat=area.seat, bet=Bet(area.bet), action=action, confidence=sure, source=Source.CAMERA
    )


def way_of_chips(
    at_mm: Point, tips_mm: Sequence[Point | None], area: Area, layout: Layout
) -> tuple[SettleAction, float]:
    """Whether chips were collected or returned, and how sure that is.

    Args:
        at_mm: where they stood.
        tips_mm: how far the dealer's arm reached, look by look; None where a look does not show it.
        area: the wager's.
        layout: the cloth.
    """
    seen = [tip for tip in tips_mm if tip is not None]
    if not seen:
        return SettleAction.COLLECTED, DOUBTFUL
    middle = np.mean([hand.polygon_mm.mean(axis=0) for hand in layout.of_kind("hand")], axis=0)
    outward = area.polygon_mm.mean(axis=0) - middle
    beyond_mm = float(((np.array(seen) - at_mm) @ outward).max() / np.linalg.norm(outward))
    if beyond_mm >= GIVEN_MM:
        return SettleAction.RETURNED, SURE
    is_sure = beyond_mm <= TAKEN_MM and len(seen) == len(tips_mm)
    return SettleAction.COLLECTED, SURE if is_sure else DOUBTFUL
