"""A table at which a camera misses backs is known by the cards that it shows there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_missed_backs import HANDLED, found
from tests.rules.builders import TableLog
from thirdcard.rules.belief.back_sight import BackSight
from thirdcard.rules.belief.priors import shipped_priors
from thirdcard.rules.log.events import Event

SEEN: dict[str, Any] = {"source": "camera", "confidence": 0.999}
UNSEEN: dict[str, Any] = {"source": "camera", "confidence": 0.5, "order_unseen": True}
HANDS = ("player", "banker", "player", "banker")


def log_of(*, turned_early: int = 0, opened_first: bool = False) -> list[Event]:
    """Three rounds of four cards that come face down, and one whose third card seems to be dealt face up.

    Args:
        turned_early: How many cards of each of the three come unseen and are turned within half a second.
        opened_first: Whether the first round's third card seems to be dealt face up, too.
    """
    log = TableLog(HANDLED)
    for number in range(1, 5):
        log.add("bets_opened").add("no_more_bets")
        unseen = 0 if number == 4 else turned_early
        for place, hand in enumerate(HANDS):
            card = f"c{number}{place}"
            if place == 2 and (number == 4 or (number == 1 and opened_first)):
                log.add("card_dealt", card_id=card, hand=hand, card="4H", face_up=True, **SEEN)
            elif place < len(HANDS) - unseen:
                log.add("card_dealt", card_id=card, hand=hand, card=None, face_up=False, **SEEN)
            else:
                log.add("card_dealt", card_id=card, hand=hand, card=None, face_up=False, **UNSEEN)
                log.add("card_turned", after_s=0.5, card_id=card, card="4C", face_up=True, by="dealer", **SEEN)
        if number < 4:
            log.add("round_closed")
    return log.events


def confidence(events: list[Event]) -> float:
    alerts, doubtful = found(events, HANDLED)
    last = [one.confidence for one in (*alerts, *doubtful) if one.code.startswith("exposed_card") and one.round == 4]
    return max(last, default=0.0)


def test_card_dealt_face_up_is_alleged_where_backs_are_seen() -> None:
    assert confidence(log_of()) > 0.97


def test_card_is_hardly_dealt_face_up_where_backs_are_missed() -> None:
    assert confidence(log_of(turned_early=1)) < 0.1


def test_dealer_who_shows_a_card_once_is_believed_to_do_it_again() -> None:
    assert confidence(log_of(opened_first=True)) > 0.8


@pytest.mark.parametrize(
    ("seen", "missed", "least", "most"),
    [
        pytest.param(0, 0, 0.08, 0.08, id="no back was seen yet: perhaps none can be"),
        pytest.param(4, 0, 0.0, 0.0003, id="four backs of four"),
        pytest.param(400, 1, 0.0, 1e-6, id="one of four hundred was turned unseen"),
        pytest.param(6, 3, 0.2, 0.4, id="six of nine"),
        pytest.param(40_000, 20_000, 0.33, 0.34, id="two of three, for a long time"),
    ],
)
def test_share_of_missed_backs(seen: int, missed: int, least: float, most: float) -> None:
    share = BackSight(seen=seen, missed=missed).missed_share(shipped_priors())
    assert least <= share <= most


def test_cards_that_people_report_say_nothing_about_the_camera() -> None:
    log = TableLog(HANDLED).add("bets_opened").add("no_more_bets")
    log.add("card_dealt", card_id="c1", hand="player", card=None, face_up=False)
    sight = BackSight()
    for event in log.events:
        sight.observe(event, comes_face_down=True)
    assert sight.seen == 0
