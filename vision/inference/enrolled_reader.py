"""Read faces with an enrolled deck: doubtful readings are decided by the similarity of crop and enrolled face.

The deck is used only while it proves to be the one on the table: faces that are read with confidence must look like the
enrolled ones. Where they do not, or too few were seen yet, the reader's result is left unchanged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.frames import Image
from thirdcard.vision.inference.enrolled_deck import HouseDeck
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Reader, Readings
from thirdcard.vision.inference.similarity import prepared

CLEAR = 0.98
"""Confidence from which a reading is used to prove the deck."""
PROOFS = 40
"""How many of the last clear readings prove the deck: with more, a changed deck is detected later. Chosen by hand."""
LEAST_PROOFS = 8
"""With fewer nothing is proven: their median may be chance. Chosen by hand."""
PROVEN = 0.80
"""Median similarity of clear readings to their enrolled faces from which the deck is trusted."""
CANDIDATE_LOG = 7.0
"""A face whose log probability is lower than the best by more than this is not compared."""
MOST_CANDIDATES = 6
"""Number of faces that are compared, the most likely ones: each costs time. Chosen by hand."""
LEAST_LIKENESS = 0.72
"""A crop that is less similar than this to all enrolled faces is left as it was read."""
WEIGHT = 5.0
"""Weight of -log(1 - similarity) against log probabilities."""
MOST_SHIFT = 5.0
"""Limit of the change in log odds between two faces."""


class SharpReader:
    """A reader with an enrolled deck."""

    def __init__(self, reader: Reader, deck: HouseDeck) -> None:
        self._reader, self.deck = reader, deck
        self.labels = reader.labels
        self._proofs: deque[float] = deque(maxlen=PROOFS)
        self._faces = [
            i for i, label in enumerate(reader.labels) if label in deck.faces and label not in (BACK, UNCLEAR)
        ]

    @property
    def is_proven(self) -> bool:
        """Whether the enrolled deck is the one on the table, as far as was seen."""
        return len(self._proofs) >= LEAST_PROOFS and float(np.median(self._proofs)) >= PROVEN

    def read(self, crops: Sequence[Image]) -> Readings:
        """Read crops as `Reader.read` does, with doubtful ones decided by the enrolled deck."""
        plain = self._reader.read(crops)
        rows = [self._sharpened(crop, row) for crop, row in zip(crops, plain.log_probs, strict=True)]
        return Readings(np.array(rows).reshape(len(crops), len(self.labels)), self.labels)

    def _sharpened(self, crop: Image, log_probs: NDArray[np.float64]) -> NDArray[np.float64]:
        best = int(log_probs.argmax())
        if self.labels[best] not in self.deck.faces or self.labels[best] == BACK:
            return log_probs
        order = sorted(self._faces, key=lambda i: -log_probs[i])[:MOST_CANDIDATES]
        rivals = [i for i in order if log_probs[i] > log_probs[best] - CANDIDATE_LOG]
        is_clear = log_probs[best] > np.log(CLEAR)
        if is_clear and len(rivals) < 2 and self.is_proven:
            return log_probs
        seen = prepared(crop)
        alike = np.array([self.deck.likeness(seen, self.labels[i]) for i in rivals])
        if is_clear:
            self._proofs.append(float(np.nan_to_num(alike[rivals.index(best)])))
        return settled(log_probs, rivals, alike) if self.is_proven else log_probs


def settled(log_probs: NDArray[np.float64], rivals: list[int], alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """Combine log probabilities with similarities: log p_i + w * -log(1 - similarity_i), normalised again.

    Args:
        log_probs: (labels,)
        rivals: The faces that were compared.
        alike: (rivals,) similarity of each, -1 to 1.
    """
    if len(rivals) < 2 or not np.isfinite(alike).all() or alike.max() < LEAST_LIKENESS:
        return log_probs
    word = -WEIGHT * np.log(np.maximum(1.0 - alike, 1e-3))
    word = np.maximum(word - word.max(), -MOST_SHIFT)
    moved = log_probs.copy()
    moved[rivals] += word
    # only the rivals' shares among each other change, not their sum
    before, after = np.logaddexp.reduce(log_probs[rivals]), np.logaddexp.reduce(moved[rivals])
    moved[rivals] += before - after
    return moved
