"""Rests are given out one after the other."""

from __future__ import annotations

from datetime import timedelta

from tests.service.store.conftest import NOW
from thirdcard.service.live.load_shedding import APART, Turns


def test_the_first_that_asks_may_rest_and_nobody_else_for_a_while() -> None:
    turns = Turns()
    assert turns.give(NOW)
    assert not turns.give(NOW)
    assert not turns.give(NOW + APART - timedelta(milliseconds=1))
    assert turns.give(NOW + APART)


def test_asking_in_vain_keeps_nobody_from_the_next_turn() -> None:
    turns = Turns()
    turns.give(NOW)
    turns.give(NOW + APART / 2)
    assert turns.give(NOW + APART)
