"""A log of any length is judged in the memory of a few rounds."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.rules.builders import RULEBOOKS, TableLog, rules_of
from thirdcard.rules.log.events import CardDealt, CardMoved, CardPassed, CardRemoved, CardTurned, Event
from thirdcard.rules.referee import Referee

_OF_CARDS = (CardDealt, CardTurned, CardMoved, CardPassed, CardRemoved)
_MOST_GROWTH_BYTES = 10_000


def shift(log: TableLog) -> list[Event]:
    """A shoe with rounds as they should be, a late wager, a card not due that was shown, and an unread card."""
    log.add("shoe_opened", decks=8).add("card_burned", card="AS").add("card_burned")
    log.legal_round("P KH 3C 4D | B 3D 4H", "s1-player", "s2-tie").legal_round("P KH 7C | B 3D 4H", "s1-banker")
    log.open("s3-banker").four("P KH 7C | B 3D 5H").wager("s3-banker", 100, 200).result(7, 8).close()
    log.open("s4-player").four("P KH 7C | B 3D 4H").third("banker", "6S").result(7, 7).close()
    log.open("s5-tie").four("P ? 7C | B 3D 4H").add("camera_lost", camera="a").add("camera_back", camera="a").close()
    return log.add("last_round_announced").legal_round("P KH 8C | B 3D 4H").add("shoe_closed").events


def repeated(events: list[Event], times: range) -> Iterator[Event]:
    """The events over and over, later each time and with other cards' ids."""
    for i in times:
        t = i * (events[-1].t + 1)
        for event in events:
            moved = replace(event, t=event.t + t)
            yield replace(moved, card_id=f"r{i}{moved.card_id}") if isinstance(moved, _OF_CARDS) else moved


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_memory_does_not_grow_with_the_rounds(rulebook_id: str) -> None:
    log = TableLog(rules_of(rulebook_id))
    events = shift(log)
    referee = Referee(log.rules, limits={"minimum": 25, "maximum": 500, "differential": 300}, chips=(5,))
    for event in repeated(events, range(10)):
        referee.observe(event)
    tracemalloc.start()
    alerts, before = judged(referee, repeated(events, range(10, 30)))
    more, after = judged(referee, repeated(events, range(30, 90)))
    tracemalloc.stop()
    assert alerts > 20 and more > 60
    assert after - before < _MOST_GROWTH_BYTES


def judged(referee: Referee, events: Iterator[Event]) -> tuple[int, int]:
    """How many alerts the events gave, and the bytes in use after them."""
    alerts = sum(len(referee.observe(event).alerts) for event in events)
    gc.collect()
    return alerts, tracemalloc.get_traced_memory()[0]
