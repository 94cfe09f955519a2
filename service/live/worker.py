"""The worker of one table: frames and signals in; log, alerts, rounds and evidence to database and disk.

It reports the table's state to the service and follows its orders; it ends when nobody listens any more. A fault of
camera, disk or database is a reported state and does not end it.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.cards import Card
from thirdcard.rules.game.hand import points
from thirdcard.rules.log.events import Event
from thirdcard.rules.round.round import RoundState
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.live.camera import CameraReader, Shot
from thirdcard.service.live.entries import RETRY, Entered, Entries
from thirdcard.service.live.evidence_writer import EvidenceWriter
from thirdcard.service.live.journal import News
from thirdcard.service.live.live_pictures import PictureWriter
from thirdcard.service.live.load_shedding import Strain, thinned
from thirdcard.service.live.service_link import ServiceLink
from thirdcard.service.live.sight import Sight
from thirdcard.service.live.source_clock import StreamTime
from thirdcard.service.ports.messages import (
    Message,
    Nudge,
    Order,
    Renew,
    Rest,
    ShownStake,
    ShowPicture,
    Stop,
    Strained,
    TableStatus,
    Written,
)
from thirdcard.service.ports.moments import format_moment
from thirdcard.service.watch.pipeline import STOPPED, TableWatch
from thirdcard.service.watch.process_tuning import give_back

logger = logging.getLogger(__name__)

TELL_EVERY = timedelta(seconds=0.25)
"""The interval of reports of the table's state."""
WAIT_S = 0.1
JUDGED_AHEAD_S = 60.0
"""Seconds that a stopped watch looks ahead: it waits for no further evidence."""
GIVE_BACK_EVERY = timedelta(minutes=1)
"""The interval at which memory from making evidence is returned to the system; allocating pages again has a cost, so
not after each alert."""


@dataclass(slots=True)
class Worker:
    """One table that is watched live."""

    table: TableConfig
    watch: TableWatch
    camera: CameraReader
    sight: Sight
    entries: Entries
    evidence: EvidenceWriter
    pictures: PictureWriter
    link: ServiceLink
    now: Callable[[], datetime]
    recorded: Sequence[Event] = ()
    """Device reports recorded while the source, a file, was filmed."""
    _lag_s: float = field(default=0.0)
    _times: StreamTime = field(default_factory=StreamTime)

    def run(self) -> None:
        """Watch until stopped, or until nobody listens any more."""
        self.camera.start()
        self.evidence.open()
        keeper = threading.Thread(target=self._keep_promises, name="evidence", daemon=True)
        keeper.start()
        told_at: datetime | None = None
        try:
            while not self.link.stopping.is_set():
                for order in self.link.orders():
                    self._obey(order)
                now = self._step()
                if told_at is None or now - told_at >= TELL_EVERY:
                    told_at = now
                    self._tell(self._status(now))
                if self._may_leave(now):
                    self.link.stopping.set()
        finally:
            self.link.stopping.set()
            self.camera.stop()
            self.pictures.close()
            self.watch.lose_sight(self._t(self.now()), self.camera.name, fault=STOPPED)
            self.watch.wait(self._t(self.now()), ahead_s=JUDGED_AHEAD_S)
            self._write(max(self.now(), self.entries.retry_at))
            keeper.join(timeout=15)

    def _obey(self, order: Order) -> None:
        match order:
            case Stop():
                self.link.stopping.set()
            case ShowPicture():
                self.pictures.look()
            case Rest():
                self.sight.rest(self.now())
            case Nudge():
                self.entries.wake()
                self.evidence.ask()
            case Renew():
                self.link.leave_by = self.link.leave_by or self.now() + timedelta(seconds=order.within_s)
                self.watch.ends_with_round = True

    def _may_leave(self, now: datetime) -> bool:
        """Whether a new set-up waits, and no round is running or about to begin."""
        if self.link.leave_by is None:
            return False
        is_between = self.watch.is_idle and self.watch.unwritten_t == math.inf
        return is_between or self.watch.ended_t is not None or now >= self.link.leave_by

    def _step(self) -> datetime:
        """Process what came, and write the findings; returns the time."""
        waiting = self.camera.take(WAIT_S)
        now = self.now()
        shots = [] if self.sight.is_resting(now) else thinned(waiting, now)
        self.camera.missed += len(waiting) - len(shots)
        looked_at = {id(shot) for shot in shots}
        for shot in waiting:
            self.sight.note_wait(shot.waited_s)
            if shot.lost is not None:
                self.sight.note_loss(str(shot.lost))
            if id(shot) in looked_at:
                self._see(shot)
        if waiting and not shots:
            self._show(waiting[-1])
        if not waiting:
            self.sight.mind_silence(self._t(now))
        heard_at = self.now()  # after the looks, so that no report seems to have come before them
        for event in self.entries.reports(heard_at, self._t(heard_at)):
            self.watch.report(event)
        if not self.sight.is_live:
            self.sight.wait(self._t(now))
        self._write(self.now())
        return now

    def _see(self, shot: Shot) -> None:
        now, t = self.now(), self._t_of(shot)
        self._lag_s = (now - shot.at).total_seconds()
        self._play_signals(shot)
        if not self.sight.is_news(t) or self.sight.is_resting(now):
            self.camera.missed += 1
            return
        if self.sight.begin_look(t, now) is Strain.OVERLOAD:
            self.camera.missed += 1
            self._tell(Strained(table_id=self.table.id))
            return
        self.watch.see(shot.frame.at(t))
        self.sight.end_look(t)
        self.evidence.remember(shot.at, self.watch)
        self.pictures.offer(shot, self.watch)

    def _show(self, shot: Shot) -> None:
        """Show a frame that is not examined, and take the devices' reports."""
        self._play_signals(shot)
        self.pictures.offer(shot, None)

    def _play_signals(self, shot: Shot) -> None:
        """Repeat the reports that devices made while a file was filmed, at the same pace.

        A file that is played again shows its cards again: they count as another shoe.
        """
        if shot.began != self._times.pass_began:
            if self._times.pass_began is not None and self.camera.is_played_again:
                self.watch.begin_shoe(self._t(shot.began))
            self._times.pass_began = shot.began
            began_t = self._t_of(shot) - shot.frame.t
            self.watch.signals = [replace(event, t=began_t + event.t) for event in self.recorded]
        self.watch.hear(self._t_of(shot))

    def _write(self, now: datetime) -> None:
        news = self.watch.take()
        self.entries.add(
            News(
                events=news.events,
                alerts=news.alerts,
                rounds=news.rounds,
                withdrawn=news.withdrawn,
                doubtful=news.doubtful,
            )
        )
        for entered in self.entries.write(now, self.watch.unwritten_t):
            self._announce(entered)

    def _announce(self, entered: Entered) -> None:
        for entry in entered.alerts:
            self.evidence.promise(entry)
        news, numbers = entered.news, tuple(entry.alert_id for entry in entered.alerts)
        self._tell(Written(table_id=self.table.id, alerts=numbers, rounds=len(news.rounds), lines=len(news.events)))

    def _keep_promises(self) -> None:
        """Make clips and pictures in parallel, so that the watch need not wait."""
        stopping, given_back_at = self.link.stopping, self.now()
        while not stopping.wait(0.3):
            while self.evidence.is_due(self.now()) and not stopping.is_set():
                try:
                    alert_id = self.evidence.keep_next(self.now())
                except Exception:  # the thread must live: what failed is tried again
                    logger.exception("table %s: evidence could not be kept", self.table.id)
                    stopping.wait(RETRY.total_seconds())
                    continue
                self._tell(Written(table_id=self.table.id, evidence=(alert_id,)))
            if self.now() - given_back_at >= GIVE_BACK_EVERY:
                give_back()
                given_back_at = self.now()

    def _status(self, now: datetime) -> TableStatus:
        camera, fault = self.sight.state(now, self._t(now))
        status = status_of(self.table.id, self.table.layout, self.watch.state, at=now, t=self._t(now))
        return replace(
            status,
            camera=str(camera),
            fault=fault,
            dealer=self.entries.dealer(now),
            setup_hint=self.watch.belief.setup_hint,
            camera_hint=self.pictures.place.hint if self.pictures.place is not None else None,
            frames=self.sight.frames,
            missed=self.camera.missed,
            lag_s=round(self._lag_s, 3),
            disk_fault=self.camera.disk_fault or self.pictures.disk_fault or self.entries.fault,
        )

    def _t_of(self, shot: Shot) -> float:
        return self._times.of(shot.frame.t, self._t(shot.at))

    def _t(self, at: datetime) -> float:
        return (at - self.entries.began_at).total_seconds()

    def _tell(self, message: Message) -> None:
        self.link.tell(message)


def status_of(table_id: str, layout: Layout, state: RoundState, *, at: datetime, t: float) -> TableStatus:
    """A table's state as the referee knows it, without the camera's."""
    return TableStatus(
        table_id=table_id,
        at=format_moment(at),
        t=round(t, 3),
        camera="",
        round=state.round,
        phase=str(state.phase),
        player=_names(state.player),
        banker=_names(state.banker),
        player_total=points(state.player),
        banker_total=points(state.banker),
        wagers=_stakes(layout, state),
    )


def _names(cards: Sequence[Card | None]) -> tuple[str | None, ...]:
    return tuple(None if card is None else str(card) for card in cards)


def _stakes(layout: Layout, state: RoundState) -> tuple[ShownStake, ...]:
    areas = [area for area in layout.of_kind("wager") if area.id in state.wagers]
    areas.sort(key=lambda area: (area.seat is None, area.seat or 0))
    return tuple(
        ShownStake(
            area=area.id,
            place=f"Seat {area.seat}" if area.seat is not None else area.name or area.id,
            bet=area.bet or "",
            amount=state.wagers[area.id].value,
            chips=state.wagers[area.id].chips,
        )
        for area in areas
        if not state.wagers[area.id].is_empty
    )
