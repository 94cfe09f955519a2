"""The referee over whole logs: rounds, states, order and replay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.builders import RULEBOOKS, TableLog, alerts_of, rules_of, run
from thirdcard.rules.findings.alerts import format_alert
from thirdcard.rules.game.cards import PACK, Card
from thirdcard.rules.game.hand import point_count
from thirdcard.rules.referee import Judgement, Referee, judge
from thirdcard.rules.round.round import RoundPhase
from thirdcard.rules.rulebook.load import load_rulebook

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    (name, {"dealing_style": style}) for name in RULEBOOKS for style in load_rulebook(name).styles
]


def played(cards: list[Card]) -> str:
    """A legal round from the front of these cards."""
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], cards[4:]
    table, totals = load_rulebook("tas").table, (point_count(cards[:3:2]), point_count(cards[1:4:2]))
    third = None
    if table.player(*totals).draws:
        player.append(rest.pop(0))
        third = player[2].point_value
    if table.banker(*totals, third).draws:
        banker.append(rest.pop(0))
    return f"P {' '.join(map(str, player))} | B {' '.join(map(str, banker))}"


@pytest.mark.parametrize(("rulebook_id", "options"), VARIANTS)
@settings(max_examples=12, deadline=None)
@given(cards=st.lists(st.sampled_from(PACK), min_size=12, max_size=12, unique=True))
def test_any_legal_rounds_give_no_alert(rulebook_id: str, options: dict[str, Any], cards: list[Card]) -> None:
    log = TableLog(rules_of(rulebook_id, **options))
    log.legal_round(played(cards[:6]), "s1-player").legal_round(played(cards[6:]))
    alerts, records = run(log.rules, log.events)
    assert alerts == []
    assert [record.complete for record in records] == [True, True]


def test_rounds_are_counted_from_the_first_event_that_begins_one() -> None:
    log = TableLog(rules_of("tas")).add("shoe_opened", decks=8).add("round_closed")
    log.legal_round("P 6H KD | B 3S 4C").add("dealer_changed", dealer="Kim").wager("s1-tie", 0, 25)
    records = run(log.rules, log.events)[1]
    assert [(record.round, record.closed is None) for record in records] == [(1, False), (2, True)]


def test_state_follows_the_round() -> None:
    log = TableLog(rules_of("tas", dealing_style="B"))
    referee = Referee(log.rules)
    phases = [referee.state.phase]
    log.open("s3-banker").four("P 6H KD | B 3S 4C").result(6, 7).close()
    for event in log.events:
        referee.observe(event)
        if referee.state.phase is not phases[-1]:
            phases.append(referee.state.phase)
    assert phases == [
        RoundPhase.IDLE,
        RoundPhase.BETTING,
        RoundPhase.CALLED,
        RoundPhase.DEALING,
        RoundPhase.DRAWING,
        RoundPhase.DECIDED,
        RoundPhase.IDLE,
    ]
    assert referee.state.round == 1


def test_state_shows_hands_and_wagers() -> None:
    log = TableLog(rules_of("tas", dealing_style="B")).open("s3-banker").deal("player", "6H").deal("banker", "3S")
    referee = Referee(log.turn("c1").rules)
    for event in log.events:
        referee.observe(event)
    state = referee.state
    assert ([str(card) for card in state.player], state.banker) == (["6H"], (None,))
    assert {area: wager.value for area, wager in state.wagers.items()} == {"s3-banker": 100}


def test_late_bet_is_told_when_time_shows_that_it_was_no_move() -> None:
    log = TableLog(rules_of("tas")).open("s3-banker").four("P 6H KD | B 3S 4C").wager("s3-banker", 100, 0)
    referee = Referee(log.rules)
    told = [alert for event in log.events for alert in referee.observe(event).alerts]
    assert told == []
    assert referee.advance(log.t + 3.0).alerts == ()
    assert [alert.code for alert in referee.advance(log.t + 3.1).alerts] == ["late_bet.removed"]
    assert referee.finish().alerts == ()


def test_alerts_are_told_with_the_event_that_shows_them() -> None:
    log = TableLog(rules_of("tas")).open().four("P KH 7C | B 3D AH").third("player", "6S")
    referee = Referee(log.rules)
    counts = [len(referee.observe(event).alerts) for event in log.events]
    assert counts == [0] * (len(counts) - 1) + [1]


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_replay_in_pieces_or_at_once_gives_the_same_bytes(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id)).open("s3-banker").four("P KH 7C | B 3D AH").wager("s3-banker", 100, 0)
    log.wager("s3-player", 0, 100).third("player", "6S").result(7, 4).close().legal_round("P 6H KD | B 3S 4C")
    told: list[Judgement] = []
    judge(iter(log.events), Referee(log.rules), told.append)
    at_once = [json.dumps(format_alert(alert)) for alert in alerts_of(log)]
    in_pieces = [json.dumps(format_alert(alert)) for judgement in told for alert in judgement.alerts]
    assert at_once == in_pieces
    assert len(at_once) >= 3


def test_alert_as_it_leaves_the_program() -> None:
    log = TableLog(rules_of("tas")).open().four("P 6H KD | B 3S 4C").wager("s3-banker", 0, 500).close()
    assert format_alert(alerts_of(log)[0]) == {
        "t": 7.0,
        "round": 1,
        "code": "late_bet.placed",
        "severity": "critical",
        "rulebook": "tas",
        "rule": "6.3",
        "seat": 3,
        "bet": "banker",
        "area": "s3-banker",
        "hand": None,
        "cards": [],
        "amount": 500,
        "message": "Seat 3 placed 500 on Banker 3.0 s after betting closed.",
        "remedy": {
            "action": "void_wager",
            "rule": "6.3",
            "text": "No wager may be made after the first card of the hand has been dealt.",
        },
        "confidence": 1.0,
    }


@pytest.mark.parametrize("kind", ["camera_lost", "camera_moved", "camera_obstructed"])
def test_camera_fault_is_told_even_between_rounds(kind: str) -> None:
    log = TableLog(rules_of("tas")).add(kind, camera="overhead")
    alerts = alerts_of(log)
    assert [(alert.code, alert.rule, alert.round) for alert in alerts] == [(kind.replace("_", "."), None, 0)]


@pytest.mark.parametrize(
    ("kind", "fault", "text"),
    [
        ("camera_obstructed", "dark", "too dark"),
        ("camera_obstructed", "glare", "dazzled"),
        ("camera_obstructed", "blurred", "out of focus"),
        ("camera_obstructed", "covered", "is covered"),
        ("camera_lost", "frozen", "same picture"),
        ("camera_lost", "a word of another house", "gives no picture"),
    ],
)
def test_camera_alert_says_what_is_wrong(kind: str, fault: str, text: str) -> None:
    (alert,) = alerts_of(TableLog(rules_of("tas")).add(kind, camera="overhead", fault=fault))
    assert text in alert.message
