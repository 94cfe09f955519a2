"""Cards of two logs laid beside each other, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.service.watch_fakes import cards
from thirdcard.rules.log.events import CardDealt, CardMoved, CardTurned, Event, RoundClosed, Side
from thirdcard.service.evaluate.cards import CardCounts, compare_cards, pair_by_time, split_rounds


def hand(text: str, side: Side = Side.PLAYER, *, at: float = 1.0, confidence: float = 0.9) -> list[Event]:
    """Face-up cards, one a second; `?` was not read."""
    return [
        CardDealt(t=at + i, card_id=f"{side}{at + i}", hand=side, card=card, face_up=True, confidence=confidence)
        for i, card in enumerate(cards(text))
    ]


def counts(truth: Sequence[Event], found: Sequence[Event]) -> tuple[int, int, int, int, int]:
    result = compare_cards(truth, found)
    return result.right, len(result.wrong), result.unread, result.missed, result.extra


@pytest.mark.parametrize(
    ("truth", "found", "expected"),
    [
        pytest.param("7H 2S", "7H 2S", (2, 0, 0, 0, 0), id="all-right"),
        pytest.param("7H 2S", "7H 3S", (1, 1, 0, 0, 0), id="one-wrong"),
        pytest.param("7H 2S", "7H ?", (1, 0, 1, 0, 0), id="one-unread"),
        pytest.param("7H 2S 9D", "7H 9D", (2, 0, 0, 1, 0), id="one-missed-in-the-middle"),
        pytest.param("7H 2S", "KC 7H 2S", (2, 0, 0, 0, 1), id="one-too-many-at-the-start"),
        pytest.param("7H 2S", "", (0, 0, 0, 2, 0), id="nothing-found"),
        pytest.param("", "7H", (0, 0, 0, 0, 1), id="nothing-there"),
    ],
)
def test_cards_of_a_hand(truth: str, found: str, expected: tuple[int, ...]) -> None:
    assert counts(hand(truth), hand(found)) == expected


def test_wrong_card_is_told_with_its_confidence() -> None:
    wrong = compare_cards(hand("7H"), hand("7D", confidence=0.42)).wrong[0]
    assert (wrong.truth, wrong.said, wrong.confidence) == ("7H", "7D", 0.42)


def test_a_turned_card_counts_by_its_last_face() -> None:
    truth = [
        CardDealt(t=1.0, card_id="a", hand=Side.PLAYER, face_up=False),
        CardTurned(t=3.0, card_id="a", card=cards("7H")[0]),
    ]
    found = [
        CardDealt(t=1.0, card_id="c1", hand=Side.PLAYER, card=cards("7D")[0], face_up=True, confidence=0.5),
        CardTurned(t=3.0, card_id="c1", card=cards("7H")[0], confidence=0.99),
    ]
    assert counts(truth, found) == (1, 0, 0, 0, 0)


def test_a_moved_card_counts_in_the_hand_where_it_ended() -> None:
    move = CardMoved(t=5.0, card_id="player1.0", hand=Side.BANKER)
    assert counts([*hand("7H"), move], hand("7H", Side.BANKER)) == (1, 0, 0, 0, 0)


def test_a_face_that_was_never_shown_is_not_asked_for() -> None:
    truth = [CardDealt(t=1.0, card_id="a", hand=Side.PLAYER, card=None, face_up=False)]
    assert compare_cards(truth, truth) == CardCounts()


def test_a_face_said_of_a_card_that_was_never_shown_is_wrong() -> None:
    truth = [CardDealt(t=1.0, card_id="a", hand=Side.PLAYER, card=None, face_up=False)]
    wrong = compare_cards(truth, hand("7H")).wrong
    assert [(each.truth, each.said) for each in wrong] == [(None, "7H")]


def test_rounds_go_together_by_time_not_by_number() -> None:
    truth = [*hand("7H", at=1.0), RoundClosed(t=5.0), *hand("9C", at=11.0), RoundClosed(t=15.0)]
    found = [*hand("9C", at=11.2), RoundClosed(t=15.1)]
    assert counts(truth, found) == (1, 0, 0, 1, 0)


def test_a_round_found_in_two_pieces_still_has_its_cards() -> None:
    truth = [*hand("7H 2S 9D", at=1.0), RoundClosed(t=9.0)]
    found = [*hand("7H 2S", at=1.0), RoundClosed(t=2.5), *hand("9D", at=3.0), RoundClosed(t=9.0)]
    assert counts(truth, found) == (3, 0, 0, 0, 0)


def test_split_rounds_gives_the_last_open_round_too() -> None:
    rounds = split_rounds([*hand("7H", at=1.0), RoundClosed(t=5.0), *hand("9C", at=11.0)])
    assert [(each.opened, each.closed, len(each.cards)) for each in rounds] == [(1.0, 5.0, 1), (11.0, 11.0, 1)]


def test_pair_by_time_takes_the_largest_overlap() -> None:
    assert pair_by_time([(0, 10), (10, 20)], [(1, 9), (8, 19), (50, 60)]) == [(0,), (1,)]
