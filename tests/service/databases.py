"""Where tests have their databases: files of SQLite, or a PostgreSQL's where `tests.service.on_postgres` runs them."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

import psycopg

from thirdcard.service.store.database import sqlite_url

SERVER_VARIABLE = "THIRDCARD_TESTS_POSTGRES"
"""The address of a server whose databases are the tests' own, without the database's name."""


def url_of(path: Path) -> str:
    """The address of a test's database: of the file, or of a database that is made for it on the server."""
    server = os.environ.get(SERVER_VARIABLE)
    return sqlite_url(path) if server is None else _made(server, _name(path), "template1")


def copied_url(path: Path, copy: Path) -> str:
    """The address of a copy of a test's database, which nobody has open."""
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
