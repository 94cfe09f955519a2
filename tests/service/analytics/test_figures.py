"""Figures out of tallies."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.service.analytics.floors import deal, decide, err
from tests.service.hand_clock import NOON
from thirdcard.service.analytics.asking import (
    Asker,
    By,
    FigureWish,
    TallyReading,
    pace_of_all,
    paces_from,
    tell_figures,
    trend_from,
)
from thirdcard.service.analytics.figures import LEAST_ROUNDS, Figures
from thirdcard.service.analytics.refreshing import refresh_all
from thirdcard.service.config.house import House
from thirdcard.service.config.house_time import HouseTime, ShiftFile
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import Person, Role
from thirdcard.service.store.schema import RoundRow

HOUSE = House()
ADMIN = Asker(person=Person(name="ada", role=Role.ADMIN), are_names_shown=True)
EARLY = ShiftFile(name="early", begins="06:00", ends="13:00")


def ask(database: Database, by: By, house: House = HOUSE, asker: Asker = ADMIN, **wish: Any) -> Figures:
    refresh_all(database)
    with database.reading() as session:
        return tell_figures(session, house, asker, by, FigureWish(**wish))


@pytest.fixture
def floor(database: Database) -> Database:
    """Ann dealt 300 rounds with three errors, ben 250 with one, and cay three with one."""
    ann = deal(database, 300)
    ben = deal(database, 250, table="B08", dealer="ben")
    cay = deal(database, 3, table="B09", dealer="cay")
    for number in (3, 4, 9):
        err(database, ann, number)
    err(database, ben, 7, code="procedure.no_call", dealer="ben")
    err(database, cay, 1, dealer="cay")
    err(database, ann, 20, code="late_bet.placed")
    err(database, ann, 21, code="camera.lost")
    return database


def test_who_dealt_three_rounds_with_an_error_does_not_top_the_list(floor: Database) -> None:
    figures = ask(floor, By.DEALER).items
    assert [(one.name, one.rounds, one.errors, one.is_ranked) for one in figures] == [
        ("ann", 300, 3, True), ("ben", 250, 1, True), ("cay", 3, 1, False)]  # fmt: skip
    assert figures[2].raw.per_1000 == pytest.approx(333.3, abs=0.1)
    assert figures[2].shrunken is not None and figures[2].shrunken.per_1000 < 100
    assert figures[2].rounds < LEAST_ROUNDS


def test_patrons_faults_and_lost_cameras_are_no_errors_of_dealing(floor: Database) -> None:
    house = ask(floor, By.TABLE).house
    assert (house.rounds, house.errors, house.accepted_late_bets) == (553, 5, 1)


def test_a_code_that_is_asked_for_counts_alone(floor: Database) -> None:
    assert [one.errors for one in ask(floor, By.TABLE, code="late_bet", table="B07").items] == [1]
    assert ask(floor, By.TABLE, code="late_bet.placed").total.errors == 1
    assert ask(floor, By.TABLE, code="late_bet.moved").house.errors == 0


def test_codes_have_all_rounds_as_their_denominator(floor: Database) -> None:
    figures = ask(floor, By.CODE).items
    assert [(one.name, one.rounds, one.errors) for one in figures] == [
        ("misdeal.order", 553, 4), ("camera.lost", 553, 1), ("late_bet.placed", 553, 1), ("procedure.no_call", 553, 1)
    ]  # fmt: skip


def test_only_confirmed_alerts_count_when_asked(database: Database) -> None:
    log = deal(database, 10)
    decide(database, err(database, log, 1), "confirmed")
    decide(database, err(database, log, 2), "dismissed", "chips_misread")
    err(database, log, 3)
    assert ask(database, By.TABLE).house.errors == 2
    confirmed = ask(database, By.TABLE, is_confirmed_only=True).house
    assert (confirmed.errors, confirmed.decided, confirmed.false_alerts, confirmed.false_share) == (1, 2, 1, 0.5)


def test_hours_days_and_shifts_are_those_of_the_house(database: Database) -> None:
    deal(database, 100)
    house = House(time=HouseTime(zone=ZoneInfo("UTC"), shifts=(EARLY,)))
    assert [(one.name, one.rounds) for one in ask(database, By.HOUR).items] == [("12", 51), ("13", 49)]
    assert [(one.name, one.rounds) for one in ask(database, By.DAY).items] == [("2026-05-04", 100)]
    assert [(one.name, one.rounds) for one in ask(database, By.SHIFT, house).items] == [("early", 51), ("no shift", 49)]
    assert ask(database, By.TABLE, house, shift="early").house.rounds == 51


def test_stretch_of_time_table_and_rulebook_are_kept_apart(floor: Database) -> None:
    assert ask(floor, By.TABLE, table="B08").total.rounds == 250
    assert ask(floor, By.TABLE, to_at=NOON + timedelta(hours=1)).house.rounds == 105
    assert ask(floor, By.TABLE, from_at=NOON + timedelta(hours=1), table="B08").total.rounds == 199
    assert ask(floor, By.RULEBOOK, rulebook="tas").house.rounds == 553
    assert ask(floor, By.RULEBOOK, rulebook="nsw").items == []


def test_who_may_not_see_names_sees_pseudonyms_and_asks_by_them(floor: Database) -> None:
    plain = replace(ADMIN, are_names_shown=False)
    names = [one.name for one in ask(floor, By.DEALER, asker=plain).items]
    assert names == [HOUSE.pseudonyms.of(name) for name in ("ann", "ben", "cay")]
    assert ask(floor, By.DEALER, asker=plain, dealer=names[1]).total.rounds == 250
    assert ask(floor, By.DEALER, asker=plain, dealer="ben").total.rounds == 0
    assert ask(floor, By.DEALER, dealer="ben").total.rounds == 250


def test_who_may_see_one_table_counts_that_one(floor: Database) -> None:
    asker = Asker(person=Person(name="anna", role=Role.OPERATOR, tables=frozenset({"B08"})), are_names_shown=False)
    assert [one.name for one in ask(floor, By.TABLE, asker=asker).items] == ["B08"]


def test_nothing_dealt_gives_no_figures(database: Database) -> None:
    for by in By:
        figures = ask(database, by)
        assert (figures.items, figures.house.rounds, figures.house.rounds_per_hour) == ([], 0, None)


def test_pace_tells_rounds_an_hour_and_what_phases_take(floor: Database) -> None:
    refresh_all(floor)
    with floor.reading() as session:
        reading = TallyReading(session, HOUSE, ADMIN, FigureWish(), has_durations=True)
        of_all, by_table = pace_of_all(reading), paces_from(reading, By.TABLE)
        of_one = TallyReading(session, HOUSE, ADMIN, FigureWish(table="B09"), has_durations=True)
        by_hour = paces_from(of_one, By.HOUR)
    assert of_all.rounds_per_hour == pytest.approx(3600 / 70)
    assert [one.name for one in by_table] == ["B07", "B08", "B09"]
    medians = {one.phase: one.median_s for one in of_all.phases}
    assert medians == {phase: pytest.approx(s, rel=0.15) for phase, s in
                       {"betting": 25, "dealing": 20, "settling": 15, "idle": 10}.items()}  # fmt: skip
    assert [(one.name, one.rounds) for one in by_hour] == [("12", 3)]


def test_trend_has_every_day_and_one_stretch_where_nothing_changed(database: Database) -> None:
    for day in range(6):
        err(database, deal(database, 5, at=NOON + timedelta(days=day)), 2)
    refresh_all(database)
    with database.reading() as session:
        trend = trend_from(TallyReading(session, HOUSE, ADMIN, FigureWish()))
    assert [day.errors for day in trend.days] == [1] * 6
    assert [(one.first, one.last, one.rounds, one.errors) for one in trend.stretches] == [
        ("2026-05-04", "2026-05-09", 30, 6)
    ]
    assert trend.changes == []


def test_rounds_are_counted_as_the_rows_stand(floor: Database) -> None:
    with floor.reading() as session:
        rows = session.query(RoundRow).count()
    assert ask(floor, By.DAY).house.rounds == rows
