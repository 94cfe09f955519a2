"""The link between a table's process and the service that started it: orders in, messages out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection

from thirdcard.service.ports.messages import Message, Order


@dataclass(slots=True)
class ServiceLink:
    """The link of one table; several threads may send messages."""

    connection: Connection
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the table must stop: by order, or because nobody listens any more."""
    leave_by: datetime | None = None
    """The table must stop between rounds, and at this time at the latest; None: it continues."""
    _telling: threading.Lock = field(default_factory=threading.Lock)

    def orders(self) -> Iterator[Order]:
        """The received orders."""
        try:
            while self.connection.poll():
                yield self.connection.recv()
        except (EOFError, OSError):
            self.stopping.set()

    def tell(self, message: Message) -> None:
        """Send a message, if anybody listens."""
        try:
            with self._telling:
                self.connection.send(message)
        except OSError:
            self.stopping.set()
