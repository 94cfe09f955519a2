"""What is taken for a hand: what has come, and not what the cloth always looks like."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CHIPS, HAND, Detections
from thirdcard.vision.plane.change_gate import Change, GridFrame
from thirdcard.vision.plane.stale_regions import BareCloth

GRID = GridFrame((0.0, 0.0), (60, 80))
BOX = np.array([[100, 100], [300, 100], [300, 300], [100, 300]], np.float64)
CHIP = np.array([[180, 180], [220, 180], [220, 220], [180, 220]], np.float64)
NOTHING = np.zeros((60, 80, 3), np.float32)


def found(*things: tuple[int, NDArray[np.float64]]) -> Detections:
    corners = np.array([polygon for _, polygon in things]).reshape(-1, 4, 2)
    return Detections(corners, np.array([label for label, _ in things], int), np.full(len(things), 0.9))


def picture(*places: NDArray[np.float64]) -> NDArray[np.float32]:
    """A plain cloth, something brighter at some places."""
    cells = np.full((60, 80, 3), 90.0, np.float32)
    for place in places:
        cells[GRID.mask_of(place)] = 150.0
    return cells


def seen(t: float, cells: NDArray[np.float32], *, still_s: float = 5.0) -> Change:
    nowhere = np.zeros((60, 80), bool)
    return Change(
        t=t, picture=cells, moving=nowhere, foreground=nowhere, strange=nowhere, still_s=np.full((60, 80), still_s)
    )


def bare_cloth(*places: NDArray[np.float64]) -> BareCloth:
    """A cloth that was looked at without a hand."""
    bare = BareCloth(GRID)
    bare.note(np.zeros((60, 80), bool), seen(0.0, picture(*places)))
    return bare


def test_hand_that_has_come_is_one() -> None:
    assert bare_cloth().hands(found((HAND, BOX)), seen(2.0, picture(BOX)))[20, 20]


def test_what_the_cloth_always_looks_like_is_no_hand() -> None:
    assert not bare_cloth().hands(found((HAND, BOX)), seen(2.0, picture())).any()


def test_chip_that_was_laid_on_it_makes_no_hand_of_it() -> None:
    bare, things = bare_cloth(), found((HAND, BOX), (CHIPS, CHIP))
    assert not bare.hands(things, seen(2.0, picture(CHIP))).any()


def test_hand_that_was_there_from_the_beginning_is_believed_until_it_is_gone() -> None:
    bare, things = BareCloth(GRID), found((HAND, BOX))
    for t in (0.0, 2.0, 4.0):
        hands = bare.hands(things, seen(t, picture(BOX)))
        bare.note(hands, seen(t, picture(BOX)))
        assert hands.any()
    gone = np.zeros((60, 80), bool)
    bare.note(gone, seen(5.0, picture(), still_s=0.3))
    bare.note(gone, seen(6.0, picture(), still_s=1.3))
    assert not bare.hands(things, seen(7.0, picture())).any()


def test_hand_that_rests_and_is_missed_for_a_look_stays_one() -> None:
    bare, things, hands = bare_cloth(), found((HAND, BOX)), np.zeros((60, 80), bool)
    for n in range(40):
        now = seen(2.0 + n / 10, picture(BOX), still_s=n / 10)
        hands = bare.hands(found() if n == 25 else things, now)
        bare.note(hands, now)
        assert hands.any() == (n != 25)


def test_light_that_changes_makes_no_hand() -> None:
    assert not bare_cloth().hands(found((HAND, BOX)), seen(2.0, 1.3 * picture())).any()
