"""Set up a demo room: tables that play the shipped recording from different rounds on, and an admin.

There are four tables, and two on a machine of two cores or less, which cannot keep up with more beside a browser. Each
table has a copy of its part of the recording, cut from the recording's own packets, and its devices' reports.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from thirdcard.service.config.data_folder import Home
from thirdcard.service.media.clips import ClipSpan, cut_clip
from thirdcard.service.store import audit, people
from thirdcard.service.store.database import Database
from thirdcard.service.watch.recordings import SIGNALS_NAME, TABLE_NAME

RECORDING = Path(__file__).parents[2] / "datasets" / "demo"
BEGINNINGS_S = (0.0, 16.05, 32.05, 46.05)
"""Each is right after a key frame with no card on the table."""
END_S = 1e4
SCHEMA_LINE = "# yaml-language-server:"
"""The start of the line that names a file's schema by a relative path, which is wrong in another folder."""
FEW_CORES, FEW_TABLES = 2, 2
"""A table in play takes a third of a core, its browser and pages the rest (docs/endurance.md)."""
ADMIN = "admin"
DEALERS = ("Ada", "Ben", "Cleo", "Dan")


def furnish(home: Home, database: Database, *, now: datetime, cores: int | None = None) -> str | None:
    """Create the tables, and an admin where there are no users yet.

    Args:
        home: The service's folder.
        database: Its database.
        now: The current time.
        cores: The number of cores; None for those available to this process.

    Returns:
        The admin's password, which is not stored; None where there are users already.
    """
    count = FEW_TABLES if (len(os.sched_getaffinity(0)) if cores is None else cores) <= FEW_CORES else len(DEALERS)
    for number, (began_s, dealer) in enumerate(zip(BEGINNINGS_S[:count], DEALERS[:count], strict=True), 1):
        _furnish_table(home, f"T{number}", began_s, dealer)
    with database.writing() as session:
        if people.has_users(session):
            return None
        password = secrets.token_urlsafe(12)
        people.add_user(session, ADMIN, "admin", password, now=now)
        audit.note(session, "demonstration", "user.added", f"user:{ADMIN}", at=now, role="admin")
    return password


def _furnish_table(home: Home, table_id: str, began_s: float, dealer: str) -> None:
    folder = home.folder / "recordings" / table_id
    folder.mkdir(parents=True, exist_ok=True)
    for path in RECORDING.glob("*.yaml"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        copied = "".join(line for line in lines if not line.startswith(SCHEMA_LINE))
        (folder / path.name).write_text(copied, encoding="utf-8")
    span = cut_clip(RECORDING / "video.mp4", folder / "video.mp4", ClipSpan(from_s=began_s, to_s=END_S))
    lines = (RECORDING / SIGNALS_NAME).read_text(encoding="utf-8").splitlines()
    events = [event for event in map(json.loads, lines) if event["t"] >= span.from_s]
    signals = _shifted(events, span.from_s, dealer)
    (folder / SIGNALS_NAME).write_text("".join(f"{line}\n" for line in signals), encoding="utf-8")
    (home.tables / f"{table_id}.yaml").write_text(_table_text(table_id, folder), encoding="utf-8")


def _shifted(events: Sequence[dict[str, Any]], began_s: float, dealer: str) -> list[str]:
    """The devices' reports in the stream time of a video that starts at `began_s`."""
    later = [event | {"t": round(event["t"] - began_s, 3)} for event in events]
    return [json.dumps(event) for event in ({"t": 0.0, "type": "dealer_changed", "dealer": dealer}, *later)]


def _table_text(table_id: str, folder: Path) -> str:
    table = yaml.safe_load((folder / TABLE_NAME).read_text(encoding="utf-8"))
    beside = Path("..") / "recordings" / table_id
    for key in ("layout", "chips"):
        table[key] = str(beside / table[key])
    for camera in table["cameras"]:
        camera |= {"source": str(beside / camera["source"]), "calibration": str(beside / camera["calibration"])}
    return yaml.safe_dump(table | {"id": table_id, "loop": True}, sort_keys=False)
