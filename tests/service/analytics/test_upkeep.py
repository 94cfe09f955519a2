"""The thread that keeps the tallies."""

from __future__ import annotations

import threading

import pytest

from tests.service.analytics.floors import deal
from tests.service.hand_clock import HandClock
from thirdcard.service.analytics import upkeep
from thirdcard.service.analytics.upkeep import LIVE_REST, TallyUpkeep
from thirdcard.service.config.analytics_file import AnalyticsFile
from thirdcard.service.store.database import Database
from thirdcard.service.store.touched import HOUR, Place, hour_of, touch


def test_look_works_until_nothing_is_left(database: Database) -> None:
    deal(database, 3)
    keeper = TallyUpkeep(database, AnalyticsFile(), HandClock())
    assert keeper.look()
    assert not keeper.look()


@pytest.mark.parametrize(("hours_ago", "is_made_at_once"), [(0, False), (2, True)])
def test_hour_under_way_is_made_anew_now_and_then(database: Database, hours_ago: int, is_made_at_once: bool) -> None:
    clock = HandClock()
    keeper = TallyUpkeep(database, AnalyticsFile(), clock)
    place = ("B07", hour_of(clock()) - hours_ago * HOUR)

    def look_after_a_round() -> bool:
        with database.writing() as session:
            touch(session, [place])
        return keeper.look()

    assert look_after_a_round()
    clock.move(seconds=10)
    assert look_after_a_round() is is_made_at_once
    clock.move(seconds=LIVE_REST.total_seconds())
    assert look_after_a_round()


def test_fault_is_told_until_it_is_over(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = TallyUpkeep(database, AnalyticsFile(), HandClock(), rest_s=0.01)
    told: list[str | None] = []
    is_done = threading.Event()

    def refresh(*_: object, **__: object) -> set[Place]:
        told.append(keeper.fault)
        if len(told) == 1:
            raise RuntimeError("no answer")
        if len(told) > 2:
            is_done.set()
        return set()

    monkeypatch.setattr(upkeep, "refresh", refresh)
    keeper.start()
    assert is_done.wait(10)
    keeper.stop()
    assert told[:3] == [None, "no answer", None]
