"""Tables on which all that happens is lawful give no alert, whatever the rulebook, the elections and the acts."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.rules.builders import run
from tests.rules.lawful.acts import NAMES
from tests.rules.lawful.faults import FAULTS, NEEDS, WHERE, FaultyLog
from tests.rules.lawful.rounds import play_table
from tests.rules.lawful.table import ANTE, BOOKS, LawfulTable, Notice
from thirdcard.rules.errors import OptionError
from thirdcard.rules.log.events import (
    CardBurned,
    CardDealt,
    CardTurned,
    Event,
    Source,
    WagerChanged,
    WagerSettled,
    format_event,
    parse_event,
)
from thirdcard.rules.rulebook.load import elect, load_rulebook

NOT_AT_THE_END = {"bet_ahead", "bets_asked_for_early", "chips_put_there", "camera_away", "camera_overloaded"}
"""What makes more than one thing of a fault in the settlement, or less, since nobody saw it."""
ROUNDS = st.lists(st.frozensets(st.sampled_from(NAMES), max_size=8), min_size=1, max_size=3)
CHIPS = (1, 5, 20, 100)
SEEDS = st.integers(0, 2**32)


def elections(book: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any choice of all options of a rulebook that do not exclude each other."""
    options = load_rulebook(book).options
    values = {one.key: [*one.values, ANTE] if one.key == "ante" else [*one.values] for one in options}
    if "ante" in values:
        values["ante_waived_from"].append(300)
    return st.fixed_dictionaries({key: st.sampled_from(found) for key, found in values.items()}).filter(
        lambda options: _is_allowed(book, options)
    )


def _is_allowed(book: str, options: dict[str, Any]) -> bool:
    try:
        elect(load_rulebook(book), options)
    except OptionError:
        return False
    return True


def codes(table: LawfulTable, events: list[Event] | None = None, **more: Any) -> list[str]:
    seen = table.log.events if events is None else events
    alerts = run(table.log.rules, seen, decks=table.shoe.decks, limits=Notice().as_limits, **more)[0]
    return [alert.code for alert in alerts]


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=SEEDS, rounds=ROUNDS)
def test_lawful_table_gives_no_alert(book: str, data: st.DataObject, seed: int, rounds: list[frozenset[str]]) -> None:
    table = play_table(book, data.draw(elections(book)), seed, rounds)
    assert codes(table) == table.expected


UNREAD: dict[type[Event], tuple[str, ...]] = {
    CardDealt: ("card",),
    CardTurned: ("card",),
    CardBurned: ("card",),
    WagerChanged: ("before", "after"),
    WagerSettled: ("amount",),
}
"""What may not have been read of an event."""


def unread(events: list[Event], random: Random, share: float) -> list[Event]:
    """The log of an observer who could not read a share of the faces and amounts; of a card none or all readings."""
    hidden = {event.card_id for event in events if isinstance(event, CardDealt) and random.random() < share}
    return [_unread(event, random, share, hidden) for event in events]


def _unread(event: Event, random: Random, share: float, hidden: set[str]) -> Event:
    names = UNREAD.get(type(event), ())
    if isinstance(event, CardDealt | CardTurned):
        return replace(event, card=None) if event.card_id in hidden else event
    if not names or random.random() >= share:
        return event
    return parse_event(format_event(event) | dict.fromkeys(names))


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=SEEDS, rounds=ROUNDS, share=st.sampled_from([0.1, 0.5, 1.0]))
def test_lawful_table_of_which_not_all_was_read_gives_no_alert(
    book: str, data: st.DataObject, seed: int, rounds: list[frozenset[str]], share: float
) -> None:
    table = play_table(book, data.draw(elections(book)), seed, rounds)
    assert codes(table, unread(table.log.events, Random(seed), share)) == table.expected


@pytest.mark.parametrize("book", BOOKS)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=SEEDS, rounds=ROUNDS, source=st.sampled_from(Source), chips=st.booleans())
def test_lawful_table_gives_no_alert_whoever_reports_it(
    book: str, data: st.DataObject, seed: int, rounds: list[frozenset[str]], source: Source, chips: bool
) -> None:
    table = play_table(book, data.draw(elections(book)), seed, rounds)
    events = [replace(event, source=source, confidence=0.9) for event in table.log.events]
    assert codes(table, events, chips=CHIPS if chips else ()) == table.expected


@pytest.mark.parametrize("name", sorted(FAULTS))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data(), seed=SEEDS, rounds=ROUNDS)
def test_one_thing_done_wrong_at_a_lawful_table_is_told_and_nothing_else(
    name: str, data: st.DataObject, seed: int, rounds: list[frozenset[str]]
) -> None:
    book = data.draw(st.sampled_from(WHERE[name]))
    last = (rounds[-1] - NOT_AT_THE_END) | NEEDS[name]
    options = data.draw(elections(book))
    if "handled" in last and "B" in load_rulebook(book).styles:
        options["dealing_style"] = "B"
    table = play_table(book, options, seed, [*rounds[:-1], last])
    log = FaultyLog(table, list(table.log.events))
    told = FAULTS[name](log)
    assume(told is not None)
    assert set(codes(table, log.events)) == {*table.expected, *(told or ())}
