"""A PostgreSQL of our own, to be killed and started again; it needs `initdb` and `postgres` on this machine."""

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
"""Who runs it where we are root, whom it refuses."""


class NoPostgresError(Exception):
    """PostgreSQL is not installed here."""


@dataclass(slots=True)
class PostgresServer:
    """One server with its data."""

    folder: Path
    port: int
    programs: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its database, as the service takes it."""
        return f"postgresql://{ACCOUNT}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and recover what the last one left; returns when it answers."""
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
        """End it and all its processes at once."""
        assert self.process is not None, "start() comes first"
        for pid in [self.process.pid, *children_of(self.process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(30)

    def stop(self) -> None:
        """Ask it to end."""
        if self.process is not None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)


def make_postgres(folder: Path) -> PostgresServer:
    """A server with fresh data in a folder; not started.

    Raises:
        NoPostgresError: There is none on this machine.
    """
    programs = find_programs()
    folder.mkdir(parents=True)
    if _account() is not None:
        shutil.chown(folder, ACCOUNT)
    command = [str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", ACCOUNT, "-E", "UTF8"]
    subprocess.run(command, check=True, capture_output=True, user=_account(), cwd=folder)
    return PostgresServer(folder, free_port(), programs)


def find_programs() -> Path:
    """Where `initdb` and `postgres` lie.

    Raises:
        NoPostgresError: Nowhere.
    """
    found = shutil.which("initdb")
    candidates = [*sorted(Path(PLACES).glob("*/bin"), reverse=True), *([Path(found).parent] if found else [])]
    for place in candidates:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise NoPostgresError("PostgreSQL is not installed: neither on the path nor in /usr/lib/postgresql")


def _account() -> str | None:
    """The account to run it under; None: our own."""
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(KeyError):
        return pwd.getpwnam(ACCOUNT).pw_name
    raise NoPostgresError(f"there is no account {ACCOUNT} to run PostgreSQL under")
