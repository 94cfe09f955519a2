"""A network camera that can be cut: GStreamer's RTSP server with a gate before it."""

from __future__ import annotations

import selectors
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

from tests.endurance.live_room import free_port

SERVER = Path(__file__).with_name("rtsp_server.py")
NEEDED = "import gi; gi.require_version('GstRtspServer', '1.0')"
PACKAGES = (
    "gir1.2-gst-rtsp-server-1.0 python3-gi gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad"
)
CHUNK = 65536
READY_S = 20.0
RESET = b"\x01\x00\x00\x00\x00\x00\x00\x00"
"""For SO_LINGER: a closed connection is reset."""


class NoCameraError(Exception):
    """No RTSP server can be had here."""


class Cut(StrEnum):
    """How a camera goes away."""

    REFUSED = "refused"
    """Connections break, and new ones are refused."""
    SILENT = "silent"
    """Connections stay, and nothing comes through them any more."""
    ENDED = "ended"
    """The stream ends, and who asks again is sent away."""


@dataclass(slots=True)
class Gate:
    """Passes connections on to a port; can be cut."""

    port: int
    target: int
    cut: Cut | None = None
    _pairs: list[tuple[socket.socket, socket.socket]] = field(default_factory=list)
    _listener: socket.socket | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Let connections through from now on."""
        with self._lock:
            was, self.cut = self.cut, None
            if was is Cut.SILENT:
                self._drop(is_reset=True)  # as a network that is back: what was under way is long gone
            if self._listener is None:
                self._listener = socket.create_server(("127.0.0.1", self.port), reuse_port=False)
                threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self, cut: Cut) -> None:
        """Cut everything off."""
        with self._lock:
            self.cut = cut
            if cut is Cut.REFUSED and self._listener is not None:
                self._listener.shutdown(socket.SHUT_RDWR)
                self._listener.close()
                self._listener = None
            if cut is not Cut.SILENT:
                self._drop(is_reset=cut is Cut.REFUSED)

    def _drop(self, *, is_reset: bool) -> None:
        for pair in self._pairs:
            for one in pair:
                with suppress(OSError):
                    if is_reset:
                        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    one.shutdown(socket.SHUT_RDWR)
        self._pairs.clear()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return  # cut
            if self.cut is Cut.ENDED:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        others = {client: server, server: client}
        with selectors.DefaultSelector() as selector, client, server:
            for end in others:
                selector.register(end, selectors.EVENT_READ, end)
            while True:
                for key, _ in selector.select(1.0):
                    one: socket.socket = key.data
                    try:
                        data = one.recv(CHUNK)
                        if data and self.cut is not Cut.SILENT:
                            others[one].sendall(data)
                    except OSError:
                        return
                    if not data:
                        return


@dataclass(slots=True)
class RtspCamera:
    """A camera that plays a video."""

    gate: Gate
    process: subprocess.Popen[str]
    began: list[float] = field(default_factory=list)
    """When the video began to play, each time, in seconds of Unix time."""

    @property
    def url(self) -> str:
        """Where the service finds it."""
        return f"rtsp://127.0.0.1:{self.gate.port}/table"

    def read(self, output: IO[str]) -> None:
        """Follow what the server tells, in a thread."""
        for line in output:
            if line.startswith("began "):
                self.began.append(float(line.split()[1]))


@contextmanager
def rtsp_camera(video: Path) -> Iterator[RtspCamera]:
    """A camera that plays the video from its beginning for each who comes.

    Raises:
        NoCameraError: GStreamer's RTSP server or its bindings are not installed.
    """
    port = free_port()
    command = [python_with_gi(), str(SERVER), str(port), str(video)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            if process.stdout.readline().strip() != "ready":
                raise NoCameraError("GStreamer's RTSP server does not start")
            camera = RtspCamera(Gate(free_port(), port), process)
            threading.Thread(target=camera.read, args=(process.stdout,), daemon=True).start()
            camera.gate.open()
            yield camera
            camera.gate.close(Cut.REFUSED)
        finally:
            process.kill()


def python_with_gi() -> str:
    """A Python that has GStreamer's bindings: ours, or the system's.

    Raises:
        NoCameraError: None has.
    """
    for candidate in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if candidate and subprocess.run([candidate, "-c", NEEDED], capture_output=True, check=False).returncode == 0:
            return candidate
    raise NoCameraError(f"no Python with GStreamer's RTSP server; on Debian: apt-get install {PACKAGES}")
