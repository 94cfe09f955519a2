"""One object that was recognised in a photograph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SURE = 0.5
"""Confidence below which a card counts as unread."""


@dataclass(frozen=True, slots=True, eq=False)
class Recognised:
    """One object in a photograph."""

    kind: str
    """`card` or `chips`."""
    label: str | None
    """The face; None for a back, for what is not a card, and where the face is unknown."""
    face_up: bool
    confidence: float
    """0 to 1: of the label, or, without one, of the object itself."""
    polygon_px: NDArray[np.float64]
    """(4, 2) px, clockwise: the whole card, or the index that is visible of it."""
