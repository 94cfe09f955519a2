"""Measure how long each page and call of the figures takes on a filled database, by the clock and in processor time.

python -m tests.endurance.figures_speed sqlite:////somewhere/big.db
"""

from __future__ import annotations

import argparse
import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import func, select
from starlette.testclient import TestClient

from tests.endurance.million_rounds import BEGAN
from tests.service.hand_clock import HandClock
from tests.service.web.rooms import StillTables
from thirdcard.service.analytics.refreshing import refresh_all
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.people import add_token
from thirdcard.service.store.schema import RoundRow
from thirdcard.service.web.app import create_app

TIMES = 3
VIEWS = ("dealers", "tables", "codes", "trend", "pace")
LISTS = ("dealers", "tables", "rulebooks", "codes", "shifts", "hours", "days", "trend", "pace", "dealers?format=csv",
         "dealers?format=parquet", "dealers?confirmed=true&table=B07")  # fmt: skip
REPORT = "/analytics/report?table=B07&from=2026-03-03&to=2026-03-09"


def main() -> None:
    """Print the number of rounds and, for each address, the median seconds by the clock and in processor time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="a database that `million_rounds` filled")
    database = open_database(parser.parse_args().url)
    began = time.perf_counter()
    hours = refresh_all(database)
    print(f"{hours} hours summed up in {time.perf_counter() - began:.0f} s")
    with database.reading() as session:
        print(f"{session.scalar(select(func.count()).select_from(RoundRow))} rounds")
    with TemporaryDirectory() as folder:
        client = _client(database, Path(folder))
        pages = [*(f"/analytics/{view}?from=2026-01-01" for view in VIEWS), REPORT]
        for address in [*pages, *(f"/api/analytics/{what}" for what in LISTS)]:
            taken = [_time(client, address) for _ in range(TIMES)]
            wall_s, processor_s = (median(column) for column in zip(*taken, strict=True))
            print(f"{address:56} {wall_s:.2f} {processor_s:.2f}")


def _client(database: Database, folder: Path) -> TestClient:
    clock = HandClock(BEGAN + timedelta(days=40))
    settings = RoomSettings(evidence=folder, version="0")
    app = create_app(settings=settings, database=database, live=StillTables(), clock=clock)
    with database.writing() as session:
        token = add_token(session, f"speed-{time.monotonic_ns()}", "viewer", now=clock())
    return TestClient(app, headers={"Authorization": f"Bearer {token}"})


def _time(client: TestClient, address: str) -> tuple[float, float]:
    began = time.perf_counter(), time.process_time()
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return time.perf_counter() - began[0], time.process_time() - began[1]


if __name__ == "__main__":
    main()
