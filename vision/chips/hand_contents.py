"""Chips in a moving hand: whether one brought some to a stack, or took some away from it.

A hand that adds chips carries them when it comes, one that takes some carries them when it goes. The detector sees
most of them, blurred as they are, for fingers hide half a chip. Places are layout millimetres, times seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import Detections
from thirdcard.vision.observations import Point
from thirdcard.vision.plane.occlusion import USUAL_GAP_S

LEAST_SCORE = 0.5
"""Detector's score. Less than CHIPS_SCORE (0.65), for chips in a moving hand are blurred and half hidden. Chosen by
hand."""
REMEMBERED_S = 6.0
"""Long enough for the longest cover that is waited for (OLDEST_S, 3 s), AROUND_S on both sides of it, and chips that
settle after it."""
RESTING_LOOKS, RESTING_MM = 4, 8.0
"""What so many looks show so near to one place rests there."""
APART_MM = 16.0
"""What shows nearer to a thing that rests may be that one, half hidden."""
NEAREST_MM, FARTHEST_MM = 22.0, 150.0
"""Chips are on their way to a stack or from it where they show so far from its foot."""
AROUND_S = 0.6
"""So long before a cover and after it a hand is on its way."""
SAME_LOOK_S = 0.03
"""Times that differ by less are of one look: looks are 0.095 s apart at least."""
AT_STACK_MM, TIP_SLACK_MM = 25.0, 12.0
"""A hand is at a stack when its tip is so near, or no more than this farther away than it ever comes."""
BROUGHT, TAKEN, NEITHER = 1, -1, 0
"""Signs of the change: chips come, go, or neither. As numbers they can be subtracted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """A stack was under a hand."""

    at_mm: Point
    """Its foot."""
    began_t: float
    touched_t: float | None
    """When the hand was at the stack first; None where no arm was made out."""
    ended_t: float


def touch_of(at_mm: Point, tips: Sequence[tuple[float, Point]], *, began_t: float, ended_t: float) -> Touch:
    """When a hand was at a stack.

    Args:
        at_mm: The stack's foot.
        tips: When looks showed an arm over the region, and its tip.
        began_t: When the region was covered first.
        ended_t: And last.
    """
    ways = [(t, float(np.hypot(*np.subtract(tip_mm, at_mm)))) for t, tip_mm in tips]
    near_mm = max(AT_STACK_MM, min((way_mm for _, way_mm in ways), default=0.0) + TIP_SLACK_MM)
    touched_t = min((t for t, way_mm in ways if way_mm <= near_mm), default=None)
    return Touch(at_mm=at_mm, began_t=began_t, touched_t=touched_t, ended_t=ended_t)


Carried = Callable[[Touch], int | None]
"""Whether chips were BROUGHT to a stack, TAKEN from it, or NEITHER was seen, or both; None: nobody could look."""


class CarriedChips:
    """Where chips showed lately, on the whole cloth."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, NDArray[np.float64]]] = deque()
        """When, and the middles, (N, 2)."""

    def see(self, chips: Detections, t: float) -> None:
        """Take one look in, also where it found what the look before did: what rests is known by it."""
        self._looks.append((t, chips.centres_mm[chips.score >= LEAST_SCORE]))
        while t - self._looks[0][0] > REMEMBERED_S:
            self._looks.popleft()

    def told(self, touch: Touch) -> int | None:
        """Whether chips were on their way before the hand was at the stack, or after it was, or neither, or both.

        None where it is not known when the hand was there: no arm was made out, or looks were too far apart.

        Those that show at just the look that shows it there first went where a look before showed it coming, with
        none. Chips that show both before and after came if they came nearer all the time, and went if they only went
        farther away: when a hand is there is not known to a look.
        """
        touched_t = touch.touched_t
        if touched_t is None or not self._looked_on(touch):
            return None
        places = np.concatenate([middles for _, middles in self._looks])
        seen = [
            (t, float(np.linalg.norm(middle - touch.at_mm)))
            for t, middles in self._looks
            if touch.began_t - AROUND_S <= t <= touch.ended_t + AROUND_S
            for middle in _on_the_way(middles, touch.at_mm)
            if not _rests(middle, places)
        ]
        came = any(t < touched_t - SAME_LOOK_S for t, _ in seen)
        went = any(t > touched_t + SAME_LOOK_S for t, _ in seen)
        if seen and not came and not went:
            return TAKEN if touched_t > touch.began_t + SAME_LOOK_S else BROUGHT
        return _heading([way_mm for _, way_mm in seen]) if came and went else int(came) - int(went)

    def _looked_on(self, touch: Touch) -> bool:
        """Whether looks followed each other as usual while the hand was there."""
        times = [t for t, _ in self._looks if touch.began_t - SAME_LOOK_S <= t <= touch.ended_t + SAME_LOOK_S]
        ends = np.array([touch.began_t, *times, touch.ended_t])
        return bool(times) and float(np.diff(ends).max()) <= USUAL_GAP_S + SAME_LOOK_S


def _heading(ways_mm: Sequence[float]) -> int:
    """Which way chips went that were seen at these distances from a stack, one after the other."""
    steps_mm = np.diff(ways_mm)
    return BROUGHT if (steps_mm < 0.0).all() else TAKEN if (steps_mm > 0.0).all() else NEITHER


def _on_the_way(middles: NDArray[np.float64], stack_mm: Point) -> NDArray[np.float64]:
    """Those of some places that are neither at a stack nor far from it."""
    ways_mm = np.linalg.norm(middles - stack_mm, axis=1)
    return np.asarray(middles[(ways_mm >= NEAREST_MM) & (ways_mm <= FARTHEST_MM)], np.float64)


def _rests(middle: NDArray[np.float64], places: NDArray[np.float64]) -> bool:
    """Whether chips rest at a place, or so near to it that they may be those that show there."""
    around = places[np.linalg.norm(places - middle, axis=1) <= APART_MM]
    gaps = np.linalg.norm(around[:, None] - around[None], axis=2)
    return bool(((gaps <= RESTING_MM).sum(axis=1) >= RESTING_LOOKS).any())
