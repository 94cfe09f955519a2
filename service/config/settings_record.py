"""Record in the audit the settings files that the service started with, so that one can later tell which were used.

People edit these files, and the service reads them when it starts. So a file that differs from the record is no fault:
it was changed since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.store import audit, chain
from thirdcard.service.store.schema import ChainLine

READ = "settings.read"
"""The audit's name of the act."""
SERVICE = "system"
PLACES = ("*.yaml", "rulebooks/*.yaml", "models/registry.yaml")
"""The settings files, below the home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsRead:
    """The settings files at a start of the service."""

    at: datetime
    digests: Mapping[str, str]
    """The SHA-256 of each file, by its path below the home."""


def note_settings(session: Session, home: Path, *, now: datetime) -> bool:
    """Record the present files; returns False where they equal the last record."""
    before, found = last_settings(session), _digests(home)
    known = {} if before is None else before.digests
    if before is not None and known == found:
        return False
    changed = sorted(name for name in known.keys() | found.keys() if known.get(name) != found.get(name))
    was = {name: known.get(name) for name in changed}
    audit.note(session, SERVICE, READ, at=now, files=found, was=None if before is None else was)
    return True


def last_settings(session: Session) -> SettingsRead | None:
    """The last record; None where there is none."""
    wanted = select(ChainLine).where(ChainLine.chain == audit.AUDIT, ChainLine.body.contains(f'"action":"{READ}"'))
    for line in session.scalars(wanted.order_by(ChainLine.seq.desc())):
        body = chain.parsed(line)
        if body.get("action") == READ:
            return SettingsRead(at=line.at, digests=body.get("details", {}).get("files", {}))
    return None


def changed_settings(session: Session, home: Path) -> tuple[datetime, list[str]] | None:
    """The time of the last record, and the files that differ from it; None where there is no record."""
    before = last_settings(session)
    if before is None:
        return None
    found = _digests(home)
    names = before.digests.keys() | found.keys()
    return before.at, sorted(name for name in names if before.digests.get(name) != found.get(name))


def _digests(home: Path) -> dict[str, str]:
    paths = sorted(path for place in PLACES for path in home.glob(place) if path.is_file())
    return {path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
