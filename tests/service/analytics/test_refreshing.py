"""Tallies: made anew where something changed, the same whenever and however often they are made."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select

from tests.service.analytics.floors import add_round, deal, decide, err
from tests.service.hand_clock import NOON
from thirdcard.service.analytics import refreshing
from thirdcard.service.analytics.refreshing import refresh, refresh_all
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import AlertRow, LogRow, RoundRow
from thirdcard.service.store.tally_schema import CodeTallyRow, TallyRow, TouchedHour
from thirdcard.service.store.touched import touch, touch_log

HOUR = timedelta(hours=1)


def tallies(database: Database) -> list[dict[str, Any]]:
    """All tallies, in order of their keys."""
    found = []
    with database.reading() as session:
        for kind in (TallyRow, CodeTallyRow):
            rows = session.scalars(select(kind)).all()
            found += [{name: value for name, value in vars(row).items() if name[0] != "_"} for row in rows]
    return sorted(found, key=lambda row: str((row["hour"], row["table_id"], row["dealer"], row.get("code", ""))))


def made_anew(database: Database) -> list[dict[str, Any]]:
    """All tallies as they come out when every hour is made again."""
    with database.writing() as session:
        touch(session, {(row["table_id"], row["hour"]) for row in tallies(database)})
    refresh_all(database)
    return tallies(database)


def the_one(database: Database, hour: datetime = NOON) -> dict[str, Any]:
    (found,) = (row for row in tallies(database) if row["hour"] == hour and "rounds" in row)
    return found


def test_rounds_are_summed_by_hour_and_dealer(database: Database) -> None:
    deal(database, 60)
    deal(database, 3, table="B08", dealer=None)
    assert refresh_all(database) == 3
    rows = tallies(database)
    assert [(row["table_id"], row["hour"], row["dealer"], row["rounds"]) for row in rows] == [
        ("B07", NOON, "ann", 51), ("B08", NOON, "", 3), ("B07", NOON + HOUR, "ann", 9)]  # fmt: skip
    assert (rows[0]["timed_rounds"], rows[0]["timed_s"], rows[0]["rulebook"]) == (50, 50 * 70.0, "tas")
    assert rows[2]["timed_rounds"] == 9, "the wait before the hour's first round is known"


def test_nothing_is_left_when_all_is_made(database: Database) -> None:
    deal(database, 3)
    assert refresh_all(database) > 0
    assert not refresh(database)
    with database.reading() as session:
        assert session.scalars(select(TouchedHour)).all() == []


def test_decision_moves_an_alert_to_another_state(database: Database) -> None:
    alert = err(database, deal(database, 2))
    refresh_all(database)
    assert [(row["state"], row["alerts"]) for row in tallies(database) if "code" in row] == [("open", 1)]
    decide(database, alert, "dismissed", "card_misread")
    refresh_all(database)
    (row,) = (row for row in tallies(database) if "code" in row)
    assert (row["state"], row["alerts"], row["false_alerts"]) == ("dismissed", 1, 1)


def test_false_alert_is_one_that_blames_the_system(database: Database) -> None:
    decide(database, err(database, deal(database, 1)), "dismissed", "corrected_at_table")
    refresh_all(database)
    assert [row["false_alerts"] for row in tallies(database) if "code" in row] == [0]


def test_what_a_transaction_takes_back_touches_nothing(database: Database) -> None:
    log = deal(database, 1)
    refresh_all(database)
    with pytest.raises(RuntimeError), database.writing() as session:
        session.get_one(LogRow, log).is_counted = False
        session.flush()
        raise RuntimeError
    assert not refresh(database)


def test_log_that_does_not_count_leaves_no_tally(database: Database) -> None:
    log = deal(database, 3)
    err(database, log)
    refresh_all(database)
    with database.writing() as session:
        session.get_one(LogRow, log).is_counted = False
    refresh_all(database)
    assert tallies(database) == []


def test_log_that_is_entered_again_replaces_its_tallies(database: Database) -> None:
    log = deal(database, 3)
    err(database, log)
    refresh_all(database)
    with database.writing() as session:
        touch_log(session, log)
        for kind in (AlertRow, RoundRow):
            session.execute(delete(kind).where(kind.log_id == log))
    add_round(database, log, 1, 0.0, dealer="ben")
    refresh_all(database)
    assert [(row["dealer"], row["rounds"]) for row in tallies(database)] == [("ben", 1)]


def test_round_that_is_judged_again_is_counted_anew(database: Database) -> None:
    log = deal(database, 1)
    refresh_all(database)
    with database.writing() as session:
        row = session.scalars(select(RoundRow).where(RoundRow.log_id == log)).one()
        row.dealer, row.closed_at = "ben", row.closed_at + HOUR
    refresh_all(database)
    assert [(row["dealer"], row["hour"]) for row in tallies(database)] == [("ben", NOON + HOUR)]


def test_made_again_they_are_the_same(database: Database) -> None:
    log = deal(database, 30)
    for number in (3, 4, 9):
        err(database, log, number, code="payout.loser_paid", amount=100)
    refresh_all(database)
    before = tallies(database)
    assert made_anew(database) == before
    assert sum(row.get("overpaid_minor", 0.0) for row in before) == 300.0


def test_late_bet_that_was_voided_in_a_later_hour_was_not_accepted(database: Database) -> None:
    log = deal(database, 0)
    err(database, log, code="late_bet.placed", t=3590.0, round=1)
    refresh_all(database)
    assert [row["accepted"] for row in tallies(database) if "code" in row] == [1]
    remedy = {"code": "late_bet.placed", "t": 3590.0, "area": "s3-banker", "action": "void_wager", "state": "done"}
    add_round(database, log, 1, 3580.0, remedies=[remedy])
    refresh_all(database)
    assert [row["accepted"] for row in tallies(database) if "code" in row] == [0]


def test_time_that_was_not_watched_counts_in_the_hours_in_which_it_went_by(database: Database) -> None:
    log = deal(database, 1)
    gap = ((0.0, "bets_opened"), (5.0, "camera_lost"), (7205.0, "camera_back"), (7210.0, "round_closed"))
    add_round(database, log, 2, 100.0, play=gap)
    refresh_all(database)
    unseen = {row["hour"]: row["unseen_s"] for row in tallies(database)}
    assert unseen == {NOON: 3495.0, NOON + HOUR: 3600.0, NOON + 2 * HOUR: 105.0}
    assert made_anew(database) and {row["hour"]: row["unseen_s"] for row in tallies(database)} == unseen
    assert the_one(database, NOON + 2 * HOUR)["watched_rounds"] == 0


def test_names_go_when_their_time_is_over(database: Database) -> None:
    err(database, deal(database, 2))
    deal(database, 2, at=NOON + 24 * HOUR)
    refresh_all(database, names_from=NOON - HOUR)
    assert {row["dealer"] for row in tallies(database)} == {"ann"}
    assert refresh_all(database, names_from=NOON + HOUR) > 0
    assert {(row["hour"], row["dealer"]) for row in tallies(database)} == {(NOON, ""), (NOON + 24 * HOUR, "ann")}


def test_who_is_overtaken_writes_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    log = deal(database, 1)
    work_out = refreshing._work_out

    def slow(*arguments: Any) -> Any:
        """Another one makes the hours, with a newer round, between the reading and the writing."""
        work = work_out(*arguments)
        monkeypatch.setattr(refreshing, "_work_out", work_out)
        add_round(database, log, 2, 70.0)
        refresh_all(database)
        return work

    monkeypatch.setattr(refreshing, "_work_out", slow)
    refresh(database)
    assert the_one(database)["rounds"] == 2


def test_more_hours_than_are_made_at_once_are_made_in_turn(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refreshing, "HOURS_AT_ONCE", 2)
    deal(database, 400)
    assert len(refresh(database)) == 2
    refresh_all(database)
    assert sum(row["rounds"] for row in tallies(database)) == 400
