"""Run the application until it is asked to stop; then its endless streams are let go first, so that nothing waits."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
from contextlib import suppress
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

GRACE_S = 5
"""How long requests under way may still take."""
SWITCH_S = 0.0005
"""So long a thread keeps the interpreter from others; with the usual 5 ms one long reading makes all answers wait."""

LARGEST_HEAD_BYTES = 65536
"""A request's first line and its headers; the parser itself knows no limit."""
HEAD_S = 15.0
"""A connection over which no whole head comes for so long is closed; browsers send one at once."""
BODY_S = 60.0
"""The same for a body, which has a megabyte at most."""
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def run_app(app: FastAPI, *, host: str, port: int, are_logs_json: bool = False) -> None:
    """Serve until a signal comes; the application reads the headers of proxies itself.

    The server hands the signal on when it has ended: as an exception, so that what else runs is stopped in turn.

    Raises:
        SystemExit: It was SIGTERM.
        KeyboardInterrupt: It was SIGINT.
    """
    signal.signal(signal.SIGTERM, _leave)
    raise_open_files()
    sys.setswitchinterval(SWITCH_S)
    config = uvicorn.Config(
        app,
        log_config=None if are_logs_json else LOGGING_CONFIG,  # without its own its lines go to the root's log
        host=host,
        port=port,
        http=BoundedHeads,
        ws="none",
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    RoomServer(config, app).run()


def _leave(_sig: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def raise_open_files() -> None:
    """Let this process hold as many connections as the system allows it, where it tells."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class BoundedHeads(HttpToolsProtocol):
    """One connection; who sends headers without end, or heads and bodies too slowly, is sent away."""

    _is_in_head = False
    _head_bytes = 0
    """That came since the piece in which the request began."""
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there."""
        super().connection_made(transport)
        self._wait(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """He is gone."""
        self._wait(None)
        super().connection_lost(exc)

    def _wait(self, seconds: float | None) -> None:
        """Wait so long for what is due next; None: nothing is."""
        if self._patience is not None:
            self._patience.cancel()
        self._patience = None if seconds is None else self.loop.call_later(seconds, self._send_away)

    def _send_away(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Bytes came in."""
        was_in_head = self._is_in_head
        super().data_received(data)
        self._head_bytes = self._head_bytes + len(data) if was_in_head and self._is_in_head else 0
        if self._head_bytes > LARGEST_HEAD_BYTES:
            self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_in_head = True
        self._wait(HEAD_S)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """What follows is its body."""
        self._is_in_head = False
        self._wait(BODY_S)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """All of the request is there."""
        self._wait(None)
        super().on_message_complete()


class RoomServer(uvicorn.Server):
    """Lets the listeners of streams go as soon as a signal comes."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; what was made until now stays, and nobody needs to look through it for what can be thrown away."""
        await super().startup(sockets)
        gc.collect()
        gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        self._app.state.room.feed.end_soon()
        super().handle_exit(sig, frame)
