"""Many listeners on the alert stream in one process, and what each received, in order.

The streams are read with plain sockets, and only their two formats (chunks, events) are parsed. So 200 listeners take
little from the machine that is measured.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.connection import Connection

PATIENCE_S = 60.0
"""A stream that sends nothing for so many seconds is dead, since a live one sends heartbeats."""


@dataclass(slots=True)
class Heard:
    """What one listener received."""

    place: str
    """The place in the stream after the last event."""
    alerts: list[int] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    breaks: int = 0
    """How often the stream broke."""

    def take(self, event: str) -> None:
        """Note one event, given as it was sent."""
        fields = dict(line.split(": ", 1) for line in event.splitlines() if not line.startswith(":"))
        if "id" not in fields:
            return
        self.place = fields["id"]
        alert, _, change = self.place.partition("-")
        if fields.get("event") == "alert":
            self.alerts.append(int(alert))
        elif fields.get("event") == "change":
            self.changes.append(int(change))


async def listen(port: int, token: str, heard: Heard, ended: asyncio.Event) -> None:
    """Listen until asked to end; a stream that breaks is resumed where it broke."""
    while not ended.is_set():
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"GET /api/alerts/stream HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {token}\r\n"
            writer.write(f"{head}Last-Event-ID: {heard.place}\r\n\r\n".encode())
            await _read_stream(reader, heard, ended)
            writer.close()
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            heard.breaks += 1


async def _read_stream(reader: asyncio.StreamReader, heard: Heard, ended: asyncio.Event) -> None:
    await reader.readuntil(b"\r\n\r\n")
    kept = ""
    while not ended.is_set():
        size = int(await asyncio.wait_for(reader.readline(), PATIENCE_S) or b"0", 16)
        kept += (await reader.readexactly(size + 2))[:-2].decode()
        *whole, kept = kept.split("\n\n")
        for event in whole:
            heard.take(event)
        if size == 0:
            return


async def _listen_all(port: int, token: str, count: int, place: str, order: Connection) -> list[Heard]:
    ended, all_heard = asyncio.Event(), [Heard(place) for _ in range(count)]
    tasks = [asyncio.create_task(listen(port, token, heard, ended)) for heard in all_heard]
    await asyncio.to_thread(order.recv)
    for task in tasks:
        task.cancel()
    return all_heard


def listen_all(port: int, token: str, count: int, place: str, order: Connection) -> None:
    """Listen in a process of its own until asked to end, then send what each listener received."""
    order.send(asyncio.run(_listen_all(port, token, count, place, order)))


def faults_of(all_heard: list[Heard], alerts: list[int], changes: list[int]) -> list[str]:
    """Return what any listener missed, received twice or received out of order.

    `alerts` and `changes` are those that each listener must at least have received, in this order.
    """
    found = []
    for number, heard in enumerate(all_heard, 1):
        for kind, told, due in (("alerts", heard.alerts, alerts), ("changes", heard.changes, changes)):
            is_in_order = all(one < other for one, other in pairwise(told))
            if told[: len(due)] != due or not is_in_order:
                found.append(f"listener {number}: {len(told)} of {len(due)} {kind}, each once in order: {is_in_order}")
        if heard.breaks:
            found.append(f"listener {number}: its stream broke {heard.breaks} times")
    return found
