"""The interface of the live tables for the room's pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from thirdcard.service.ports.messages import TableStatus, Written

Clock = Callable[[], datetime]
"""Returns the present time in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A table's newest picture with its overlay."""

    jpeg: bytes
    version: str
    """Changes with every picture."""


class LiveTables(Protocol):
    """The tables that are watched."""

    def states(self) -> Sequence[TableStatus]:
        """The state of every table, sorted by id."""

    def state(self, table_id: str) -> TableStatus | None:
        """The state of one table; None where it is not watched here."""

    def picture(self, table_id: str) -> Picture | None:
        """Its newest picture; None where there is none yet."""

    def nudge(self, table_id: str) -> None:
        """Signal that reports wait for it in the database."""

    def changes(self) -> AsyncIterator[TableStatus | Written]:
        """All changes from now on, for as long as somebody reads."""
