"""Dealers are one person each, however they are written."""

from __future__ import annotations

import pytest

from tests.service.hand_clock import NOON
from thirdcard.service.dealers.names import fold, looks_like
from thirdcard.service.dealers.register import (
    DealerError,
    DealerFields,
    active_names,
    add_dealer,
    change_dealer,
    find_dealer,
    join_dealers,
    join_reported,
    known_as,
    list_dealers,
)
from thirdcard.service.store.database import Database

BEN = DealerFields(name="Ben Tan", staff_id="1041", badge="04A1B2")


@pytest.mark.parametrize(
    "other", ["ben tan", "BEN  TAN", "Tan, Ben", "Ben-Tan", " Bén Tan ", "ben_tan"], ids=lambda text: text
)
def test_case_accents_and_order_make_no_other_person(other: str) -> None:
    assert fold(other) == fold("Ben Tan")


def test_other_names_are_other_people() -> None:
    assert fold("Ben Tan") != fold("Ben Tang")
    assert fold("李伟") != fold("李娜")
    assert fold("--") != fold("++")
    assert fold("1-2") != fold("2-1")


@pytest.mark.parametrize(("name", "other"), [("Ben Tann", "Ben Tan"), ("Bne Tan", "Ben Tan"), ("Ann Lee", None)])
def test_misspelled_names_are_pointed_out(name: str, other: str | None) -> None:
    assert looks_like(name, ["Ben Tan", "Cleo Park"]) == other


@pytest.mark.parametrize("text", ["ben tan", "1041", "04A1B2", "04a1b2", "Tan Ben"])
def test_name_number_and_badge_mean_the_same_dealer(database: Database, text: str) -> None:
    with database.writing() as session:
        add_dealer(session, BEN, now=NOON)
        assert known_as(session, text, now=NOON) == "Ben Tan"
        assert len(list_dealers(session)) == 1


def test_name_that_nobody_entered_stands_there_unconfirmed_and_once(database: Database) -> None:
    with database.writing() as session:
        add_dealer(session, BEN, now=NOON)
        assert known_as(session, "Ben  Tann", now=NOON) == "Ben Tann"
        assert known_as(session, "BEN TANN", now=NOON) == "Ben Tann"
        known, new = list_dealers(session)
        assert (known.is_confirmed, new.is_confirmed, new.looks_like) == (True, False, "Ben Tan")
        assert active_names(session) == ["Ben Tan"]


def test_entering_it_confirms_it(database: Database) -> None:
    with database.writing() as session:
        known_as(session, "ben tan", now=NOON)
        number = add_dealer(session, BEN, now=NOON)
        (one,) = list_dealers(session)
        assert (one.id, one.is_confirmed, one.staff_id) == (number, True, "1041")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param(DealerFields(name="tan ben"), "name", id="name"),
        pytest.param(DealerFields(name="Ann Lee", staff_id="1041"), "staff_id", id="number"),
        pytest.param(DealerFields(name="Ann Lee", badge="04A1B2"), "badge", id="badge"),
        pytest.param(DealerFields(name="Ann Lee", badge="1041"), "badge", id="a badge that is another one's number"),
        pytest.param(DealerFields(name="  "), "name", id="no name"),
        pytest.param(DealerFields(name="Ann\nLee\x07"), "name", id="unprintable"),
    ],
)
def test_what_another_has_is_refused(database: Database, fields: DealerFields, field: str) -> None:
    with database.writing() as session:
        add_dealer(session, BEN, now=NOON)
        with pytest.raises(DealerError) as refused:
            add_dealer(session, fields, now=NOON)
        assert refused.value.field == field
        assert len(list_dealers(session)) == 1


def test_old_name_still_finds_who_has_another_now(database: Database) -> None:
    with database.writing() as session:
        number = add_dealer(session, BEN, now=NOON)
        assert change_dealer(session, number, DealerFields(name="Ben Lim", staff_id="1041")) == "Ben Tan"
        assert known_as(session, "Ben Tan", now=NOON) == "Ben Lim"
        assert find_dealer(session, "04A1B2") is None
        assert change_dealer(session, 99, BEN) is None


def test_two_who_are_one_person_are_joined(database: Database) -> None:
    with database.writing() as session:
        ben = add_dealer(session, DealerFields(name="Ben Tan"), now=NOON)
        known_as(session, "Benny T.", now=NOON)
        other = find_dealer(session, "benny t")
        assert other is not None
        assert join_dealers(session, ben, other.id) == ("Ben Tan", "Benny T.")
        assert known_as(session, "T Benny", now=NOON) == "Ben Tan"
        assert join_dealers(session, ben, ben) is None


def test_badge_of_an_entry_that_was_joined_still_finds_the_person(database: Database) -> None:
    with database.writing() as session:
        ben = add_dealer(session, BEN, now=NOON)
        other = add_dealer(session, DealerFields(name="Benny T.", staff_id="9", badge="ff01"), now=NOON)
        join_dealers(session, ben, other)
        assert [known_as(session, text, now=NOON) for text in ("1041", "9", "FF01")] == ["Ben Tan"] * 3


def test_what_was_reported_before_it_was_entered_is_joined(database: Database) -> None:
    with database.writing() as session:
        assert known_as(session, "zz99", now=NOON) == "zz99"
        zara = add_dealer(session, DealerFields(name="Zara Zed", badge="ZZ99"), now=NOON)
        assert join_reported(session, zara) == [("Zara Zed", "zz99")]
        assert [one.name for one in list_dealers(session)] == ["Zara Zed"]


def test_names_longer_than_any_entry_are_one_person(database: Database) -> None:
    with database.writing() as session:
        first, second = (known_as(session, "x" * 300 + end, now=NOON) for end in ("a", "b"))
        assert first == second
