"""Cards that come to rest where none belongs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.card_table import LABELS, sight
from thirdcard.vision.cards.card_monitor import LEAVE_S, CardCustoms, new_tracker
from thirdcard.vision.cards.label_fusion import Familiarity
from thirdcard.vision.cards.loose_cards import WAIT_S, LooseCards, LooseSeen
from thirdcard.vision.cards.tracker import CardSight
from thirdcard.vision.observations import LooseCardLeft, LooseCardRested, LooseCardTurned


class Cloth:
    """Plays looks, ten a second."""

    def __init__(self, label: str = "7H", *, is_strange: bool = True) -> None:
        self.label, self.t, self.is_covered = label, 0.0, False
        self.row: NDArray[np.float64] | None = None
        """What the reader returns instead of the label."""
        self.is_strange = is_strange
        self.cards = LooseCards(new_tracker(LABELS, CardCustoms(), Familiarity()), LABELS)

    def look(self, *sights: CardSight, looks: int = 15) -> list[LooseSeen]:
        row = np.full(len(LABELS), np.log(0.001))
        row[LABELS.index(self.label)] = np.log(0.997)
        told: list[LooseSeen] = []
        for _ in range(looks):
            told += self.cards.update(
                sights,
                self.t,
                is_covered=lambda corners: self.is_covered,
                read_faces=lambda places: [row if self.row is None else self.row for _ in places],
                is_strange=lambda corners: self.is_strange,
            )
            self.t = round(self.t + 0.1, 3)
        return told


@pytest.mark.parametrize(("label", "face_up"), [("7H", True), ("back", False)])
def test_card_that_a_hand_laid_there_is_told_once_with_its_side(label: str, face_up: bool) -> None:
    (told,) = Cloth(label).look(sight(150, face_up=face_up), looks=40)

    assert isinstance(told, LooseCardRested)
    assert (told.t, told.face_up, told.reading.label) == (0.0, face_up, "7H" if face_up else None)


@pytest.mark.parametrize(
    ("cloth", "thing", "looks"),
    [
        pytest.param(Cloth(is_strange=False), sight(150), 40, id="its place looked so before"),
        pytest.param(Cloth("back", is_strange=False), sight(150, face_up=False), 40, id="print that a hand has left"),
        pytest.param(Cloth(), sight(150), 8, id="it lay there for a moment"),
        pytest.param(Cloth("unclear"), sight(150), 40, id="nobody can read it"),
        pytest.param(Cloth("back"), sight(150, face_up=False, score=0.35), 40, id="it hardly looks like a card"),
        pytest.param(Cloth(), sight(150, score=0.4), 40, id="it is no card for the detector"),
    ],
)
def test_what_may_be_no_card_is_not_told(cloth: Cloth, thing: CardSight, looks: int) -> None:
    assert cloth.look(thing, looks=looks) == []


def test_face_is_a_card_even_if_its_suit_stays_open() -> None:
    cloth = Cloth()
    cloth.row = np.log([0.499, 0.499, 0.001, 0.001])

    (told,) = cloth.look(sight(150), looks=40)
    assert isinstance(told, LooseCardRested)
    assert (told.face_up, told.reading.label) == (True, None)


def test_card_under_a_hand_is_told_once_the_hand_is_gone() -> None:
    cloth = Cloth()
    cloth.is_covered = True
    assert cloth.look(sight(150), looks=20) == []
    cloth.is_covered = False

    (told,) = cloth.look(sight(150))
    assert told.t == 2.0


def test_card_is_turned_where_it_lies_and_goes() -> None:
    cloth = Cloth("back")
    cloth.look(sight(150, face_up=False), looks=20)
    cloth.label = "KS"

    (turned,) = cloth.look(sight(150), looks=20)
    assert isinstance(turned, LooseCardTurned)
    assert (turned.t, turned.face_up, turned.reading.label) == (2.0, True, "KS")
    assert cloth.look(looks=20) == [LooseCardLeft(track_id=turned.track_id, t=4.0)]


def test_card_that_was_turned_soon_was_laid_face_down() -> None:
    cloth = Cloth("back")
    assert cloth.look(sight(150, face_up=False), looks=5) == []
    cloth.label = "KS"

    laid, turned = cloth.look(sight(150), looks=20)
    assert isinstance(laid, LooseCardRested) and isinstance(turned, LooseCardTurned)
    assert (laid.t, laid.face_up, laid.reading.label) == (0.0, False, None)
    assert (turned.t, turned.face_up, turned.reading.label) == (0.5, True, "KS")


def test_log_waits_for_what_may_be_a_card_and_not_for_clutter() -> None:
    cloth = Cloth("unclear")
    cloth.look(sight(150), looks=6)
    assert cloth.cards.waiting_since_t() == 0.0
    assert len(cloth.cards.asked_mm()) == 1

    cloth.look(sight(150), looks=int(10 * WAIT_S))
    assert cloth.cards.waiting_since_t() is None
    assert cloth.cards.asked_mm() == []


def test_log_waits_for_a_card_that_a_hand_may_have_taken_and_not_for_a_hand_that_rests_on_it() -> None:
    cloth = Cloth()
    cloth.look(sight(150), looks=20)
    cloth.is_covered = True
    cloth.look(looks=3)
    assert cloth.cards.waiting_since_t() == 1.9

    cloth.look(looks=int(10 * LEAVE_S))
    assert cloth.cards.waiting_since_t() is None
    cloth.is_covered = False
    cloth.look(sight(150))
    assert cloth.cards.waiting_since_t() is None
