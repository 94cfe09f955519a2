"""Play that follows a rulebook gives no alert, in every variant; one thing done wrong gives the alert that names it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.builders import RULEBOOKS, TableLog, rules_of, run
from tests.rules.test_referee import played
from tests.rules.variants import VARIANTS, named, variants_of
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.words import GAME_BETS, Bet, SettleAction, Settling
from thirdcard.rules.log.events import Event, ResultAnnounced, WagerChanged, WagerSettled
from thirdcard.rules.referee import Judgement, Referee
from thirdcard.rules.round.records import format_round

HANDS = st.lists(st.sampled_from(PACK), min_size=6, max_size=6, unique=True)
BETS = [bet for bet in GAME_BETS if bet not in (Bet.INSURANCE_PLAYER, Bet.INSURANCE_BANKER, Bet.ANTE)]
EACH_VARIANT = [pytest.param(name, elected, id=named(name, elected)) for name, elected in VARIANTS]
RELAXED = settings(max_examples=4, deadline=None)
DRAWN = settings(max_examples=12, deadline=None)
"""Where the variant is drawn too."""


def round_of(rulebook_id: str, cards: list[Card], *bets: Bet, **options: Any) -> TableLog:
    """A legal round with 100 on each of these bets that the elections offer, by a seat each, and their antes."""
    rules = rules_of(rulebook_id, **options)
    offered = [bet for bet in bets if rules.offers(bet)]
    areas = [f"s{seat}-{bet}" for seat, bet in enumerate(offered, start=1)]
    antes = [f"s{seat}-ante" for seat in range(1, len(areas) + 1)] if rules.offers(Bet.ANTE) else []
    return TableLog(rules).legal_round(played(cards), *areas, *antes)


@pytest.mark.parametrize(("rulebook_id", "options"), EACH_VARIANT)
@RELAXED
@given(cards=HANDS)
def test_legal_round_in_any_variant_gives_no_alert(
    rulebook_id: str, options: dict[str, Any], cards: list[Card]
) -> None:
    log = round_of(rulebook_id, cards, *BETS, **options)
    alerts, records = run(log.rules, log.events, limits={"minimum": 25, "maximum": 500, "differential": 500})
    assert alerts == []
    assert records[0].remedies == () and records[0].undetermined == ()


def codes(log: TableLog, events: list[Event]) -> list[str]:
    return [alert.code for alert in run(log.rules, events)[0]]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@DRAWN
@given(cards=HANDS, bet=st.sampled_from([Bet.PLAYER, Bet.BANKER, Bet.TIE]), data=st.data())
def test_wager_moved_in_time_is_late(rulebook_id: str, cards: list[Card], bet: Bet, data: st.DataObject) -> None:
    log = round_of(rulebook_id, cards, bet, **data.draw(variants_of(rulebook_id)))
    placed = next(event for event in log.events if isinstance(event, WagerChanged))
    events = [event for event in log.events if not isinstance(event, WagerChanged | WagerSettled)]
    i = next(i for i, event in enumerate(events) if isinstance(event, ResultAnnounced))
    events.insert(i, replace(placed, t=events[i - 1].t))
    assert codes(log, events) == ["late_bet.placed"]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@DRAWN
@given(cards=HANDS, bet=st.sampled_from([Bet.PLAYER, Bet.BANKER, Bet.TIE]), data=st.data())
def test_settlement_left_out_is_named(rulebook_id: str, cards: list[Card], bet: Bet, data: st.DataObject) -> None:
    log = round_of(rulebook_id, cards, bet, **data.draw(variants_of(rulebook_id)))
    outcome = run(log.rules, log.events)[1][0].due[0].outcome
    i = next((i for i, event in enumerate(log.events) if isinstance(event, WagerSettled)), len(log.events))
    events = [event for event in log.events[:i] if event is not None] + log.events[-1:]
    named = {Settling.WIN: ["payout.winner_unpaid"], Settling.LOSE: ["payout.loser_kept"], Settling.PUSH: []}
    assert codes(log, events if i < len(log.events) else log.events) == named[outcome]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@DRAWN
@given(cards=HANDS, bet=st.sampled_from(BETS), error=st.sampled_from([-10, 10]), data=st.data())
def test_wrong_payment_is_named(rulebook_id: str, cards: list[Card], bet: Bet, error: int, data: st.DataObject) -> None:
    log = round_of(rulebook_id, cards, bet, **data.draw(variants_of(rulebook_id)))
    events = [
        replace(event, amount=event.amount + error)
        if isinstance(event, WagerSettled) and event.amount is not None and event.action is SettleAction.PAID
        else event
        for event in log.events
    ]
    assert codes(log, events) == (["payout.wrong_amount"] if events != log.events else [])


def told(judgements: list[Judgement]) -> bytes:
    """Alerts and records as they leave the program."""
    lines = [json.dumps(format_alert(alert)) for one in judgements for alert in one.alerts]
    lines += [json.dumps(format_round(record)) for one in judgements for record in one.rounds]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
@DRAWN
@given(cards=HANDS, halves=st.sets(st.integers(0, 20)), pushed=st.integers(0, 8), data=st.data())
def test_replay_in_pieces_or_at_once_gives_the_same_bytes(
    rulebook_id: str, cards: list[Card], halves: set[int], pushed: int, data: st.DataObject
) -> None:
    log = round_of(rulebook_id, cards, Bet.BANKER, **data.draw(variants_of(rulebook_id)))
    log.legal_round(played(cards), "s1-player", "s2-tie")
    events = [event for i, event in enumerate(log.events) if i != pushed]
    at_once, in_pieces = Referee(log.rules), Referee(log.rules)
    whole = [at_once.observe(event) for event in events]
    pieces: list[Judgement] = []
    for i, event in enumerate(events):
        if i in halves:
            pieces.append(in_pieces.advance(event.t))
            assert in_pieces.state.round <= 2
        pieces.append(in_pieces.observe(event))
    assert told([*whole, at_once.finish()]) == told([*pieces, in_pieces.finish()])
