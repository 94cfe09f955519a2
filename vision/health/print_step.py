"""Notice that the whole print moved at once, by however little: a bumped camera.

A single look measures each block's shift to about a millimetre, and part of that error stays the same from look to
look: cards and chips on the block, light. The change from the median of some looks to that of the next ones is known
far better. Slow changes are ignored. Seconds of stream time, layout millimetres.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

STEP_MM = 0.3
"""From this change on the print may have moved. In 8,000 looks at 21 rendered tables in play, whose cameras hung
still, three were larger, by up to 0.34 mm."""
BEFORE, BETWEEN, NOW = 6, 1, 3
"""Numbers of looks: those compared with, one left out that may show the bump itself, and the present ones."""
LEAST_KNOWN = 4
"""Of the looks before, a block's shift must be known in this many: an arm may have covered it."""
LEAST_BLOCKS = 8
"""With fewer blocks known before and now, nothing is reported, as in `reference_match`."""

Shifts = NDArray[np.float64]
"""(9, 12, 2) mm; NaN where unknown."""


class PrintStep:
    """The shifts of the blocks in the last looks."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, Shifts]] = deque(maxlen=BEFORE + BETWEEN + NOW)
        self.since_t: float | None = None
        """Since when the print has stepped by `STEP_MM` or more; None if the last looks show no step."""
        self.is_confirmed = False
        """Whether a fit confirmed the step; it then lasts until it is forgotten."""

    def update(self, shifts_mm: Shifts, t: float) -> float:
        """Take the shifts of the next look, (9, 12, 2) mm, at stream time `t`; return the present step, in mm.

        That is the median of the lengths by which the blocks' shifts changed; 0 where it is unknown.
        """
        self._looks.append((t, shifts_mm))
        step_mm = self._step_mm()
        if self.is_confirmed:
            return step_mm
        if step_mm < STEP_MM:
            self.since_t = None
        elif self.since_t is None:
            self.since_t = self._looks[-(NOW // 2 + 1)][0]  # most of the present looks show it
        return step_mm

    def confirm(self, t: float) -> None:
        """Note at stream time `t` that a fit confirmed the step, or found one that the looks do not show."""
        self.is_confirmed, self.since_t = True, t if self.since_t is None else self.since_t

    def forget(self) -> None:
        """Forget the looks and the step: what follows is compared with later looks only."""
        self._looks.clear()
        self.is_confirmed, self.since_t = False, None

    def _step_mm(self) -> float:
        if len(self._looks) < BEFORE + BETWEEN + NOW:
            return 0.0
        looks = np.stack([shifts for _, shifts in self._looks])
        before, now = looks[:BEFORE], looks[-NOW:]
        known = np.isfinite(now[..., 0]).all(axis=0) & (np.isfinite(before[..., 0]).sum(axis=0) >= LEAST_KNOWN)
        if int(known.sum()) < LEAST_BLOCKS:
            return 0.0
        gone = np.median(now[:, known], axis=0) - _known_median(before[:, known])
        return float(np.median(np.hypot(gone[:, 0], gone[:, 1])))


def _known_median(shifts_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """The medians over looks, (N, 2), of shifts, (looks, N, 2), without NaN; five times as fast as `np.nanmedian`."""
    rising = np.sort(shifts_mm, axis=0)  # NaN comes last
    count = np.isfinite(shifts_mm).sum(axis=0)[None]
    low, high = (np.take_along_axis(rising, middle, axis=0)[0] for middle in ((count - 1) // 2, count // 2))
    return np.asarray((low + high) / 2.0, np.float64)
