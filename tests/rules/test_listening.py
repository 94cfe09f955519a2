"""Nobody is asked about events that he does not look at, and everybody is asked about those that he does."""

from __future__ import annotations

import copy
import random
from collections.abc import Collection
from typing import Any, get_args, get_type_hints

import pytest

from tests.rules.builders import RULEBOOKS, rules_of, run
from tests.rules.test_any_log import any_log
from thirdcard.rules import referee
from thirdcard.rules.cards.burn import BurnJudge
from thirdcard.rules.cards.last_round import LastRoundJudge
from thirdcard.rules.log.events import EVENT_TYPES, Event, parse_event
from thirdcard.rules.referee import Listener, Referee
from thirdcard.rules.round.round import Void
from thirdcard.rules.round.table_state import NOTED, TableState
from thirdcard.rules.wagers.insurance import InsuranceJudge
from thirdcard.rules.wagers.limits import LimitJudge

RULES = rules_of("nz-authority")
FIELDS: dict[str, Any] = {
    "card_id": "c1", "card": "AS", "hand": "player", "area": "s1-tie", "bet": "tie", "seat": 1, "to": "seat:1",
    "action": "paid", "dealer": "7", "where": "burn",
}  # fmt: skip
ALL = frozenset(EVENT_TYPES.values())
LIMITS = {"minimum": 25, "maximum": 500, "differential": 300, "collective": 400}


def event_of(kind: str) -> Event:
    return parse_event({"t": 1.0, "type": kind, **FIELDS})


def understood(listener: Listener) -> Collection[type[Event]]:
    """The types of events that a listener's signature takes."""
    hints = get_type_hints(listener)
    event = next(hint for name, hint in hints.items() if name.strip("_") == "event")
    return get_args(event) or (event,)


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_listener_hears_all_that_its_signature_takes_and_no_more(rulebook_id: str) -> None:
    referee = Referee(rules_of(rulebook_id), limits=LIMITS)
    for listener, heard in referee.hearing:
        if "lambda" in listener.__qualname__ or Event in understood(listener):
            continue  # what these hear is tried out below
        assert set(heard) in (set(), set(understood(listener))), listener


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_judges_of_any_event_say_no_more_where_they_hear_all(rulebook_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table_rules = rules_of(rulebook_id)
    logs = [any_log(random.Random(seed), 150) for seed in range(12)]
    said = [run(table_rules, log, decks=1, limits=LIMITS) for log in logs]
    monkeypatch.setattr(LimitJudge, "listens_to", ALL)
    monkeypatch.setattr(LastRoundJudge, "listens_to", ALL)
    monkeypatch.setattr(referee, "NEWS", ALL)
    monkeypatch.setattr(referee, "NOTED", ALL)
    assert [run(table_rules, log, decks=1, limits=LIMITS) for log in logs] == said


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_unheard_event_leaves_the_judge_of_the_last_round_as_he_was(kind: str) -> None:
    last_round = LastRoundJudge(RULES, device="shoe", shoes_begun=lambda: 0)
    list(last_round.observe(event_of("last_round_announced"), None, 0))
    before = copy.deepcopy(vars(last_round))
    if EVENT_TYPES[kind] not in last_round.listens_to:
        list(last_round.observe(event_of(kind), None, 0))
    assert vars(last_round) == before


def test_judges_without_a_rule_listen_to_nothing() -> None:
    silent = rules_of("nsw")
    assert not BurnJudge(silent).listens_to
    assert not InsuranceJudge(silent).listens_to


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_event_that_the_table_does_not_note_leaves_it_as_it_was(kind: str) -> None:
    table = TableState(next_void=Void(is_void=True))
    if EVENT_TYPES[kind] not in NOTED:
        table.note(event_of(kind))
    assert table == TableState(next_void=Void(is_void=True))
