"""Run the application until it is told to stop; then its endless streams are let go first, so that nothing waits."""

from __future__ import annotations

import gc
import signal
import socket
import sys
from types import FrameType

import uvicorn
from fastapi import FastAPI

GRACE_S = 5
"""How long requests under way may still take."""
SWITCH_S = 0.0005
"""So long a thread keeps the interpreter from others; with the usual 5 ms one long reading makes all answers wait."""


def run_app(app: FastAPI, *, host: str, port: int) -> None:
    """Serve until a signal comes; the application reads the headers of proxies itself.

    The server hands the signal on when it has ended: as an exception, so that what else runs is stopped in turn.

    Raises:
        SystemExit: It was SIGTERM.
        KeyboardInterrupt: It was SIGINT.
    """
    signal.signal(signal.SIGTERM, _leave)
    sys.setswitchinterval(SWITCH_S)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    RoomServer(config, app).run()


def _leave(_sig: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


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
