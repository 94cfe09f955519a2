"""Send the due messages of one channel, and decide when to retry.

An unreachable receiver is left alone for growing pauses; each failed message has its own wait too.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from thirdcard.service.notify import outbox
from thirdcard.service.notify.channels import Channel, ChannelError, DownError, Outgoing
from thirdcard.service.notify.outbox import DeliveryOutcome, Waiting
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.store.database import Database

logger = logging.getLogger(__name__)

REST_S = (5, 15, 60, 300)
"""Pauses in seconds for an unreachable receiver."""
SETTLED_WITHIN = timedelta(seconds=1)
"""Outcomes are recorded together, at the latest after this time. On a busy machine one transaction takes up to a second
and a half, so a row of alerts recorded one by one came seconds late. A crash sends again what was not yet recorded."""


@dataclass(slots=True)
class Sender:
    """The sender of one channel; only one thread calls `send_due`."""

    channel: Channel
    database: Database
    clock: Clock
    fault: str | None = None
    """Why the last attempt failed; None where it succeeded."""
    _rest_until: datetime | None = None
    _failures: int = 0
    _unsettled: list[DeliveryOutcome] = field(default_factory=list)
    _is_hurrying: bool = False
    _lock: Lock = field(default_factory=Lock)

    def send_due(self) -> bool:
        """Send the due messages, for a second at most; returns False where there is nothing to do now."""
        self._settle()
        until = self.clock() + SETTLED_WITHIN
        has_sent = False
        while waiting := self._next():
            self._unsettled += self._attempt(waiting)
            has_sent = True
            if self._is_hurrying or self.clock() >= until:
                break
        self._settle()
        return has_sent

    def send_now(self, message: Outgoing) -> str | None:
        """Send one message at once; returns None, or why it failed."""
        with self._lock:
            try:
                self.channel.send([message])
            except ChannelError as error:
                return str(error)
        return None

    def _next(self) -> list[Waiting]:
        """The messages that are sent next; none while the receiver is left alone."""
        now, traits = self.clock(), self.channel.traits
        if self._rest_until is not None and now < self._rest_until:
            return []
        tried = [number for outcome in self._unsettled for number in outcome.ids]
        with self.database.reading() as session:
            waiting = outbox.due(session, traits.name, now=now, limit=traits.most_at_once, without=tried)
        if waiting:
            self._rest_until = now + traits.pause
        return waiting

    def _attempt(self, waiting: Sequence[Waiting]) -> list[DeliveryOutcome]:
        try:
            with self._lock:
                self.channel.send([Outgoing(delivery.key, delivery.body) for delivery in waiting])
        except ChannelError as error:
            return self._failed(waiting, error)
        self._is_hurrying = self._failures > 0
        self._failures, self.fault = 0, None
        return [DeliveryOutcome(ids=[delivery.id for delivery in waiting], at=self.clock())]

    def _failed(self, waiting: Sequence[Waiting], error: ChannelError) -> list[DeliveryOutcome]:
        now, traits, self.fault = self.clock(), self.channel.traits, str(error)
        logger.warning("channel %s: %s", traits.name, error)
        at_least = timedelta()
        if isinstance(error, DownError):
            at_least = error.retry_after
            rest = timedelta(seconds=REST_S[min(self._failures, len(REST_S) - 1)])
            self._rest_until, self._failures = now + max(rest, at_least), self._failures + 1
        return [
            DeliveryOutcome(
                ids=[delivery.id],
                at=now,
                fault=self.fault,
                next_at=outbox.next_attempt(delivery, now=now, give_up_after=traits.give_up_after, at_least=at_least),
            )
            for delivery in waiting
        ]

    def _settle(self) -> None:
        """Record the outcomes of attempts; those that cannot be recorded now are kept for the next call."""
        if not self._unsettled and not self._is_hurrying:
            return
        with self.database.writing() as session:
            for outcome in self._unsettled:
                outbox.settle(session, outcome)
            if self._is_hurrying:
                outbox.hurry(session, self.channel.traits.name, now=self.clock())
        self._unsettled, self._is_hurrying = [], False
