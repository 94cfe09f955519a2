"""Bring what a watch finds into the database, and what devices reported out of it, however often it does not answer.

Nothing is lost while it is silent: what was found waits here, and the watching goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from thirdcard.rules.log.events import Event
from thirdcard.service.live.inbox import Inbox
from thirdcard.service.live.journal import EnteredAlert, Journal, News
from thirdcard.service.live.load_shedding import NEVER

logger = logging.getLogger(__name__)

RETRY = timedelta(seconds=1)
"""So long the database is left alone after it did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What stands in the database now."""

    news: News
    alerts: Sequence[EnteredAlert]


@dataclass(slots=True)
class Entries:
    """One table's."""

    table_id: str
    journal: Journal
    inbox: Inbox
    fault: str | None = None
    """What the database said last, where it did not answer."""
    retry_at: datetime = NEVER
    """Before that it is not asked again."""
    _waiting: list[News] = field(default_factory=list)

    @property
    def began_at(self) -> datetime:
        """The moment of t = 0."""
        return self.journal.began_at

    def dealer(self, now: datetime) -> str | None:
        """Who deals; None also where the database does not answer."""
        try:
            return self.journal.dealer(now)
        except SQLAlchemyError as error:
            logger.warning("table %s: the roster cannot be read: %s", self.table_id, error)
            return None

    def wake(self) -> None:
        """Devices may have reported something."""
        self.inbox.wake()

    def reports(self, now: datetime, now_t: float) -> list[Event]:
        """What devices reported since the last call."""
        if now < self.retry_at:
            return []
        try:
            events = self.inbox.take(now_t)
        except SQLAlchemyError as error:
            self._leave_alone(error, now)
            return []
        if not self._waiting:
            self.fault = None
        return events

    def add(self, news: News) -> None:
        """Take in what was found."""
        if news:
            self._waiting.append(news)

    def write(self, now: datetime, unwritten_t: float) -> Iterator[Entered]:
        """Enter what waits, piece by piece, as long as the database answers.

        Args:
            now: The moment.
            unwritten_t: All lines before this are among what was added: reports of devices that became such lines are
                taken with them.
        """
        while self._waiting and now >= self.retry_at:
            is_last = len(self._waiting) == 1
            signals = self.inbox.written_before(unwritten_t) if is_last else []
            try:
                alerts = self.journal.write(self._waiting[0], now, partial(self.inbox.mark, numbers=signals))
            except SQLAlchemyError as error:
                self._leave_alone(error, now)
                return
            self.fault = None
            self.inbox.forget(signals)
            yield Entered(news=self._waiting.pop(0), alerts=alerts)

    def _leave_alone(self, error: SQLAlchemyError, now: datetime) -> None:
        self.fault = " ".join(str(getattr(error, "orig", None) or error).split())
        self.retry_at = now + RETRY
        logger.error("table %s: the database does not answer: %s", self.table_id, self.fault)
