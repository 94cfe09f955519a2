"""Printed slots that look like cards are distinguished from cards that lie on them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.plane.test_change_gate import SIZE_MM, picture, straight_down, with_box
from thirdcard.vision.cards.static_clutter import StaticClutter
from thirdcard.vision.plane.change_gate import ChangeGate

BARE = np.zeros((114, 204), bool)
SLOT = np.array([[400.0, 300], [463, 300], [463, 388], [400, 388]])


def test_slot_is_print_while_it_is_bare_and_not_under_a_card() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    assert not memory.is_made
    memory.remember([SLOT], gate.update(picture(), 0.0))
    assert memory.is_print(SLOT + 5.0, gate.update(picture(), 0.1), BARE)
    assert not memory.is_print(SLOT, gate.update(with_box(400, 300, 463, 388), 0.2), BARE)


def test_slot_stays_print_when_the_light_changes() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    memory.remember([SLOT], gate.update(picture(90), 0.0))
    assert memory.is_print(SLOT, gate.update(picture(120), 0.1), BARE)


@pytest.mark.parametrize("away_mm", [60.0, -80.0])
def test_card_elsewhere_is_no_print(away_mm: float) -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    memory.remember([SLOT], gate.update(picture(), 0.0))
    assert not memory.is_print(SLOT + np.array([away_mm, 0.0]), gate.update(picture(), 0.1), BARE)


def test_slot_that_is_mostly_covered_is_still_print() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    memory.remember([SLOT], gate.update(picture(), 0.0))
    assert memory.is_print(SLOT, gate.update(with_box(400, 300, 463, 388), 0.2), np.ones_like(BARE))


def test_place_that_was_no_slot_is_bare_until_something_lies_there() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    assert not memory.is_bare(SLOT, gate.update(picture(), 0.0), BARE)
    memory.remember([], gate.update(picture(), 0.1))
    assert memory.is_bare(SLOT, gate.update(picture(), 0.2), BARE)
    assert not memory.is_bare(SLOT, gate.update(with_box(400, 300, 463, 388), 0.3), BARE)


def test_place_that_is_mostly_covered_is_not_known_to_be_bare() -> None:
    gate = ChangeGate(straight_down(), SIZE_MM)
    memory = StaticClutter(gate.grid)
    memory.remember([], gate.update(picture(), 0.0))
    assert not memory.is_bare(SLOT, gate.update(picture(), 0.1), np.ones_like(BARE))
