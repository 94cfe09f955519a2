"""Find the decks that a reader misreads most, so that they are drawn more often.

A deck's weight grows with the share of its crops that are misread, or read without being sure; decks that nobody could
read are held back by a limit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from thirdcard.models.reader.reader_bank import TextureBank
from thirdcard.models.reader.reader_crops import CropDifficulty, ReaderSchool

LEAST, MOST = 0.5, 3.0
"""Bounds of a deck's weight; a deck that is misread as often as all are on average has 1."""
USUAL = CropDifficulty(strength=0.7, width_px=(38.0, 75.0), unclear=0.0, occluded=0.0)

Read = Callable[[npt.NDArray[np.uint8]], npt.NDArray[np.float32]]


def deck_weights(bank: TextureBank, read: Read, *, seed: int, crops: int) -> npt.NDArray[np.float64]:
    """(decks,) how often each deck of a bank is to be drawn, by how a reader reads `crops` crops of it.

    Args:
        read: From (N, 112, 80, 3) RGB to (N, classes) logits.
    """
    school = ReaderSchool(bank, seed=seed, lesson=USUAL)
    losses = np.zeros(len(bank.names))
    for deck in range(len(bank.names)):
        school.weigh(np.eye(1, len(bank.names), deck)[0])
        pictures, labels, _ = school.batch(crops)
        logits = read(pictures).astype(np.float64)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        losses[deck] = 1.0 - (shares[np.arange(crops), labels] / shares.sum(axis=1)).mean()
    weights: npt.NDArray[np.float64] = np.clip(losses / max(float(losses.mean()), 1e-9), LEAST, MOST)
    return weights
