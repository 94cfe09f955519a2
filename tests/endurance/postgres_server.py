"""A PostgreSQL server for tests, to be killed and started again. It needs `initdb` and `postgres` on this machine."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.endurance.live_room import children_of, free_port

READY_S = 60.0
PLACES = "/usr/lib/postgresql"
ACCOUNT = "postgres"
"""The account that runs PostgreSQL if the test runs as root, since PostgreSQL refuses to run as root."""


class NoPostgresError(Exception):
    """PostgreSQL is not installed here."""


@dataclass(slots=True)
class PostgresServer:
    """A server with its data."""

    folder: Path
    port: int
    programs: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of its database, as the service expects it."""
        return f"postgresql://{ACCOUNT}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server, which recovers its data after a kill; return when it answers.

        Raises:
            psycopg.OperationalError: It does not answer within `READY_S`.
        """
        with (self.folder / "postgres.log").open("ab") as log:
            command = [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-p", str(self.port)]
            places = ["-k", str(self.folder), "-c", "listen_addresses=127.0.0.1"]
            self.process = subprocess.Popen([*command, *places], stdout=log, stderr=log, user=_account())
        deadline = time.monotonic() + READY_S
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def kill(self) -> None:
        """Kill the server and all its processes."""
        assert self.process is not None, "start() comes first"
        for pid in [self.process.pid, *children_of(self.process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> None:
        """Ask the server to end, and wait until it has."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)


def make_postgres(folder: Path) -> PostgresServer:
    """Return a server with fresh data in a folder, not started.

    Raises:
        NoPostgresError: PostgreSQL is not installed.
    """
    programs = find_programs()
    folder.mkdir(parents=True)
    if _account() is not None:
        shutil.chown(folder, ACCOUNT)
    command = [str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", ACCOUNT, "-E", "UTF8"]
    subprocess.run(command, check=True, capture_output=True, user=_account(), cwd=folder)
    return PostgresServer(folder, free_port(), programs)


def find_programs() -> Path:
    """Return the folder of `initdb` and `postgres`.

    Raises:
        NoPostgresError: PostgreSQL is not installed.
    """
    found = shutil.which("initdb")
    candidates = [*sorted(Path(PLACES).glob("*/bin"), reverse=True), *([Path(found).parent] if found else [])]
    for place in candidates:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise NoPostgresError("PostgreSQL is not installed: neither on the path nor in /usr/lib/postgresql")


def _account() -> str | None:
    """Return the account to run PostgreSQL under; None for that of the test."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(ACCOUNT).pw_name
    raise NoPostgresError(f"there is no account {ACCOUNT} to run PostgreSQL under")
