"""A receiver of the service's webhook that records each message and its time."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET_VARIABLE = "THIRDCARD_SHIFT_SECRET"
SECRET = "sixteen letters or more"


@dataclass(frozen=True, slots=True)
class Message:
    """A message, and the Unix time in seconds at which it came."""

    at: float
    key: str
    body: dict[str, Any]


@dataclass(slots=True)
class DutyChannel:
    """Receives webhooks on a port of its own."""

    messages: list[Message] = field(default_factory=list)
    _server: ThreadingHTTPServer | None = None

    def start(self) -> str:
        """Start to listen; return the text of a `notifications.yaml` by which every alert is sent here."""
        taken = self.messages

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                taken.append(Message(time.time(), self.headers["webhook-id"], body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        port = self._server.server_address[1]
        hook = f'{{name: duty, url: "http://127.0.0.1:{port}/", secret_env: {SECRET_VARIABLE}}}'
        return f"webhooks: [{hook}]\nrules: [{{channels: [duty], events: [raised]}}]\n"

    def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def raised(self) -> dict[int, list[float]]:
        """Return the times at which each alert came, by its number; more than one if it was sent again."""
        found: dict[int, list[float]] = {}
        for message in list(self.messages):
            if message.body["event"] == "raised":
                found.setdefault(message.body["alert"]["id"], []).append(message.at)
        return found
