"""A card that the log lacks was perhaps overlooked, where others of its round came unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.rules.belief.test_belief import telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.log.events import CardDealt, Event
from thirdcard.rules.referee import Referee

RULES = rules_of("nz-secretary", dealing_style="C")


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


def found(events: list[Event]) -> tuple[list[Alert], list[Alert]]:
    belief = Belief(Referee(RULES), telling, lambda alert: alert.confidence)
    told = [*(belief.observe(event) for event in events), belief.finish()]
    return [one for each in told for one in each.alerts], [one for each in told for one in each.doubtful]


@pytest.mark.parametrize("is_unseen", [False, True])
def test_missing_card_is_alleged_only_where_cards_are_surely_seen(is_unseen: bool) -> None:
    alerts, doubtful = found(short(is_unseen=is_unseen))
    assert ("misdeal.short_hand" in {alert.code for alert in alerts}) is not is_unseen
    if is_unseen:
        (short_hand,) = [alert for alert in doubtful if alert.code == "misdeal.short_hand"]
        assert 0.05 < short_hand.confidence < 0.2
