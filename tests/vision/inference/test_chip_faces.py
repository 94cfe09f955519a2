"""Faces of chips are sampled where the top disc lies, brought into paper's light, and named by the house's colours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from thirdcard.vision.chips.table_chips import ChipKinds
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import PAPER_LEVEL, ChipFaceReader, beside_chips, white_of
from thirdcard.vision.inference.chip_samples import ANGLES, RINGS, ChipLooks, sampled_face
from thirdcard.vision.inference.stack_height import HEIGHT_PX, WIDTH_PX

COLOURS = np.array([[40.0, 40.0, 200.0], [60.0, 150.0, 40.0], [30.0, 30.0, 30.0]])


def drawn(base: tuple[float, float, float], middle: tuple[int, int], *, light: float = 1.0) -> Image:
    """A chip with eight pale spots on a grey cloth, in the gauge's scale."""
    crop = np.full((HEIGHT_PX, WIDTH_PX, 3), 110, np.uint8)
    at = (WIDTH_PX // 2 + middle[0], HEIGHT_PX // 2 + middle[1])
    cv2.circle(crop, at, 20, base, -1)
    for turn in range(0, 360, 45):
        cv2.ellipse(crop, at, (18, 18), 0, turn, turn + 12, (220, 225, 230), 4)
    cv2.circle(crop, at, 9, (220, 225, 230), -1)
    return np.asarray(np.clip(crop * light, 0, 255), np.uint8)


def test_face_is_sampled_round_the_middle_of_the_top_disc() -> None:
    crop = drawn((0.0, 0.0, 255.0), (7, -12))
    face = sampled_face(crop, (7.0, -12.0))
    assert face.shape == (RINGS, ANGLES, 3)
    assert (np.abs(face[6].astype(int) - (0, 0, 255)).max(axis=1) < 30).all()
    assert face[0].min() > 200


def test_face_in_dim_light_is_shown_as_in_the_light_of_paper() -> None:
    bright, dim = (sampled_face(drawn((40.0, 80.0, 200.0), (0, 0), light=light), (0, 0)) for light in (1.0, 0.5))
    white = np.full(3, PAPER_LEVEL)
    shown = beside_chips(bright, COLOURS, white)[0], beside_chips(dim, COLOURS, white / 2)[0]
    assert np.abs(shown[0][..., :3].astype(int) - shown[1][..., :3]).max() <= 3


def test_network_is_shown_the_nearest_colour_of_the_other_chips() -> None:
    face = np.full((RINGS, ANGLES, 3), COLOURS[1], np.uint8)
    shown = beside_chips(face, COLOURS, np.full(3, PAPER_LEVEL))
    assert (shown[0][..., 3:6] == COLOURS[0]).all()
    assert (shown[0][..., 6:] == COLOURS[1]).all()
    assert not (shown[1][..., 6:] == COLOURS[1]).all()


def test_white_is_what_most_of_a_card_shows() -> None:
    card = np.full((112, 80, 3), (190, 200, 210), np.uint8)
    card[40:60, 20:60] = (20, 20, 180)
    assert white_of(card).tolist() == [190, 200, 210]


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("light", [0.6, 1.0])
def test_shipped_reader_names_plain_chips(kind: int, light: float) -> None:
    blue, green, red = COLOURS[kind].tolist()
    face = sampled_face(drawn((blue, green, red), (3, -5), light=light), (3.0, -5.0))
    house = ChipKinds(ChipFaceReader.open(), ChipLooks(COLOURS))
    house.see_card(np.full((112, 80, 3), PAPER_LEVEL * light, np.uint8))
    (row,) = house.name([face])
    assert int(np.argmax(row)) == kind
    assert row[kind] > 0.9


def test_nothing_is_named_before_a_card_was_seen() -> None:
    assert ChipKinds(ChipFaceReader.open(), ChipLooks(COLOURS)).name([np.zeros((RINGS, ANGLES, 3), np.uint8)]) == [()]


def test_nothing_is_named_in_the_dark() -> None:
    house = ChipKinds(ChipFaceReader.open(), ChipLooks(COLOURS))
    house.see_card(np.full((112, 80, 3), 20, np.uint8))
    assert house.name([np.zeros((RINGS, ANGLES, 3), np.uint8)]) == [()]
