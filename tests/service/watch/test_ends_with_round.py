"""A watch that another one is to follow: its log ends with the round that is under way."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

from tests.repository import DEMO_TABLE
from thirdcard.rules.log.events import BetsOpened, Event, NoMoreBets, RoundClosed
from thirdcard.service.config.table_file import load_table
from thirdcard.service.watch.factory import build_belief
from thirdcard.service.watch.pipeline import STOPPED, TableWatch

LINES: list[Event] = [BetsOpened(t=1.0), NoMoreBets(t=2.0), RoundClosed(t=9.0), BetsOpened(t=9.5)]


def watch_of(lines: list[Event]) -> TableWatch:
    """A watch that has just these lines to judge."""
    waiting = list(lines)

    def release(_t: float) -> list[Event]:
        taken = list(waiting)
        waiting.clear()
        return taken

    interpreter = SimpleNamespace(
        release=release, known_until_t=10.0, first_waiting_t=math.inf, lose_sight=lambda _t: None, signal=waiting.append
    )
    nothing: Any = None
    return TableWatch(nothing, cast(Any, interpreter), build_belief(load_table(DEMO_TABLE)), [], nothing, nothing)


def test_what_comes_after_the_round_is_left_to_the_next_watch() -> None:
    watch = watch_of(LINES)
    watch.ends_with_round = True
    watch.wait(10.0)
    assert list(watch.take().events) == LINES[:3]
    assert watch.is_idle
    assert watch.ended_t == 9.0
    assert 9.0 < watch.unwritten_t < 9.5  # reports of later ones are not taken, so that the next watch gets them

    watch.lose_sight(11.0, "overhead", fault=STOPPED)
    watch.wait(11.0)
    assert [event.t for event in watch.take().events] == [11.0]


def test_watch_that_goes_on_keeps_all() -> None:
    watch = watch_of(LINES)
    watch.wait(10.0)
    assert list(watch.take().events) == LINES
    assert watch.unwritten_t == math.inf
