"""The tables that are being watched here, as the room's pages and API ask for them.

Messages come in the supervisor's thread; who reads `changes` does so in the event loop. A reader that falls behind
loses the oldest states, never what was written.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from sqlalchemy.exc import SQLAlchemyError

from thirdcard.service.live.load_shedding import NEVER
from thirdcard.service.live.supervisor import Begin, Supervisor, begin_process
from thirdcard.service.ports.live_tables import Clock, Picture
from thirdcard.service.ports.messages import Failed, Message, Strained, TableStatus, Unwatched, Written
from thirdcard.service.ports.moments import format_moment

logger = logging.getLogger(__name__)

WAITING_STATES = 200
"""So many states wait at most for one reader."""
TELL_LOOK = timedelta(seconds=3)
"""How often a table's process is reminded that somebody looks at its picture."""
ALARM_EVERY = timedelta(minutes=30)
"""Of a table whose process ends again and again an alert is raised so often."""

Alarm = Callable[[Unwatched], int | None]


def no_alarm(_told: Unwatched) -> None:
    """Where no alerts are raised."""


@dataclass(slots=True)
class WatchedTables:
    """Answers for all tables' processes."""

    home: Path
    pictures: Path
    """The folder of the newest pictures."""
    clock: Clock
    begin: Begin = begin_process
    """Begins what watches a table, here or elsewhere."""
    alarm: Alarm = no_alarm
    """Raises the alert that nobody watches a table, and gives its number."""
    _supervisor: Supervisor = field(init=False)
    _states: dict[str, TableStatus] = field(default_factory=dict)
    _looks: dict[str, datetime] = field(default_factory=dict)
    """When each table was last reminded that somebody looks at it."""
    _alarmed: dict[str, datetime] = field(default_factory=dict)
    """When the last alert was raised that nobody watches a table."""
    _readers: set[_Reader] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        at_once = len(os.sched_getaffinity(0)) if self.begin is begin_process else None
        self._supervisor = Supervisor(self.home, self.clock, self._hear, begin=self.begin, at_once=at_once)

    def start(self, tables: Mapping[str, Path] = MappingProxyType({})) -> None:
        """Watch these tables, by id and file; others may come later."""
        self._states = {table_id: self._starting(table_id) for table_id in tables}
        self._supervisor.start(dict(tables))

    def watch(self, table_id: str, table_file: Path) -> None:
        """Watch a table; one that is watched with another set-up takes this one when its round is over."""
        with self._lock:
            self._states.setdefault(table_id, self._starting(table_id))
        self._supervisor.watch(table_id, table_file)

    def unwatch(self, table_id: str) -> None:
        """Watch a table no more."""
        self._supervisor.unwatch(table_id)
        with self._lock:
            self._states.pop(table_id, None)

    def wanted(self) -> dict[str, Path]:
        """What is watched, or is to be when a round is over, by id."""
        return self._supervisor.wanted()

    def running(self) -> dict[str, Path]:
        """What is watched until then, by id."""
        return self._supervisor.running()

    def pid_of(self, table_id: str) -> int | None:
        """A table's process; None while it is down, or where it is not watched here."""
        return self._supervisor.pid_of(table_id)

    def _starting(self, table_id: str) -> TableStatus:
        return TableStatus(table_id=table_id, at=format_moment(self.clock()), t=0.0, camera="starting")

    def stop(self) -> None:
        """End every table's process."""
        self._supervisor.stop()

    def states(self) -> Sequence[TableStatus]:
        """How every table stands, by id."""
        with self._lock:
            return [self._states[table_id] for table_id in sorted(self._states)]

    def state(self, table_id: str) -> TableStatus | None:
        """How one table stands; None where it is not watched here."""
        with self._lock:
            return self._states.get(table_id)

    def picture(self, table_id: str) -> Picture | None:
        """Its newest picture; None where there is none yet."""
        if self.state(table_id) is None:
            return None
        self._tell_look(table_id)
        path = self.pictures / f"{table_id}.jpg"
        try:
            with path.open("rb") as file:
                version = str(path.stat().st_mtime_ns)
                return Picture(jpeg=file.read(), version=version)
        except FileNotFoundError:
            return None

    def _tell_look(self, table_id: str) -> None:
        """Somebody looks at a table: its process is reminded of it now and then."""
        now = self.clock()
        with self._lock:
            is_known = now - self._looks.get(table_id, NEVER) < TELL_LOOK
            if not is_known:
                self._looks[table_id] = now
        if not is_known:
            self._supervisor.look(table_id)

    def nudge(self, table_id: str) -> None:
        """Signals wait for it in the database."""
        self._supervisor.nudge(table_id)

    async def changes(self) -> AsyncIterator[TableStatus | Written]:
        """Everything that changes from now on, for as long as somebody reads."""
        reader = _Reader(asyncio.get_running_loop())
        with self._lock:
            self._readers.add(reader)
        try:
            while True:
                await reader.arrived.wait()
                reader.arrived.clear()
                for message in reader.take():
                    yield message
        finally:
            with self._lock:
                self._readers.discard(reader)

    def _hear(self, message: Message) -> None:
        if isinstance(message, Failed | Strained):
            return  # its state follows
        if isinstance(message, Unwatched):
            self._raise_alarm(message)
            return
        if isinstance(message, TableStatus):
            now, then = (known.get(message.table_id) for known in (self.running(), self.wanted()))
            if then is None and now is not None:
                return  # it was stopped, and is leaving
            message = replace(message, setup=_version_of(now), setup_waits=now != then)
        with self._lock:
            if isinstance(message, TableStatus):
                self._states[message.table_id] = message
            readers = list(self._readers)
        for reader in readers:
            reader.add(message)

    def _raise_alarm(self, told: Unwatched) -> None:
        """Raise an alert now and then; where the database does not answer, the next end of the process tries again."""
        now = self.clock()
        if now - self._alarmed.get(told.table_id, NEVER) < ALARM_EVERY:
            return
        try:
            number = self.alarm(told)
        except SQLAlchemyError:
            words = "table %s: that nobody watches it cannot be written"
            logger.exception(words, told.table_id, extra={"table": told.table_id})
            return
        self._alarmed[told.table_id] = now
        if number is not None:
            self._hear(Written(table_id=told.table_id, alerts=(number,)))


def _version_of(table_file: Path | None) -> int | None:
    """Which version's folder a table's file lies in; None where in no such one."""
    name = "" if table_file is None else table_file.parent.name
    return int(name) if name.isdecimal() else None


@dataclass(eq=False, slots=True)
class _Reader:
    """What one reader has not read yet."""

    loop: asyncio.AbstractEventLoop
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _states: deque[TableStatus] = field(default_factory=lambda: deque(maxlen=WAITING_STATES))
    _written: deque[Written] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, message: TableStatus | Written) -> None:
        """From any thread."""
        with self._lock:
            if isinstance(message, TableStatus):
                self._states.append(message)
            else:
                self._written.append(message)
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.arrived.set)

    def take(self) -> list[TableStatus | Written]:
        """All that waits."""
        with self._lock:
            taken: list[TableStatus | Written] = [*self._written, *self._states]
            self._written.clear()
            self._states.clear()
        return taken
