"""Detect chips in a moving hand: whether it brought some to a stack, or took some away.

A hand that adds chips carries them when it comes, a hand that takes some carries them when it leaves. The detector sees
most of them, though they are blurred and half hidden by fingers. Places are layout millimetres, times seconds.
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
"""Least detector score. Below CHIPS_SCORE (0.65), since chips in a moving hand are blurred and half hidden. Chosen
by hand."""
REMEMBERED_S = 6.0
"""Seconds of looks that are kept: enough for the longest cover that is waited for (OLDEST_S, 3 s), AROUND_S on both
sides of it, and chips that settle after it."""
RESTING_LOOKS, RESTING_MM = 4, 8.0
"""Something seen within this many mm of one place in this many looks rests there."""
APART_MM = 16.0
"""Something seen within this distance of a resting thing may be that thing, half hidden."""
NEAREST_MM, FARTHEST_MM = 22.0, 150.0
"""Chips are on their way to or from a stack if they are seen at a distance in this range from its base."""
AROUND_S = 0.6
"""Seconds before a cover and after it in which a hand is on its way."""
SAME_LOOK_S = 0.03
"""Times that differ by less are of one look: looks are at least 0.095 s apart."""
AT_STACK_MM, TIP_SLACK_MM = 25.0, 12.0
"""A hand is at a stack when its tip is within the first distance, or within the second of its nearest approach."""
BROUGHT, TAKEN, NEITHER = 1, -1, 0
"""Signs of the change: chips come, go, or neither. As numbers they can be subtracted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """A stack that was under a hand for some time."""

    at_mm: Point
    """The centre of its base."""
    began_t: float
    touched_t: float | None
    """When the hand first reached the stack; None where no arm was recognised."""
    ended_t: float


def touch_of(at_mm: Point, tips: Sequence[tuple[float, Point]], *, began_t: float, ended_t: float) -> Touch:
    """Return when a hand was at a stack.

    Args:
        at_mm: The centre of the stack's base.
        tips: The times of looks that showed an arm over the region, with its tip in mm.
        began_t: When the region was first covered.
        ended_t: When it was last covered.
    """
    ways = [(t, float(np.hypot(*np.subtract(tip_mm, at_mm)))) for t, tip_mm in tips]
    near_mm = max(AT_STACK_MM, min((way_mm for _, way_mm in ways), default=0.0) + TIP_SLACK_MM)
    touched_t = min((t for t, way_mm in ways if way_mm <= near_mm), default=None)
    return Touch(at_mm=at_mm, began_t=began_t, touched_t=touched_t, ended_t=ended_t)


Carried = Callable[[Touch], int | None]
"""Returns BROUGHT, TAKEN or NEITHER (also if both were seen) for a touched stack; None where it could not be seen."""


class CarriedChips:
    """Where chips were seen recently, on the whole cloth."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, NDArray[np.float64]]] = deque()
        """The times of looks, and the centres of the chips they showed, (N, 2) mm."""

    def see(self, chips: Detections, t: float) -> None:
        """Take one look, even if it found the same as the last: chips at rest are recognised by repetition."""
        self._looks.append((t, chips.centres_mm[chips.score >= LEAST_SCORE]))
        while t - self._looks[0][0] > REMEMBERED_S:
            self._looks.popleft()

    def told(self, touch: Touch) -> int | None:
        """Return whether chips came before the hand reached the stack, or left after it: BROUGHT, TAKEN or NEITHER.

        None where the time of the touch is unknown: no arm was recognised, or looks were too far apart. Chips seen only
        in the very look that first shows the hand at the stack were taken if an earlier look showed the hand arriving
        without any. Chips seen both before and after were brought if they came steadily nearer, and taken if they only
        moved away, since the time of the touch is not known to a single look.
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
        """Whether looks followed each other at the usual interval while the hand was there."""
        times = [t for t, _ in self._looks if touch.began_t - SAME_LOOK_S <= t <= touch.ended_t + SAME_LOOK_S]
        ends = np.array([touch.began_t, *times, touch.ended_t])
        return bool(times) and float(np.diff(ends).max()) <= USUAL_GAP_S + SAME_LOOK_S


def _heading(ways_mm: Sequence[float]) -> int:
    """Return which way chips moved that were seen one after the other at these distances from a stack."""
    steps_mm = np.diff(ways_mm)
    return BROUGHT if (steps_mm < 0.0).all() else TAKEN if (steps_mm > 0.0).all() else NEITHER


def _on_the_way(middles: NDArray[np.float64], stack_mm: Point) -> NDArray[np.float64]:
    """Return the places that are neither at a stack nor far from it."""
    ways_mm = np.linalg.norm(middles - stack_mm, axis=1)
    return np.asarray(middles[(ways_mm >= NEAREST_MM) & (ways_mm <= FARTHEST_MM)], np.float64)


def _rests(middle: NDArray[np.float64], places: NDArray[np.float64]) -> bool:
    """Whether chips rest at a place, or so near to it that they may be the ones seen there."""
    around = places[np.linalg.norm(places - middle, axis=1) <= APART_MM]
    gaps = np.linalg.norm(around[:, None] - around[None], axis=2)
    return bool(((gaps <= RESTING_MM).sum(axis=1) >= RESTING_LOOKS).any())
