"""A real service in a folder of its own, which can be set up, started, killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from thirdcard.service.config.data_folder import URL_VARIABLE, Home
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import add_token
from thirdcard.service.web.demo_room import furnish

COMMAND = (sys.executable, "-c", "from thirdcard.service.cli.entry import main; main()")
FORK_SERVER = b"multiprocessing.forkserver"
"""A part of the command line of the process from which tables' processes are forked."""
ROLES = ("operator", "supervisor", "admin")
READY_S = 120.0
UP = ("playing", "resting")
"""The camera's states of a table that is watched. On busy cores it may rest, but it has looked before."""


def free_port() -> int:
    """Return a port on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(slots=True)
class LiveRoom:
    """One service with its folder, port and database."""

    home: Home
    tokens: Mapping[str, str]
    """An API token for each role."""
    port: int
    database_url: str | None = None
    """None: SQLite in the folder."""
    process: subprocess.Popen[bytes] | None = None
    _starts: int = field(default=0)

    @property
    def address(self) -> str:
        """The address at which the service answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of its processes."""
        known = {name: value for name, value in os.environ.items() if name != URL_VARIABLE}
        return known if self.database_url is None else {**known, URL_VARIABLE: self.database_url}

    @property
    def log(self) -> Path:
        """The file with the service's output, over all starts."""
        return self.home.folder / "service.log"

    def open_database(self) -> Database:
        """Return the service's database, opened beside the service."""
        return self.home.open_database(self.environment)

    def start(self) -> None:
        """Start the service; it answers some seconds later."""
        with self.log.open("ab") as log:
            self._starts += 1
            log.write(f"--- start {self._starts}\n".encode())
            log.flush()
            options = ("serve", "--home", str(self.home.folder), "--port", str(self.port))
            self.process = subprocess.Popen(
                [*COMMAND, *options], stdout=log, stderr=log, env=self.environment, start_new_session=True
            )

    def stop(self) -> int:
        """Ask the service to end; return its exit status."""
        assert self.process is not None, "start() comes first"
        self.process.terminate()
        return self.process.wait(90)

    def table_pids(self) -> list[int]:
        """Return the ids of its tables' processes."""
        assert self.process is not None, "start() comes first"
        servers = [pid for pid in children_of(self.process.pid) if FORK_SERVER in command_line(pid)]
        return [pid for server in servers for pid in children_of(server)]

    def kill_server(self) -> None:
        """Kill the server; its tables notice that by themselves."""
        assert self.process is not None, "start() comes first"
        self.process.kill()
        self.process.wait(30)

    def kill_all(self) -> None:
        """Kill the server and all its tables."""
        assert self.process is not None, "start() comes first"
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)

    def states(self) -> list[dict[str, object]]:
        """Return the tables' states, as the API gives them.

        Raises:
            httpx.HTTPError: The service does not answer.
        """
        headers = {"Authorization": f"Bearer {self.tokens['admin']}"}
        answer = httpx.get(f"{self.address}/api/tables", headers=headers, timeout=10)
        answer.raise_for_status()
        items: list[dict[str, object]] = answer.json()["items"]
        return items

    def wait_until_watched(self, tables: Sequence[str] | None = None, *, patience_s: float = READY_S) -> float:
        """Wait until these tables, or all, play or rest; return the seconds that this took.

        Raises:
            TimeoutError: They do not within `patience_s` seconds.
        """
        began = time.monotonic()
        while time.monotonic() - began < patience_s:
            try:
                states = {str(state["id"]): state for state in self.states()}
                wanted = states if tables is None else tables
                seen = [states[name] for name in wanted if name in states]
                if len(seen) == len(wanted) and all(state["camera"] in UP and state["frames"] for state in seen):
                    return time.monotonic() - began
            except httpx.HTTPError:
                pass
            time.sleep(0.25)
        raise TimeoutError(f"the tables are not watched after {patience_s:.0f} s; see {self.log}")


def furnish_room(folder: Path, *, tables: int, database_url: str | None = None) -> LiveRoom:
    """Return a room whose tables play the shipped recording again and again, with a token for each role."""
    home = Home(folder)
    home.make()
    room = LiveRoom(home, {}, free_port(), database_url)
    database = room.open_database()
    try:
        furnish(home, database, now=now_utc(), cores=tables)
        with database.writing() as session:
            room.tokens = {role: add_token(session, role, role, now=now_utc()) for role in ROLES}
    finally:
        database.close()
    for path in sorted(home.tables.glob("*.yaml"))[tables:]:
        path.unlink()
    return room


def children_of(pid: int) -> list[int]:
    """Return the ids of the processes that a process started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            continue  # it ended meanwhile
        if parent == pid:
            found.append(int(path.parent.name))
    return sorted(found)


def command_line(pid: int) -> bytes:
    """Return the command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
