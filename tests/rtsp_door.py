"""A fake camera: an RTSP server that answers each request with a status and refuses access."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

CHALLENGE = 'WWW-Authenticate: Digest realm="camera", nonce="abc", algorithm="MD5"\r\n'


@dataclass(slots=True)
class RtspDoor:
    """The camera's status, and what it received."""

    status: str
    port: int = 0
    asked: list[str] = field(default_factory=list)
    """The methods of the requests."""
    passwords: int = 0
    """The number of requests with a password."""

    def answer(self, lines: list[str]) -> str:
        """Return the answer to one request, and count it."""
        self.asked.append(lines[0].split()[0])
        self.passwords += any(line.lower().startswith("authorization:") for line in lines)
        number = next(line for line in lines if line.lower().startswith("cseq"))
        if self.asked[-1] == "OPTIONS":
            return f"RTSP/1.0 200 OK\r\n{number}\r\nPublic: OPTIONS, DESCRIBE, SETUP, PLAY\r\n\r\n"
        return f"RTSP/1.0 {self.status}\r\n{number}\r\n{CHALLENGE if self.status.startswith('401') else ''}\r\n"


@contextmanager
def rtsp_door(status: str = "401 Unauthorized") -> Iterator[RtspDoor]:
    """Run the camera on a port of its own, and yield what it receives."""
    door = RtspDoor(status)

    class Visit(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            lines: list[str] = []
            for line in self.rfile:
                lines.append(line.decode().strip())
                if not lines[-1]:
                    self.wfile.write(door.answer(lines).encode())
                    lines = []

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Visit) as server:
        server.daemon_threads = True
        door.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield door
        server.shutdown()
