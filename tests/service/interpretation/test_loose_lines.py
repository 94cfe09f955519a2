"""Cards where none belongs, as the log reports them."""

from __future__ import annotations

import pytest

from tests.service.interpretation.test_interpreter import LAYOUT, log_of, rested
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import (
    CardDealt,
    CardMoved,
    CardRemoved,
    CardTurned,
    Event,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
)
from thirdcard.rules.rulebook.model import Phase
from thirdcard.service.interpretation.dealing import UnseenBacks
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.vision.observations import CardLeft, LooseCardLeft, LooseCardRested, LooseCardTurned, Reading

DEVICES: frozenset[type[Event]] = frozenset({RoundClosed, ResultAnnounced})
CALL = NoMoreBets(t=4.0)
RESULT = ResultAnnounced(t=9.0, player=7, banker=7, winner=None)


def loose(t: float, label: str | None = "9C", *, track: int = 1) -> LooseCardRested:
    reading = Reading(label=label, confidence=0.99)
    up = label is not None
    return LooseCardRested(track_id=track, t=t, at_mm=(900.0, 400.0), face_up=up, reading=reading, score=0.9)


def turned(t: float, label: str = "9C") -> LooseCardTurned:
    return LooseCardTurned(track_id=1, t=t, face_up=True, reading=Reading(label=label, confidence=0.99))


def of(kind: type[Event], lines: list[Event]) -> list[Event]:
    return [line for line in lines if isinstance(line, kind)]


def test_card_beside_the_boxes_is_dealt_to_no_hand_turned_and_removed() -> None:
    lines = log_of(CALL, rested(1, 5.0), loose(10.0, None), turned(13.0), LooseCardLeft(track_id=1, t=16.0))

    dealt = [line for line in lines if isinstance(line, CardDealt)][-1]
    assert (dealt.card_id, dealt.hand, dealt.card, dealt.face_up) == ("c2", None, None, False)
    (shown,) = [line for line in lines if isinstance(line, CardTurned)]
    assert (shown.card_id, str(shown.card), shown.t) == ("c2", "9C", 13.0)
    (removed,) = [line for line in lines if isinstance(line, CardRemoved)]
    assert (removed.card_id, removed.to) == ("c2", "discard")


@pytest.mark.parametrize(("face_down", "is_dealt_open"), [(frozenset(), True), (frozenset(Phase), False)])
def test_open_card_where_cards_come_face_down_may_have_lain_there_unseen(
    face_down: frozenset[Phase], is_dealt_open: bool
) -> None:
    interpreter = Interpreter(LAYOUT, DEVICES, backs=UnseenBacks(face_down))
    interpreter.signal(CALL)
    for seen in (rested(1, 5.0), loose(10.0), LooseCardLeft(track_id=1, t=16.0)):
        interpreter.observe(seen)
    lines = interpreter.finish()

    (dealt,) = [line for line in lines if isinstance(line, CardDealt) and line.hand is None]
    assert (dealt.face_up, str(dealt.card)) == ((True, "9C") if is_dealt_open else (False, "None"))
    assert [str(line.card) for line in lines if isinstance(line, CardTurned)] == ([] if is_dealt_open else ["9C"])


@pytest.mark.parametrize(
    ("label", "face"),
    [
        pytest.param("9C", "9C", id="the same face"),
        pytest.param("9C", None, id="a face that is not read there"),
        pytest.param(None, "KS", id="its back before, turned on its way"),
    ],
)
def test_card_that_goes_into_a_box_is_moved_there(label: str | None, face: str | None) -> None:
    lines = log_of(
        CALL, rested(1, 5.0), loose(10.0, label), LooseCardLeft(track_id=1, t=13.5), rested(2, 14.0, "banker", face)
    )

    (moved,) = [line for line in lines if isinstance(line, CardMoved)]
    assert (moved.card_id, moved.hand) == ("c2", Side.BANKER)
    assert len(of(CardDealt, lines)) == 2 and of(CardRemoved, lines) == []
    assert len(of(CardTurned, lines)) == (label is None)


def test_card_with_another_face_in_a_box_is_another_card() -> None:
    lines = log_of(
        CALL, rested(1, 5.0), loose(10.0), LooseCardLeft(track_id=1, t=13.5), rested(2, 14.0, "banker", "KS")
    )

    assert len(of(CardDealt, lines)) == 3 and of(CardMoved, lines) == [] and len(of(CardRemoved, lines)) == 1


@pytest.mark.parametrize(
    "before",
    [
        pytest.param([], id="no round is being dealt"),
        pytest.param([CALL, rested(1, 5.0), RESULT], id="the round is decided"),
        pytest.param([CALL, rested(1, 5.0), CardLeft(track_id=1, t=9.0)], id="a card of a box is missing"),
        pytest.param([CALL, rested(1, 5.0), CardLeft(track_id=1, t=10.5)], id="a card of a box goes just then"),
    ],
)
def test_card_that_may_be_another_one_is_not_logged(before: list[object]) -> None:
    lines = log_of(*before, loose(10.0), turned(11.0), LooseCardLeft(track_id=1, t=12.0), devices=DEVICES)

    assert [line for line in lines if isinstance(line, CardDealt) and line.hand is None] == []
    assert of(CardTurned, lines) == []
