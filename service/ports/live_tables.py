"""What the room's service asks of the rest of the program, and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from thirdcard.service.ports.messages import TableStatus, Written

Clock = Callable[[], datetime]
"""The moment, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A table's newest picture with its overlay."""

    jpeg: bytes
    version: str
    """Another one for every picture."""


class LiveTables(Protocol):
    """The tables that are being watched."""

    def states(self) -> Sequence[TableStatus]:
        """How every table stands, by id."""

    def state(self, table_id: str) -> TableStatus | None:
        """How one table stands; None where it is not watched here."""

    def picture(self, table_id: str) -> Picture | None:
        """Its newest picture; None where there is none yet."""

    def nudge(self, table_id: str) -> None:
        """Signals wait for it in the database."""

    def changes(self) -> AsyncIterator[TableStatus | Written]:
        """Everything that changes from now on, for as long as somebody reads."""
