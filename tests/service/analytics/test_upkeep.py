"""The thread that keeps the tallies."""

from __future__ import annotations

import threading

import pytest

from service.analytics import upkeep
from service.analytics.settings import AnalyticsFile
from service.analytics.upkeep import TallyUpkeep
from service.store.database import Database
from tests.service.analytics.floors import deal
from tests.service.hand_clock import HandClock


def test_look_works_until_nothing_is_left(database: Database) -> None:
    deal(database, 3)
    keeper = TallyUpkeep(database, AnalyticsFile(), HandClock())
    assert keeper.look()
    assert not keeper.look()


def test_fault_is_told_until_it_is_over(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = TallyUpkeep(database, AnalyticsFile(), HandClock(), rest_s=0.01)
    told: list[str | None] = []
    is_done = threading.Event()

    def refresh(*_: object, **__: object) -> int:
        told.append(keeper.fault)
        if len(told) == 1:
            raise RuntimeError("no answer")
        if len(told) > 2:
            is_done.set()
        return 0

    monkeypatch.setattr(upkeep, "refresh", refresh)
    keeper.start()
    assert is_done.wait(10)
    keeper.stop()
    assert told[:3] == [None, "no answer", None]
