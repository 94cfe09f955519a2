"""Keep every table's process alive: start it, listen, restart it when it dies or falls silent, stop it.

Tables can be added, removed and changed without affecting another table's process. A table whose process is down has a
visible state, and a line in its log that the process writes when it is back.
"""

from __future__ import annotations

import logging
import multiprocessing
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol

from thirdcard.service.live.fork_server import begin_process
from thirdcard.service.live.load_shedding import Turns
from thirdcard.service.live.table_start import start_table
from thirdcard.service.live.waiting import process_kept_waiting_s
from thirdcard.service.ports.messages import (
    Failed,
    Message,
    Nudge,
    Order,
    Renew,
    Rest,
    ShowPicture,
    Stop,
    Strained,
    TableStatus,
    Unwatched,
)
from thirdcard.service.ports.moments import format_moment

logger = logging.getLogger(__name__)

SILENT = timedelta(seconds=20)
"""A process that is silent for so long hangs and is killed. Time in which the machine did not run it is not counted:
restarting takes longest on a busy machine."""
STARTING = timedelta(seconds=90)
"""The longest start of a process, counted in the same way."""
BACK_OFF = tuple(timedelta(seconds=s) for s in (0.5, 1, 2, 5, 10, 30))
GIVES_ROOM = timedelta(seconds=4)
"""A start that takes longer no longer holds up other tables: alone on a core it takes one to two seconds. Chosen
between two trials of eight tables on two busy cores, when each process still imported its program: started at once, all
were watched after 53 s, with 12 alerts sent late meanwhile; with a limit of 10 s after 94 s, with 7 late."""
HEALTHY = timedelta(seconds=60)
"""A process that lived this long failed by chance: it is restarted at once."""
FALLS = 3
"""After this many ends within the time below the table counts as unwatched, and an alert is due."""
FALLS_WITHIN = timedelta(minutes=10)
STOP_S = 20.0
POLL_S = 0.25
ROUND_ENDS = timedelta(minutes=5)
"""The longest wait of a new set-up for the end of a round. A round takes about a minute, one with squeezed
cards three."""

Listen = Callable[[Message], None]
Body = Callable[[Path, Path, Connection], None]


class Running(Protocol):
    """What watches a table: a process here, or an actor elsewhere."""

    @property
    def pid(self) -> int | None:
        """Its process id, if it runs on this machine."""

    @property
    def exitcode(self) -> int | None:
        """Its exit code; None while it runs."""

    def is_alive(self) -> bool:
        """Whether it runs."""

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended."""

    def kill(self) -> None:
        """End it at once."""


Begin = Callable[[Body, Path, Path, Connection], Running]
"""Starts a watch; takes the process's function, the home, the table's file, and its end of the pipe."""


@dataclass(frozen=True, slots=True)
class _Leaving:
    """The end of a table's process."""

    then: Path | None
    """The table's file for the next process; None: the table is not watched any more."""
    by: datetime
    """When it is killed if it still runs."""


@dataclass(slots=True)
class _Table:
    """A table and its process."""

    table_id: str
    path: Path
    process: Running | None = None
    pipe: Connection | None = None
    started_at: datetime | None = None
    heard_at: datetime | None = None
    kept_s: float = 0.0
    """How long the machine had kept its process waiting at the last message, in seconds."""
    next_start_at: datetime | None = None
    failures: int = 0
    reason: str | None = None
    fell_at: list[datetime] = field(default_factory=list)
    """When its process ended, for the recent ends."""
    leaving: _Leaving | None = None


@dataclass(slots=True)
class Supervisor:
    """The supervisor of all tables' processes."""

    home: Path
    now: Callable[[], datetime]
    listen: Listen
    """Receives every message, in the supervisor's own thread."""
    body: Body = start_table
    """The function of a table's process."""
    silent: timedelta = SILENT
    begin: Begin = begin_process
    at_once: int | None = None
    """The number of tables that may start at a time; None for all. If more start than there are cores, all take
    longer."""
    turns: Turns = field(default_factory=Turns)
    kept_waiting_s: Callable[[int | None], float] = process_kept_waiting_s
    """Returns how long the machine has kept a process waiting, in seconds, by process id."""
    _tables: dict[str, _Table] = field(default_factory=dict)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self, tables: dict[str, Path]) -> None:
        """Start and supervise the processes of these tables, given by id and file."""
        self._tables = {table_id: _Table(table_id, path) for table_id, path in tables.items()}
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Let every process finish its work, and kill those that do not."""
        self._stopping.set()
        for table in self._tables.values():
            self._order(table, Stop())
        for table in self._tables.values():
            if table.process is not None:
                table.process.join(STOP_S)
                if table.process.is_alive():
                    about = {"table": table.table_id}
                    logger.warning("table %s: does not stop and is killed", table.table_id, extra=about)
                    table.process.kill()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def watch(self, table_id: str, path: Path) -> None:
        """Watch a table; one that is watched with another set-up changes over after its round, or after
        `ROUND_ENDS`."""
        table = self._tables.get(table_id)
        if table is None:
            self._tables = {**self._tables, table_id: _Table(table_id, path)}
        elif self._next(table) != path:
            table.leaving = _Leaving(path, self.now() + ROUND_ENDS + timedelta(seconds=STOP_S))
            self._order(table, Renew(ROUND_ENDS.total_seconds()))

    def unwatch(self, table_id: str) -> None:
        """Let a table's process finish, and start no other."""
        table = self._tables.get(table_id)
        if table is not None:
            table.leaving = _Leaving(None, self.now() + timedelta(seconds=STOP_S))
            self._order(table, Stop())

    def wanted(self) -> dict[str, Path]:
        """The set-ups that are watched, or will be after the running round, by id."""
        next_paths = {table_id: self._next(table) for table_id, table in self._tables.items()}
        return {table_id: path for table_id, path in next_paths.items() if path is not None}

    def running(self) -> dict[str, Path]:
        """The set-ups that are watched now, by id."""
        return {table_id: table.path for table_id, table in self._tables.items()}

    @staticmethod
    def _next(table: _Table) -> Path | None:
        return table.path if table.leaving is None else table.leaving.then

    def nudge(self, table_id: str) -> None:
        """Signal a table that reports wait for it."""
        self._tell(table_id, Nudge())

    def look(self, table_id: str) -> None:
        """Signal a table that somebody views its picture."""
        self._tell(table_id, ShowPicture())

    def pid_of(self, table_id: str) -> int | None:
        """The process id of a table; None while it is down, or not watched."""
        table = self._tables.get(table_id)
        return None if table is None or table.process is None else table.process.pid

    def _run(self) -> None:
        while not self._stopping.is_set():
            now = self.now()
            for table in self._tables.values():
                self._look_after(table, now)
            pipes = {table.pipe: table for table in self._tables.values() if table.pipe is not None}
            for pipe in wait(list(pipes), POLL_S) if pipes else []:
                assert isinstance(pipe, Connection)
                self._hear(pipes[pipe])
            if not pipes:
                self._stopping.wait(POLL_S)

    def _look_after(self, table: _Table, now: datetime) -> None:
        if table.leaving is not None:
            self._see_off(table, table.leaving, now)
        elif table.process is None:
            is_due = table.next_start_at is None or now >= table.next_start_at
            if is_due and self._has_room(now):
                self._start(table, now)
        elif not table.process.is_alive():
            self._mourn(table, now, f"its process ended with status {table.process.exitcode}")
        elif self._hangs(table, table.process, now):
            table.process.kill()
            table.process.join(5)
            self._mourn(table, now, "its process hung and was killed")

    def _see_off(self, table: _Table, leaving: _Leaving, now: datetime) -> None:
        """Wait until a process has ended, then start the next one, if any. A caller that ordered something else
        meanwhile checks `wanted` and orders it again."""
        process = table.process
        if process is not None and process.is_alive():
            if now <= leaving.by and not self._hangs(table, process, now):
                return
            logger.warning("table %s: does not leave and is killed", table.table_id, extra={"table": table.table_id})
            process.kill()
            process.join(5)
        self._drop(table)
        table.leaving, table.failures, table.next_start_at = None, 0, None
        if leaving.then is None:
            self._tables = {name: other for name, other in self._tables.items() if other is not table}
        else:
            table.path = leaving.then
            self._start(table, now)

    @staticmethod
    def _drop(table: _Table) -> None:
        table.process = None
        if table.pipe is not None:
            table.pipe.close()
            table.pipe = None

    def _has_room(self, now: datetime) -> bool:
        """Whether one more table may start beside those that are starting."""
        begun = [table.started_at for table in self._tables.values() if table.process and table.heard_at is None]
        starting = [at for at in begun if at is not None and now - at < GIVES_ROOM]
        return self.at_once is None or len(starting) < self.at_once

    def _hangs(self, table: _Table, process: Running, now: datetime) -> bool:
        silence = now - (table.heard_at or table.started_at or now)
        longest = self.silent if table.heard_at is not None else STARTING
        if silence <= longest:
            return False
        return silence - timedelta(seconds=self.kept_waiting_s(process.pid) - table.kept_s) > longest

    def _start(self, table: _Table, now: datetime) -> None:
        table.started_at, table.heard_at, table.reason, table.kept_s = now, None, None, 0.0
        try:
            table.pipe, theirs = multiprocessing.Pipe()
            table.process = self.begin(self.body, self.home, table.path, theirs)
        except OSError as error:
            self._mourn(table, now, f"its process cannot be started: {error.strerror or error}")

    def _mourn(self, table: _Table, now: datetime, reason: str) -> None:
        """Report that a process is gone, and schedule its restart."""
        reason = table.reason or reason
        lived = now - (table.started_at or now)
        table.failures = 1 if lived > HEALTHY else table.failures + 1
        table.next_start_at = now + BACK_OFF[min(table.failures, len(BACK_OFF)) - 1]
        self._drop(table)
        words = "table %s: %s; it is started again at %s"
        logger.error(words, table.table_id, reason, table.next_start_at, extra={"table": table.table_id})
        self.listen(down(table.table_id, now, reason))
        self._count_falls(table, now, reason)

    def _count_falls(self, table: _Table, now: datetime, reason: str) -> None:
        """Report a process that keeps ending, at every end from the third on."""
        table.fell_at = [at for at in table.fell_at if now - at <= FALLS_WITHIN] + [now]
        if len(table.fell_at) < FALLS:
            return
        within_s = round((now - table.fell_at[0]).total_seconds())
        self.listen(Unwatched(table_id=table.table_id, reason=reason, times=len(table.fell_at), within_s=within_s))

    def _hear(self, table: _Table) -> None:
        try:
            message = table.pipe.recv() if table.pipe is not None else None
        except (EOFError, OSError):
            if table.pipe is not None:
                table.pipe.close()
                table.pipe = None
            return
        table.heard_at = self.now()
        table.kept_s = self.kept_waiting_s(None if table.process is None else table.process.pid)
        if isinstance(message, Failed):
            table.reason = message.reason
            message = replace(message, table_id=table.table_id)
        if isinstance(message, Strained) and self.turns.give(table.heard_at):
            self._order(table, Rest())
        if message is not None:
            self.listen(message)

    def _tell(self, table_id: str, order: Order) -> None:
        table = self._tables.get(table_id)
        if table is not None:
            self._order(table, order)

    @staticmethod
    def _order(table: _Table, order: Order) -> None:
        pipe = table.pipe  # the supervisor's thread may remove it meanwhile
        try:
            if pipe is not None:
                pipe.send(order)
        except OSError:
            words = "table %s: %s cannot be passed on: its process is down"
            logger.info(words, table.table_id, order, extra={"table": table.table_id})


def down(table_id: str, now: datetime, reason: str) -> TableStatus:
    """The state of a table whose process is down."""
    at = format_moment(now)
    return TableStatus(table_id=table_id, at=at, t=0.0, camera="down", fault=reason)
