"""Tell a fault of the picture once it lasts, and its end once that lasts; what passes quickly is never told.

Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.vision.observations import PictureCleared, PictureFault, PictureFaulted

CONFIRM_S = 1.0
"""A fault that lasts so long is told."""
CLEAR_S = 0.8
"""So long a picture must be good again before that is told."""
GAP_S = 0.3
"""A fault that seems gone for no longer than this goes on."""


APART = frozenset({PictureFault.FROZEN, PictureFault.MOVED})
"""Faults that are told even where another went before; the others all hide the table, and run into each other."""


@dataclass(slots=True)
class FaultRun:
    """The faults of one camera's picture over time."""

    told: PictureFault | None = None
    """The fault that was told and is not told to be over."""
    is_blind: bool = False
    """Whether the present picture should not be looked at: it has a fault, told or not."""
    _fault: PictureFault | None = None
    _fault_since_t: float = 0.0
    """Since when the present kind of fault shows."""
    _bad_since_t: float | None = None
    """Since when any fault shows."""
    _bad_seen_t: float = 0.0
    _good_since_t: float | None = None

    @property
    def waiting_since_t(self) -> float | None:
        """The earliest moment of which something may still be told."""
        if self.told is None:
            return self._bad_since_t
        return self._good_since_t if _is_alike(self._fault, self.told) else self._fault_since_t

    def update(
        self, fault: PictureFault | None, t: float, *, since_t: float | None = None
    ) -> PictureFaulted | PictureCleared | None:
        """Take in what the present picture shows; says what is new.

        Args:
            fault: What is wrong with it; None for a good picture.
            t: Its stream time.
            since_t: Since when that is wrong, where that was noticed late.
        """
        self.is_blind = fault is not None or self.told is not None
        if fault is None:
            return self._take_good(t)
        return self._take_bad(fault, t, t if since_t is None else since_t)

    def _take_bad(self, fault: PictureFault, t: float, since_t: float) -> PictureFaulted | None:
        self._bad_seen_t, self._good_since_t = t, None
        if self._bad_since_t is None:
            self._bad_since_t = since_t
            self._fault, self._fault_since_t = fault, since_t
        elif not _is_alike(fault, self._fault):
            self._fault, self._fault_since_t = fault, max(since_t, self._bad_since_t)
        begun_t = self._bad_since_t if self.told is None else self._fault_since_t
        if _is_alike(fault, self.told) or t - begun_t < CONFIRM_S:
            return None
        self.told = fault
        return PictureFaulted(t=begun_t, fault=fault)

    def _take_good(self, t: float) -> PictureCleared | None:
        if self._good_since_t is None:
            self._good_since_t = t
        if self.told is None:
            if t - self._bad_seen_t > GAP_S:
                self._bad_since_t = None
            return None
        if t - self._good_since_t < CLEAR_S:
            return None
        self.told, self._bad_since_t, self.is_blind = None, None, False
        return PictureCleared(t=self._good_since_t)


def _is_alike(one: PictureFault | None, other: PictureFault | None) -> bool:
    if one is None or other is None:
        return False
    return one is other or not (APART & {one, other})
