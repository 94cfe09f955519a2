"""Errors are counted by erring rounds: on a floor whose truth is known, and round by round."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from tests.endurance.erring_trial import DealtFloor, deal_floor, figures_of, try_floor
from tests.service.analytics.floors import add_round, deal, decide, err
from tests.service.analytics.test_figures import ask
from tests.service.hand_clock import NOON
from thirdcard.service.analytics.asking import NO_DEALER, By
from thirdcard.service.analytics.hour_sums import Fault, format_faults, parse_faults
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import RoundRow


@pytest.fixture(scope="module")
def floor() -> DealtFloor:
    return deal_floor(np.random.default_rng(38), 3000, 30, 120)


def test_intervals_hold_the_truth_where_one_mistake_raises_two_alerts(floor: DealtFloor) -> None:
    told = try_floor(floor, trends=300)
    assert 0.94 <= told.held <= 0.96
    assert told.held_by_alerts < 0.94, "counted by alerts they were too narrow"


def test_steady_dealers_seldom_seem_to_change(floor: DealtFloor) -> None:
    told = try_floor(floor, trends=300)
    assert told.changed <= 0.05
    assert told.changed_by_alerts > told.changed


def test_count_of_alerts_stands_beside_the_erring_rounds(floor: DealtFloor) -> None:
    assert [one.alerts for one in figures_of(floor)] == floor.alerts.sum(axis=1).tolist()


def test_round_with_two_alerts_is_one_error(database: Database) -> None:
    log = deal(database, 10)
    for code in ("misdeal.order", "procedure.no_call"):
        err(database, log, 3, code=code)
    err(database, log, 5)
    house = ask(database, By.TABLE).house
    assert (house.errors, house.alerts, house.undecided, house.confirmed) == (2, 3, 2, 0)
    assert [(one.name, one.errors, one.alerts) for one in ask(database, By.CODE).items] == [
        ("misdeal.order", 2, 2), ("procedure.no_call", 1, 1)]  # fmt: skip


def test_round_is_confirmed_with_one_of_its_alerts_and_undecided_with_none(database: Database) -> None:
    log = deal(database, 10)
    decide(database, err(database, log, 3), "confirmed")
    err(database, log, 3, code="procedure.no_call")
    err(database, log, 5)
    decide(database, err(database, log, 7), "dismissed", "card_misread")
    house = ask(database, By.TABLE).house
    assert (house.errors, house.confirmed, house.undecided) == (2, 1, 1)
    only = ask(database, By.TABLE, is_confirmed_only=True).house
    assert (only.errors, only.confirmed, only.undecided, only.alerts) == (1, 1, 1, 1)


def test_decision_in_the_next_hour_counts_where_the_round_does(database: Database) -> None:
    alert = err(database, log := deal(database, 0), 52, at_s=0.0)
    add_round(database, log, 52, 51 * 70.0 - 5.0, play=((0.0, "bets_opened"), (60.0, "round_closed")))
    assert [(one.name, one.rounds, one.errors) for one in ask(database, By.HOUR).items] == [("13", 1, 1)]
    decide(database, alert, "dismissed", "card_misread")
    assert ask(database, By.HOUR).total.errors == 0


def test_alert_whose_round_never_closed_is_not_lost(database: Database) -> None:
    log = deal(database, 3)
    err(database, log, 4)
    err(database, log, 4, code="procedure.no_call")
    house = ask(database, By.TABLE).house
    assert (house.rounds, house.errors, house.alerts) == (3, 1, 2)


def test_round_that_another_log_tells_better_counts_there_alone(database: Database) -> None:
    log = deal(database, 3)
    err(database, log, 2)
    with database.writing() as session:
        session.query(RoundRow).filter_by(number=2).one().is_counted = False
    house = ask(database, By.TABLE).house
    assert (house.rounds, house.errors, house.alerts) == (2, 0, 0)


def test_round_whose_dealer_changed_counts_for_who_dealt_at_its_first_alert(database: Database) -> None:
    log = deal(database, 5)
    err(database, log, 2, dealer="ben")
    figures = {one.name: (one.rounds, one.errors) for one in ask(database, By.DEALER).items}
    assert figures == {"ann": (5, 0), "ben": (0, 1)}


def test_rounds_without_a_dealer_have_a_row_of_their_own(database: Database) -> None:
    log = deal(database, 5)
    err(database, log, 2)
    nobody = deal(database, 3, table="B08", dealer=None, at=NOON + timedelta(hours=2))
    err(database, nobody, 1, dealer=None)
    figures = ask(database, By.DEALER)
    assert [(one.name, one.rounds, one.errors) for one in figures.items] == [("ann", 5, 1), (NO_DEALER, 3, 1)]
    assert figures.items[1].shrunken is None and not figures.items[1].is_ranked
    assert (figures.house.rounds, figures.house.errors) == (8, 2)
    assert ask(database, By.DAY, dealer=NO_DEALER).total.rounds == 3


@pytest.mark.parametrize("by", list(By))
def test_house_is_the_same_whatever_is_asked_for(database: Database, by: By) -> None:
    err(database, deal(database, 5), 2)
    err(database, deal(database, 3, table="B08", dealer=None), 1, dealer=None)
    for house in (
        ask(database, by).house,
        ask(database, by, table="B07").house,
        ask(database, by, dealer="ann").house,
        ask(database, by, table="B09").house,
    ):
        assert (house.rounds, house.errors, house.raw.per_1000) == (8, 2, 250.0)


def test_faults_are_kept_as_they_were() -> None:
    faults = frozenset({Fault("misdeal.order", "open"), Fault("misdeal.order", "confirmed"), Fault("a b", "open")})
    assert parse_faults(format_faults(faults)) == faults
