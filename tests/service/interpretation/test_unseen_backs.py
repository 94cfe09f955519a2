"""Cards whose backs a camera does not see were not dealt face up."""

from __future__ import annotations

import pytest

from thirdcard.rules.game.cards import parse_card
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CardTurned, RoundClosed
from thirdcard.rules.rulebook.model import Phase
from thirdcard.service.interpretation.dealing import UnseenBacks

ALL = frozenset(Phase)
P, B = Side.PLAYER, Side.BANKER


def round_of(backs: UnseenBacks, faces_up: str) -> list[bool]:
    """A round dealt in order, a letter a card: `f` seen with its face up first, `b` with its back; what was missed."""
    missed = []
    for dealt, letter in enumerate(faces_up):
        side = (P, B)[dealt % 2]
        missed.append(letter == "f" and backs.is_missed(side, dealt))
        backs.note(side, dealt, face_up=letter == "f")
    backs.apply(RoundClosed(t=1.0))
    return missed


def test_one_open_card_of_a_round_was_dealt_so() -> None:
    backs = UnseenBacks(ALL)
    assert not any(round_of(backs, "fbbb") + round_of(backs, "bbbf") + round_of(backs, "bbbbf"))
    assert not backs.are_unseen


def test_the_second_open_card_of_a_round_lay_there_before() -> None:
    assert round_of(UnseenBacks(ALL), "bfbf") == [False, False, False, True]


def test_an_open_card_out_of_order_lay_there_before() -> None:
    backs = UnseenBacks(ALL)
    backs.note(P, 0, face_up=False)
    assert backs.is_missed(P, 1)
    assert not backs.is_missed(B, 1)


def test_one_of_the_first_four_that_is_first_seen_after_another_was_turned_lay_there_before() -> None:
    backs = UnseenBacks(ALL)
    for dealt, side in enumerate((P, B, P)):
        backs.note(side, dealt, face_up=False)
    assert not backs.is_missed(B, 3)
    backs.apply(CardTurned(t=1.0, card_id="c1", card=parse_card("6D"), face_up=True, by="dealer"))
    assert backs.is_missed(B, 3)
    assert not backs.is_missed(P, 4)
    backs.apply(RoundClosed(t=2.0))
    assert not backs.is_missed(B, 3)


def test_first_card_that_is_found_open_long_after_the_call_lay_there_where_no_back_was_ever_seen() -> None:
    backs = UnseenBacks(ALL)
    assert not backs.is_missed(P, 0, 1.5)
    assert backs.is_missed(P, 0, 9.0)
    round_of(backs, "bbbb")
    assert not backs.is_missed(P, 0, 9.0)


def test_first_back_in_the_wrong_hand_is_believed_once_the_backs_of_a_round_were_seen() -> None:
    backs = UnseenBacks(ALL)
    assert backs.may_have_missed_one(B, 0)
    assert not backs.may_have_missed_one(P, 0)
    round_of(backs, "bbbb")
    assert not backs.may_have_missed_one(B, 0)
    assert not UnseenBacks(frozenset()).may_have_missed_one(B, 0)


@pytest.mark.parametrize("kept", ["ffff", "bbf", "bb"])
def test_open_cards_are_not_believed_until_backs_are_seen_again(kept: str) -> None:
    backs = UnseenBacks(ALL)
    round_of(backs, "bbff")
    round_of(backs, kept)
    assert backs.is_missed(P, 0)
    round_of(backs, "bbbf")
    assert not backs.is_missed(P, 0)


def test_backs_that_are_found_out_of_order_or_after_a_turn_do_not_show_that_backs_are_seen_again() -> None:
    backs = UnseenBacks(ALL)
    round_of(backs, "bbff")
    for dealt, side in enumerate((P, P, P)):
        backs.note(side, dealt, face_up=False)
    backs.apply(CardTurned(t=1.0, card_id="c1", card=parse_card("6D"), face_up=True, by="dealer"))
    backs.note(B, 3, face_up=False)
    backs.apply(RoundClosed(t=2.0))
    assert backs.are_unseen


def test_cards_that_come_face_up_are_open_by_right() -> None:
    assert not any(round_of(UnseenBacks(), "ffffff"))
    assert not any(round_of(UnseenBacks(frozenset({Phase.INITIAL})), "bbbbff"))


def test_that_backs_are_not_seen_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    backs = UnseenBacks(ALL)
    for _ in range(3):
        round_of(backs, "ffff")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
