"""Holds: who put them and why, lifted once, each act in the audit chain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON
from tests.service.stores import add_alert, bare_database
from thirdcard.service.alerts.cases import open_case
from thirdcard.service.store import audit, chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.holds import hold_alert, hold_case, lift_hold, list_holds
from thirdcard.service.store.people import Person, Role

ANNA = Person(name="anna", role=Role.SUPERVISOR, tables=None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = bare_database(tmp_path / "room.db")
    yield opened
    opened.close()


def test_hold_is_put_and_lifted_with_who_and_why(database: Database) -> None:
    number = add_alert(database)
    with database.writing() as session:
        case = open_case(session, ANNA, "A case", now=NOON)
        first = hold_alert(session, "anna", number, "The court asks.", now=NOON)
        second = hold_case(session, "anna", case, "So does the police.", now=NOON)
        assert first is not None
        assert second is not None
        assert lift_hold(session, "bert", first, now=NOON)
        assert not lift_hold(session, "bert", first, now=NOON)
    with database.reading() as session:
        (view,) = list_holds(session)
        assert (view.case_id, view.alert_id, view.reason) == (case, None, "So does the police.")
        assert [hold.lifted_by for hold in list_holds(session, are_lifted_shown=True)] == [None, "bert"]
        acts = [json.loads(line.body) for line in chain.read(session, audit.AUDIT)][1:]
    assert [(act["who"], act["action"], act["target"]) for act in acts] == [
        ("anna", "hold.put", f"alert:{number}"),
        ("anna", "hold.put", f"case:{case}"),
        ("bert", "hold.lifted", f"alert:{number}"),
    ]


def test_nothing_that_is_not_there_is_held_or_lifted(database: Database) -> None:
    with database.writing() as session:
        assert hold_alert(session, "anna", 99, "why", now=NOON) is None
        assert hold_case(session, "anna", 99, "why", now=NOON) is None
        assert not lift_hold(session, "anna", 99, now=NOON)
