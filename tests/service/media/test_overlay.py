"""What is drawn onto a picture of the table: names that stand beside each other, never over each other."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.calibration.cameras import camera_over
from tests.service.web.guided import demo_layout
from thirdcard.service.media.overlay import Box, Outline, draw_overlay

GREY = np.full((1080, 1920, 3), 90, np.uint8)


def card(x: float, y: float, text: str, *, in_question: bool = False) -> Outline:
    """A card's outline."""
    corners = ((x, y), (x + 63.0, y), (x + 63.0, y + 88.0), (x, y + 88.0))
    return Outline(polygon_mm=corners, text=text, in_question=in_question)


@pytest.fixture
def plates(monkeypatch: pytest.MonkeyPatch) -> list[Box]:
    """Where names are drawn, in the order in which they are."""
    drawn: list[Box] = []
    rectangle = cv2.rectangle

    def noted(image: np.ndarray, one: tuple[int, int], other: tuple[int, int], *rest: object) -> None:
        drawn.append((*one, *other))
        rectangle(image, one, other, *rest)  # type: ignore[call-overload]

    monkeypatch.setattr(cv2, "rectangle", noted)
    return drawn


def overlaps(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def test_names_of_cards_that_lie_close_do_not_cover_each_other(plates: list[Box]) -> None:
    layout = demo_layout()
    outlines = [card(700 + 30 * i, 200, "10H 9S 8D = 7") for i in range(4)]
    draw_overlay(GREY, camera_over(layout), layout, outlines)
    assert len(plates) == 4
    assert not any(overlaps(one, other) for i, one in enumerate(plates) for other in plates[:i])


def test_name_in_question_keeps_its_place_and_is_drawn_last(plates: list[Box]) -> None:
    layout = demo_layout()
    asked = card(700, 200, "500", in_question=True)
    draw_overlay(GREY, camera_over(layout), layout, [asked])
    alone = plates.pop()
    draw_overlay(GREY, camera_over(layout), layout, [card(705, 200, "AS"), asked])
    assert plates[-1] == alone
    assert not overlaps(*plates)
