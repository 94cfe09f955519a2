"""A service that is told to end ends what it started."""

from __future__ import annotations

import signal
import subprocess
import sys

PROGRAM = """
import asyncio, sys
from types import SimpleNamespace
from fastapi import FastAPI
from service.serving import run_app

app = FastAPI(on_startup=[lambda: print("up", flush=True)])
app.state.room = SimpleNamespace(feed=SimpleNamespace(end_soon=lambda: None))
try:
    run_app(app, host="127.0.0.1", port=0)
finally:
    print("all stopped", flush=True)
"""


def test_service_that_is_terminated_stops_its_tables_too() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == "all stopped\n"
    assert process.returncode == 0
