"""Run tests of the service on a PostgreSQL of their own instead of SQLite.

    python -m tests.service.on_postgres tests/service/store tests/service/sealing tests/service/live tests/service/web

Needs `initdb` and `postgres` on this machine (Debian's package `postgresql`). Tests about SQLite's files still use
SQLite.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.endurance.postgres_server import make_postgres
from tests.service.databases import SERVER_VARIABLE


def main(arguments: list[str]) -> int:
    """Run pytest with these arguments beside a new PostgreSQL server; return its exit status."""
    folder = Path(tempfile.mkdtemp(prefix="postgres"))
    folder.chmod(0o755)  # so that PostgreSQL's own account can reach its data
    server = make_postgres(folder / "server")
    server.start()
    os.environ[SERVER_VARIABLE] = server.url.rpartition("/")[0]
    try:
        return int(pytest.main(arguments))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
