"""A damaged file of a shift, and the sound copy that comes later: each round counts once, decisions stay.

What the watch of a segment would find is known by the shipped recording's log, so that no model runs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from tests.repository import DEMO, ROOT
from tests.service.hand_clock import NOON
from tests.service.review.test_reviewing import copy_table
from thirdcard.service.config.data_folder import Home
from thirdcard.service.media.clips import ClipSpan, cut_clip
from thirdcard.service.review.engine import JobKey, Jobs, Told
from thirdcard.service.review.entering import seen_film
from thirdcard.service.review.opening import OpenedTable, open_table
from thirdcard.service.review.reviewing import Reviewer, ShiftOutcome
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift import Shift, find_wanted
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow
from thirdcard.service.store.shift_schema import LogNoteRow

BEGAN = datetime(2026, 5, 4, 20, 0, tzinfo=UTC)
LINES = [
    json.loads(line) for line in (ROOT / "tests/data/review/events.jsonl").read_text(encoding="utf-8").splitlines()
]
BOUNDS_S = (0.0, 20.0, 50.0, 80.0)
LOST_S = (32.0, 40.0)
"""In the second file; a late bet at 36.9 s and the end of no round lie in it."""
MARK = b"spoilt"


@dataclass
class RecordedEngine:
    """Finds what the recording's log tells, but for what is lost in a file that bears the mark."""

    watched: list[tuple[float, float]] = field(default_factory=list)

    def watch(self, jobs: Jobs, told: Told) -> Iterator[tuple[JobKey, SegmentResult]]:
        """See `Engine.watch`."""
        for key, job in jobs:
            yield key, self._result(job)

    def _result(self, job: SegmentJob) -> SegmentResult:
        first, last = job.segment.sources[0], job.segment.sources[-1]
        zero_s = _second_of(Path(first.path)) + first.from_s - first.at_t
        from_t, to_t = first.at_t, last.at_t + last.to_s - last.from_s
        self.watched.append((round(from_t + zero_s, 1), round(to_t + zero_s, 1)))
        is_spoilt = any(Path(source.path).read_bytes().endswith(MARK) for source in job.segment.sources)
        lost = [(LOST_S[0] - zero_s, LOST_S[1] - zero_s)] if is_spoilt else []
        lines = [line | {"t": round(line["t"] - zero_s, 3)} for line in LINES]
        lines = [line for line in lines if not any(a <= line["t"] <= b for a, b in lost)]
        for a, b in lost:
            lines.append({"t": a, "type": "camera_lost", "camera": "overhead", "fault": "damaged", "source": "camera"})
            lines.append({"t": b, "type": "camera_back", "camera": "overhead", "source": "camera"})
        return SegmentResult(
            number=job.segment.number,
            from_t=from_t,
            to_t=to_t,
            lines=sorted(
                (line for line in lines if from_t <= line["t"] <= to_t), key=lambda line: float(str(line["t"]))
            ),
            is_amid_round=False,
            fault=None,
            decoded=1,
            passed=0,
            lost=[[a, b, "damaged"] for a, b in lost],
        )


class Listener:
    """Hears how it went."""

    def __init__(self) -> None:
        self.outcomes: list[ShiftOutcome] = []

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """Nothing to tell."""

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """Nothing to tell."""

    def finish(self, shift: Shift, outcome: ShiftOutcome) -> None:
        """Remember."""
        self.outcomes.append(outcome)


@dataclass
class ReviewRoom:
    """A folder of recordings and the store that they are reviewed into."""

    folder: Path
    home: Home
    database: Database
    engine: RecordedEngine

    def open(self) -> OpenedTable:
        (wanted,) = find_wanted([self.folder], None)
        names = {video.name for video in wanted.videos}
        return open_table(wanted, ZoneInfo("UTC"), seen_film(self.database, "DEMO", names))

    def review(self) -> list[ShiftOutcome]:
        listener = Listener()
        reviewer = Reviewer(home=self.home, database=self.database, engine=self.engine, now=lambda: NOON, processes=1)
        reviewer.review(self.open().shifts, listener)
        return listener.outcomes

    def second_file(self) -> Path:
        return sorted(self.folder.glob("*.mp4"))[1]

    def counted_rounds(self) -> list[int]:
        """When those rounds closed that figures count, in seconds of the recording."""
        with self.database.reading() as session:
            wanted = select(RoundRow.closed_at).join(LogRow).where(RoundRow.is_counted, LogRow.is_counted)
            return sorted(round((at - BEGAN).total_seconds()) for at in session.scalars(wanted))

    def alerts(self) -> list[tuple[str, int, str]]:
        """Code, second of the recording and state of what is alleged of the game."""
        with self.database.reading() as session:
            of_game = select(AlertRow).where(AlertRow.code.not_like("camera.%"))
            rows = session.scalars(of_game.order_by(AlertRow.at)).all()
            return [(row.code, round((row.at - BEGAN).total_seconds()), row.state) for row in rows]

    def notes(self, kind: str) -> list[str]:
        with self.database.reading() as session:
            rows = select(LogNoteRow.text).where(LogNoteRow.kind == kind).order_by(LogNoteRow.id)
            return list(session.scalars(rows))


def _second_of(path: Path) -> float:
    """Which second of the recording a file begins with."""
    at = datetime.strptime(path.stem.removeprefix("demo_"), "%Y-%m-%d_%H-%M-%S.%f").replace(tzinfo=UTC)
    return (at - BEGAN).total_seconds()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[ReviewRoom]:
    """The shipped recording in three dated files, the second of which is spoilt."""
    folder = tmp_path / "shift"
    folder.mkdir()
    copy_table(folder)
    from_s = 0.0
    for to_s in BOUNDS_S[1:]:
        part = folder / "part.mp4"
        covered = cut_clip(DEMO / "video.mp4", part, ClipSpan(from_s=from_s, to_s=to_s))
        at = BEGAN + timedelta(seconds=covered.from_s)
        part.rename(folder / f"demo_{at:%Y-%m-%d_%H-%M-%S}.{at.microsecond:06d}.mp4")
        from_s = covered.to_s
    home = Home(tmp_path / "room")
    home.make()
    database = home.open_database({})
    found = ReviewRoom(folder, home, database, RecordedEngine())
    with found.second_file().open("ab") as file:
        file.write(MARK)
    yield found
    database.close()


def replace_second(room: ReviewRoom) -> None:
    """Put a sound copy in the place of the spoilt file."""
    path = room.second_file()
    path.write_bytes(path.read_bytes().removesuffix(MARK))


def test_what_was_lost_is_told_and_what_was_seen_is_entered(room: ReviewRoom) -> None:
    (outcome,) = room.review()
    (fault,) = outcome.faults
    assert fault.endswith("is damaged: nobody saw 8.0 s")
    assert room.notes("broken") == [fault]
    assert [code for code, _, _ in room.alerts()] == ["exposed_card.face_up_deal", "misdeal.third_card_not_due"]


def test_sound_copy_completes_the_shift_and_decisions_stay(room: ReviewRoom) -> None:
    room.review()
    rounds = room.counted_rounds()
    with room.database.writing() as session:
        for row in session.scalars(select(AlertRow)):
            row.state = "confirmed"
    replace_second(room)

    (outcome,) = room.review()

    assert outcome.faults == ()
    assert room.alerts() == [
        ("exposed_card.face_up_deal", 6, "confirmed"),
        ("late_bet.placed", 37, "open"),
        ("misdeal.third_card_not_due", 70, "confirmed"),
    ]
    assert len(rounds) == len(room.counted_rounds()) == 5
    assert room.notes("completed") == [
        "8.0 s are seen here that an earlier review could not see",
        f"8.0 s that nobody saw here were seen later: log {outcome.log_id}",
    ]
    assert room.open().shifts == ()
    assert room.open().faults == ()
    from_s, to_s = room.engine.watched[-1]
    assert from_s < 31.0
    assert 45.0 < to_s < 70.0


def test_what_is_still_lost_is_tried_again_and_enters_nothing(room: ReviewRoom) -> None:
    room.review()
    logs = room.counted_rounds(), room.alerts()
    (outcome,) = room.review()
    assert outcome.log_id is None
    assert outcome.faults
    assert (room.counted_rounds(), room.alerts()) == logs


def test_sound_copy_beside_the_spoilt_file_completes_it_too(room: ReviewRoom) -> None:
    room.review()
    spoilt = room.second_file()
    (room.folder / "again.mp4").write_bytes(spoilt.read_bytes().removesuffix(MARK))
    room.review()
    assert [code for code, _, _ in room.alerts()].count("late_bet.placed") == 1
    assert len(room.counted_rounds()) == 5


def test_file_that_was_cut_off_is_seen_from_where_it_ended(room: ReviewRoom) -> None:
    replace_second(room)
    path = room.second_file()
    whole = path.read_bytes()
    cut_clip(path, path.with_name("short.mp4"), ClipSpan(from_s=0.0, to_s=10.0))
    path.with_name("short.mp4").rename(path)
    room.review()
    assert "late_bet.placed" not in [code for code, _, _ in room.alerts()]
    path.write_bytes(whole)
    room.review()
    assert [code for code, _, _ in room.alerts()].count("late_bet.placed") == 1
    assert len(room.counted_rounds()) == 5
