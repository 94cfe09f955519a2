"""A card whose picture is blank, and that the reader does not recognise, counts as a back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from thirdcard.vision.cards.blank_cards import BLANK_IS_BACK, is_blank, with_blank_as_back
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import RIM

LABELS = ("AS", "2D", "back", "unclear")
UNRECOGNISED = np.log([0.005, 0.005, 0.01, 0.98])


def card(*, paper: int, noise: float = 1.0, pips: int = 0) -> Image:
    """A card's crop on dark cloth, with faint noise and some red pips along its middle."""
    crop = np.full((112, 80, 3), 40, np.uint8)
    x, y = round(80 * RIM / (1 + 2 * RIM)), round(112 * RIM / (1 + 2 * RIM))
    crop[y : 112 - y, x : 80 - x] = paper
    for pip in range(pips):
        cv2.circle(crop, (40, 30 + 50 * pip), 5, (60, 60, 200), -1)
    drawn = crop + np.random.default_rng(0).normal(0, noise, crop.shape)
    return np.clip(drawn, 0, 255).astype(np.uint8)


def test_what_is_blank_and_not_recognised_is_most_likely_a_back() -> None:
    log_probs = with_blank_as_back(UNRECOGNISED, card(paper=238), LABELS)
    assert np.exp(log_probs).tolist() == pytest.approx(
        [0.005, 0.005, 0.01 + 0.98 * BLANK_IS_BACK, 0.98 * (1 - BLANK_IS_BACK)]
    )


def test_a_face_that_is_not_recognised_stays_unclear() -> None:
    assert with_blank_as_back(UNRECOGNISED, card(paper=238, pips=2), LABELS) is UNRECOGNISED


def test_a_recognised_face_stays_one() -> None:
    ace = np.log([0.9, 0.02, 0.03, 0.05])
    assert with_blank_as_back(ace, card(paper=238), LABELS) is ace


@pytest.mark.parametrize("paper", [90, 160, 238])
def test_brightness_does_not_matter(paper: int) -> None:
    assert is_blank(card(paper=paper, noise=0.004 * paper))
    assert not is_blank(card(paper=paper, noise=0.004 * paper, pips=1))
