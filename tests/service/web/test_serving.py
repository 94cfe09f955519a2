"""A service that is asked to end ends what it started; one that is sent headers without end does not read them."""

from __future__ import annotations

import contextlib
import http.client
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from thirdcard.service.web.serving import LARGEST_HEAD_BYTES

PROGRAM = """
import asyncio, sys
from types import SimpleNamespace
from fastapi import FastAPI
from thirdcard.service.web.serving import run_app

app = FastAPI(on_startup=[lambda: print("up", flush=True)])
app.state.room = SimpleNamespace(feed=SimpleNamespace(end_soon=lambda: None))
try:
    run_app(app, host="127.0.0.1", port=0)
finally:
    print("all stopped", flush=True)
"""
WITHOUT_COLLECTION = """
import gc
gc.disable()
""" + PROGRAM.replace('"all stopped"', '"collects" if gc.isenabled() else "does not"')


def test_service_that_is_terminated_stops_its_tables_too() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "all stopped\n"
    assert process.returncode == 0


def test_running_service_collects_garbage_though_its_start_does_not() -> None:
    with subprocess.Popen([sys.executable, "-c", WITHOUT_COLLECTION], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "collects\n"


@pytest.fixture
def port() -> Iterator[int]:
    """Of a service that answers 404 to everything."""
    yield from _serving()


@pytest.fixture
def hasty_port() -> Iterator[int]:
    """Of one that waits for nobody longer than half a second."""
    yield from _serving("from thirdcard.service.web import serving; serving.HEAD_S = serving.BODY_S = 0.5")


def _serving(first: str = "") -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = int(free.getsockname()[1])
    program = f"{first}\n" + PROGRAM.replace("port=0", f"port={number}")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield number
        process.send_signal(signal.SIGTERM)
        process.stdout.read()


def connected(port: int) -> socket.socket:
    """A line to it, once it listens."""
    for _ in range(100):
        with contextlib.suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), timeout=10)
        time.sleep(0.05)
    return socket.create_connection(("127.0.0.1", port), timeout=10)


@pytest.mark.parametrize("piece", [b"X-Long: " + b"x" * 1000 + b"\r\n", b"x" * 1000])
def test_headers_without_end_are_refused(port: int, piece: bytes) -> None:
    with connected(port) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nX-Endless: ")
        try:
            for _ in range(10 * LARGEST_HEAD_BYTES // len(piece)):
                line.sendall(piece)
            told = line.recv(1000)
        except ConnectionError:
            told = b""
    assert not told or told.startswith(b"HTTP/1.1 400")


def test_bodies_and_further_requests_do_not_count_as_headers(port: int) -> None:
    connected(port).close()
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for _ in range(3):
        line.request("POST", "/nowhere", body=b"x" * 3 * LARGEST_HEAD_BYTES, headers={"X-Some": "y" * 30_000})
        answer = line.getresponse()
        assert answer.status == 404
        answer.read()


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: here\r\n", id="half a head"),
        pytest.param(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n1234", id="half a body"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: here\r\n\r\nGET / HTTP", id="half a second request"),
    ],
)
def test_half_open_connections_are_closed(hasty_port: int, sent: bytes) -> None:
    with connected(hasty_port) as line:
        line.sendall(sent)
        told = b""
        while piece := line.recv(1000):
            told += piece
    assert b"HTTP/1.1 408" in told


def test_whoever_is_quick_is_answered_beside_many_half_open_connections(hasty_port: int) -> None:
    lines = [connected(hasty_port) for _ in range(200)]
    for line in lines:
        line.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
    asked = http.client.HTTPConnection("127.0.0.1", hasty_port, timeout=10)
    asked.request("GET", "/")
    assert asked.getresponse().status == 404
    for line in lines:
        line.close()
