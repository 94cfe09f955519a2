"""Who deals at a moment, by the roster and by what the table reports."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.service.hand_clock import NOON
from thirdcard.service.dealers.register import DealerError, DealerFields, add_dealer
from thirdcard.service.dealers.roster import (
    Stint,
    StintFields,
    add_stint,
    dealer_at,
    dealer_before,
    list_stints,
    remove_stint,
)
from thirdcard.service.store.database import Database


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def stint(begin: float, end: float, dealer: str | None, *, is_ruling: bool = False) -> Stint:
    return Stint(
        id=1, table_id="B07", from_at=at(begin), to_at=at(end), dealer=dealer, is_ruling=is_ruling, entered_by="sue"
    )


ROSTER = (stint(0, 40, "Ann"), stint(40, 60, "Ben"), stint(60, 80, None), stint(90, 120, "Ann"))


@pytest.mark.parametrize(
    ("minute", "dealer"),
    [(-1, None), (0, "Ann"), (39.9, "Ann"), (40, "Ben"), (60, None), (79, None), (85, None), (90, "Ann"), (120, None)],
)
def test_roster_alone(minute: float, dealer: str | None) -> None:
    assert dealer_at(ROSTER, at(minute), ()) == dealer


@pytest.mark.parametrize(
    ("minute", "dealer"),
    [(10, "Ann"), (16, "Cleo"), (39, "Cleo"), (41, "Ben"), (52, None), (55, "Ben"), (70, None), (85, "Ben")],
)
def test_what_began_last_holds(minute: float, dealer: str | None) -> None:
    told = ((at(15), "Cleo"), (at(51), None), (at(53), "Ben"))
    assert dealer_at(ROSTER, at(minute), told) == dealer


def test_what_a_table_reported_holds_again_after_the_plan() -> None:
    told = ((at(-10), "Cleo"),)
    assert [dealer_at(ROSTER, at(minute), told) for minute in (-1, 10, 70, 85)] == ["Cleo", "Ann", None, "Cleo"]


def test_who_comes_at_the_end_of_a_round_did_not_deal_it() -> None:
    told = ((at(5), "Cleo"), (at(15), "Dan"))
    assert [dealer_before((), at(minute), told) for minute in (15, 16)] == ["Cleo", "Dan"]
    assert dealer_before(ROSTER, at(40), ()) == "Ann"


def test_badge_at_the_very_moment_comes_before_the_plan() -> None:
    assert dealer_at(ROSTER, at(40), ((at(40), "Cleo"),)) == "Cleo"


def test_what_was_said_afterwards_holds_against_both() -> None:
    lines = (*ROSTER, stint(10, 20, "Dan", is_ruling=True))
    told = ((at(15), "Cleo"),)
    assert [dealer_at(lines, at(minute), told) for minute in (9, 10, 19, 20)] == ["Ann", "Dan", "Dan", "Cleo"]


def test_log_without_a_roster() -> None:
    told = ((at(5), "Ann"), (at(30), None))
    assert [dealer_at((), at(minute), told) for minute in (4, 5, 31)] == [None, "Ann", None]


@pytest.fixture
def staffed(database: Database) -> Database:
    with database.writing() as session:
        add_dealer(session, DealerFields(name="Ann", staff_id="1"), now=NOON)
        add_stint(session, "sue", plan(0, 40, "1"), now=NOON)
    return database


def plan(begin: float, end: float, dealer: str | None, table: str = "B07", *, is_ruling: bool = False) -> StintFields:
    return StintFields(table_id=table, from_at=at(begin), to_at=at(end), dealer=dealer, is_ruling=is_ruling)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        pytest.param(plan(30, 50, "Ann"), "from", id="overlaps"),
        pytest.param(plan(50, 50, "Ann"), "to", id="no length"),
        pytest.param(plan(50, 40, "Ann"), "to", id="backwards"),
        pytest.param(plan(50, 50 + 17 * 60, "Ann"), "to", id="a wrong day"),
        pytest.param(plan(50, 60, "Zoe"), "dealer", id="a stranger"),
    ],
)
def test_line_that_cannot_be_is_refused(staffed: Database, line: StintFields, field: str) -> None:
    with staffed.writing() as session:
        with pytest.raises(DealerError) as refused:
            add_stint(session, "sue", line, now=NOON)
        assert refused.value.field == field


@pytest.mark.parametrize(
    "line", [plan(40, 60, "ann"), plan(10, 20, "Ann", "B08"), plan(10, 20, None, is_ruling=True)], ids=str
)
def test_line_beside_another_is_taken(staffed: Database, line: StintFields) -> None:
    with staffed.writing() as session:
        number = add_stint(session, "sue", line, now=NOON)
        assert len(list_stints(session, table_id=None, from_at=at(-60), to_at=at(600))) == 2
        gone = remove_stint(session, number)
        assert gone is not None and gone.from_at == line.from_at
        assert remove_stint(session, number) is None


def test_dealers_who_changed_at_one_time_of_the_log_are_not_confused() -> None:
    """Late reports get the time at which they came: at that very time nobody knows who dealt."""
    told = ((at(0), "Ann"), (at(10), "Ben"), (at(10), "Cleo"))
    assert [dealer_at((), at(minute), told) for minute in (9, 10, 11)] == ["Ann", None, "Cleo"]
