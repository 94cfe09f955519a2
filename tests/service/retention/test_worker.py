"""Retention: what goes when, what never goes, and what is said of the disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.service.hand_clock import NOON, HandClock
from tests.service.mqtt_fakes import wait_until
from tests.service.stores import add_alert, add_file, bare_database
from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts import cases
from thirdcard.service.retention import rules as keeping
from thirdcard.service.retention.disk_budget import DiskLevel, free_bytes
from thirdcard.service.retention.rules import FOREVER, KeepingClass
from thirdcard.service.retention.worker import GB, Retention, RetentionFile
from thirdcard.service.store import audit, chain
from thirdcard.service.store.blob_store import EvidenceStore
from thirdcard.service.store.database import Database
from thirdcard.service.store.holds import hold_alert, hold_case, lift_hold
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import EvidenceRow
from thirdcard.service.store.verification import verify_chains, verify_evidence

ANNA = Person(name="anna", role=Role.SUPERVISOR, tables=None)
DAYS = {"routine": 10, "alert": 100, "case": 300, "hold": 20}


@dataclass(slots=True)
class Room:
    """Evidence, its keeper, and a disk of any size."""

    database: Database
    folder: Path
    clock: HandClock
    keeper: Retention
    free: int = 100 * GB
    told: list[tuple[str, Severity]] = field(default_factory=list)

    def alert(self, *, days: float = 0, size: int = 1000, **facts: Any) -> int:
        """An alert of so many days ago with a clip."""
        number = add_alert(self.database, at=self.clock() - timedelta(days=days), **facts)
        add_file(self.database, self.folder, number, size=size)
        return number

    def case_with(self, *alerts: int) -> int:
        """An open case."""
        with self.database.writing() as session:
            number = cases.open_case(session, ANNA, "A case", now=self.clock())
            for alert in alerts:
                assert cases.put_alert(session, ANNA, number, alert, now=self.clock())
        return number

    def close(self, case: int) -> None:
        """Close a case."""
        with self.database.writing() as session:
            assert cases.set_case_state(session, ANNA, case, "closed", now=self.clock())

    def left(self) -> list[int]:
        """The alerts whose files are there, by the rows and on the disk."""
        with self.database.reading() as session:
            rows = session.scalars(select(EvidenceRow).order_by(EvidenceRow.id)).all()
            kept = [row.alert_id for row in rows if row.state == "kept"]
        there = sorted(int(path.stem.split("-")[0]) for path in self.folder.rglob("*.mp4"))
        assert sorted(kept) == there
        return there

    def verify(self) -> None:
        """All chains and files are as they were sealed."""
        with self.database.reading() as session:
            assert verify_chains(session) is None
            assert verify_evidence(session, EvidenceStore(self.folder)) is None

    def settings(self, **changes: Any) -> None:
        """Other settings."""
        self.keeper.settings = RetentionFile.model_validate({"days": DAYS, "keep_free_gb": 0} | changes)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    database, clock, folder = bare_database(tmp_path / "room.db"), HandClock(), tmp_path / "evidence"
    folder.mkdir()
    told: list[tuple[str, Severity]] = []
    keeper = Retention(
        database, folder, RetentionFile(), clock, lambda code, severity, _: told.append((code, severity))
    )
    made = Room(database, folder, clock, keeper, told=told)
    made.settings()
    keeper.free = lambda _: made.free
    yield made
    database.close()


@pytest.mark.parametrize(
    ("facts", "days"),
    [
        pytest.param({"state": "dismissed"}, 10, id="dismissed-is-routine"),
        pytest.param({"state": "open", "severity": "info"}, 10, id="hardly-matters-is-routine"),
        pytest.param({"state": "open"}, 100, id="open"),
        pytest.param({"state": "acknowledged"}, 100, id="acknowledged"),
        pytest.param({"state": "confirmed"}, 100, id="confirmed"),
    ],
)
def test_evidence_goes_when_its_class_is_over_and_not_before(room: Room, facts: dict[str, Any], days: float) -> None:
    room.settings(routine_severities=["info"])
    number = room.alert(**facts)
    room.clock.move(days=days, seconds=-1)
    assert room.keeper.delete_what_is_over() == 0
    assert room.left() == [number]
    room.clock.move(seconds=1)
    assert room.keeper.delete_what_is_over() == 1
    assert room.left() == []
    room.verify()


def test_class_without_an_end_is_kept_for_ever(room: Room) -> None:
    room.settings(days={**DAYS, "alert": None, "routine": None})
    number = room.alert(days=30_000, state="confirmed")
    assert room.keeper.delete_what_is_over() == 0
    room.settings(days={**DAYS, "alert": None})
    assert room.keeper.delete_what_is_over() == 0
    assert room.left() == [number]


def test_open_case_keeps_and_a_closed_one_for_its_days(room: Room) -> None:
    number = room.alert(state="dismissed")
    case = room.case_with(number)
    room.clock.move(days=5000)
    assert room.keeper.delete_what_is_over() == 0
    room.close(case)
    room.clock.move(days=299)
    assert room.keeper.delete_what_is_over() == 0
    room.clock.move(days=1)
    assert room.keeper.delete_what_is_over() == 1
    room.verify()


def test_case_that_is_over_takes_nothing_from_the_alerts_own_time(room: Room) -> None:
    room.settings(days={**DAYS, "case": 1})
    number = room.alert(state="confirmed")
    room.close(room.case_with(number))
    room.clock.move(days=50)
    assert room.keeper.delete_what_is_over() == 0
    assert room.left() == [number]


@pytest.mark.parametrize("is_of_case", [pytest.param(False, id="alert"), pytest.param(True, id="case")])
def test_hold_keeps_until_it_is_lifted_and_its_days_are_over(room: Room, is_of_case: bool) -> None:
    room.settings(days={**DAYS, "case": 1})
    number = room.alert(state="dismissed")
    case = room.case_with(number)
    room.close(case)
    with room.database.writing() as session:
        hold = (
            hold_case(session, "anna", case, "The court asks.", now=room.clock())
            if is_of_case
            else hold_alert(session, "anna", number, "The court asks.", now=room.clock())
        )
    assert hold is not None
    room.clock.move(days=5000)
    assert room.keeper.delete_what_is_over() == 0
    with room.database.writing() as session:
        assert lift_hold(session, "bert", hold, now=room.clock())
    room.clock.move(days=19)
    assert room.keeper.delete_what_is_over() == 0
    room.clock.move(days=1)
    assert room.keeper.delete_what_is_over() == 1
    assert room.left() == []


def test_deletion_stands_in_the_alerts_chain_and_in_the_audit(room: Room) -> None:
    number = room.alert(state="dismissed", size=700)
    add_file(room.database, room.folder, number, "still", size=300)
    room.clock.move(days=10)
    room.keeper.delete_what_is_over()
    with room.database.reading() as session:
        told = [json.loads(line.body) for line in chain.read(session, "alerts/B07")][-2:]
        act = [json.loads(line.body) for line in chain.read(session, audit.AUDIT)][-1]
        rows = session.scalars(select(EvidenceRow)).all()
    assert [(line["alert"], line["deleted"], line["why"]) for line in told] == [
        (number, "clip", "its time is over"), (number, "still", "its time is over"),
    ]  # fmt: skip
    assert (act["who"], act["action"], act["target"]) == ("system", "evidence.deleted", f"alert:{number}")
    assert act["details"] == {
        "kinds": ["clip", "still"], "bytes": 1000, "class": "routine", "why": "its time is over",
    }  # fmt: skip
    assert {(row.state, row.path) for row in rows} == {("deleted", None)}


def test_what_came_into_a_case_meanwhile_stays(room: Room) -> None:
    number = room.alert(state="dismissed")
    room.clock.move(days=10)
    rules = room.keeper.settings.rules()
    with room.database.reading() as session:
        over = keeping.standings(session, rules, [number], now=room.clock())
    room.case_with(number)
    with room.database.writing() as session:
        assert keeping.mark_deleted(session, rules, over, "its time is over", now=room.clock()) == []
    assert room.left() == [number]


def test_fall_between_mark_and_deletion_is_made_good(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    number = room.alert(state="dismissed")
    room.clock.move(days=10)
    with monkeypatch.context() as falling:
        falling.setattr(Path, "unlink", _power_fails)
        with pytest.raises(KeyboardInterrupt):
            room.keeper.delete_what_is_over()
    assert (room.folder / "B07" / f"{number}-clip.mp4").exists()
    room.verify()

    room.keeper.look()
    assert room.left() == []
    room.verify()


def test_file_that_the_disk_does_not_let_go_is_tried_again(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.alert(state="dismissed")
    room.clock.move(days=10)
    with monkeypatch.context() as stuck:
        stuck.setattr(Path, "unlink", _read_only)
        room.keeper.look()
    assert len(list(room.folder.rglob("*.mp4"))) == 1
    room.keeper.finish_deletions()
    assert room.left() == []


def test_file_outside_the_folder_is_never_touched(room: Room, tmp_path: Path) -> None:
    number = room.alert(state="dismissed")
    foreign = tmp_path / "foreign.mp4"
    foreign.write_bytes(b"not ours")
    with room.database.writing() as session:
        row = session.scalars(select(EvidenceRow).where(EvidenceRow.alert_id == number)).one()
        row.path = "../foreign.mp4"
    room.clock.move(days=10)
    room.keeper.delete_what_is_over()
    assert foreign.exists()


def test_standing_says_why_and_until_when(room: Room) -> None:
    plain, gathered, held = (room.alert(state="confirmed") for _ in range(3))
    room.close(room.case_with(gathered))
    with room.database.writing() as session:
        hold_alert(session, "anna", held, "The court asks.", now=room.clock())
    with room.database.reading() as session:
        found = keeping.standings(session, room.keeper.settings.rules(), [held, gathered, plain], now=room.clock())
    assert [(standing.alert_id, standing.kind, standing.until) for standing in found] == [
        (plain, KeepingClass.ALERT, NOON + timedelta(days=100)),
        (gathered, KeepingClass.CASE, NOON + timedelta(days=300)),
        (held, KeepingClass.HOLD, FOREVER),
    ]


def test_budget_takes_the_oldest_routine_evidence_first(room: Room) -> None:
    room.settings(budget_gb=3000 / GB)
    confirmed = room.alert(days=9, state="confirmed")
    older = room.alert(days=8, state="dismissed")
    newer = room.alert(days=7, state="dismissed")
    open_one = room.alert(days=6)
    state = room.keeper.keep_budget()
    assert room.left() == [confirmed, newer, open_one]
    assert (state.level, state.used_bytes) == (DiskLevel.WARNING, 3000)
    assert older not in room.left()
    room.verify()


def test_budget_takes_decided_alerts_next_and_never_what_is_kept_or_undecided(room: Room) -> None:
    room.settings(budget_gb=1 / GB)
    confirmed = room.alert(days=9, state="confirmed")
    routine = room.alert(days=1, state="dismissed")
    waiting = [room.alert(days=8, state=state) for state in ("open", "acknowledged", "escalated")]
    gathered, closed, held = (room.alert(days=9, state="dismissed") for _ in range(3))
    room.case_with(gathered)
    room.close(room.case_with(closed))
    with room.database.writing() as session:
        hold_alert(session, "anna", held, "The court asks.", now=room.clock())
    state = room.keeper.keep_budget()
    assert room.left() == sorted([*waiting, gathered, closed, held])
    assert not {confirmed, routine} & set(room.left())
    assert state.level is DiskLevel.SPENT
    assert room.told == [("disk.spent", Severity.HIGH)]
    room.verify()


def test_warning_comes_before_the_budget_is_spent_once_and_goes_with_some_distance(room: Room) -> None:
    room.settings(budget_gb=10_000 / GB)
    for _ in range(7):
        room.alert(state="open")
    assert room.keeper.keep_budget().level is DiskLevel.FINE
    assert room.told == []

    eighth = room.alert(state="dismissed")
    for _ in range(3):
        assert room.keeper.keep_budget().level is DiskLevel.WARNING
    assert room.told == [("disk.warning", Severity.MEDIUM)]
    assert len(room.left()) == 8

    room.settings(budget_gb=10_500 / GB)
    assert room.keeper.keep_budget().level is DiskLevel.WARNING
    room.clock.move(days=10)
    room.keeper.delete_what_is_over()
    assert room.keeper.keep_budget().level is DiskLevel.FINE
    assert room.told[1:] == [("disk.fine", Severity.INFO)]
    assert eighth not in room.left()
    with room.database.reading() as session:
        acts = [json.loads(line.body)["action"] for line in chain.read(session, audit.AUDIT)]
    assert [act for act in acts if act.startswith("disk")] == ["disk.warning", "disk.fine"]


def test_room_that_others_take_counts_as_well(room: Room) -> None:
    room.settings(keep_free_gb=5)
    room.alert(state="dismissed", size=2000)
    kept = room.alert(state="open", size=1000)
    room.free = 5 * GB - 1500
    state = room.keeper.keep_budget()
    assert room.left() == [kept]
    assert state.capacity_bytes == 0
    assert state.level is DiskLevel.SPENT


def test_full_disk_is_told(room: Room) -> None:
    room.free = 10**6
    room.keeper.keep_budget()
    room.keeper.keep_budget()
    assert room.told == [("disk.full", Severity.CRITICAL)]


def test_level_that_could_not_be_told_is_shown_and_told_later(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.free = 10**6
    with monkeypatch.context() as broken:
        broken.setattr(audit, "note", _read_only)
        with pytest.raises(OSError, match="Read-only"):
            room.keeper.keep_budget()
    assert room.keeper.state is not None
    assert room.keeper.state.level is DiskLevel.FULL
    room.keeper.keep_budget()
    with room.database.reading() as session:
        (act,) = [json.loads(line.body) for line in chain.read(session, audit.AUDIT)]
    assert act["action"] == "disk.full"


def test_real_disk_has_something_free(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0


def test_keeper_works_by_itself_and_says_why_when_it_cannot(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.alert(state="dismissed")
    room.clock.move(days=10)
    room.keeper.look_s = 0.01
    with monkeypatch.context() as broken:
        broken.setattr(keeping, "used_bytes", _read_only)
        room.keeper.start()
        wait_until(lambda: "Read-only" in (room.keeper.fault or ""))
    wait_until(lambda: room.keeper.fault is None and room.keeper.state is not None)
    room.keeper.stop()
    assert room.left() == []


def test_what_is_over_is_looked_for_now_and_then(room: Room) -> None:
    room.alert(state="dismissed")
    room.keeper.look()
    room.clock.move(days=10)
    room.keeper.look()
    assert room.left() == []
    late = room.alert(days=11, state="dismissed")
    room.clock.move(minutes=14)
    room.keeper.look()
    assert room.left() == [late]
    room.clock.move(minutes=1)
    room.keeper.look()
    assert room.left() == []


def _power_fails(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _read_only(*_: object, **__: object) -> int:
    raise OSError(30, "Read-only file system")


def record(room: Room, table: str, *ages_min: float) -> None:
    """Files of a table's ring, 1 GB each by what they say, begun so many minutes ago."""
    folder = room.folder.with_name("ring") / table
    folder.mkdir(parents=True, exist_ok=True)
    for age in ages_min:
        began = room.clock() - timedelta(minutes=age)
        with (folder / f"{began:%Y%m%dT%H%M%S.%fZ}.mkv").open("wb") as file:
            file.truncate(GB)


def recorded(room: Room) -> list[str]:
    return sorted(path.parent.name for path in room.folder.with_name("ring").rglob("*.mkv"))


def test_recordings_give_way_before_any_evidence(room: Room) -> None:
    routine = room.alert(state="dismissed", size=1000)
    record(room, "B07", 300, 100, 10)
    record(room, "B08", 200)
    room.settings(budget_gb=1.5)

    state = room.keeper.keep_budget()

    assert recorded(room) == ["B07", "B07"]  # the oldest of all tables went, and the last minutes are not counted
    assert room.left() == [routine]
    assert (state.level, state.recorded_bytes, state.used_bytes) == (DiskLevel.FINE, GB, 1000)
    assert room.told == []


def test_recordings_leave_the_disk_its_room(room: Room) -> None:
    record(room, "B07", 300, 200)
    room.free = 4 * GB
    room.settings(keep_free_gb=5)
    room.keeper.keep_budget()
    assert recorded(room) == ["B07"]


def test_the_last_minutes_of_a_camera_stay_on_a_full_disk(room: Room) -> None:
    record(room, "B07", 300, 14, 1)
    room.free = 0
    assert room.keeper.keep_budget().level is DiskLevel.FULL
    room.settings(keep_free_gb=50)
    room.keeper.keep_budget()
    assert recorded(room) == ["B07", "B07"]
