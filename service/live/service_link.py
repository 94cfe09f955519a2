"""The link between a table's process and the service that started it: orders come in, messages go out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from multiprocessing.connection import Connection

from thirdcard.service.ports.messages import Message, Order


@dataclass(slots=True)
class ServiceLink:
    """One table's; several threads may tell something."""

    connection: Connection
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the table is to stop: it was ordered to, or nobody listens any more."""
    leave_by: datetime | None = None
    """The table is to stop when no round is under way, and at this moment at the latest; None: it is to go on."""
    _telling: threading.Lock = field(default_factory=threading.Lock)

    def orders(self) -> Iterator[Order]:
        """What came in."""
        try:
            while self.connection.poll():
                yield self.connection.recv()
        except (EOFError, OSError):
            self.stopping.set()

    def tell(self, message: Message) -> None:
        """Send a message, where anybody listens."""
        try:
            with self._telling:
                self.connection.send(message)
        except OSError:
            self.stopping.set()
