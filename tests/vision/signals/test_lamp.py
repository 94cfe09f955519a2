"""A lamp is reported when it is lit or put out, not when something lies over it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from thirdcard.vision.frames import Image
from thirdcard.vision.observations import LampChanged, LampCovered
from thirdcard.vision.signals.lamp import Lamp

LOW, HIGH = 30, 50
"""The lamp's edges in the picture."""
DARK, LIT, CLOTH, SLEEVE = 60, 230, 90, 200


def table(*, lit: bool = False) -> Image:
    image = np.full((80, 80, 3), CLOTH, np.uint8)
    image[LOW : HIGH + 1, LOW : HIGH + 1] = DARK
    if lit:
        image[LOW : HIGH + 1, LOW : HIGH + 1, 2] = LIT
    return image


def sleeved(image: Image, to_px: int) -> Image:
    """The picture with a bright sleeve over its left part."""
    image[LOW - 2 : HIGH + 3, :to_px] = SLEEVE
    return image


def watched(
    picture: Callable[[int], Image], steps: int, *, hand: tuple[int, int] = (0, 0)
) -> list[LampChanged | LampCovered]:
    """What was reported about so many looks, ten a second; under a hand between two of them."""
    lamp = Lamp(region="lamp", polygon_px=np.array([[LOW, LOW], [HIGH, LOW], [HIGH, HIGH], [LOW, HIGH]], np.float64))
    return [
        told
        for step in range(steps)
        for told in lamp.update(picture(step), step / 10, is_under_hand=hand[0] <= step < hand[1])
    ]


def changes(told: list[LampChanged | LampCovered]) -> list[tuple[float, float, bool]]:
    return [(one.t, one.t_earliest, one.lit) for one in told if isinstance(one, LampChanged)]


def test_lamp_tells_when_it_was_lit_and_put_out() -> None:
    told = watched(lambda step: table(lit=20 <= step < 40), 60)
    assert changes(told) == [(2.0, 1.9, True), (4.0, 3.9, False)]
    assert len(told) == 2


def test_lamp_that_flickers_with_the_light_is_never_lit() -> None:
    assert watched(lambda step: np.full((80, 80, 3), 60 + 10 * (step % 2), np.uint8), 50) == []


def test_dull_sleeve_on_a_dull_cloth_is_no_light() -> None:
    """As bright as the cloth, and over all of a lamp for half a second."""
    covered = np.full((80, 80, 3), CLOTH, np.uint8)
    assert watched(lambda step: covered if 20 <= step < 25 else table(), 50) == []


@pytest.mark.parametrize("is_lit", [False, True], ids=["dark", "lit"])
def test_lamp_that_never_changes_says_nothing(is_lit: bool) -> None:
    assert watched(lambda step: table(lit=is_lit), 50) == []


def test_lamp_lit_from_the_start_is_told_when_it_is_lit_again() -> None:
    assert [lit for *_, lit in changes(watched(lambda step: table(lit=step < 20 or step >= 40), 60))] == [True]


def test_shadow_over_all_of_a_lamp_does_not_light_it() -> None:
    told = watched(lambda step: np.full((80, 80, 3), 190 if 15 <= step < 25 else 40, np.uint8), 40)
    assert changes(told) == []


@pytest.mark.parametrize("to_px", [36, 40], ids=["a_third", "half"])
def test_sleeve_over_a_part_of_a_dark_lamp_does_not_light_it(to_px: int) -> None:
    """Also where the lamp is known to swing."""
    told = watched(lambda step: sleeved(table(), to_px) if 40 <= step < 60 else table(lit=10 <= step < 20), 80)
    assert changes(told) == [(1.0, 0.9, True), (2.0, 1.9, False)]


def test_lamp_that_was_lit_under_a_hand_says_since_when_it_may_have_been() -> None:
    told = watched(lambda step: table(lit=25 <= step < 50), 60, hand=(20, 40))
    assert [(one.t, one.covered) for one in told if isinstance(one, LampCovered)] == [(2.0, True), (4.0, False)]
    assert changes(told) == [(4.0, 1.9, True), (5.0, 4.9, False)]


def test_lamp_that_is_as_it_was_when_the_hand_goes_has_not_changed() -> None:
    assert changes(watched(lambda step: table(lit=step >= 10), 60, hand=(20, 40))) == [(1.0, 0.9, True)]
