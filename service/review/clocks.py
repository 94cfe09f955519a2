"""When a recording began by the wall clock: by its name, its container, and the file's date.

Names use the recorder's local time unless they say otherwise. When summer time ends, an hour of local time comes twice;
when it begins, an hour is skipped. `placing` decides which claim is believed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

NAME = "name"
CONTAINER = "container"
FILE = "file"
STORE = "store"
"""An earlier review dated the file."""
_DATE = r"(?P<y>20\d\d)[-_.]?(?P<mo>[01]\d)[-_.]?(?P<d>[0-3]\d)"
_TIME = r"(?P<h>[0-2]\d)[-_.:hH]?(?P<mi>[0-5]\d)(?:[-_.:mM]?(?P<s>[0-5]\d))?(?:[.,](?P<f>\d{1,6}))?"
_STAMP = re.compile(rf"(?<!\d){_DATE}[-_.T ]*{_TIME}(?P<zone>Z|[+-]\d\d:?\d\d)?(?!\d)")
_EPOCH = re.compile(r"(?<!\d)(?P<s>1[6-9]\d{8}|2[0-2]\d{8})(?P<ms>\d{3})?(?!\d)")
"""Unix seconds or milliseconds, from 2020 to 2043."""
_CHAPTER = re.compile(r"G[A-Z](?P<chapter>\d\d)(?P<film>\d{4})$")
"""GoPro's names, as GX010123: the chapter stands before the film's own number."""
_PIECES = re.compile(r"\d+|\D+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """When a file began, according to one clock."""

    told_by: str
    at: datetime
    note: str | None = None
    """A remark on something odd."""


def claims_by_name(name: str, zone: ZoneInfo) -> tuple[Claim, ...]:
    """The times that a file's name can mean, such as `B07_2026-11-20_21-30-00.mp4` or `1763674200.ts`.

    None where the name has no time; two, the earlier first, in the hour of local time that comes twice.
    """
    found = _STAMP.search(name)
    if found is not None:
        return _of_parts(found.groupdict(), zone)
    epoch = _EPOCH.search(name)
    if epoch is None:
        return ()
    at = datetime.fromtimestamp(int(epoch["s"]) + int(epoch["ms"] or 0) / 1000, UTC)
    return (Claim(told_by=NAME, at=at),)


def order_of_name(path: Path) -> tuple[object, ...]:
    """A sort key by the numbers in file names: numbers by value, `_1` after none, chapters of a film together."""
    chapter = _CHAPTER.match(path.stem)
    if chapter is not None:
        return (("", -1), (path.stem[:2], int(chapter["film"])), ("", int(chapter["chapter"])))
    pieces = [(piece, -1) if not piece.isdigit() else ("", int(piece)) for piece in _PIECES.findall(path.stem)]
    return (*pieces, ("", -2), *((piece, -1) for piece in path.parent.parts))


def began_by_container(metadata: Mapping[str, str]) -> datetime | None:
    """The time that a container gives for its first frame; None where it gives none that is plausible."""
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
    """The beginning of a file, computed from when it was last written."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC) - timedelta(seconds=duration_s)


def _of_parts(parts: Mapping[str, str | None], zone: ZoneInfo) -> tuple[Claim, ...]:
    text = "{y}-{mo}-{d}T{h}:{mi}:{s}.{f}".format(
        **{**parts, "s": parts["s"] or "00", "f": (parts["f"] or "0").ljust(6, "0")}
    )
    try:
        at = datetime.fromisoformat(text + (parts["zone"] or ""))
    except ValueError:
        return ()
    if at.tzinfo is not None:
        return (Claim(told_by=NAME, at=at.astimezone(UTC)),)
    first, second = (at.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first == second:
        return (Claim(told_by=NAME, at=first),)
    if first.astimezone(zone).replace(tzinfo=None) == at:  # in the hour that comes twice
        return (Claim(told_by=NAME, at=first), Claim(told_by=NAME, at=second))
    note = f"the time {at:%Y-%m-%d %H:%M:%S} never came in {zone.key}: its clock was not set yet"
    return (Claim(told_by=NAME, at=first, note=note),)
