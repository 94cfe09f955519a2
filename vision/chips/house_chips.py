"""Name the chips on top of stacks in this camera's light, which the paper of the cards tells.

Nothing is named before a card was seen face up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import ChipFaceReader, white_of

CARDS = 40
"""So many of the last looks at cards say what white is."""
LEAST_LEVEL = 40.0
"""Paper that looks darker than this, of 255, tells nothing of colours."""


class HouseChips:
    """The kinds of chips that a table plays with."""

    def __init__(self, reader: ChipFaceReader | None, colours: NDArray[np.float64]) -> None:
        """Takes the kinds' own colours, (K, 3) BGR; without a reader nothing is named."""
        self._reader, self._colours = reader, colours
        self._whites: deque[NDArray[np.float64]] = deque(maxlen=CARDS)

    def see_card(self, card: Image) -> None:
        """Take in the crop of a card that lies face up."""
        self._whites.append(white_of(card))

    def name(self, faces: Sequence[Image]) -> list[tuple[float, ...]]:
        """How likely each kind lies on top, one row a face; empty rows where that cannot be told."""
        white = np.median(self._whites, axis=0) if self._whites else np.zeros(3)
        if self._reader is None or not len(self._colours) or white.min() < LEAST_LEVEL:
            return [()] * len(faces)
        return [tuple(row.tolist()) for row in self._reader.read(faces, self._colours, white)]
