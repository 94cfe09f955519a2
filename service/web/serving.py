"""Run the application until it is asked to stop; its endless streams are closed first, so that nothing waits."""

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
"""Seconds that open requests may still take."""
SWITCH_S = 0.0005
"""Seconds that a thread may hold the interpreter; with the usual 5 ms one long read delays all answers."""

LARGEST_HEAD_BYTES = 65536
"""The limit for a request's first line and headers; the parser itself has none."""
HEAD_S = 15.0
"""The timeout in seconds for a complete request head; browsers send one at once."""
BODY_S = 60.0
"""The timeout in seconds for a body, which has at most a megabyte."""
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def run_app(app: FastAPI, *, host: str, port: int, are_logs_json: bool = False) -> None:
    """Serve until a signal comes; the application itself reads the headers of proxies.

    After shutdown the server raises the signal as an exception, so that the caller can stop everything else.

    Raises:
        SystemExit: It was SIGTERM.
        KeyboardInterrupt: It was SIGINT.
    """
    signal.signal(signal.SIGTERM, _leave)
    raise_open_files()
    sys.setswitchinterval(SWITCH_S)
    config = uvicorn.Config(
        app,
        log_config=None if are_logs_json else LOGGING_CONFIG,  # without a config of its own it logs to the root logger
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
    """Raise this process's limit of open files to the maximum, where the system has one."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class BoundedHeads(HttpToolsProtocol):
    """One connection; clients with endless headers, or slow headers or bodies, are disconnected."""

    _is_in_head = False
    _head_bytes = 0
    """The bytes received since the start of the request."""
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout of a new connection."""
        super().connection_made(transport)
        self._wait(HEAD_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout of a closed connection."""
        self._wait(None)
        super().connection_lost(exc)

    def _wait(self, seconds: float | None) -> None:
        """Set the timeout for the next part of the request; None for no timeout."""
        if self._patience is not None:
            self._patience.cancel()
        self._patience = None if seconds is None else self.loop.call_later(seconds, self._send_away)

    def _send_away(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(TOO_SLOW)
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        """Process received bytes, and refuse headers beyond the limit."""
        was_in_head = self._is_in_head
        super().data_received(data)
        self._head_bytes = self._head_bytes + len(data) if was_in_head and self._is_in_head else 0
        if self._head_bytes > LARGEST_HEAD_BYTES:
            self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        """Start the timeout for the head of a request."""
        self._is_in_head = True
        self._wait(HEAD_S)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Start the timeout for the body."""
        self._is_in_head = False
        self._wait(BODY_S)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the timeout after a complete request."""
        self._wait(None)
        super().on_message_complete()


class RoomServer(uvicorn.Server):
    """Closes the streams as soon as a signal comes."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then exclude all present objects from garbage collection, which makes it faster.

        From then on garbage is collected, if it was not before.
        """
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.enable()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Close the streams, then handle the signal."""
        self._app.state.room.feed.end_soon()
        super().handle_exit(sig, frame)
