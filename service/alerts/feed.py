"""Send every listener all news about alerts, in order, each item once.

The database is read once for all listeners. A listener that is new, reconnects or falls behind reads what it missed
from the database itself. A listener's place is the last alert and the last change that it received.
"""

from __future__ import annotations

import asyncio
import logging
import random
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from thirdcard.service.alerts.cursors import LARGEST_NUMBER
from thirdcard.service.alerts.views import AlertView, ChangeView, alert_views, change_view
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.ports.live_tables import LiveTables
from thirdcard.service.ports.messages import Written
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertChange, AlertRow

logger = logging.getLogger(__name__)

BATCH = 500
HEARTBEATS = (0.75, 1.0)
"""Shares of the longest silence at which heartbeats are sent, spread so that listeners do not all wake at once."""
MOST_WAITING = 500
"""The most unread news of a listener; beyond that it reads the database instead."""
TOLD_AT_ONCE = 10
"""Listeners that are woken together; between groups the event loop handles requests."""
_PLACE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")


class PlaceError(ServiceError):
    """The place was not issued by this stream."""


@dataclass(frozen=True, slots=True, order=True)
class FeedPlace:
    """The last alert and change that a listener received."""

    alert: int = 0
    change: int = 0

    def __str__(self) -> str:
        return f"{self.alert}-{self.change}"


def parse_place(text: str) -> FeedPlace:
    """The place in an event's id.

    Raises:
        PlaceError: The text is no place.
    """
    found = _PLACE.fullmatch(text)
    if found is None or not text.isascii():
        raise PlaceError("Last-Event-ID is none that this stream gave")
    return FeedPlace(int(found[1]), LARGEST_NUMBER if found[2] is None else int(found[2]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeedEntry:
    """One news item: exactly one of the three fields is set. All listeners share the object."""

    table_id: str
    alert: AlertView | None = None
    """A new alert."""
    change: ChangeView | None = None
    """A decision."""
    shown: int | None = None
    """The number of an alert with new pictures; not repeated to a listener that reconnects."""

    def is_after(self, place: FeedPlace) -> bool:
        """Whether the item is news for a listener at that place."""
        if self.alert is not None:
            return self.alert.id > place.alert
        return self.change is None or self.change.id > place.change

    def place_after(self, place: FeedPlace) -> FeedPlace:
        """The listener's place after this item."""
        if self.alert is not None:
            return replace(place, alert=self.alert.id)
        return place if self.change is None else replace(place, change=self.change.id)


class Listener:
    """One listener's queue of news."""

    def __init__(self) -> None:
        self.is_behind = True
        self._box: asyncio.Queue[FeedEntry | None] = asyncio.Queue(MOST_WAITING)

    def put(self, entry: FeedEntry | None) -> None:
        """Add an item; None ends the stream."""
        try:
            self._box.put_nowait(entry)
        except asyncio.QueueFull:
            self.is_behind = True
            while not self._box.empty():
                self._box.get_nowait()
            self._box.put_nowait(entry)

    async def get(self) -> list[FeedEntry | None]:
        """Wait for news and return all that is queued."""
        news = [await self._box.get()]
        while not self._box.empty():
            news.append(self._box.get_nowait())
        return news


class AlertFeed:
    """The stream of news about alerts, while the service runs."""

    def __init__(
        self, database: Database, live: LiveTables, *, poll_s: float, renew: Callable[[], None] = lambda: None
    ) -> None:
        """Set up the feed; `renew` is called before listeners are woken, so that what they then read is current."""
        self._database, self._live, self._poll_s, self._renew = database, live, poll_s, renew
        self._listeners: set[Listener] = set()
        self._place = FeedPlace()
        self._news = asyncio.Event()
        self._noted: set[int] = set()
        """Alerts that a table reported, but no listener has received; cached reads from before them are outdated."""
        self._telling = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_following = False
        self.is_over = False

    async def run(self) -> None:
        """Follow the database and the tables until cancelled."""
        self._loop = asyncio.get_running_loop()
        self._place = await self._first_place()
        self._is_following = True
        watcher = asyncio.create_task(self._watch_tables())
        try:
            while True:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), self._poll_s)
                self._news.clear()
                await self._tell_news()
        finally:
            watcher.cancel()

    def wake(self) -> None:
        """Signal that something was committed; safe to call from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    def end(self) -> None:
        """End all streams so that the service can stop; call it from the loop's thread."""
        self.is_over = True
        for listener in self._listeners:
            listener.put(None)

    def end_soon(self) -> None:
        """End the feed from a signal handler or another thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.end)

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def last_place(self) -> FeedPlace:
        """The place after everything that has happened so far."""
        with self._database.reading() as session:
            return _last_place(session)

    def told_place(self) -> FeedPlace:
        """The place up to which listeners were notified; a page that shows its content misses nothing after it."""
        return self._place if self._is_following else self.last_place()

    def has_told_beyond(self, place: FeedPlace) -> bool:
        """Whether news was sent that a listener at that place has not received."""
        told = self.told_place()
        return told.alert > place.alert or told.change > place.change

    @contextmanager
    def listening(self) -> Iterator[Listener]:
        """A queue that receives all news from now on."""
        listener = Listener()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    def read_after(self, place: FeedPlace) -> Sequence[FeedEntry]:
        """The news after a place, at most one batch: new alerts before decisions."""
        with self._database.reading() as session:
            return _read_after(session, place)

    async def _first_place(self) -> FeedPlace:
        while True:
            try:
                return await asyncio.to_thread(self.last_place)
            except SQLAlchemyError:
                logger.exception("the alert feed cannot read the database; it tries again")
                await asyncio.sleep(self._poll_s)

    async def _tell_news(self) -> None:
        try:
            while entries := await asyncio.to_thread(self.read_after, self._place):
                if not all(entry.alert is not None and entry.alert.id in self._noted for entry in entries):
                    self._renew()
                for entry in entries:
                    self._place = entry.place_after(self._place)
                    await self._tell(entry)
                self._noted = {number for number in self._noted if number > self._place.alert}
        except Exception:
            logger.exception("the alert feed cannot read the database; it tries again")

    async def _watch_tables(self) -> None:
        while True:
            try:
                async for change in self._live.changes():
                    await self._note(change)
            except Exception:
                logger.exception("the alert feed no longer hears of the tables; it tries again")
            await asyncio.sleep(self._poll_s)

    async def _note(self, change: object) -> None:
        if not isinstance(change, Written):
            return
        if change.alerts or change.rounds or change.evidence:
            self._renew()
        if change.alerts:
            self._noted.update(change.alerts)
            self._news.set()
        for number in change.evidence:
            await self._tell(FeedEntry(table_id=change.table_id, shown=number))

    async def _tell(self, entry: FeedEntry) -> None:
        """Put an item into all queues, after earlier items; a new listener reads it from the database."""
        async with self._telling:
            listeners = list(self._listeners)
            for begin in range(0, len(listeners), TOLD_AT_ONCE):
                for listener in listeners[begin : begin + TOLD_AT_ONCE]:
                    listener.put(entry)
                await asyncio.sleep(0)


async def follow(feed: AlertFeed, place: FeedPlace, *, heartbeat_s: float) -> AsyncIterator[Sequence[FeedEntry]]:
    """The news after a place, each item once, in groups; an empty group as a heartbeat."""
    with feed.listening() as listener:
        while not feed.is_over:
            if listener.is_behind:
                listener.is_behind = False
                while entries := await asyncio.to_thread(feed.read_after, place):
                    place = _place_after_all(entries, place)
                    yield entries
            try:
                news = await asyncio.wait_for(listener.get(), heartbeat_s * random.uniform(*HEARTBEATS))
            except TimeoutError:
                listener.is_behind = feed.has_told_beyond(place)
                yield ()
                continue
            if listener.is_behind:
                continue  # some news did not fit into the queue: read them from the database
            fresh: list[FeedEntry] = []
            for entry in news:
                if entry is not None and entry.is_after(place):
                    place = entry.place_after(place)
                    fresh.append(entry)
            if fresh:
                yield fresh


def _place_after_all(entries: Sequence[FeedEntry], place: FeedPlace) -> FeedPlace:
    for entry in entries:
        place = entry.place_after(place)
    return place


def _last_place(session: Session) -> FeedPlace:
    alert = session.scalar(select(func.max(AlertRow.id)))
    change = session.scalar(select(func.max(AlertChange.id)))
    return FeedPlace(alert or 0, change or 0)


def _read_after(session: Session, place: FeedPlace) -> list[FeedEntry]:
    raised = select(AlertRow).where(AlertRow.id > place.alert, AlertRow.is_quiet.is_(False))
    rows = session.scalars(raised.order_by(AlertRow.id).limit(BATCH)).all()
    entries = [FeedEntry(table_id=view.table_id, alert=view) for view in alert_views(session, rows)]
    if len(rows) == BATCH:
        return entries
    wanted = (
        select(AlertChange, AlertRow.table_id)
        .join(AlertRow, AlertRow.id == AlertChange.alert_id)
        .where(AlertChange.id > place.change)
        .order_by(AlertChange.id)
        .limit(BATCH)
    )
    for change, table_id in session.execute(wanted):
        entries.append(FeedEntry(table_id=table_id, change=change_view(change)))
    return entries
