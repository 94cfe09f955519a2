"""How sure a fault of dealing is: as sure as the cards on which it rests, by what they count."""

from __future__ import annotations

import pytest

from tests.rules.builders import TableLog, alerts_of, rules_of
from thirdcard.rules.log.events import UNSEEN, CardDealt, parse_event
from thirdcard.rules.round.drawing import UNKNOWN_DECK
from thirdcard.rules.round.round import value_confidence_of

SURE = 0.9


def log_of(confidence: float = SURE) -> TableLog:
    return TableLog(rules_of("tas"), confidence=confidence).open()


@pytest.mark.parametrize(
    ("two_each", "thirds", "code", "cards"),
    [
        # Player stands on 7 whatever Banker has: Player's two, and the card itself
        ("P KH 7C | B 3D 4H", ["player 6S"], "misdeal.third_card_not_due", 3),
        # Player's natural, Banker's natural
        ("P KH 8C | B 3D 4H", ["player 6S"], "misdeal.third_card_not_due", 3),
        ("P 2H 3C | B KD 9H", ["player 6S"], "misdeal.third_card_not_due", 3),
        # Banker stands on 7 whatever Player drew, but Player's two say that he drew by right
        ("P 2H 3C | B KD 7H", ["player 6S", "banker 2D"], "misdeal.third_card_not_due", 5),
        # Banker has 3: Player's third card decides
        ("P 2H 3C | B KD 3H", ["player 8S", "banker 2D"], "misdeal.third_card_not_due", 6),
        # Player was due a card when Banker was served
        ("P 2H 3C | B KD 3H", ["banker 2D"], "misdeal.third_card_missing", 4),
        # a fourth card is one too many whatever the cards are
        ("P 2H 3C | B KD 7H", ["player 6S", "player 2D"], "misdeal.extra_card", 1),
    ],
)
def test_fault_is_as_sure_as_what_it_rests_on(two_each: str, thirds: list[str], code: str, cards: int) -> None:
    log = log_of().four(two_each)
    for third in thirds:
        log.third(*third.split())
    (alert,) = [alert for alert in alerts_of(log) if alert.code == code]
    assert alert.confidence == pytest.approx(SURE**cards)


def test_missing_card_rests_on_all_that_decided() -> None:
    log = log_of().four("P 2H 3C | B KD 3H").third("player", "4S").close()
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_missing"]
    assert alert.confidence == pytest.approx(SURE**5)


def test_card_whose_face_was_not_read_counts_by_how_sure_it_lies_there() -> None:
    log = log_of().deal("player", "KH", face_up=True).deal("banker", "3D", face_up=True)
    log.deal("player", "7C", face_up=True).deal("banker", None, face_up=True, confidence=0.8).third("player", "6S")
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_not_due"]
    assert alert.confidence == pytest.approx(SURE**3 * 0.8)


def test_two_open_faces_that_cannot_be_read_cast_doubt_on_the_others() -> None:
    log = log_of(1.0).deal("player", None, face_up=True).deal("banker", "8C", face_up=True)
    log.deal("player", None, face_up=True).deal("banker", "QC", face_up=True).third("player", "3D", confidence=1.0)
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_not_due"]
    assert alert.confidence == pytest.approx(UNKNOWN_DECK)


def test_card_that_came_unseen_casts_doubt_on_a_verdict_that_does_not_rest_on_it() -> None:
    log = log_of(1.0).deal("player", "KH", face_up=True).deal("banker", "3D", face_up=True, confidence=UNSEEN)
    log.deal("player", "7C", face_up=True).deal("banker", "4H", face_up=True).deal("player", "6S", face_up=True)
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_not_due"]
    assert alert.confidence == pytest.approx(UNSEEN)


def test_doubt_of_suits_and_pictures_is_no_doubt_of_the_fault() -> None:
    log = log_of(0.6)
    for hand, card in (("player", "KH"), ("banker", "3D"), ("player", "7C"), ("banker", "4H"), ("player", "6S")):
        log.deal(hand, card, face_up=True, value_confidence=0.99)
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_not_due"]
    assert alert.confidence == pytest.approx(0.99**3)


def test_turned_card_is_as_sure_as_its_value() -> None:
    log = log_of(0.6)
    for hand, card in (("player", "KH"), ("banker", "3D"), ("player", "7C"), ("banker", "4H")):
        log.deal(hand, None, face_up=False)
        log.add("card_turned", card_id=f"c{log._dealt}", card=card, face_up=True, by="dealer", value_confidence=0.98)
    log.deal("player", "6S", face_up=True, value_confidence=0.98)
    (alert,) = [alert for alert in alerts_of(log) if alert.code == "misdeal.third_card_not_due"]
    assert alert.confidence == pytest.approx(0.98**3)


@pytest.mark.parametrize(("fields", "sure"), [({}, 1.0), ({"confidence": 0.7}, 0.7), ({"value_confidence": 0.9}, 0.9)])
def test_value_is_as_sure_as_the_face_where_nothing_else_is_said(fields: dict[str, float], sure: float) -> None:
    event = parse_event({"t": 1.0, "type": "card_dealt", "card_id": "c1", "hand": "player", "card": "KH", **fields})
    assert isinstance(event, CardDealt)
    assert value_confidence_of(event) == sure


def test_surer_face_of_a_turned_card_replaces_the_first_reading() -> None:
    log = log_of(1.0)
    for hand, card in (("player", "KH"), ("banker", "3D"), ("player", "7C")):
        log.deal(hand, card, face_up=True)
    log.deal("banker", "KD", face_up=True, confidence=0.6)
    log.add("card_turned", card_id="c4", card="4H", face_up=True, by="dealer", confidence=0.99)
    assert alerts_of(log.result(7, 7).close()) == []
