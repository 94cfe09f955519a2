"""Write a watch's findings to the database and read devices' reports from it, even if it fails at times.

Nothing is lost meanwhile: findings wait here, and the watch continues.
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
"""The pause after a database error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What was written to the database."""

    news: News
    alerts: Sequence[EnteredAlert]


@dataclass(slots=True)
class Entries:
    """The waiting findings of one table."""

    table_id: str
    journal: Journal
    inbox: Inbox
    fault: str | None = None
    """The last database error; None where it works."""
    retry_at: datetime = NEVER
    """The database is not used before this time."""
    _waiting: list[News] = field(default_factory=list)

    @property
    def began_at(self) -> datetime:
        """The time of t = 0."""
        return self.journal.began_at

    def dealer(self, now: datetime) -> str | None:
        """The present dealer; None where unknown, or where the database fails."""
        try:
            return self.journal.dealer(now)
        except SQLAlchemyError as error:
            logger.warning("table %s: the roster cannot be read: %s", self.table_id, error)
            return None

    def wake(self) -> None:
        """Signal that devices may have reported something."""
        self.inbox.wake()

    def reports(self, now: datetime, now_t: float) -> list[Event]:
        """The devices' reports since the last call."""
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
        """Add findings."""
        if news:
            self._waiting.append(news)

    def write(self, now: datetime, unwritten_t: float) -> Iterator[Entered]:
        """Write the waiting findings piece by piece, while the database works.

        Args:
            now: The time.
            unwritten_t: All lines before this stream time have been added; reports that became such lines are marked as
                taken.
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
