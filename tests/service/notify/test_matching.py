"""Which channels are notified: by event, severity, table, code and shift."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.service.hand_clock import NOON
from tests.service.notify.fakes import rules_of
from thirdcard.rules.game.words import Severity
from thirdcard.service.notify.notices import Notice
from thirdcard.service.notify.settings import NoticeEvent

NIGHT = {"name": "night", "begins": "20:00", "ends": "06:00"}
DAY = {"name": "day", "begins": "06:00", "ends": "20:00"}


def notice(**changes: Any) -> Notice:
    facts: dict[str, Any] = {
        "key": "alert-1-raised", "event": NoticeEvent.RAISED, "at": NOON, "severity": Severity.MEDIUM,
        "code": "late_bet.placed", "table_id": "B07", "alert_id": 1, "body": "{}",
    }  # fmt: skip
    return Notice(**facts | changes)


@pytest.mark.parametrize(
    ("rule", "is_told"),
    [
        pytest.param({}, True, id="everything"),
        pytest.param({"events": ["raised", "overdue"]}, True, id="event"),
        pytest.param({"events": ["escalated"]}, False, id="other-event"),
        pytest.param({"least_severity": "medium"}, True, id="just-bad-enough"),
        pytest.param({"least_severity": "high"}, False, id="not-bad-enough"),
        pytest.param({"tables": ["B06", "B07"]}, True, id="table"),
        pytest.param({"tables": ["B06"]}, False, id="other-table"),
        pytest.param({"codes": ["late_bet"]}, True, id="family"),
        pytest.param({"codes": ["late_bet.placed"]}, True, id="code"),
        pytest.param({"codes": ["late_bet.moved", "late"]}, False, id="other-codes"),
        pytest.param({"shifts": ["day"]}, True, id="shift"),
        pytest.param({"shifts": ["night"]}, False, id="other-shift"),
        pytest.param({"tables": ["B07"], "least_severity": "high"}, False, id="all-must-fit"),
    ],
)
def test_rule_fits_where_all_that_it_says_does(rule: dict[str, Any], is_told: bool) -> None:
    rules = rules_of({"channels": ["bus"], **rule}, shifts=[DAY, NIGHT])
    assert rules.channels_for(notice()) == (["bus"] if is_told else [])


def test_channel_that_several_rules_name_is_told_once() -> None:
    rules = rules_of({"channels": ["bus", "duty"]}, {"channels": ["duty", "chief"]})
    assert rules.channels_for(notice()) == ["bus", "duty", "chief"]


def test_rule_for_tables_is_not_for_the_service() -> None:
    rules = rules_of(
        {"channels": ["a"], "events": ["service"], "tables": ["B07"]}, {"channels": ["b"], "events": ["service"]}
    )
    assert rules.channels_for(notice(event=NoticeEvent.SERVICE, table_id=None, code="disk.full")) == ["b"]


@pytest.mark.parametrize(
    ("at", "is_within"),
    [
        pytest.param(datetime(2026, 5, 8, 20, 0), True, id="friday-as-it-begins"),
        pytest.param(datetime(2026, 5, 9, 5, 59), True, id="saturday-early-belongs-to-friday"),
        pytest.param(datetime(2026, 5, 9, 6, 0), False, id="as-it-ends"),
        pytest.param(datetime(2026, 5, 8, 3, 0), False, id="friday-early-belongs-to-thursday"),
        pytest.param(datetime(2026, 5, 9, 21, 0), False, id="saturday-night"),
    ],
)
def test_night_belongs_to_the_day_on_which_it_begins(at: datetime, is_within: bool) -> None:
    rules = rules_of({"channels": ["bus"], "shifts": ["night"]}, shifts=[{**NIGHT, "days": ["fri"]}])
    assert bool(rules.channels_for(notice(at=at.replace(tzinfo=UTC)))) is is_within


@pytest.mark.parametrize(
    ("at", "is_night"),
    [
        pytest.param(datetime(2026, 1, 15, 6, 59, tzinfo=UTC), False, id="summer-there-utc-13-past-19"),
        pytest.param(datetime(2026, 1, 15, 7, 0, tzinfo=UTC), True, id="summer-there-utc-13-at-20"),
        pytest.param(datetime(2026, 7, 15, 7, 30, tzinfo=UTC), False, id="winter-there-utc-12"),
        pytest.param(datetime(2026, 7, 15, 8, 0, tzinfo=UTC), True, id="winter-there-utc-12-at-20"),
    ],
)
def test_shifts_go_by_the_houses_clock(at: datetime, is_night: bool) -> None:
    rules = rules_of({"channels": ["bus"], "shifts": ["night"]}, shifts=[NIGHT], zone="Pacific/Auckland")
    assert bool(rules.channels_for(notice(at=at))) is is_night
