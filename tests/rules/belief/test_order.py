"""Cards that nobody saw come are taken to have come as dealers deal, until something speaks for another order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.belief.test_belief import RULES, alerts_of, judged, telling
from tests.rules.builders import TableLog, rules_of
from thirdcard.rules.belief.belief import Belief
from thirdcard.rules.log.events import Event
from thirdcard.rules.referee import Referee

BACKS_UNSEEN = ("player", "player", "banker", "banker")
"""As their faces came to be seen: the Player's two cards, then the Banker's."""
FACES = {"c1": "9D", "c2": "8H", "c3": "5D", "c4": "2S"}


def round_seen(hands: tuple[str, ...], *, unseen: bool, third: str | None = None) -> list[Event]:
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    more = {"confidence": 0.5, "order_unseen": True} if unseen else {}
    for number, hand in enumerate(hands, start=1):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, source="camera", **more)
        log.add("card_turned", card_id=f"c{number}", card=FACES[f"c{number}"], face_up=True, by="dealer")
    if third is not None:
        log.add("card_dealt", card_id="c5", hand=third, card="KC", face_up=True, source="camera")
    return log.add("round_closed").events


def test_order_that_nobody_saw_is_taken_for_lawful() -> None:
    judgements = judged(round_seen(BACKS_UNSEEN, unseen=True))
    codes = {alert.code: alert.confidence for each in judgements for alert in each.doubtful}
    assert "misdeal.order" not in {alert.code for alert in alerts_of(judgements)}
    assert codes.get("misdeal.order", 0.0) < 0.1


def test_order_that_was_seen_is_alleged() -> None:
    alerts = alerts_of(judged(round_seen(BACKS_UNSEEN, unseen=False)))
    assert [alert.code for alert in alerts][:1] == ["misdeal.order"]


@pytest.mark.parametrize("hands", [BACKS_UNSEEN, ("banker", "player", "player", "banker")])
def test_what_the_cards_come_to_is_judged_all_the_same(hands: tuple[str, ...]) -> None:
    """The Player has seven and stands: a third card is not due, in whatever order the four were seen."""
    judgements = judged(round_seen(hands, unseen=True, third="player"))
    found = {alert.code: alert.confidence for alert in alerts_of(judgements)}
    (record,) = [record for each in judgements for record in each.rounds]
    if hands == BACKS_UNSEEN:
        assert found["misdeal.third_card_not_due"] > 0.8
        assert (record.player_total, record.banker_total) == (7, 7)
    assert "misdeal.order" not in found


@pytest.mark.parametrize("style", ["A", "B"])
def test_side_of_a_card_that_nobody_saw_come_says_nothing_of_how_it_was_dealt(style: str) -> None:
    """Open cards lie there at the first look: at a table that deals face down they were turned before it."""
    rules = rules_of("tas", dealing_style=style)
    log = TableLog(rules).add("bets_opened").add("no_more_bets")
    for number, hand in enumerate(BACKS_UNSEEN, start=1):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=FACES[f"c{number}"], face_up=True, source="camera",
                confidence=0.5, order_unseen=True)  # fmt: skip
    belief = Belief(Referee(rules), telling, lambda alert: alert.confidence)
    judgements = [belief.observe(event) for event in log.result(7, 7).add("round_closed").events]
    assert alerts_of(judgements) == []
    (record,) = [record for each in judgements for record in each.rounds]
    assert (record.player_total, record.banker_total) == (7, 7)


def test_first_card_that_nobody_saw_come_closes_betting_as_surely_as_it_was_dealt() -> None:
    """In New South Wales the first card closes betting; that its order is open does not make it less of a card."""
    log = TableLog(rules_of("nsw")).add("bets_opened")
    wager: dict[str, Any] = {
        "area": "s1-player",
        "seat": 1,
        "bet": "player",
        "by": "seat:1",
        "source": "camera",
        "confidence": 1.0,
    }
    log.add("wager_changed", **wager, chips_before=0, chips_after=3).add("no_more_bets")
    for number, hand in enumerate(("player", "banker", "player", "banker"), start=1):
        log.add("card_dealt", card_id=f"c{number}", hand=hand, source="camera", confidence=0.5, order_unseen=True)
        if number == 1:
            log.add("wager_changed", **wager, chips_before=3, chips_after=0)
    for number, face in enumerate(("9D", "5D", "8H", "2S"), start=1):
        log.add(
            "card_turned", card_id=f"c{number}", card=face, face_up=True, by="dealer", confidence=1.0, source="camera"
        )
    judgements = judged(
        log.add("round_closed").events, Belief(Referee(rules_of("nsw")), telling, lambda one: one.confidence)
    )
    assert [alert.code for alert in alerts_of(judgements)] == ["late_bet.removed"]


def test_fault_that_no_order_of_the_cards_explains_is_dated_to_the_fourth_card() -> None:
    """Three of the first four came to the Player; when the second of them came was not seen."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    for number, hand in enumerate(("player", "banker", "player", "player"), start=1):
        more = {"confidence": 0.5, "order_unseen": True} if number == 3 else {"confidence": 1.0}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, source="camera", **more)
    fourth_t = log.events[-1].t
    log.add("card_moved", card_id="c4", hand="banker")
    for card_id, face in FACES.items():
        log.add("card_turned", card_id=card_id, card=face, face_up=True, by="dealer")
    log.add("card_dealt", card_id="c5", hand="player", card=None, face_up=False, source="camera", confidence=1.0)
    assert ("misdeal.order", fourth_t) in [(alert.code, alert.t) for alert in alerts_of(judged(log.events))]


@pytest.mark.parametrize("is_sure", [False, True])
def test_back_that_nobody_saw_come_and_that_moves_may_have_come_where_it_moved_to(is_sure: bool) -> None:
    """A shadow in the Banker's box is taken for the card that the dealer then lays into the Player's."""
    rules = rules_of("sg-rws", dealing_style="B")
    log = TableLog(rules).add("bets_opened").add("no_more_bets")
    more = {"confidence": 1.0} if is_sure else {"confidence": 0.5, "order_unseen": True}
    log.add("card_dealt", card_id="c1", hand="banker", card=None, face_up=False, source="camera", **more)
    log.add("card_moved", card_id="c1", hand="player", source="camera")
    for number, hand in enumerate(("banker", "player", "banker"), start=2):
        log.add(
            "card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, source="camera", confidence=1.0
        )
    for number, face in enumerate(("9D", "5D", "KH", "2S"), start=1):
        log.add(
            "card_turned", card_id=f"c{number}", card=face, face_up=True, by="dealer", confidence=1.0, source="camera"
        )
    belief = Belief(Referee(rules), telling, lambda alert: alert.confidence)
    told = {alert.code for alert in alerts_of(judged(log.add("round_closed").events, belief))}
    assert told == ({"misdeal.order"} if is_sure else set())


def test_missing_call_is_dated_to_the_first_card_though_nobody_saw_it_come() -> None:
    """Where that card is taken for a shadow, the third was the first; the other readings weigh more together."""
    log = TableLog(rules_of("nz-secretary", dealing_style="B")).add("bets_opened").wager("s1-player", 0, 100)
    unseen: dict[str, Any] = {"confidence": 0.5, "order_unseen": True}
    for number, hand in enumerate(("player", "banker", "player", "banker"), start=1):
        more = unseen if number == 1 else {"confidence": 1.0}
        log.add("card_dealt", card_id=f"c{number}", hand=hand, card=None, face_up=False, source="camera", **more)
    first = next(event.t for event in log.events if event.type == "card_dealt")

    judgements = judged(log.events, Belief(Referee(log.rules), telling, lambda alert: alert.confidence))
    assert [(one.code, one.t) for one in alerts_of(judgements)] == [("procedure.no_call", first)]


@pytest.mark.parametrize("is_moved", [False, True])
def test_card_that_was_moved_to_the_other_hand_was_laid_to_the_wrong_one(is_moved: bool) -> None:
    """The Banker's card was found last and may have come second; then the Player's second card needed no moving."""
    log = TableLog(RULES).add("bets_opened").add("no_more_bets")
    seen: dict[str, Any] = {"face_up": True, "source": "camera", "confidence": 1.0}
    log.add("card_dealt", card_id="c1", hand="player", card="7S", **seen)
    log.add("card_dealt", card_id="c2", hand="player", card="6C", **seen)
    wrong_t = log.events[-1].t
    if is_moved:
        log.add("card_moved", card_id="c2", hand="banker", source="camera")
        log.add("card_dealt", card_id="c3", hand="player", card="9H", **seen)
    log.add(
        "card_dealt", card_id="c4", hand="banker", face_up=False, source="camera", confidence=0.5, order_unseen=True
    )
    log.add("card_turned", card_id="c4", card="2C", face_up=True, by="unknown", confidence=1.0, source="camera")
    if not is_moved:
        log.add("card_dealt", card_id="c5", hand="banker", card="6D", **seen)
    belief = Belief(Referee(RULES), telling, lambda alert: alert.confidence)
    judged(log.add("round_closed").events, belief)
    found = [(one.code, one.t) for one in belief.found if one.confidence > 0.9]
    assert found == ([("misdeal.order", wrong_t)] if is_moved else [])
