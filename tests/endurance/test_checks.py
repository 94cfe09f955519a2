"""The checks find each kind of loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Executable, delete, func, select, update

from tests.endurance.checks import faults_at_the_end, faults_of
from tests.endurance.diary import Diary, Told
from tests.service.live.test_journal import ALERT
from tests.service.store.conftest import NOW
from thirdcard.rules.log.events import CameraBack, CameraLost, CameraMoved, DealerChanged, Event, Source
from thirdcard.service.alerts.cases import add_note, open_case
from thirdcard.service.alerts.lifecycle import Step, take_step
from thirdcard.service.alerts.signals import keep_signal
from thirdcard.service.config.data_folder import Home
from thirdcard.service.live.journal import Journal, News
from thirdcard.service.store import chain
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import AlertChange, AlertRow, CaseNote, EvidenceRow, SignalRow

BOSS = Person(name="boss", role=Role.SUPERVISOR)
LATER = NOW + timedelta(minutes=1)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.make()
    return made


@pytest.fixture
def database(home: Home) -> Iterator[Database]:
    opened = home.open_database({})
    yield opened
    opened.close()


@pytest.fixture
def diary(database: Database) -> Diary:
    """The diary of a store that holds one acknowledged entry of each kind."""
    journal, diary = Journal(database, "T1", {}), Diary()
    journal.open(NOW)
    with database.writing() as session:
        diary.signals["Ada"] = keep_signal(session, "T1", NOW, {"type": "dealer_changed", "dealer": "Ada"})
        case = open_case(session, BOSS, "Case", now=NOW)
        add_note(session, BOSS, case, "a note", now=NOW)
        diary.notes["a note"] = case
    journal.write(News(events=[DealerChanged(t=1.0, dealer="Ada", source=Source.SIGNAL)], alerts=[ALERT]), NOW)
    with database.writing() as session:
        take_step(session, BOSS, 1, Step(state=AlertState.CONFIRMED, note="seen"), now=NOW)
        session.execute(update(SignalRow).values(is_taken=True))
        for row in session.scalars(select(EvidenceRow)):
            session.delete(row)
    diary.decisions["seen"] = (1, "confirmed")
    diary.told += [Told("1-0", "alert", {"id": 1}), Told("1-1", "change", {"id": 1})]
    return diary


def found(database: Database, home: Home, diary: Diary) -> str:
    """Return all faults, one on each line."""
    with database.reading() as session:
        return "\n".join([*faults_of(session, home, diary), *faults_at_the_end(session, home, diary, LATER)])


def test_nothing_is_found_where_nothing_is_lost(database: Database, home: Home, diary: Diary) -> None:
    assert found(database, home, diary) == ""


@pytest.mark.parametrize(
    ("loss", "fault"),
    [
        pytest.param(delete(CaseNote), "note 'a note' is there 0 times", id="note"),
        pytest.param(delete(AlertChange), "decision 'seen' about alert 1 is lost", id="decision"),
        pytest.param(delete(SignalRow), "report 1 of Ada is lost", id="report"),
        pytest.param(update(SignalRow).values(is_taken=False), "taken: False", id="report-not-taken"),
        pytest.param(update(AlertRow).values(state="open"), "alert 1 is open; the last decision", id="state"),
        pytest.param(
            update(AlertRow).values(body=func.replace(AlertRow.body, "500", "900")), "alert 1: was changed", id="alert"
        ),
    ],
)
def test_loss_is_found(database: Database, home: Home, diary: Diary, loss: Executable, fault: str) -> None:
    with database.writing() as session:
        session.execute(loss)
    assert fault in found(database, home, diary)


def test_what_the_stream_did_not_tell_or_told_twice_is_found(database: Database, home: Home, diary: Diary) -> None:
    diary.told[1] = diary.told[0]
    text = found(database, home, diary)
    assert "the stream never sent change 1" in text
    assert "the stream sent alert 1 2 times" in text
    assert "the stream sent 1-0 after 1-0" in text


def test_alert_that_was_entered_twice_is_found(database: Database, home: Home, diary: Diary) -> None:
    journal = Journal(database, "T1", {})
    journal.open(NOW)
    another = replace(ALERT, t=ALERT.t + 1.0)
    journal.write(News(alerts=[another, replace(another, noticed_at=31.0)]), NOW)
    assert "alert 3 is the same as alert 2" in found(database, home, diary)


def test_report_that_never_came_into_the_log_is_found(database: Database, home: Home, diary: Diary) -> None:
    with database.writing() as session:
        keep_signal(session, "T1", NOW, {"type": CameraMoved.type, "camera": "side"})
    assert "report 2 of side is in the log 0 times" in found(database, home, diary)


def test_line_that_was_shown_and_is_not_there_is_found(database: Database, home: Home, diary: Diary) -> None:
    diary.lines["T1"] = {'{"t":9}'}
    assert 'T1: a log line that was shown is lost or changed: {"t":9}' in found(database, home, diary)


@pytest.mark.parametrize(
    ("changes", "is_excused"),
    [
        pytest.param([(-30, CameraLost)], True, id="no camera"),
        pytest.param([(-30, CameraLost), (5, CameraBack)], False, id="back amid it"),
        pytest.param([(5, CameraLost)], False, id="lost amid it"),
        pytest.param([], False, id="camera throughout"),
    ],
)
def test_clip_may_fail_only_where_there_was_no_camera(
    database: Database, home: Home, diary: Diary, changes: list[tuple[int, type[Event]]], is_excused: bool
) -> None:
    with database.writing() as session:
        for second, kind in changes:
            at = (NOW + timedelta(seconds=second)).isoformat()
            chain.append(session, log_chain("T1"), [{"t": 40.0 + second, "type": kind.type, "at": at}], at=NOW)
        span = {"from_at": NOW, "to_at": NOW + timedelta(seconds=20)}
        session.add(EvidenceRow(alert_id=1, kind="clip", state="failed", fault="the ring holds nothing", **span))

    assert ("its clip is failed" in found(database, home, diary)) is not is_excused
