"""A card dealt face up under a hand is distinguished from one that was turned there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from thirdcard.calibration.layout import load_layout
from thirdcard.rules.log.events import UNSEEN, CardDealt, CardTurned, Event, NoMoreBets, RoundClosed
from thirdcard.rules.rulebook.model import Phase
from thirdcard.service.interpretation.dealing import UnseenBacks
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.vision.observations import CardFlipped as SeenTurned
from thirdcard.vision.observations import CardRested, Reading

LAYOUT = load_layout("mini-7", Path())
REGIONS = {area.hand: area.id for area in LAYOUT.of_kind("hand")}
UNREAD, FACE = Reading(label=None, confidence=0.0), Reading(label="7H", confidence=0.99)


def back(track: int, t: float, hand: str, *, is_back_seen: bool = True) -> CardRested:
    return CardRested(
        track_id=track, t=t, region=REGIONS[hand], at_mm=(0.0, 0.0), face_up=False, reading=UNREAD, score=0.9,
        is_back_seen=is_back_seen,
    )  # fmt: skip


def turned(track: int, t: float) -> SeenTurned:
    return SeenTurned(track_id=track, t=t, face_up=True, reading=FACE)


def log_of(*items: CardRested | SeenTurned, face_down: frozenset[Phase] = frozenset(Phase)) -> list[Event]:
    interpreter = Interpreter(LAYOUT, frozenset({NoMoreBets, RoundClosed}), backs=UnseenBacks(face_down))
    for item in items:
        interpreter.observe(item)
    return interpreter.finish()


def dealt(lines: list[Event]) -> list[tuple[bool | None, str | None]]:
    return [(line.face_up, str(line.card) if line.card else None) for line in lines if isinstance(line, CardDealt)]


FIRST = (back(1, 5.0, "player"), back(2, 6.0, "banker"), back(3, 7.0, "player"))


def test_first_card_whose_face_shows_soon_and_whose_back_no_look_showed_was_dealt_open() -> None:
    lines = log_of(*FIRST, back(4, 8.0, "banker", is_back_seen=False), turned(4, 8.6))

    assert dealt(lines)[-1] == (True, "7H")
    assert [line.confidence for line in lines if isinstance(line, CardDealt)][-1] == UNSEEN


@pytest.mark.parametrize(
    "items",
    [
        pytest.param((*FIRST, back(4, 8.0, "banker"), turned(4, 8.6)), id="its back was seen"),
        pytest.param((*FIRST, back(4, 8.0, "banker", is_back_seen=False), turned(4, 9.6)), id="its face shows late"),
        pytest.param(
            (*FIRST, turned(1, 7.2), back(4, 8.0, "banker", is_back_seen=False), turned(4, 8.6)),
            id="another was turned before",
        ),
        pytest.param(
            (*FIRST, back(4, 8.0, "banker"), back(5, 9.0, "player", is_back_seen=False), turned(5, 9.5)),
            id="a third card",
        ),
        pytest.param(
            (*FIRST, replace(back(4, 8.0, "banker", is_back_seen=False), hidden_s=2.5), turned(4, 8.6)),
            id="hidden for long",
        ),
    ],
)
def test_card_that_may_have_been_turned_was_dealt_face_down(items: tuple[CardRested | SeenTurned, ...]) -> None:
    lines = log_of(*items)

    assert not any(face_up for face_up, _ in dealt(lines))
    assert any(isinstance(line, CardTurned) for line in lines)


@pytest.mark.parametrize(("hidden_s", "face_up"), [(0.9, True), (1.9, True), (2.1, False)])
def test_open_card_that_was_hidden_while_nobody_turns_cards_came_open(hidden_s: float, face_up: bool) -> None:
    open_card = replace(back(4, 8.0, "banker"), face_up=True, reading=FACE, hidden_s=hidden_s)

    assert dealt(log_of(*FIRST, open_card))[-1][0] is face_up


def test_where_cards_come_face_up_what_was_hidden_is_told_as_before() -> None:
    open_card = replace(back(1, 5.0, "player"), face_up=True, reading=FACE, hidden_s=1.5)

    assert dealt(log_of(open_card, face_down=frozenset())) == [(False, None)]


@pytest.mark.parametrize(
    ("may_be_turned", "face_down", "face_up"),
    [
        pytest.param(True, frozenset(Phase), False, id="laid face down and turned at once"),
        pytest.param(False, frozenset(Phase), True, id="seen to come open"),
        pytest.param(True, frozenset({Phase.INITIAL}), True, id="third cards come open here"),
    ],
)
def test_third_card_may_have_been_turned_by_the_hand_that_laid_it(
    may_be_turned: bool, face_down: frozenset[Phase], face_up: bool
) -> None:
    third = replace(back(5, 12.0, "player"), face_up=True, reading=FACE, hidden_s=0.5, may_be_turned=may_be_turned)
    lines = log_of(*FIRST, back(4, 8.0, "banker"), turned(1, 9.0), turned(2, 9.5), third, face_down=face_down)
    assert dealt(lines)[-1][0] is face_up
