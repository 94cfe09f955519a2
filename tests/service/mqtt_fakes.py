"""A fake MQTT link, and a real broker where mosquitto is installed."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from thirdcard.service.devices.mqtt import Broker, MqttError, MqttMessage, PahoLink

MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin")
needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")
PATIENCE_S = 60.0


@dataclass(slots=True)
class FakeLink:
    """Records published messages, and delivers those of the test."""

    fault: str | None = None
    published: list[tuple[str, bytes]] = field(default_factory=list)
    subscription: str | None = None
    is_running: bool = False
    receive: Callable[[MqttMessage], None] | None = None

    def start(self, subscription: str | None = None, receive: Callable[[MqttMessage], None] | None = None) -> None:
        """Record the call."""
        self.subscription, self.receive, self.is_running = subscription, receive, True

    def stop(self) -> None:
        """Record the call."""
        self.is_running = False

    def publish(self, topic: str, payload: bytes, *, timeout_s: float) -> None:
        """Record the message; raises MqttError where a fault is set."""
        if self.fault is not None:
            raise MqttError(self.fault)
        self.published.append((topic, payload))


@dataclass(slots=True)
class RealBroker:
    """A mosquitto process of the test."""

    port: int
    config: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        assert MOSQUITTO is not None
        self.process = subprocess.Popen([MOSQUITTO, "-c", str(self.config)], stderr=subprocess.DEVNULL)
        wait_until(lambda: _answers(self.port))

    def stop(self) -> None:
        """End it; it saves the messages for clients that are disconnected."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def link(self, name: str, *, keeps_session: bool = False) -> PahoLink:
        """A client of the broker."""
        return PahoLink(Broker(host="127.0.0.1", port=self.port, client_id=name), keeps_session=keeps_session)


@contextmanager
def a_real_broker(folder: Path) -> Iterator[RealBroker]:
    """A broker that stores its sessions in a folder."""
    folder.mkdir()
    folder.chmod(0o777)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    config = folder / "mosquitto.conf"
    lines = [
        f"listener {port} 127.0.0.1",
        "allow_anonymous true",
        "persistence true",
        f"persistence_location {folder}/",
    ]
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    broker = RealBroker(port, config)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


def wait_until(is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Wait until a condition holds; fails after `patience_s`."""
    end = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < end, "it did not become so"
        time.sleep(0.02)


def _answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0
