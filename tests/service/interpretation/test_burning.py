"""What is burned at a shoe's opening, as the camera tells it and where it cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.service.interpretation.test_interpreter import rested
from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import load_layout
from thirdcard.rules.game.cards import format_card
from thirdcard.rules.log.events import (
    UNSEEN,
    BetsOpened,
    CardBurned,
    CardDealt,
    CutCardDrawn,
    Event,
    LastRoundAnnounced,
    NoMoreBets,
    ResultAnnounced,
    RoundClosed,
    ShoeOpened,
)
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.load import load_rulebook
from thirdcard.rules.rulebook.options import elect
from thirdcard.service.interpretation.burns import Burns, shows_burns, side_regions
from thirdcard.service.interpretation.interpreter import Interpreter
from thirdcard.vision.observations import (
    CardBeside,
    CardBesideHidden,
    CutCardRested,
    Observation,
    Reading,
    RegionVisited,
)

LAYOUT = load_layout("mini-7", Path())
OPENED, BETS, CALL = ShoeOpened(t=1.0, decks=8), BetsOpened(t=10.0), NoMoreBets(t=12.0)
RACK = RegionVisited(region="discard", t=8.0)


def beside(t: float, label: str | None = None) -> CardBeside:
    reading = Reading(label=label, confidence=0.99)
    return CardBeside(t=t, face_up=label is not None, reading=reading, score=0.9)


def log_of(*items: Event | Observation, is_watched: bool = True) -> list[Event]:
    interpreter = Interpreter(LAYOUT, frozenset({BetsOpened, NoMoreBets}), burns=Burns(is_watched=is_watched))
    for item in items:
        if isinstance(item, Event):
            interpreter.signal(item)
        else:
            interpreter.observe(item)
    return interpreter.finish()


def burned(lines: list[Event]) -> list[str | None]:
    cards = [line.card for line in lines if isinstance(line, CardBurned)]
    return [None if card is None else format_card(card) for card in cards]


def alleged(lines: list[Event]) -> list[str]:
    referee = Referee(elect(load_rulebook("nz-authority"), {}), decks=8)
    alerts = [alert for line in lines for alert in referee.observe(line).alerts]
    return [alert.code for alert in alerts if alert.code == "procedure.burn" and alert.confidence >= 0.6]


def first_card() -> Observation:
    return rested(1, 14.0)


def test_cards_beside_the_boxes_before_bets_open_are_burned() -> None:
    lines = log_of(OPENED, beside(3.0, "2D"), beside(4.0), beside(5.0), RACK, BETS, CALL, first_card())

    assert burned(lines) == ["2D", None, None]
    assert alleged(lines) == []


def test_cards_in_the_boxes_before_bets_open_are_burned_too() -> None:
    cards = [rested(7, 3.0, "player", "AD"), rested(8, 4.0, "banker", None, up=False)]
    lines = log_of(OPENED, *cards, BETS, CALL, first_card())

    assert burned(lines) == ["AD", None]
    assert [line.t for line in lines if isinstance(line, CardDealt)] == [pytest.approx(13.4)]


@pytest.mark.parametrize(("label", "further", "codes"), [("2D", 1, 1), ("2D", 2, 0), ("2D", 3, 1)])
def test_wrong_count_is_alleged(label: str, further: int, codes: int) -> None:
    lines = log_of(OPENED, beside(3.0, label), *(beside(4.0 + i) for i in range(further)), BETS, CALL, first_card())

    assert len(alleged(lines)) == codes


def test_nothing_burned_is_alleged_only_where_no_hand_went_to_the_rack() -> None:
    assert alleged(log_of(OPENED, BETS, CALL, first_card())) == ["procedure.burn"]
    assert alleged(log_of(OPENED, RACK, BETS, CALL, first_card())) == []


def test_count_is_not_alleged_where_a_card_may_lie_on_another() -> None:
    hidden = CardBesideHidden(t=5.0)

    assert alleged(log_of(OPENED, beside(3.0, "4D"), beside(4.0), hidden, RACK, BETS, CALL, first_card())) == []


def test_nothing_is_alleged_where_the_camera_does_not_see_the_ground() -> None:
    lines = log_of(OPENED, BETS, CALL, first_card(), is_watched=False)

    assert next(line.confidence for line in lines if isinstance(line, ShoeOpened)) == UNSEEN
    assert alleged(lines) == []


@pytest.mark.parametrize(("is_signalled", "confidence"), [(False, UNSEEN), (True, None)])
def test_opening_is_unsure_where_neither_device_nor_camera_tells_the_burn(
    is_signalled: bool, confidence: float | None
) -> None:
    opened = Burns(is_signalled=is_signalled).with_doubt(OPENED)

    assert isinstance(opened, ShoeOpened) and opened.confidence == confidence


def test_camera_is_not_asked_where_a_device_tells_of_each_burned_card() -> None:
    burns = Burns(is_signalled=True, are_due=True)

    assert burns.by_card(3.0, None, 0.9) == burns.by_visit(4.0) == burns.by_cover(5.0) == []


def test_cards_beside_the_boxes_and_hands_at_the_rack_are_nothing_in_play() -> None:
    lines = log_of(BETS, CALL, beside(13.0, "2D"), replace(RACK, t=14.0))

    assert burned(lines) == []


def test_cutting_card_is_told_while_cards_are_dealt() -> None:
    cut = [CutCardRested(t=t, at_mm=(1580.0, 370.0)) for t in (5.0, 13.0, 20.0)]
    closing = [ResultAnnounced(t=18.0), RoundClosed(t=30.0)]

    lines = log_of(BETS, CALL, *cut, *closing)

    assert [line.t for line in lines if isinstance(line, CutCardDrawn)] == [pytest.approx(12.4)]


def test_last_round_of_a_device_stays_in_the_log() -> None:
    assert [type(line) for line in log_of(LastRoundAnnounced(t=3.0))] == [LastRoundAnnounced]


def camera(width_px: int) -> Calibration:
    """A picture of so many pixels across, two millimetres each."""
    scale = np.diag([2.0, 2.0, 1.0])
    return Calibration(
        image_size_wh_px=(width_px, 540),
        camera_matrix=np.eye(3),
        distortion=np.zeros(5),
        homography=scale,
    )


def test_burns_are_watched_where_shoe_rack_and_boxes_are_in_the_picture() -> None:
    assert shows_burns(LAYOUT, camera(1065))
    assert not shows_burns(LAYOUT, camera(780)), "the shoe's right edge is at 810 px"


def test_ground_lies_round_the_boxes_and_the_rack_is_watched() -> None:
    regions = side_regions(LAYOUT, are_burns_watched=True)

    assert set(regions.visited) == {"discard"}
    assert set(regions.kept) == {"shoe", "discard", "float"}
    assert regions.ground["ground"][:, 1].max() == pytest.approx(535.0, abs=10.0)
    unwatched = side_regions(LAYOUT, are_burns_watched=False)
    assert unwatched.ground == {}
    assert set(unwatched.piles) == set(regions.piles) == {"discard"}
