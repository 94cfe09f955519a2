"""Delete evidence whose time is over, keep it within its disk budget, and warn before the budget is used up.

What a hold or a case protects is never deleted. If space is short, recordings are deleted first, then routine evidence,
oldest first, then that of decided alerts; undecided alerts keep theirs until its time is over.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from thirdcard.rules.game.words import Severity
from thirdcard.service.config.house_file import HouseSettings, load_house_file
from thirdcard.service.ports.live_tables import Clock
from thirdcard.service.ports.repeated_work import RepeatedWork
from thirdcard.service.retention import rules as keeping
from thirdcard.service.retention.disk_budget import (
    DiskBudget,
    DiskLevel,
    DiskState,
    FreeBytes,
    free_bytes,
    judge_disk,
    recordings_over_bytes,
)
from thirdcard.service.retention.recordings import recorded_bytes, shorten_recordings
from thirdcard.service.retention.rules import EvidenceKeeping, KeepingClass, KeepingRules, LeftFile
from thirdcard.service.store import audit
from thirdcard.service.store.blob_store import EvidenceStore, EvidenceStoreError
from thirdcard.service.store.database import Database

logger = logging.getLogger(__name__)

RETENTION = "retention.yaml"
"""The file's name in the service's folder."""
GB = 10**9
AT_ONCE = 20
"""Alerts whose files are deleted in one transaction."""
LOOK_S = 60.0
DELETE_EVERY = timedelta(minutes=15)
TIME_OVER, NO_ROOM = "its time is over", "the disk budget is spent"
_DAYS = "days, over 0 to 36500, or null for ever"

Tell = Callable[[str, Severity, str], None]
"""Reports something about the service to the room: a code, a severity, and a text."""


class DaysFile(HouseSettings):
    """The number of days that each class is kept."""

    routine: float | None = Field(default=30.0, gt=0, le=36500, strict=False, description=_DAYS)
    alert: float | None = Field(default=180.0, gt=0, le=36500, strict=False, description=_DAYS)
    case: float | None = Field(default=730.0, gt=0, le=36500, strict=False, description=_DAYS)
    hold: float | None = Field(default=30.0, gt=0, le=36500, strict=False, description=_DAYS)


class RetentionFile(HouseSettings):
    """`retention.yaml`."""

    days: DaysFile = Field(default_factory=DaysFile, description="a mapping with routine, alert, case, hold")
    routine_severities: list[Annotated[Severity, Field(strict=False)]] = Field(
        default_factory=list, description=f"a list of {', '.join(Severity)}"
    )
    budget_gb: float | None = Field(
        default=None, gt=0, le=10**6, strict=False, description="gigabytes (10^9 bytes), over 0, or null for all"
    )
    keep_free_gb: float = Field(
        default=5.0, ge=0, le=10**6, strict=False, description="gigabytes (10^9 bytes) of the disk, 0 or more"
    )
    warn_at_percent: float = Field(
        default=80.0, gt=0, le=100, strict=False, description="a share of the budget, over 0 to 100 percent"
    )

    def rules(self) -> KeepingRules:
        """The rules for keeping evidence."""
        days = {kind: getattr(self.days, kind) for kind in KeepingClass}
        return KeepingRules(days=days, routine_severities=frozenset(map(str, self.routine_severities)))

    def budget(self) -> DiskBudget:
        """The disk limits for evidence."""
        return DiskBudget(
            budget_bytes=None if self.budget_gb is None else round(self.budget_gb * GB),
            keep_free_bytes=round(self.keep_free_gb * GB),
            warn_share=self.warn_at_percent / 100,
        )


def load_retention(folder: Path) -> RetentionFile:
    """The settings of a service's folder; defaults where it has no such file.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed.
    """
    return load_house_file(folder / RETENTION, RetentionFile)


@dataclass(slots=True)
class Retention:
    """Manages the evidence of a service."""

    database: Database
    evidence: Path
    """The folder."""
    settings: RetentionFile
    clock: Clock
    tell: Tell
    free: FreeBytes = free_bytes
    evidence_url: str | None = None
    """A second place with reviewed evidence."""
    look_s: float = LOOK_S
    state: DiskState | None = None
    """As last measured; None before the first check."""
    _told: DiskLevel = DiskLevel.FINE
    """The level of the last notice."""
    _deleted_at: datetime | None = None
    _looking: RepeatedWork = field(init=False)

    def __post_init__(self) -> None:
        self._looking = RepeatedWork("retention", self._look_and_rest, self.look_s)

    @property
    def fault(self) -> str | None:
        """Why it cannot work at present; None where it can."""
        return self._looking.fault

    def start(self) -> None:
        """Start checking repeatedly in a thread; the first check is at once."""
        self._looking.rest_s = self.look_s
        self._looking.start()

    def stop(self) -> None:
        """Stop after the current deletion."""
        self._looking.stop()

    def look(self) -> None:
        """Delete evidence whose time is over, at intervals, then check the budget."""
        now = self.clock()
        if self._deleted_at is None or now - self._deleted_at >= DELETE_EVERY:
            self.finish_deletions()
            self.delete_what_is_over()
            self._deleted_at = now
        self.keep_budget()

    def delete_what_is_over(self) -> int:
        """Delete evidence whose time is over; returns the number of alerts."""
        now, rules = self.clock(), self.settings.rules()
        days = [rules.days[kind] for kind in (KeepingClass.ROUTINE, KeepingClass.ALERT)]
        least = min((number for number in days if number is not None), default=None)
        if least is None:
            return 0
        over = (s for s in self._standings(now - timedelta(days=least)) if s.until <= now)
        return sum(self._delete(some, TIME_OVER) for some in _by(AT_ONCE, over))

    def keep_budget(self) -> DiskState:
        """Free space where evidence uses too much; returns the resulting state of the disk, and reports changes."""
        self._shorten_recordings()
        state = self._judge()
        if state.over_bytes:
            self.finish_deletions()
            self._make_room(self._judge().over_bytes)
            state = self._judge()
        self.state = state
        if state.level is not self._told:
            self._tell_of(state)
            self._told = state.level
        return state

    def finish_deletions(self) -> None:
        """Delete files that were marked before a crash, or that the disk refused to delete."""
        with self.database.reading() as session:
            files = keeping.left_files(session)
        self._remove(files)

    def _standings(self, before: datetime) -> Iterator[EvidenceKeeping]:
        now, rules = self.clock(), self.settings.rules()
        with self.database.reading() as session:
            pages = list(keeping.old_alerts(session, before))
        for page in pages:
            with self.database.reading() as session:
                found = keeping.standings(session, rules, page, now=now)
            yield from found

    def _make_room(self, wanted_bytes: int) -> None:
        known = list(self._standings(self.clock()))
        routine = [s for s in known if s.kind is KeepingClass.ROUTINE]
        decided = [s for s in known if s.kind is KeepingClass.ALERT and s.is_decided]
        for some in _by(1, iter([*routine, *decided])):
            if wanted_bytes <= 0 or self._looking.is_stopping:
                return
            with self.database.reading() as session:
                size = keeping.used_bytes(session, [standing.alert_id for standing in some])
            if self._delete(some, NO_ROOM):
                logger.warning("alert %d: its evidence goes for want of room", some[0].alert_id)
                wanted_bytes -= size

    def _delete(self, some: list[EvidenceKeeping], why: str) -> int:
        if self._looking.is_stopping:
            return 0
        with self.database.writing() as session:
            files = keeping.mark_deleted(session, self.settings.rules(), some, why, now=self.clock())
        self._remove(files)
        return len(some) if files else 0

    def _remove(self, files: list[LeftFile]) -> None:
        gone = [file for file in files if self._unlink(file)]
        if gone:
            with self.database.writing() as session:
                for file in gone:
                    keeping.forget_path(session, file)

    def _unlink(self, file: LeftFile) -> bool:
        path = (self.evidence / file.path).resolve()
        if not path.is_relative_to(self.evidence.resolve()):
            logger.error("evidence %d lies outside its folder and is left alone: %s", file.evidence_id, path)
            return False
        try:
            EvidenceStore(self.evidence, self.evidence_url).remove(file.path)
        except (OSError, EvidenceStoreError) as error:
            logger.error("%s: cannot be deleted: %s", path, error)
            return False
        return True

    @property
    def _ring(self) -> Path:
        """The folder of the tables' stored video, beside the evidence."""
        return self.evidence.with_name("ring")

    def _used_bytes(self) -> int:
        with self.database.reading() as session:
            return keeping.used_bytes(session)

    def _shorten_recordings(self) -> None:
        recorded = recorded_bytes(self._ring, self.clock())
        free = self.free(self.evidence)
        over = recordings_over_bytes(self.settings.budget(), used=self._used_bytes(), recorded=recorded, free=free)
        if over:
            shorten_recordings(self._ring, over, self.clock())

    def _judge(self) -> DiskState:
        """The state of the disk for evidence, which may use the space of recordings."""
        recorded, free = recorded_bytes(self._ring, self.clock()), self.free(self.evidence)
        state = judge_disk(self.settings.budget(), used=self._used_bytes(), free=free + recorded, was=self._told)
        return replace(state, free_bytes=free, recorded_bytes=recorded)

    def _tell_of(self, state: DiskState) -> None:
        severity, message = _news_of(state)
        logger.log(logging.INFO if state.level is DiskLevel.FINE else logging.WARNING, "disk: %s", message)
        self.tell(f"disk.{state.level}", severity, message)
        with self.database.writing() as session:
            audit.note(
                session,
                keeping.SYSTEM,
                f"disk.{state.level}",
                at=self.clock(),
                used_bytes=state.used_bytes,
                capacity_bytes=state.capacity_bytes,
                free_bytes=state.free_bytes,
            )

    def _look_and_rest(self) -> float:
        self.look()
        return self.look_s


def _news_of(state: DiskState) -> tuple[Severity, str]:
    used, room, free = (n / GB for n in (state.used_bytes, state.capacity_bytes, state.free_bytes))
    facts = f"evidence takes {used:.1f} GB of {room:.1f} GB that it may, {free:.1f} GB of the disk are free"
    return {
        DiskLevel.FINE: (Severity.INFO, f"There is room again: {facts}."),
        DiskLevel.WARNING: (Severity.MEDIUM, f"The disk budget is nearly spent: {facts}."),
        DiskLevel.SPENT: (Severity.HIGH, f"The disk budget is spent and nothing more may be deleted: {facts}."),
        DiskLevel.FULL: (Severity.CRITICAL, f"The disk is full, new evidence may be lost: {facts}."),
    }[state.level]


def _by(most: int, standings: Iterator[EvidenceKeeping]) -> Iterator[list[EvidenceKeeping]]:
    """Split into lists of limited length."""
    some: list[EvidenceKeeping] = []
    for standing in standings:
        some.append(standing)
        if len(some) == most:
            yield some
            some = []
    if some:
        yield some
