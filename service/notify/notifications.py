"""Run the channels: one thread stores new notices, one for each channel sends them, so that none waits for another."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import select

from thirdcard.rules.game.words import Severity
from thirdcard.service.notify import outbox
from thirdcard.service.notify.channels import Channel, Outgoing
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.notices import Notice, service_notice, trial_notice
from thirdcard.service.notify.outbox import DeliveryOutcome
from thirdcard.service.notify.sender import Sender
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import DeliveryRow

logger = logging.getLogger(__name__)

POLL_S = 0.25
STOP_S = 15.0
AFTER_A_FALL_S = 1.0
"""The pause after a refused write, the same as for tables: after a full disk messages are sent soon."""
PRUNE_EVERY = timedelta(hours=1)


class NoSuchChannelError(ServiceError):
    """There is no channel of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelState:
    """The state of a channel."""

    name: str
    fault: str | None
    """Why the last attempt failed; None where it succeeded."""


@dataclass(slots=True)
class Notifications:
    """All channels of a house."""

    database: Database
    rules: NoticeRules
    channels: Sequence[Channel]
    clock: Clock
    poll_s: float = POLL_S
    _pruned_at: datetime | None = None
    fault: str | None = None
    """Why events cannot be stored at present; None where they can."""
    _senders: dict[str, Sender] = field(init=False)
    _threads: list[threading.Thread] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _woken: threading.Event = field(default_factory=threading.Event)
    _has_mail: dict[str, threading.Event] = field(init=False)
    """By channel: set when something was stored for it."""

    def __post_init__(self) -> None:
        self._has_mail = {channel.traits.name: threading.Event() for channel in self.channels}
        self._senders = {channel.traits.name: Sender(channel, self.database, self.clock) for channel in self.channels}

    def begin(self) -> None:
        """Set the starting point: where the last run ended; the very first run ignores earlier events."""
        with self.database.writing() as session:
            outbox.begin(session, self._senders, now=self.clock())

    def start(self) -> None:
        """Send notices of events since `begin`, until stopped."""
        for channel in self.channels:
            channel.open()
        self._threads = [threading.Thread(target=self._run_entries, name="notify", daemon=True)]
        for name, sender in self._senders.items():
            work = threading.Thread(target=self._run_sender, args=(sender,), name=f"notify-{name}", daemon=True)
            self._threads.append(work)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Finish sending the current messages; the others are sent after the next start."""
        self._stopping.set()
        self._woken.set()
        self._wake_senders()
        end = time.monotonic() + STOP_S
        for thread in self._threads:
            thread.join(max(end - time.monotonic(), 0.0))
        for channel in self.channels:
            channel.close()

    @property
    def overdue_after(self) -> timedelta:
        """How long an alert may wait before it is overdue."""
        return timedelta(minutes=self.rules.settings.overdue_after_min)

    def wake(self) -> None:
        """Check for events at once, after a commit; safe from any thread."""
        self._woken.set()

    def states(self) -> list[ChannelState]:
        """The state of every channel, in the order of the file."""
        return [ChannelState(name=name, fault=sender.fault) for name, sender in self._senders.items()]

    def tell(self, code: str, severity: Severity, message: str) -> None:
        """Notify the channels whose rules ask for it about the service itself."""
        now = self.clock()
        notice = service_notice(code, severity, message, at=now)
        channels = self.rules.channels_for(notice)
        if channels:
            with self.database.writing() as session:
                outbox.enter(session, notice, channels, now=now)
            self._wake_senders()

    def send_test(self, channel: str, *, who: str) -> str | None:
        """Send a test at once; returns None, or why it failed. It is listed among the deliveries either way.

        Raises:
            NoSuchChannelError: There is no channel of that name.
        """
        sender = self._senders.get(channel)
        if sender is None:
            known = ", ".join(self._senders) or "(there are none)"
            raise NoSuchChannelError(f"channel = {channel}; must be one of {known}")
        notice = trial_notice(channel, at=self.clock())
        fault = sender.send_now(Outgoing(notice.key, notice.body))
        self._enter_trial(notice, channel, fault, who)
        return fault

    def enter_news(self) -> bool:
        """Store notices of events since the last call, at least some; returns False where there were none."""
        now, overdue_after = self.clock(), self.overdue_after
        with self.database.reading() as session:
            if not outbox.has_news(session, now=now, overdue_after=overdue_after):
                return False
        with self.database.writing(is_shown=False) as session:
            entered = outbox.enter_news(session, self.rules, now=now, overdue_after=overdue_after)
        if entered:
            self._wake_senders()
        return entered > 0

    def prune(self) -> int:
        """Delete old sent messages from the list, now and then; returns how many."""
        now = self.clock()
        if self._pruned_at is not None and now - self._pruned_at < PRUNE_EVERY:
            return 0
        self._pruned_at = now
        with self.database.writing() as session:
            return outbox.prune(session, before=now - timedelta(days=self.rules.settings.keep_sent_days))

    def _wake_senders(self) -> None:
        for event in self._has_mail.values():
            event.set()

    def _enter_trial(self, notice: Notice, channel: str, fault: str | None, who: str) -> None:
        now = self.clock()
        with self.database.writing() as session:
            outbox.enter(session, notice, [channel], now=now)
            query = select(DeliveryRow.id).where(DeliveryRow.key == notice.key, DeliveryRow.channel == channel)
            outbox.settle(session, DeliveryOutcome(ids=[session.scalars(query).one()], at=now, fault=fault))
            audit.note(session, who, "channel.tested", f"channel:{channel}", at=now, fault=fault)

    def _run_entries(self) -> None:
        while not self._stopping.is_set():
            if not self._guard("what happened", self.enter_news):
                self._guard("old messages", lambda: self.prune() > 0)
                self._woken.wait(self.poll_s)
                self._woken.clear()

    def _run_sender(self, sender: Sender) -> None:
        name = sender.channel.traits.name
        while not self._stopping.is_set():
            if not self._guard(f"channel {name}", sender.send_due):
                self._has_mail[name].wait(self.poll_s)
                self._has_mail[name].clear()

    def _guard(self, what: str, work: Callable[[], bool]) -> bool:
        """Do some work; log unexpected errors, pause, and continue."""
        try:
            has_worked = work()
        except Exception as error:
            logger.exception("notifications: %s", what)
            self.fault = f"{what}: {error}"
            self._stopping.wait(AFTER_A_FALL_S)
            return False
        if self.fault is not None and self.fault.startswith(f"{what}: "):
            self.fault = None
        return has_worked
