"""How much several looks at one card count goes by how well the reader knows the deck."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.card_table import LABELS, Table, sight
from thirdcard.vision.cards.familiarity import Familiarity
from thirdcard.vision.cards.label_fusion import MOST_LOOKS, Votes


def test_before_the_first_card_looks_count_as_ever() -> None:
    assert Familiarity().most_looks(2.5) == 2.5


@pytest.mark.parametrize(
    ("sure", "unsure", "most"),
    [
        pytest.param(30, 10, 2.5, id="a deck that it knows"),
        pytest.param(0, 30, 1.0, id="one that it does not"),
        pytest.param(14, 22, 1.8, id="one in between"),
    ],
)
def test_looks_count_the_less_the_fewer_cards_are_read_surely(sure: int, unsure: int, most: float) -> None:
    deck = Familiarity()
    for sureness in [0.99] * sure + [0.6] * unsure:
        deck.note(sureness)
    assert deck.most_looks(2.5) == pytest.approx(most, abs=0.15)


def test_many_looks_at_a_card_of_a_strange_deck_are_no_surer_than_one() -> None:
    looks = np.log([0.8, 0.1, 0.05, 0.05])
    known, strange = Votes(LABELS), Votes(LABELS, most_looks=lambda: 1.0)
    for votes in (known, strange):
        for _ in range(12):
            votes.add(looks)
    assert strange.posterior() == pytest.approx(np.exp(looks))
    assert strange.sureness() == known.sureness() == pytest.approx(0.8)
    assert known.posterior()[0] > 0.98


def test_votes_without_a_look_are_sure_of_nothing() -> None:
    assert Votes(LABELS).sureness() == 0.0


def test_card_that_was_taken_away_tells_how_well_its_deck_is_known() -> None:
    table = Table(faces=lambda x: None)
    table.look(sight(100), looks=20)
    assert table.watch.familiarity.most_looks(MOST_LOOKS) == MOST_LOOKS
    before = table.watch.familiarity.share
    table.look(looks=30)
    assert table.watch.familiarity.share < before
