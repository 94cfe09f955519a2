"""A card that the log lacks was perhaps overlooked, where others of its round came unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.belief.test_belief import telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.belief.missed_cards import cards_laid, is_handled_early, missed_before
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.words import Side
from thirdcard.rules.log.events import CardDealt, Event
from thirdcard.rules.referee import Referee
from thirdcard.rules.rulebook.model import Phase
from thirdcard.rules.rulebook.options import Rules

RULES = rules_of("nz-secretary", dealing_style="C")
HANDLED = rules_of("nz-secretary", dealing_style="B")
"""Third cards come face down, too."""
ORDER = (Side.PLAYER, Side.BANKER, Side.PLAYER, Side.BANKER)


def short(*, is_unseen: bool) -> list[Event]:
    """Three cards, and a result."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, hand in enumerate(("player", "banker", "player")):
        seen: dict[str, Any] = {"source": "camera", "confidence": 0.99}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, **seen)
    for number, card in enumerate(("4H", "7C", "4C")):
        seen = {"source": "camera", "confidence": 0.999}
        log.add("card_turned", card_id=f"c{number}", card=card, face_up=True, by="dealer", **seen)
    log.add("result_announced", player=8, banker=7, winner="player").add("round_closed")
    return [replace(one, order_unseen=is_unseen) if isinstance(one, CardDealt) else one for one in log.events]


def found(events: list[Event], rules: Rules = RULES) -> tuple[list[Alert], list[Alert]]:
    belief = Belief(Referee(rules), telling, lambda alert: alert.confidence)
    told = [*(belief.observe(event) for event in events), belief.finish()]
    return [one for each in told for one in each.alerts], [one for each in told for one in each.doubtful]


@pytest.mark.parametrize("is_unseen", [False, True])
def test_missing_card_is_alleged_only_where_cards_are_surely_seen(is_unseen: bool) -> None:
    alerts, doubtful = found(short(is_unseen=is_unseen))
    assert ("misdeal.short_hand" in {alert.code for alert in alerts}) is not is_unseen
    if is_unseen:
        (short_hand,) = [alert for alert in doubtful if alert.code == "misdeal.short_hand"]
        assert 0.05 < short_hand.confidence < 0.2


def without_third(*, announced: int) -> list[Event]:
    """Player has 3 and gets no card; one of the first four came unseen."""
    log = TableLog(HANDLED).add("bets_opened").add("no_more_bets")
    seen: dict[str, Any] = {"source": "camera", "confidence": 0.999}
    cards = ("3D", "JC", "JD", "7C")
    for number, hand in enumerate(("player", "banker", "player", "banker")):
        came = seen if number < 3 else {"source": "camera", "confidence": 0.5, "order_unseen": True}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, **came)
    for number in (0, 2, 1, 3):
        log.add("card_turned", card_id=f"c{number}", card=cards[number], face_up=True, by="dealer", **seen)
    log.add("result_announced", player=announced, banker=7, winner="banker").add("round_closed")
    return log.events


@pytest.mark.parametrize(
    ("announced", "sure"),
    [
        pytest.param(3, (0.8, 0.9), id="only a card that counts nothing could lie there"),
        pytest.param(5, (0.0, 0.1), id="a two was overlooked, or two things went wrong"),
    ],
)
def test_third_card_is_hardly_overlooked_where_all_cards_lie_open(announced: int, sure: tuple[float, float]) -> None:
    alerts, doubtful = found(without_third(announced=announced), HANDLED)
    confidences = [one.confidence for one in (*alerts, *doubtful) if one.code == "misdeal.third_card_missing"]
    assert sure[0] <= max(confidences, default=0.0) < sure[1]


def test_card_that_was_moved_into_a_hand_is_not_missing_there() -> None:
    """As the first card of a round, after it was drawn in excess in the round before."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    seen: dict[str, Any] = {"source": "camera", "confidence": 0.99}
    log.add("card_moved", card_id="c0", hand="player", source="camera")
    for number, hand in enumerate(("banker", "player", "banker"), start=1):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, **seen)
    log.add("card_turned", card_id="c0", card="4H", face_up=True, by="dealer", **seen)
    assert not is_handled_early(log.events)
    short = [event for event in log.events if getattr(event, "card_id", "") != "c3"]
    assert is_handled_early(short)


def test_card_in_excess_is_none_of_the_first_four() -> None:
    seen: dict[str, Any] = {"source": "camera", "confidence": 0.99, "card": None, "face_up": False}
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, hand in enumerate(("player", "banker", "player", None)):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, **seen)
    assert cards_laid(log.events) == 3
    assert missed_before(log.events, len(log.events) - 1, ORDER, frozenset(Phase)) is None


def opened(*, backs: int, earlier: bool = False) -> list[Event]:
    """A first card that is open when it is first seen, and three others, of which so many show their backs."""
    log = TableLog(RULES)
    seen: dict[str, Any] = {"source": "camera", "confidence": 0.999}
    if earlier:
        log.add("bets_opened").add("no_more_bets")
        log.add("card_dealt", card_id="c00", hand="player", card=None, face_up=False, **seen).add("round_closed")
    log.add("bets_opened").add("no_more_bets")
    log.add("card_dealt", card_id="c0", hand="player", card="4H", face_up=True, **seen)
    for number, hand in enumerate(("banker", "player", "banker")):
        came = seen if number < backs else {"source": "camera", "confidence": 0.5, "order_unseen": True}
        log.add("card_dealt", card_id=f"c{number + 1}", hand=hand, card=None, face_up=False, **came)
    return log.add("round_closed").events


@pytest.mark.parametrize(
    ("backs", "earlier", "is_alleged"),
    [
        pytest.param(0, False, False, id="no back was ever seen"),
        pytest.param(0, True, True, id="backs were seen before"),
        pytest.param(1, False, True, id="a back beside it"),
    ],
)
def test_open_card_is_alleged_only_where_backs_are_seen(backs: int, earlier: bool, is_alleged: bool) -> None:
    alerts, doubtful = found(opened(backs=backs, earlier=earlier))
    assert ("exposed_card.first_card" in {alert.code for alert in alerts}) is is_alleged
    if not is_alleged:
        assert [alert.code for alert in doubtful] == ["exposed_card.first_card"]


@pytest.mark.parametrize("source", [None, "person"])
def test_open_card_that_people_report_was_dealt_open(source: str | None) -> None:
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    log.add("card_dealt", card_id="c0", hand="player", card="4H", face_up=True, source=source)
    (alert, *_), _ = found(log.add("round_closed").events)
    assert (alert.code, alert.confidence) == ("exposed_card.first_card", 1.0)
