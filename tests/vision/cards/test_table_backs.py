"""A table's own back is known once two of its cards have shown it, and is found by its picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, RIM, WIDTH_PX

LABELS = ("7H", "back", "unclear")
SIZE_PX = (32, 44)
RED, BLUE, GREEN = (40, 30, 200), (200, 60, 30), (60, 110, 40)


def back_picture(colour: tuple[int, int, int], *, pictured: bool = True) -> Image:
    """A card of 320 x 440 px: white rim, one colour, and a fan of white cards in its middle."""
    card = np.full((440, 320, 3), 235, np.uint8)
    cv2.rectangle(card, (14, 14), (305, 425), colour, -1)
    if pictured:
        for i, turn in enumerate((-30, -10, 10, 30)):
            corners = cv2.boxPoints(((90.0 + 45 * i, 200.0 + 12 * i), (90.0, 150.0), float(turn)))
            cv2.fillPoly(card, [corners.astype(np.int32)], (225, 235, 235))
            cv2.putText(card, "A", (75 + 45 * i, 180), cv2.FONT_HERSHEY_SIMPLEX, 1.8, (20, 20, 20), 6)
    return card


def crop_of(card: Image, *, noise: int = 0) -> Image:
    """A reader's crop of a card on the cloth."""
    inner = cv2.resize(card, (round(WIDTH_PX / (1 + 2 * RIM)), round(HEIGHT_PX / (1 + 2 * RIM))))
    crop = np.full((HEIGHT_PX, WIDTH_PX, 3), GREEN, np.uint8)
    top, left = (HEIGHT_PX - inner.shape[0]) // 2, (WIDTH_PX - inner.shape[1]) // 2
    crop[top : top + inner.shape[0], left : left + inner.shape[1]] = inner
    speckle = np.random.default_rng(noise).normal(0, 4, crop.shape)
    return np.clip(crop + speckle, 0, 255).astype(np.uint8)


def view_with(*cards: tuple[Image, tuple[int, int], int]) -> tuple[np.ndarray, np.ndarray]:
    """Cloth with cards, each turned by so many right angles, first pixel at (x, y), and where something lies."""
    view = np.full((130, 200, 3), GREEN, np.float32)
    lies = np.zeros(view.shape[:2], bool)
    for card, (x, y), turns in cards:
        small = np.rot90(cv2.resize(card, SIZE_PX, interpolation=cv2.INTER_AREA), turns)
        view[y : y + small.shape[0], x : x + small.shape[1]] = small
        lies[y : y + small.shape[0], x : x + small.shape[1]] = True
    noise = np.random.default_rng(3).normal(0, 4, view.shape)
    return cv2.blur(np.asarray(view + noise, np.float32), (3, 3)), lies


def shown(card: Image, times: int = 2) -> TableBacks:
    """Backs of which so many cards were seen to lie."""
    backs = TableBacks(LABELS, SIZE_PX)
    for number in range(times):
        crop = crop_of(card, noise=number)
        backs.lies(number, crop if number % 2 else np.ascontiguousarray(crop[::-1, ::-1]))
    return backs


def middles(backs: TableBacks, view: np.ndarray, where: np.ndarray) -> list[tuple[int, int]]:
    return sorted((round(x), round(y)) for x, y in (one.corners_px.mean(axis=0) for one in backs.find(view, where)))


@pytest.mark.parametrize("turns", range(4))
def test_back_that_two_cards_have_shown_is_found_whichever_way_it_lies(turns: int) -> None:
    card = back_picture(RED)
    view, lies = view_with((card, (60, 40), turns))
    assert middles(shown(card, 1), view, lies) == []
    ((x, y),) = middles(shown(card), view, lies)
    assert (x, y) == pytest.approx((60 + SIZE_PX[turns % 2] / 2, 40 + SIZE_PX[1 - turns % 2] / 2), abs=1)
    side_px = np.linalg.norm(np.diff(shown(card).find(view, lies)[0].corners_px, axis=0), axis=1)
    assert side_px.tolist() == [SIZE_PX[0], SIZE_PX[1], SIZE_PX[0]]


def test_backs_that_touch_are_found_one_by_one_and_of_two_that_overlap_the_upper() -> None:
    card = back_picture(RED)
    touching, both = view_with((card, (60, 40), 0), (card, (92, 42), 0))
    assert middles(shown(card), touching, both) == [(76, 62), (108, 64)]
    over, lies = view_with((card, (60, 40), 0), (card, (80, 52), 0))
    assert middles(shown(card), over, lies) == [(96, 74)]


def test_where_another_box_explains_it_or_something_covers_it_nothing_is_looked_for() -> None:
    card = back_picture(RED)
    view, lies = view_with((card, (60, 40), 0))
    lies[:, 72:] = False
    assert middles(shown(card), view, lies) == []


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(back_picture(BLUE), id="other-colour"),
        pytest.param(back_picture(RED, pictured=False), id="no-picture"),
        pytest.param(np.full((440, 320, 3), 235, np.uint8), id="white"),
    ],
)
def test_what_looks_otherwise_is_no_back(other: Image) -> None:
    view, lies = view_with((other, (60, 40), 0))
    assert middles(shown(back_picture(RED)), view, lies) == []


def plain(colour: tuple[int, int, int], *, light: float = 1.0) -> Image:
    return np.full((440, 320, 3), np.round(np.array(colour) * light), np.uint8)


def test_plain_back_is_not_looked_for() -> None:
    assert not shown(plain(RED)).are_known


def test_plain_back_is_known_by_its_colour_in_any_light() -> None:
    backs = shown(plain(BLUE))
    assert not shown(plain(BLUE), 1).is_one(crop_of(plain(BLUE)))
    assert all(backs.is_one(crop_of(plain(BLUE, light=light), noise=5)) for light in (0.7, 1.0, 1.2))
    assert not backs.is_one(crop_of(plain(BLUE, light=0.4)))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(plain((20, 200, 230)), id="yellow-cutting-card"),
        pytest.param(plain(RED), id="red-cutting-card"),
        pytest.param(plain((200, 90, 80)), id="another-blue"),
        pytest.param(back_picture(BLUE), id="with-a-picture"),
    ],
)
def test_what_has_another_colour_is_no_plain_back(other: Image) -> None:
    assert not shown(plain(BLUE)).is_one(crop_of(other))


def test_plain_backs_of_two_decks_are_known_and_leave_those_with_a_picture() -> None:
    backs = shown(back_picture(RED))
    for number, colour in enumerate((BLUE, BLUE, RED, RED, GREEN, GREEN)):
        backs.lies(10 + number, crop_of(plain(colour), noise=number))
    assert all(backs.is_one(crop_of(each)) for each in (back_picture(RED), plain(BLUE), plain(RED)))


@pytest.mark.parametrize("card", [plain(BLUE), back_picture(BLUE)], ids=["plain", "pictured"])
def test_uppermost_card_of_a_pile_shows_its_back_at_one_look(card: Image) -> None:
    backs = TableBacks(LABELS, SIZE_PX)
    backs.lies_uppermost("rack", crop_of(card))
    assert backs.is_one(crop_of(card, noise=4))
    view, lies = view_with((card, (60, 40), 0))
    assert len(backs.find(view, lies)) == int(backs.are_known)


@pytest.mark.parametrize("put_there", [plain((20, 200, 230)), back_picture(GREEN)], ids=["plain", "with-a-logo"])
def test_cutting_card_in_the_rack_is_forgotten_once_it_is_covered(put_there: Image) -> None:
    backs = TableBacks(LABELS, SIZE_PX)
    backs.lies_uppermost("rack", crop_of(put_there))
    backs.lies_uppermost("rack", crop_of(plain(BLUE)))
    assert not backs.is_one(crop_of(put_there, noise=2))
    assert backs.is_one(crop_of(plain(BLUE), noise=2))


def test_pile_of_a_back_that_is_known_adds_none() -> None:
    backs, card = shown(back_picture(RED)), back_picture(RED)
    backs.lies_uppermost("rack", crop_of(card, noise=6))
    view, lies = view_with((card, (60, 40), 0))
    assert len(backs.find(view, lies)) == 1


def test_enrolled_back_is_known_at_once_and_a_second_deck_besides() -> None:
    backs = TableBacks(LABELS, SIZE_PX)
    backs.enrol(crop_of(back_picture(RED)))
    assert backs.is_one(crop_of(back_picture(RED), noise=7))
    for number in range(2):
        backs.lies(number, crop_of(back_picture(BLUE), noise=number))
    view, lies = view_with((back_picture(RED), (20, 40), 0), (back_picture(BLUE), (120, 40), 2))
    assert middles(backs, view, lies) == [(36, 62), (136, 62)]


def test_what_is_read_of_a_known_back_is_a_back() -> None:
    backs = shown(back_picture(RED))
    assert backs.is_one(np.ascontiguousarray(crop_of(back_picture(RED), noise=9)[::-1, ::-1]))
    assert not backs.is_one(crop_of(np.full((440, 320, 3), 235, np.uint8)))
    said = np.exp(backs.log_probs)
    assert said.sum() == pytest.approx(1.0)
    assert LABELS[int(said.argmax())] == "back"


def test_each_card_is_looked_at_once() -> None:
    backs = TableBacks(LABELS, SIZE_PX)
    backs.lies(1, crop_of(back_picture(RED)))
    assert not backs.wants(1)
    assert backs.wants(2)
    backs.keep({2})
    assert backs.wants(1)


def test_cards_that_look_otherwise_each_time_show_no_back() -> None:
    rng = np.random.default_rng(8)
    backs = TableBacks(LABELS, SIZE_PX)
    for number in range(6):
        backs.lies(number, crop_of(rng.integers(0, 255, (440, 320, 3), np.uint8)))
    assert not backs.are_known


def test_back_that_lies_still_is_found_where_it_was_and_no_more_once_it_is_gone() -> None:
    card, backs = back_picture(RED), shown(back_picture(RED))
    view, lies = view_with((card, (60, 40), 0), (card, (120, 40), 0))
    before = backs.find(view, lies)
    again = backs.find(view, lies, before[1:])
    assert again[0].corners_px.tolist() == before[1].corners_px.tolist()
    assert len(again) == 2
    view, lies = view_with((card, (120, 40), 0))
    assert len(backs.find(view, lies, before)) == 1
