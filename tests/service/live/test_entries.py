"""What is found waits for a database that does not answer, and is entered in order once it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy.exc import OperationalError

from tests.service.store.conftest import NOW
from thirdcard.rules.log.events import BetsOpened, NoMoreBets
from thirdcard.service.live.entries import RETRY, Entries
from thirdcard.service.live.journal import EnteredAlert, News


@dataclass(slots=True)
class FakeJournal:
    """Takes news while the database answers."""

    is_down: bool = False
    written: list[News] = field(default_factory=list)

    def write(self, news: News, _now: datetime, note: Callable[[Any], None]) -> list[EnteredAlert]:
        if self.is_down:
            raise OperationalError("INSERT", {}, Exception("the disk\n is full"))
        note(None)
        self.written.append(news)
        return []


@dataclass(slots=True)
class FakeInbox:
    """Two reports were read."""

    waiting: list[int] = field(default_factory=lambda: [1, 2])
    marked: list[int] = field(default_factory=list)

    def take(self, _t: float) -> list[Any]:
        return []

    def written_before(self, _t: float) -> list[int]:
        return list(self.waiting)

    def mark(self, _session: object, numbers: Iterable[int]) -> None:
        self.marked += numbers

    def forget(self, numbers: Iterable[int]) -> None:
        self.waiting = [number for number in self.waiting if number not in numbers]


def entries_of(journal: FakeJournal, inbox: FakeInbox | None = None) -> Entries:
    return Entries("T1", cast(Any, journal), cast(Any, FakeInbox([]) if inbox is None else inbox))


def test_nothing_new_is_no_entry() -> None:
    entries = entries_of(FakeJournal())
    entries.add(News())
    assert list(entries.write(NOW, 0.0)) == []


def test_what_a_silent_database_did_not_take_is_entered_in_order_when_it_answers() -> None:
    journal = FakeJournal(is_down=True)
    entries = entries_of(journal)
    first, second = News(events=[BetsOpened(t=1.0)]), News(events=[NoMoreBets(t=2.0)])
    entries.add(first)
    assert list(entries.write(NOW, 0.0)) == []
    assert (entries.fault, entries.retry_at) == ("the disk is full", NOW + RETRY)

    journal.is_down = False
    entries.add(second)
    assert list(entries.write(NOW, 0.0)) == [], "it is left alone for a while"
    assert [entered.news for entered in entries.write(NOW + RETRY, 0.0)] == [first, second]
    assert (journal.written, entries.fault) == ([first, second], None)


def test_reports_are_taken_with_the_last_of_what_waits() -> None:
    inbox = FakeInbox()
    entries = entries_of(FakeJournal(), inbox)
    entries.add(News(events=[BetsOpened(t=1.0)]))
    entries.add(News(events=[NoMoreBets(t=2.0)]))
    writing = entries.write(NOW, 3.0)
    next(writing)
    assert inbox.marked == []
    next(writing)
    assert (inbox.marked, inbox.waiting) == ([1, 2], [])


def test_database_that_answers_again_has_no_fault_though_nothing_was_found() -> None:
    journal = FakeJournal(is_down=True)
    entries = entries_of(journal)
    entries.add(News(events=[BetsOpened(t=1.0)]))
    list(entries.write(NOW, 0.0))
    entries.reports(NOW + RETRY, 1.0)
    assert entries.fault is not None, "what waits is not entered yet"
    journal.is_down = False
    list(entries.write(NOW + 2 * RETRY, 0.0))
    assert entries.reports(NOW + timedelta(seconds=9), 9.0) == []
    assert entries.fault is None
