"""A card's outline in a photograph: fitted where it stands out, left alone where not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.cameras import card_corners
from thirdcard.vision.inference.quads import fit_quad

ASLANT = np.array([[210.0, 160.0], [330.0, 175.0], [352.0, 330.0], [190.0, 318.0]])


def photograph(quad: np.ndarray, paper: tuple[int, int, int] = (225, 228, 230)) -> np.ndarray:
    rng = np.random.default_rng(0)
    image = np.clip(rng.normal((50, 90, 40), 8, (480, 560, 3)), 0, 255).astype(np.uint8)
    cv2.fillPoly(image, [np.round(quad * 16).astype(np.int32)], paper, cv2.LINE_AA, shift=4)
    for share in (0.3, 0.5, 0.7):
        x, y = quad[0] + (quad[2] - quad[0]) * share
        cv2.circle(image, (int(x), int(y)), 12, (30, 30, 180), -1, cv2.LINE_AA)
    return image


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_outline_of_a_card_seen_aslant_is_found_from_a_box_near_it(turns: int) -> None:
    box = np.roll(card_corners((270, 245), 4, (130, 160)), turns, axis=0)
    found = fit_quad(photograph(ASLANT), box)
    assert np.abs(found - np.roll(ASLANT, turns, axis=0)).max() < 4


def test_box_without_a_card_below_it_stays() -> None:
    box = card_corners((270, 245), 4, (130, 160))
    image = np.random.default_rng(1).integers(0, 255, (480, 560, 3), dtype=np.uint8)
    assert np.array_equal(fit_quad(image, box), box)


def test_card_on_white_paper_keeps_its_box() -> None:
    box = card_corners((270, 245), 4, (130, 160))
    assert np.array_equal(fit_quad(np.full((480, 560, 3), 225, np.uint8), box), box)


def test_cards_that_touch_keep_their_boxes() -> None:
    image = photograph(ASLANT)
    cv2.fillPoly(image, [card_corners((380, 250), 4, (130, 160)).astype(np.int32)], (225, 228, 230))
    box = card_corners((270, 245), 4, (130, 160))
    assert np.array_equal(fit_quad(image, box), box)
