"""A ribbon of drawn cards read by the shipped reader: what lies there, what is missing, what nobody can see."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from thirdcard.calibration.camera import Calibration
from thirdcard.datasets.decks.deck import load_deck
from thirdcard.vision.detections import CARD_FACE, HAND, Detections, concatenate
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.spread.spread_reading import SeenRow, WholeCardReader, read_spread

CARD_MM = (63.0, 88.0)
CLUBS = ["AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC"]
RUNS = [[rank + suit for rank in ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")] for suit in "CDHS"]
CAMERA = Calibration(
    image_size_wh_px=(900, 300),
    camera_matrix=np.array([[2000.0, 0, 0], [0, 2000.0, 0], [0, 0, 1]]),
    distortion=np.zeros(5),
    rvec=np.zeros(3),
    tvec=np.array([0.0, 0.0, 2000.0]),
)
"""Straight above the cloth, one pixel a millimetre."""


@pytest.fixture(scope="module")
def reader() -> WholeCardReader:
    return WholeCardReader(Reader.open())


def ribbon(cards: list[str], pitch: float) -> tuple[Image, Detections]:
    """A picture of a ribbon that begins at x = 100, and boxes as a detector might find them, no two for each card."""
    rng = np.random.default_rng(5)
    deck = load_deck("machine:8003")
    image = np.clip(rng.normal((70, 95, 50), 4.0, (300, 900, 3)), 0, 255)
    middles = []
    for n, card in enumerate(cards):
        x, y = round(100 + n * pitch + rng.normal(0, 1.5)), round(106 + rng.normal(0, 0.6))
        face = cv2.resize(deck.face(card), (63, 88), interpolation=cv2.INTER_AREA).astype(np.float32)
        alpha = face[..., 3:] / 255
        image[y : y + 88, x - 2 : x] *= 0.82
        part = image[y : y + 88, x : x + 63]
        image[y : y + 88, x : x + 63] = part * (1 - alpha) + face[..., 2::-1] * alpha
        middles.append((x + 31.5 + rng.normal(0, 4.0), y + 44 + rng.normal(0, 1.5)))
    soft = cv2.GaussianBlur(image, (0, 0), 0.5) + rng.normal(0, 1.0, image.shape)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(CARD_MM) / 2
    corners = np.array(middles).reshape(-1, 1, 2) + signs[None]
    found = Detections(corners, np.full(len(cards), CARD_FACE), np.full(len(cards), 0.7))
    return np.clip(soft, 0, 255).astype(np.uint8), found


def read(image: Image, found: Detections, reader: WholeCardReader) -> SeenRow:
    rows = read_spread(image, CAMERA, found, reader, runs=RUNS, card_mm=CARD_MM)
    assert len(rows) == 1
    return rows[0]


@pytest.mark.parametrize(
    "cards",
    [
        pytest.param(CLUBS, id="a whole suit"),
        pytest.param([card for card in CLUBS if card != "7C"], id="one missing"),
        pytest.param([*CLUBS[:10], "10C", *CLUBS[10:]], id="one doubled"),
    ],
)
def test_ribbon_is_read_card_by_card(cards: list[str], reader: WholeCardReader) -> None:
    row = read(*ribbon(cards, 31.0), reader)

    assert [card.label for card in row.cards] == cards
    assert row.is_ordered and row.pitch_mm == pytest.approx(31.0, rel=0.12)


def test_cards_under_a_hand_are_hidden(reader: WholeCardReader) -> None:
    image, found = ribbon(CLUBS, 31.0)
    palm = np.array([[[228.0, 100.0], [282.0, 100.0], [282.0, 200.0], [228.0, 200.0]]])
    hand = Detections(palm, np.array([HAND]), np.array([0.9]))

    row = read(image, concatenate([found, hand]), reader)

    assert [n for n, card in enumerate(row.cards) if card.is_hidden] == [4, 5]
    assert not any(card.is_sure for card in row.cards if card.is_hidden)


def test_nothing_there_gives_no_row(reader: WholeCardReader) -> None:
    image, found = ribbon([], 31.0)

    assert read_spread(image, CAMERA, found, reader, runs=RUNS, card_mm=CARD_MM) == []
