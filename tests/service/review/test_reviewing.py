"""A recorded shift from its files into the store: once, whole, and whatever is killed on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from multiprocessing import active_children
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from tests.repository import DEMO
from tests.service.hand_clock import NOON
from thirdcard.service.config.data_folder import Home
from thirdcard.service.media.clips import ClipSpan, cut_clip
from thirdcard.service.review import segments as segment_lengths
from thirdcard.service.review.local_engine import LocalEngine
from thirdcard.service.review.opening import open_shift, open_table
from thirdcard.service.review.reviewing import Reviewer, ShiftOutcome
from thirdcard.service.review.seen_film import SeenFile, SeenFilm, TimeSpan
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift import Shift, find_wanted
from thirdcard.service.review.shift_timeline import Part
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, EvidenceRow, LogRow, RoundRow
from thirdcard.service.store.shift_schema import FootageRow, LogNoteRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

BEGAN = datetime(2026, 5, 4, 20, 0, tzinfo=UTC)
SPLIT_S = 40.0
UTC_ZONE = ZoneInfo("UTC")


class Killer:
    """Kills a watching process as soon as the first tells how far it is."""

    def __init__(self) -> None:
        self.outcomes: list[ShiftOutcome] = []
        self.killed = 0

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """Nothing to tell."""

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """Strike once."""
        if not self.killed:
            victim = active_children()[0]
            assert victim.pid is not None
            os.kill(victim.pid, signal.SIGKILL)
            self.killed += 1

    def finish(self, shift: Shift, outcome: ShiftOutcome) -> None:
        """Remember."""
        self.outcomes.append(outcome)


def copy_table(folder: Path) -> None:
    """The demo's table without its film."""
    for name in ("table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml"):
        shutil.copyfile(DEMO / name, folder / name)


def film_shift(folder: Path) -> Path:
    """The demo as a recorder writes it: two dated files, one broken beside them, signals by the wall clock."""
    folder.mkdir()
    copy_table(folder)
    first = folder / f"demo_{BEGAN:%Y-%m-%d_%H-%M-%S}.mp4"
    covered = cut_clip(DEMO / "video.mp4", first, ClipSpan(from_s=0.0, to_s=SPLIT_S))
    at = BEGAN + timedelta(seconds=covered.to_s - 1.0)
    second = cut_clip(DEMO / "video.mp4", folder / "second.mp4", ClipSpan(from_s=covered.to_s - 1.0, to_s=1e6))
    at = BEGAN + timedelta(seconds=second.from_s)
    (folder / "second.mp4").rename(folder / f"demo_{at:%Y-%m-%d_%H-%M-%S}.{at.microsecond:06d}.mkv")
    (folder / "demo_2026-05-04_20-05-00.mp4").write_bytes(b"nothing that can be watched")
    with (folder / "signals.jsonl").open("w", encoding="utf-8") as file:
        for text in (DEMO / "signals.jsonl").read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            moment = (BEGAN + timedelta(seconds=line.pop("t"))).isoformat()
            file.write(json.dumps({**line, "at": moment}) + "\n")
    return folder


def open_it(folder: Path) -> Shift:
    (wanted,) = find_wanted([folder], None)
    return open_shift(wanted, UTC_ZONE)


def seen_of(parts: Sequence[Part]) -> SeenFilm:
    """What a review of these parts saw."""
    return SeenFilm(
        files=tuple(
            SeenFile(
                log_id=1,
                name=part.file.path.name,
                fingerprint=part.file.fingerprint,
                span=TimeSpan(from_at=part.from_at, to_at=part.to_at),
                begins_s=part.from_s,
            )
            for part in parts
        )
    )


def counts(database: Database) -> list[int]:
    with database.reading() as session:
        tables = (LogRow, RoundRow, AlertRow, EvidenceRow, FootageRow, LogNoteRow)
        return [session.scalar(select(func.count()).select_from(table)) or 0 for table in tables]


def test_shift_is_entered_once_and_whole_though_a_process_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_lengths, "SEGMENT_S", 45.0)
    shift = open_it(film_shift(tmp_path / "shift"))
    home = Home(tmp_path / "room")
    home.make()
    database = home.open_database({})
    reviewer = Reviewer(home=home, database=database, engine=LocalEngine(2), now=lambda: NOON)
    onlooker = Killer()

    reviewer.review([shift], onlooker)
    entered = counts(database)
    reviewer.review([shift], onlooker)

    assert onlooker.killed == 1
    assert [outcome.was_there for outcome in onlooker.outcomes] == [False, True]
    assert counts(database) == entered
    assert entered[0] == 1
    truth = [json.loads(line) for line in (DEMO / "alerts.jsonl").read_text(encoding="utf-8").splitlines()]
    with database.reading() as session:
        alerts = session.scalars(select(AlertRow).order_by(AlertRow.at)).all()
        assert [alert.code for alert in alerts] == [line["code"] for line in truth]
        for alert, line in zip(alerts, truth, strict=True):
            assert abs((alert.at - BEGAN).total_seconds() - line["t"]) < 1.0
            assert alert.is_quiet
        kinds = session.scalars(select(EvidenceRow.kind).where(EvidenceRow.state == "kept")).all()
        assert kinds.count("clip") == kinds.count("still") == len(truth)
        assert [note.kind for note in session.scalars(select(LogNoteRow).order_by(LogNoteRow.id))] == [
            "broken",
            "overlap",
        ]
        assert len(session.scalars(select(FootageRow)).all()) == 2
        assert verify_chains(session) is None
        assert verify_evidence(session, EvidenceStore(home.evidence)) is None
    database.close()


def test_shift_that_has_grown_is_reviewed_from_where_it_was(tmp_path: Path) -> None:
    folder = film_shift(tmp_path / "shift")
    shift = open_it(folder)
    (wanted,) = find_wanted([folder], None)
    (grown,) = open_table(wanted, UTC_ZONE, seen_of(shift.timeline.parts[:1])).shifts
    assert [part.file.path.suffix for part in grown.timeline.parts] == [".mkv"]
    assert grown.timeline.parts[0].from_at == shift.timeline.parts[1].from_at
    assert open_table(wanted, UTC_ZONE, seen_of(shift.timeline.parts)).shifts == ()


def test_the_same_film_has_the_same_key_wherever_it_lies(tmp_path: Path) -> None:
    folder = film_shift(tmp_path / "shift")
    key = open_it(folder).key
    moved = tmp_path / "elsewhere"
    folder.rename(moved)
    assert open_it(moved).key == key
    (moved / "signals.jsonl").unlink()
    assert open_it(moved).key != key
