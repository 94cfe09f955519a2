"""Fake channels and receivers whose behaviour a test sets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zoneinfo import ZoneInfo

from thirdcard.service.notify.channels import ChannelError, ChannelTraits, Outgoing
from thirdcard.service.notify.matching import NoticeRules
from thirdcard.service.notify.settings import NotificationsFile


@dataclass(slots=True)
class FakeChannel:
    """Takes messages, or fails as long as it has faults left."""

    traits: ChannelTraits
    faults: list[ChannelError] = field(default_factory=list)
    sent: list[list[str]] = field(default_factory=list)
    """The keys of each successful attempt."""
    attempts: int = 0
    is_open: bool = False
    before: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Open the channel."""
        self.is_open = True

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Take the messages or raise the next fault."""
        self.attempts += 1
        self.before()
        if self.faults:
            raise self.faults.pop(0)
        self.sent.append([message.key for message in messages])

    def close(self) -> None:
        """Close the channel."""
        self.is_open = False


def a_channel(name: str = "bus", **traits: Any) -> FakeChannel:
    """A channel that gives up after a day."""
    facts: dict[str, Any] = {"name": name, "give_up_after": timedelta(hours=24)}
    return FakeChannel(ChannelTraits(**facts | traits))


def rules_of(*rules: dict[str, Any], zone: str = "UTC", **more: Any) -> NoticeRules:
    """Rules over channels that need not exist."""
    settings = NotificationsFile.model_validate({"rules": list(rules), **more})
    return NoticeRules(settings=settings, zone=ZoneInfo(zone))


@dataclass(slots=True)
class Received:
    """A request that a server received."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The parsed body."""
        parsed = json.loads(self.body)
        assert isinstance(parsed, dict)
        return parsed


@dataclass(slots=True)
class HttpReceiver:
    """A server that answers with the given statuses, then with 204."""

    url: str
    requests: list[Received]
    statuses: list[int]


@contextmanager
def http_receiver(*statuses: int) -> Iterator[HttpReceiver]:
    """A real server on this machine; it records complete requests."""
    requests: list[Received] = []
    waiting = list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:
                return  # Its sender was killed meanwhile: for a receiver this is no request.
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append(Received(self.path, headers, body))
            self.send_response(waiting.pop(0) if waiting else 204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield HttpReceiver(f"http://127.0.0.1:{server.server_port}/hook", requests, waiting)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
