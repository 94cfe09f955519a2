"""Whatever a log says, the referee judges it without falling over."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.rules.builders import RULEBOOKS, rules_of, run
from thirdcard.rules.belief.belief import Belief, Telling
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.game.cards import PACK
from thirdcard.rules.game.words import GAME_BETS, Bet
from thirdcard.rules.log.events import Event, format_event, parse_event
from thirdcard.rules.referee import Referee
from thirdcard.rules.round.records import format_round
from thirdcard.rules.rulebook.load import load_rulebook

KINDS = (
    ["card_dealt"] * 8 + ["card_turned"] * 3 + ["card_moved"] * 3 + ["wager_changed"] * 4 + ["wager_settled"] * 2
    + ["no_more_bets", "bets_opened", "result_announced", "round_closed", "void_hand_announced", "shoe_closed"]
    + ["shoe_opened", "last_round_announced", "camera_lost", "camera_back", "card_passed", "card_removed"]
    + ["camera_obstructed", "card_burned"]
)  # fmt: skip


DOUBTED = ("card_dealt", "card_turned", "wager_changed", "wager_settled")


def any_log(rng: random.Random, length: int, *, is_filmed: bool = False) -> list[Event]:
    """Events of all sorts in any order, some of what they could say left unknown; a film's have doubts."""
    dealt, t, events = 0, 0.0, []
    for _ in range(length):
        t += rng.choice([0.0, 0.3, 1.0, 4.0])
        kind = rng.choice(KINDS)
        dealt += kind == "card_dealt"
        fields = fields_of(kind, rng, dealt)
        if is_filmed and kind in DOUBTED:
            fields |= {"source": "camera", "confidence": rng.choice([0.2, 0.5, 0.7, 0.99, 1.0])}
        if is_filmed and kind == "card_dealt":
            fields |= {"order_unseen": rng.random() < 0.3, "alternatives": {str(rng.choice(PACK)): 0.2}}
        events.append(parse_event({"t": t, "type": kind, **fields}))
    return events


def fields_of(kind: str, rng: random.Random, dealt: int) -> dict[str, Any]:
    card_id = f"c{rng.randint(max(1, dealt - 6), dealt + 1)}"
    card = rng.choice([None, str(rng.choice(PACK))])
    hand, seat, bet = rng.choice(["player", "banker"]), rng.randint(1, 3), str(rng.choice([*GAME_BETS, Bet("lucky_9")]))
    if kind == "card_dealt":
        together = rng.choice([None, None, None, card_id])
        place = rng.choice([hand, None, hand])
        return {
            "card_id": f"c{dealt}",
            "hand": place,
            "card": card,
            "face_up": card is not None,
            "together_with": together,
        }
    if kind == "wager_changed":
        values: dict[str, Any] = {name: rng.choice([None, 0, 100, 200]) for name in ("before", "after", "chips_before")}
        return {
            "area": f"s{seat}-{bet}",
            "seat": seat,
            "bet": bet,
            "by": rng.choice(["dealer", "unknown", "seat:2"]),
        } | values
    if kind == "wager_settled":
        action, amount = rng.choice(["paid", "collected", "returned"]), rng.choice([None, 100])
        return {"area": f"s{seat}-{bet}", "seat": seat, "bet": bet, "action": action, "amount": amount}
    if kind == "result_announced":
        winner = rng.choice([None, "tie", hand])
        return {"player": rng.choice([None, 3]), "banker": 4, "winner": winner}
    return {"card_id": card_id, "hand": hand, "card": card, "to": "seat:2", "decks": 8}


@pytest.mark.parametrize(
    ("rulebook_id", "style"), [(name, style) for name in RULEBOOKS for style in load_rulebook(name).styles]
)
def test_any_log_is_judged_and_told(rulebook_id: str, style: str) -> None:
    rules = rules_of(rulebook_id, dealing_style=style)
    for seed in range(10):
        events = any_log(random.Random(seed), 120)
        assert [parse_event(format_event(event)) for event in events] == events
        alerts, records = run(rules, events, decks=1)
        assert all(format_alert(alert)["rulebook"] == rulebook_id for alert in alerts)
        assert all(0.0 <= alert.confidence <= 1.0 for alert in alerts)
        assert [format_round(record)["round"] for record in records] == list(range(1, len(records) + 1))


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@pytest.mark.parametrize("length", [6, 60])
def test_any_film_is_believed_and_told(rulebook_id: str, length: int) -> None:
    rules = rules_of(rulebook_id)
    for seed in range(240 // length):
        belief = Belief(Referee(rules), lambda _alert: Telling.ALERT, lambda alert: alert.confidence)
        events = any_log(random.Random(seed), length, is_filmed=True)
        judgements = [*(belief.observe(event) for event in events), belief.finish()]
        records = [record for each in judgements for record in each.rounds]
        assert [format_round(record)["round"] for record in records] == list(range(1, len(records) + 1))
        assert all(0.0 <= alert.confidence <= 1.0 for each in judgements for alert in each.alerts)
