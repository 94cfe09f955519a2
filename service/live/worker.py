"""The process of one table: frames and signals in; log, alerts, rounds and evidence into the database and on the disk.

It tells the service how the table stands and obeys its orders; it leaves when nobody listens any more. Whatever goes
wrong with its camera, its disk or the database is a state that it tells, not its end.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from multiprocessing.connection import Connection

from sqlalchemy.exc import SQLAlchemyError

from thirdcard.rules.log.events import Event
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.camera import CameraReader, CameraState, Shot
from thirdcard.service.live.evidence_writer import EvidenceWriter
from thirdcard.service.live.inbox import Inbox
from thirdcard.service.live.journal import EnteredAlert, Journal, News
from thirdcard.service.live.live_pictures import PictureWriter
from thirdcard.service.live.load_shedding import NEVER, Stamina, Strain, thinned
from thirdcard.service.live.states import state_of
from thirdcard.service.ports.messages import Message, Order, Rest, Stop, Strained, TableStatus, Written
from thirdcard.service.watch.pipeline import STOPPED, TableWatch
from thirdcard.service.watch.process_tuning import give_back

logger = logging.getLogger(__name__)

TELL_EVERY = timedelta(seconds=0.25)
"""How often the table's state is told."""
WAIT_S = 0.1
SILENT_S = 4.0
"""A camera that sends nothing for so long is lost, whatever its connection says."""
BLIND_S = 2.0
"""Longer without a frame means that something may have happened unseen."""
RETRY = timedelta(seconds=1)
"""After the database did not answer, or evidence could not be kept."""
JUDGED_AHEAD_S = 60.0
"""A watch that is stopped waits for nothing that would tell more."""
GIVE_BACK_EVERY = timedelta(minutes=1)
"""What evidence took goes back to the system; pages are not to be had anew for nothing, so not after each alert."""


@dataclass(slots=True)
class Worker:
    """One table being watched live."""

    table: TableConfig
    watch: TableWatch
    journal: Journal
    camera: CameraReader
    inbox: Inbox
    evidence: EvidenceWriter
    pictures: PictureWriter
    service: Connection
    now: Callable[[], datetime]
    recorded: list[Event] = field(default_factory=list)
    """What devices reported while the source, a file, was filmed."""
    stamina: Stamina = field(default_factory=Stamina)
    _pass_began: datetime | None = None
    _is_lost: bool = True
    _frames: int = 0
    _lag_s: float = 0.0
    _seen_t: float = 0.0
    _told_at: datetime | None = None
    _pending: list[News] = field(default_factory=list)
    _database_fault: str | None = None
    _retry_at: datetime = NEVER
    _stopping: threading.Event = field(default_factory=threading.Event)
    _telling: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """Watch until told to stop, or until nobody listens any more."""
        self.camera.start()
        self.evidence.open()
        keeper = threading.Thread(target=self._keep_promises, name="evidence", daemon=True)
        keeper.start()
        try:
            while not self._stopping.is_set():
                self._listen()
                self._step()
        finally:
            self._stopping.set()
            self.camera.stop()
            self.watch.lose_sight(self._t(self.now()), self.camera.camera.name, fault=STOPPED)
            self.watch.wait(self._t(self.now()), ahead_s=JUDGED_AHEAD_S)
            self._write(max(self.now(), self._retry_at))
            keeper.join(timeout=15)

    def _listen(self) -> None:
        try:
            while self.service.poll():
                self._obey(self.service.recv())
        except (EOFError, OSError):
            self._stopping.set()

    def _obey(self, order: Order) -> None:
        match order:
            case Stop():
                self._stopping.set()
            case Rest() if self._is_lost:
                self.stamina.rest(self.now())
        self.inbox.wake()

    def _step(self) -> None:
        waiting = self.camera.take(WAIT_S)
        now = self.now()
        shots = [] if self.stamina.remaining(now) else thinned(waiting, now)
        self.camera.missed += len(waiting) - len(shots)
        for shot in shots:
            self._see(shot)
        if waiting and not shots:
            self._show(waiting[-1])
        if not waiting and not self._is_lost:
            self._mind_camera(now)
        self._take_reports(now)
        if self._is_lost or self.camera.state is not CameraState.PLAYING:
            self.watch.wait(self._t(now))
        self._write(now)
        if self._told_at is None or now - self._told_at >= TELL_EVERY:
            self._told_at = now
            self._tell(self._state(now))

    def _mind_camera(self, now: datetime) -> None:
        """Notice that it is gone, or says nothing any more though nobody said that it is gone."""
        if self.camera.state in (CameraState.LOST, CameraState.ENDED):
            self._is_lost = True
            self.watch.lose_sight(self._t(now), self.camera.camera.name)
        elif self._frames and self._t(now) - self._seen_t > SILENT_S:
            self._is_lost = True
            self.watch.lose_sight(self._seen_t, self.camera.camera.name)

    def _take_reports(self, now: datetime) -> None:
        if now < self._retry_at:
            return
        try:
            events = self.inbox.take(self._t(now))
        except SQLAlchemyError as error:
            self._mind_database(error, now)
            return
        for event in events:
            self.watch.report(event)
        if not self._pending:
            self._database_fault = None

    def _see(self, shot: Shot) -> None:
        self._lag_s = (self.now() - shot.at).total_seconds()
        self._play_signals(shot)
        t = self._t(shot.at)
        if t <= self._seen_t or self.stamina.remaining(self.now()):
            self.camera.missed += 1
            return
        self._note_sight(t)
        if self._is_lost:
            self.camera.missed += 1
            return
        self._seen_t = t
        self.watch.see(shot.frame.at(t))
        self._frames += 1
        self.evidence.remember(shot.at, self.watch)
        self.pictures.offer(shot, self.watch)

    def _show(self, shot: Shot) -> None:
        """A frame that is not looked at: its picture, and what devices reported."""
        self._play_signals(shot)
        self.pictures.offer(shot, None)

    def _note_sight(self, t: float) -> None:
        """The camera is back, paused, or was not looked at often enough."""
        name = self.camera.camera.name
        if not self._frames:
            self.watch.begin(t)
        if self._is_lost:
            self._is_lost = False
            self.stamina.begin()
            self.watch.regain_sight(t, name)
        elif (strain := self.stamina.note(t, self.camera.missed, self.now())) is not Strain.NONE:
            self.watch.lose_sight(self._seen_t, name, fault="overloaded")
            self._is_lost = strain is Strain.OVERLOAD
            if self._is_lost:
                self.stamina.take_breath(self.now())
                self._tell(Strained(table_id=self.table.id))
            else:
                self.watch.regain_sight(t, name)
        elif self._frames and t - self._seen_t > BLIND_S:
            self.watch.lose_sight(self._seen_t, name)
            self.watch.regain_sight(t, name)

    def _play_signals(self, shot: Shot) -> None:
        """What devices reported while a file was filmed is reported again at the same pace.

        A file that is played again brings its cards again: that is another shoe.
        """
        if shot.began != self._pass_began:
            began_t = self._t(shot.began)
            if self._pass_began is not None and self.camera.camera.is_played_again:
                self.watch.begin_shoe(began_t)
            self._pass_began = shot.began
            self.watch.signals = [replace(event, t=round(began_t + event.t, 3)) for event in self.recorded]
        self.watch.hear(self._t(shot.at))

    def _write(self, now: datetime) -> None:
        events, alerts, rounds = self.watch.take()
        if events or alerts or rounds:
            self._pending.append(News(events=events, alerts=alerts, rounds=rounds))
        while self._pending and now >= self._retry_at:
            is_last = len(self._pending) == 1
            signals = self.inbox.written_before(self.watch.unwritten_t) if is_last else []
            try:
                entries = self.journal.write(self._pending[0], now, partial(self.inbox.mark, numbers=signals))
            except SQLAlchemyError as error:
                self._mind_database(error, now)
                return
            self._database_fault = None
            self.inbox.forget(signals)
            self._announce(self._pending.pop(0), entries)

    def _mind_database(self, error: SQLAlchemyError, now: datetime) -> None:
        """Say that it does not answer, and leave it alone for a while; the watching goes on."""
        self._database_fault = " ".join(str(getattr(error, "orig", None) or error).split())
        self._retry_at = now + RETRY
        logger.error("table %s: the database does not answer: %s", self.table.id, self._database_fault)

    def _announce(self, news: News, entries: list[EnteredAlert]) -> None:
        for entry in entries:
            self.evidence.promise(entry)
        numbers = tuple(entry.alert_id for entry in entries)
        self._tell(Written(table_id=self.table.id, alerts=numbers, rounds=len(news.rounds), lines=len(news.events)))

    def _keep_promises(self) -> None:
        """Make clips and pictures beside the watching, which must not wait for them."""
        given_back_at = self.now()
        while not self._stopping.wait(0.3):
            while self.evidence.is_due(self.now()) and not self._stopping.is_set():
                try:
                    alert_id = self.evidence.keep_next(self.now())
                except Exception:  # the thread must live: what could not be kept is tried again
                    logger.exception("table %s: evidence could not be kept", self.table.id)
                    self._stopping.wait(RETRY.total_seconds())
                    continue
                self._tell(Written(table_id=self.table.id, evidence=(alert_id,)))
            if self.now() - given_back_at >= GIVE_BACK_EVERY:
                give_back()
                given_back_at = self.now()

    def _state(self, now: datetime) -> TableStatus:
        camera, fault = self._sight(now)
        state = state_of(self.table.id, self.table.layout, self.watch.state, at=now, t=self._t(now))
        return replace(
            state,
            camera=str(camera),
            fault=fault,
            dealer=self.journal.dealer,
            frames=self._frames,
            missed=self.camera.missed,
            lag_s=round(self._lag_s, 3),
            disk_fault=self.camera.disk_fault or self.pictures.disk_fault or self._database_fault,
        )

    def _sight(self, now: datetime) -> tuple[CameraState, str | None]:
        """Whether it is seen what goes on, and why not."""
        if self.camera.state is CameraState.PLAYING and (rest := self.stamina.remaining(now)):
            return (
                CameraState.RESTING,
                f"the machine has too much to do: looks again in {math.ceil(rest.total_seconds())} s",
            )
        if self.camera.state is CameraState.PLAYING and self._is_lost and self._frames:
            return CameraState.LOST, f"no picture for {self._t(now) - self._seen_t:.0f} s"
        return self.camera.state, self.camera.fault

    def _t(self, at: datetime) -> float:
        return (at - self.journal.began_at).total_seconds()

    def _tell(self, message: Message) -> None:
        try:
            with self._telling:
                self.service.send(message)
        except OSError:
            self._stopping.set()
