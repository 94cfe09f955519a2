"""A network camera that can be cut: GStreamer's RTSP server with a gate before it."""

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
    slow_bytes_per_s: float | None = None
    """So much passes at most, on each connection; None: all."""
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
    """Starts its server anew."""
    sign_in: str = ""
    """`user:password@`, where the camera asks for them."""
    began: list[float] = field(default_factory=list)
    """When the video began to play, each time, in seconds of Unix time."""

    @property
    def url(self) -> str:
        """Where the service finds it."""
        return f"rtsp://{self.sign_in}127.0.0.1:{self.gate.port}/table"

    def lose_no_more(self) -> None:
        """From now on all packets arrive, those of the stream under way too."""
        self.process.send_signal(signal.SIGUSR1)

    def restart(self) -> None:
        """As where somebody pulls its plug: it is back a second or two later."""
        self.process.kill()
        self.process.wait(30)
        self.process = self.start()
        self.follow()

    def follow(self) -> None:
        """Follow what its server tells, in a thread.

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
    """How a camera sends."""

    codec: str = "h264"
    """That of the video: h264 or h265."""
    transport: str = "both"
    """tcp, udp or both."""
    drop: float = 0.0
    """Share of its packets that are lost."""
    user: str | None = None
    password: str = ""

    @property
    def sign_in(self) -> str:
        """As an address has it."""
        return "" if self.user is None else f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@"


@contextmanager
def rtsp_camera(video: Path, make: Make | None = None) -> Iterator[RtspCamera]:
    """A camera that plays the video from its beginning for each who comes.

    Args:
        video: An MP4.
        make: How it sends; plainly, where nothing is reported.

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
        camera.gate.port = free_port()  # the one chosen before the server began may be taken by now
        camera.gate.open()
        yield camera
        camera.gate.close(Cut.REFUSED)
    finally:
        camera.process.kill()
        camera.process.wait(30)


def python_with_gi() -> str:
    """A Python that has GStreamer's bindings: ours, or the system's.

    Raises:
        NoCameraError: None has.
    """
    for candidate in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if candidate and subprocess.run([candidate, "-c", NEEDED], capture_output=True, check=False).returncode == 0:
            return candidate
    raise NoCameraError(f"no Python with GStreamer's RTSP server; on Debian: apt-get install {PACKAGES}")
