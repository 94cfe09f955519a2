"""The tables that are watched here, in the form that the room's pages and API need.

Messages arrive in the supervisor's thread; `changes` is read in the event loop. A slow reader loses the oldest states,
but never a notice of what was written.
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

from thirdcard.service.live.fork_server import begin_process
from thirdcard.service.live.load_shedding import NEVER
from thirdcard.service.live.supervisor import Begin, Supervisor
from thirdcard.service.ports.live_tables import Clock, Picture
from thirdcard.service.ports.messages import Failed, Message, Strained, TableStatus, Unwatched, Written
from thirdcard.service.ports.moments import format_moment

logger = logging.getLogger(__name__)

WAITING_STATES = 200
"""The most states that wait for one reader."""
TELL_LOOK = timedelta(seconds=3)
"""How often a table's process is reminded that somebody views its picture."""
ALARM_EVERY = timedelta(minutes=30)
"""How often an alert is raised for a table whose process keeps ending."""

Alarm = Callable[[Unwatched], int | None]


def no_alarm(_told: Unwatched) -> None:
    """Raise no alert."""


@dataclass(slots=True)
class WatchedTables:
    """The live tables, backed by all tables' processes."""

    home: Path
    pictures: Path
    """The folder of the newest pictures."""
    clock: Clock
    begin: Begin = begin_process
    """Starts what watches a table, here or elsewhere."""
    alarm: Alarm = no_alarm
    """Raises the alert that a table is not watched, and returns its number."""
    _supervisor: Supervisor = field(init=False)
    _states: dict[str, TableStatus] = field(default_factory=dict)
    _looks: dict[str, datetime] = field(default_factory=dict)
    """When each table was last reminded that somebody views it."""
    _alarmed: dict[str, datetime] = field(default_factory=dict)
    """When the last alert was raised that a table is not watched."""
    _readers: set[_Reader] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        at_once = len(os.sched_getaffinity(0)) if self.begin is begin_process else None
        self._supervisor = Supervisor(self.home, self.clock, self._hear, begin=self.begin, at_once=at_once)

    def start(self, tables: Mapping[str, Path] = MappingProxyType({})) -> None:
        """Watch these tables, given by id and file; others may be added later."""
        self._states = {table_id: self._starting(table_id) for table_id in tables}
        self._supervisor.start(dict(tables))

    def watch(self, table_id: str, table_file: Path) -> None:
        """Watch a table; one that is watched with another set-up changes over when its round ends."""
        with self._lock:
            self._states.setdefault(table_id, self._starting(table_id))
        self._supervisor.watch(table_id, table_file)

    def unwatch(self, table_id: str) -> None:
        """Stop watching a table."""
        self._supervisor.unwatch(table_id)
        with self._lock:
            self._states.pop(table_id, None)

    def wanted(self) -> dict[str, Path]:
        """The set-ups that are watched, or will be after the running round, by id."""
        return self._supervisor.wanted()

    def running(self) -> dict[str, Path]:
        """The set-ups that are watched now, by id."""
        return self._supervisor.running()

    def pid_of(self, table_id: str) -> int | None:
        """The id of a table's process; None while it is down, or where the table is not watched here."""
        return self._supervisor.pid_of(table_id)

    def _starting(self, table_id: str) -> TableStatus:
        return TableStatus(table_id=table_id, at=format_moment(self.clock()), t=0.0, camera="starting")

    def stop(self) -> None:
        """End every table's process."""
        self._supervisor.stop()

    def states(self) -> Sequence[TableStatus]:
        """The state of every table, sorted by id."""
        with self._lock:
            return [self._states[table_id] for table_id in sorted(self._states)]

    def state(self, table_id: str) -> TableStatus | None:
        """The state of one table; None where it is not watched here."""
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
        """Remind a table's process now and then that somebody views its picture."""
        now = self.clock()
        with self._lock:
            is_known = now - self._looks.get(table_id, NEVER) < TELL_LOOK
            if not is_known:
                self._looks[table_id] = now
        if not is_known:
            self._supervisor.look(table_id)

    def nudge(self, table_id: str) -> None:
        """Signal that reports wait for it in the database."""
        self._supervisor.nudge(table_id)

    async def changes(self) -> AsyncIterator[TableStatus | Written]:
        """All changes from now on, for as long as somebody reads."""
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
                return  # it was stopped, and is ending
            message = replace(message, setup=_version_of(now), setup_waits=now != then)
        with self._lock:
            if isinstance(message, TableStatus):
                self._states[message.table_id] = message
            readers = list(self._readers)
        for reader in readers:
            reader.add(message)

    def _raise_alarm(self, told: Unwatched) -> None:
        """Raise an alert now and then; after a database error the next end of the process tries again."""
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
    """The version of the set-up folder that contains a table's file; None where it is in none."""
    name = "" if table_file is None else table_file.parent.name
    return int(name) if name.isdecimal() else None


@dataclass(eq=False, slots=True)
class _Reader:
    """The messages that one reader has not read yet."""

    loop: asyncio.AbstractEventLoop
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _states: deque[TableStatus] = field(default_factory=lambda: deque(maxlen=WAITING_STATES))
    _written: deque[Written] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, message: TableStatus | Written) -> None:
        """Add a message; safe from any thread."""
        with self._lock:
            if isinstance(message, TableStatus):
                self._states.append(message)
            else:
                self._written.append(message)
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.arrived.set)

    def take(self) -> list[TableStatus | Written]:
        """Remove and return all waiting messages."""
        with self._lock:
            taken: list[TableStatus | Written] = [*self._written, *self._states]
            self._written.clear()
            self._states.clear()
        return taken
