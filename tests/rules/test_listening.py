"""Nobody is asked about events that he does not look at: what a judge does not listen to leaves him as he was."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from rules.burn import BurnJudge
from rules.events import EVENT_TYPES, Event, parse_event
from rules.last_round import LastRoundJudge
from rules.table_state import NOTED, TableState
from tests.rules.builders import rules_of

RULES = rules_of("nz-authority")
FIELDS: dict[str, Any] = {
    "card_id": "c1", "card": "AS", "hand": "player", "area": "s1-tie", "bet": "tie", "seat": 1, "to": "seat:1",
    "action": "paid", "dealer": "7",
}  # fmt: skip


def event_of(kind: str) -> Event:
    return parse_event({"t": 1.0, "type": kind, **FIELDS})


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_unheard_event_leaves_the_judges_of_the_shoe_as_they_were(kind: str) -> None:
    burn, last_round = BurnJudge(RULES), LastRoundJudge(RULES, device="shoe", shoes_begun=lambda: 0)
    list(burn.observe(event_of("shoe_opened"), None))
    list(last_round.observe(event_of("last_round_announced"), None, 0))
    before = copy.deepcopy((vars(burn), vars(last_round)))
    if EVENT_TYPES[kind] not in burn.listens_to:
        list(burn.observe(event_of(kind), None))
    if EVENT_TYPES[kind] not in last_round.listens_to:
        list(last_round.observe(event_of(kind), None, 0))
    assert (vars(burn), vars(last_round)) == before


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_event_that_the_table_does_not_note_leaves_it_as_it_was(kind: str) -> None:
    table = TableState(is_next_void=True)
    if EVENT_TYPES[kind] not in NOTED:
        table.note(event_of(kind))
    assert table == TableState(is_next_void=True)
