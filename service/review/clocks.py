"""When a recording began by the wall clock: as its name says, or its container, or the file's own date.

Names are in the recorder's local time unless they say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

NAME = "name"
CONTAINER = "container"
FILE = "file"
_DATE = r"(?P<y>20\d\d)[-_.]?(?P<mo>[01]\d)[-_.]?(?P<d>[0-3]\d)"
_TIME = r"(?P<h>[0-2]\d)[-_.:hH]?(?P<mi>[0-5]\d)(?:[-_.:mM]?(?P<s>[0-5]\d))?(?:[.,](?P<f>\d{1,6}))?"
_STAMP = re.compile(rf"(?<!\d){_DATE}[-_.T ]*{_TIME}(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)")
_EPOCH = re.compile(r"(?<!\d)(?P<s>1[6-9]\d{8}|2[0-2]\d{8})(?P<ms>\d{3})?(?!\d)")
"""Unix seconds or milliseconds, from 2020 to 2043."""


def began_by_name(name: str, zone: ZoneInfo) -> datetime | None:
    """The moment in a file's name, `B07_2026-11-20_21-30-00.mp4` or `1763674200.ts`; None where it names none."""
    found = _STAMP.search(name)
    if found is not None:
        return _of_parts(found.groupdict(), zone)
    epoch = _EPOCH.search(name)
    if epoch is None:
        return None
    return datetime.fromtimestamp(int(epoch["s"]) + int(epoch["ms"] or 0) / 1000, UTC)


def began_by_container(metadata: Mapping[str, str]) -> datetime | None:
    """The moment that a container gives for its first frame; None where it gives none that can be meant."""
    text = metadata.get("creation_time") or metadata.get("DATE_RECORDED") or metadata.get("date")
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return at.astimezone(UTC) if at.year >= 2000 else None  # recorders without a clock write 1904 or 1970


def began_by_file(path: Path, duration_s: float) -> datetime:
    """The moment that follows from when the file was last written to."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC) - timedelta(seconds=duration_s)


def _of_parts(parts: Mapping[str, str | None], zone: ZoneInfo) -> datetime | None:
    text = "{y}-{mo}-{d}T{h}:{mi}:{s}.{f}".format(
        **{**parts, "s": parts["s"] or "00", "f": (parts["f"] or "0").ljust(6, "0")}
    )
    try:
        at = datetime.fromisoformat(text + (parts["zone"] or ""))
    except ValueError:
        return None
    return (at if at.tzinfo is not None else at.replace(tzinfo=zone)).astimezone(UTC)
