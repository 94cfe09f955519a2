"""A network camera that can be cut off: GStreamer's RTSP server behind a gate."""

from __future__ import annotations

import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO
from urllib.parse import quote

from tests.endurance.live_room import free_port

SERVER = Path(__file__).with_name("rtsp_server.py")
NEEDED = "import gi; gi.require_version('GstRtspServer', '1.0')"
PACKAGES = (
    "gir1.2-gst-rtsp-server-1.0 python3-gi gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad"
)
CHUNK = 65536
READY_S = 20.0
RESET = b"\x01\x00\x00\x00\x00\x00\x00\x00"
"""The value of SO_LINGER with which a connection is reset when it is closed."""


class NoCameraError(Exception):
    """GStreamer's RTSP server cannot run here."""


class Cut(StrEnum):
    """How a camera is cut off."""

    REFUSED = "refused"
    """Connections break, and new ones are refused."""
    SILENT = "silent"
    """Connections stay open, and nothing comes through."""
    ENDED = "ended"
    """The stream ends, and new connections are turned away."""


@dataclass(slots=True)
class Gate:
    """Passes connections on to a port, and can cut them off."""

    port: int
    target: int
    cut: Cut | None = None
    slow_bytes_per_s: float | None = None
    """The most bytes a second that pass on each connection; None for no limit."""
    _pairs: list[tuple[socket.socket, socket.socket]] = field(default_factory=list)
    _listener: socket.socket | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> None:
        """Let connections through from now on."""
        with self._lock:
            was, self.cut = self.cut, None
            if was is Cut.SILENT:
                self._drop(is_reset=True)  # as when a network is back: its old connections are gone
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

    def _take_time(self, data: bytes) -> None:
        if self.slow_bytes_per_s is not None:
            time.sleep(len(data) / self.slow_bytes_per_s)

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
                            self._take_time(data)
                    except OSError:
                        return
                    if not data:
                        return


@dataclass(slots=True)
class RtspCamera:
    """A camera that plays a video."""

    gate: Gate
    process: subprocess.Popen[str]
    start: Callable[[], subprocess.Popen[str]]
    """Starts the camera's server, and returns its process."""
    sign_in: str = ""
    """`user:password@`, if the camera asks for them."""
    began: list[float] = field(default_factory=list)
    """The times at which the video began to play, in seconds of Unix time."""

    @property
    def url(self) -> str:
        """The address of the camera's stream."""
        return f"rtsp://{self.sign_in}127.0.0.1:{self.gate.port}/table"

    def lose_no_more(self) -> None:
        """Let all packets arrive from now on, also those of the stream that is playing."""
        self.process.send_signal(signal.SIGUSR1)

    def restart(self) -> None:
        """Kill the camera and start it again, as if its plug was pulled; it is back after a second or two."""
        self.process.kill()
        self.process.wait(30)
        self.process = self.start()
        self.follow()

    def follow(self) -> None:
        """Wait until the camera's server is ready, and read its output in a thread.

        Raises:
            NoCameraError: The server does not start.
        """
        output = self.process.stdout
        assert output is not None
        if output.readline().strip() != "ready":
            raise NoCameraError("GStreamer's RTSP server does not start")
        threading.Thread(target=self._read, args=(output,), daemon=True).start()

    def _read(self, output: IO[str]) -> None:
        for line in output:
            if line.startswith("began "):
                self.began.append(float(line.split()[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """How a camera sends its video."""

    codec: str = "h264"
    """The codec of the video: h264 or h265."""
    transport: str = "both"
    """tcp, udp or both."""
    drop: float = 0.0
    """The share of its packets that are lost."""
    user: str | None = None
    password: str = ""

    @property
    def sign_in(self) -> str:
        """The user and password as a part of an address; empty if there is no user."""
        return "" if self.user is None else f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@"


@contextmanager
def rtsp_camera(video: Path, make: Make | None = None) -> Iterator[RtspCamera]:
    """Run a camera that plays the video from its beginning for each client, and yield it.

    Args:
        video: An MP4.
        make: How it sends; None for H.264 without losses or a sign-in.

    Raises:
        NoCameraError: GStreamer's RTSP server or its bindings are not installed.
    """
    port, make = free_port(), make or Make()
    command = [python_with_gi(), str(SERVER), str(port), str(video), "--codec", make.codec]
    command += ["--transport", make.transport, "--drop", str(make.drop)]
    command += [] if make.user is None else ["--user", make.user]

    def start() -> subprocess.Popen[str]:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdin is not None
        process.stdin.write(f"{make.password}\n")
        process.stdin.close()
        return process

    camera = RtspCamera(Gate(free_port(), port), start(), start, make.sign_in)
    try:
        camera.follow()
        camera.gate.port = free_port()  # the port that was free before the server began may be taken by now
        camera.gate.open()
        yield camera
        camera.gate.close(Cut.REFUSED)
    finally:
        camera.process.kill()
        camera.process.wait(30)


def python_with_gi() -> str:
    """Return the path of a Python that has GStreamer's bindings: the one that runs this, or the system's.

    Raises:
        NoCameraError: No Python has them.
    """
    for candidate in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if candidate and subprocess.run([candidate, "-c", NEEDED], capture_output=True, check=False).returncode == 0:
            return candidate
    raise NoCameraError(f"no Python with GStreamer's RTSP server; on Debian: apt-get install {PACKAGES}")
