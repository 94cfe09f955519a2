"""Recognise cards whose picture is blank: they lie face down.

Each face has print. The fine pattern of a pale back may be lost when film is compressed; then neither side is
recognised, and white paper resembles a face.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.card_reading import BACK, UNCLEAR
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import RIM

MIDDLE = 0.7
"""Part of the card's width and height that is examined: its edge shows the cloth where the corners are inaccurate."""
BLANK_CONTRAST = 0.02
"""Contrast of a blank picture at most: standard deviation as a part of the mean, both in grey levels. 0.003 to 0.008
at backs whose pattern was lost; at least 0.06 at readable faces (three recordings)."""
BLANK_IS_BACK = 0.8
"""Probability that something blank that the reader does not recognise is a back. Lower than measured (all of 162 in one
recording): other white things exist, so the detector must see a card as well (`is_real`)."""


def with_blank_as_back(log_probs: NDArray[np.float64], crop: Image, labels: tuple[str, ...]) -> NDArray[np.float64]:
    """The reading of a card, with most of what is unclear counted as a back if the picture is blank.

    Args:
        log_probs: (L,) log probabilities of the labels.
        crop: (112, 80, 3) uint8, as from `card_crop`.
        labels: The reader's.
    """
    back, unclear = labels.index(BACK), labels.index(UNCLEAR)
    if log_probs.argmax() != unclear or not is_blank(crop):
        return log_probs
    adapted = log_probs.copy()
    adapted[back] = np.logaddexp(log_probs[back], log_probs[unclear] + np.log(BLANK_IS_BACK))
    adapted[unclear] = log_probs[unclear] + np.log1p(-BLANK_IS_BACK)
    return adapted


def is_blank(crop: Image) -> bool:
    """Whether the middle of a card's crop, (H, W, 3) uint8 with the usual rim, shows no print."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    share = MIDDLE / (1 + 2 * RIM) / 2
    middle = grey[
        int(height * (0.5 - share)) : int(height * (0.5 + share)),
        int(width * (0.5 - share)) : int(width * (0.5 + share)),
    ]
    return float(middle.std()) < BLANK_CONTRAST * max(float(middle.mean()), 1.0)
