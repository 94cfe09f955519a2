"""Distinguish a frozen picture from a still table: a camera's picture always has noise, a repeated one has none.

Measures which parts of the picture changed at all from look to look. Strong compression leaves still parts unchanged
for a while, so a stream is compared with its own usual rate of change. If that is too low, as in a drawn picture
without noise, nothing is reported. Key frames repaint a frozen picture: one such change is ignored. Grey levels 0 to
255, seconds of stream time.
"""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image

PARTS_WH = (12, 9)
SAMPLES_WH = (480, 67)
"""Approximate number of compared pixels across and down."""
CHANGED_LEVELS = 1
"""A pixel that differs by more levels has changed; re-encoding a frozen picture changes pixels by one level."""
USUAL_SHARE = 0.4
"""If a smaller share of the parts usually changes, a still table cannot be distinguished from a frozen picture."""
FROZEN_PART = 0.12
"""The picture is frozen if the mean share over the last looks falls below this part of the usual share."""
ALIVE_PART = 0.5
"""It is live again if two consecutive looks exceed this part of the usual share."""
FROZEN_S = 1.25
"""Seconds that a freeze must last: a dozen looks without noise. With a shorter time a stream that repeats some
pictures seems frozen; with a longer one the fault is detected later. Chosen by hand."""
LEARN_LOOKS = 30
"""Looks needed before the usual share is known."""
USUAL_LOOKS = 300
"""Looks over which the usual share is averaged, approximately; those of a freeze are left out."""


class FreezeWatch:
    """Detects since when the picture has been frozen."""

    def __init__(self) -> None:
        self._last: Image | None = None
        self._recent: deque[tuple[float, float]] = deque()
        """Times and shares of the last looks, over `FROZEN_S`."""
        self._usual = 0.0
        self._looks = 0
        self._since_t: float | None = None

    def update(self, luma: Image, t: float) -> float | None:
        """Take the next look; return since when the picture has been frozen, None while it is live.

        Args:
            luma: (H, W) uint8 brightness at full size.
            t: Stream time in seconds.
        """
        samples = _samples(luma)
        last, self._last = self._last, samples
        if last is not None and last.shape == samples.shape:
            self._take(changed_share(samples, last), t)
        return self._since_t

    def _take(self, share: float, t: float) -> None:
        self._recent.append((t, share))
        while len(self._recent) > 2 and self._recent[1][0] <= t - FROZEN_S:
            self._recent.popleft()
        shares = [each for _, each in self._recent]
        if self._since_t is not None:
            if min(shares[-2:]) > ALIVE_PART * self._usual:
                self._since_t = None
                self._recent.clear()
            return
        knows = self._looks >= LEARN_LOOKS and self._usual >= USUAL_SHARE
        first_t = self._recent[0][0]
        if knows and t - first_t >= FROZEN_S and _mean_but_largest(shares) < FROZEN_PART * self._usual:
            self._since_t = next(at for at, each in self._recent if each < ALIVE_PART * self._usual)
            return
        self._looks = min(self._looks + 1, USUAL_LOOKS)
        self._usual += (share - self._usual) / self._looks


def _mean_but_largest(shares: list[float]) -> float:
    return (sum(shares) - max(shares)) / (len(shares) - 1)


def changed_share(samples: Image, last: Image) -> float:
    """Return the share of the picture's parts in which anything changed, 0 to 1."""
    changed = cv2.threshold(cv2.absdiff(samples, last), CHANGED_LEVELS, 1, cv2.THRESH_BINARY)[1]
    parts = cv2.resize(changed.astype(np.float32), PARTS_WH, interpolation=cv2.INTER_AREA)
    return float(np.count_nonzero(parts) / parts.size)


def _samples(luma: Image) -> NDArray[np.uint8]:
    """Return some of the pixels, unchanged as the decoder gave them."""
    down, right = max(1, luma.shape[0] // SAMPLES_WH[1]), max(1, luma.shape[1] // SAMPLES_WH[0])
    return np.ascontiguousarray(luma[::down, ::right])
