"""The databases of tests: SQLite files or, if `tests.service.on_postgres` runs the tests, a PostgreSQL server's."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

import psycopg

from thirdcard.service.store.database import sqlite_url

SERVER_VARIABLE = "THIRDCARD_TESTS_POSTGRES"
"""The variable with the address of a server for tests alone, without the name of a database."""


def url_of(path: Path) -> str:
    """Return the address of a test's database: that of the file, or of a database that is made on the server."""
    server = os.environ.get(SERVER_VARIABLE)
    return sqlite_url(path) if server is None else _made(server, _name(path), "template1")


def copied_url(path: Path, copy: Path) -> str:
    """Copy a test's database, which nobody may have open, and return the copy's address."""
    server = os.environ.get(SERVER_VARIABLE)
    if server is not None:
        return _made(server, _name(copy), _name(path))
    shutil.copy(path, copy)
    return sqlite_url(copy)


def _made(server: str, name: str, template: str) -> str:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        there = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone()
        if there is None:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    return f"{server}/{name}"


def _name(path: Path) -> str:
    return f"test_{sha256(str(path).encode()).hexdigest()[:24]}"
