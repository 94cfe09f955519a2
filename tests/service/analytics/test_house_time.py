"""A house's hours, days and shifts."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from thirdcard.service.config.house_time import HouseTime, ShiftFile

NIGHT = ShiftFile(name="night", begins="20:00", ends="06:00")
DAY = ShiftFile(name="day", begins="06:00", ends="20:00")
AUCKLAND = ZoneInfo("Pacific/Auckland")


@pytest.mark.parametrize(
    ("hour_utc", "hour", "day", "shift"),
    [
        pytest.param(8, "20", "2026-05-04", "night", id="night begins"),
        pytest.param(13, "01", "2026-05-04", "night", id="small hours belong to the day before"),
        pytest.param(18, "06", "2026-05-05", "day", id="morning"),
    ],
)
def test_hours_are_those_of_the_house(hour_utc: int, hour: str, day: str, shift: str) -> None:
    time = HouseTime(zone=AUCKLAND, shifts=(DAY, NIGHT))
    at = datetime(2026, 5, 4, hour_utc, tzinfo=UTC)
    assert (time.hour(at), time.day(at), time.shift(at)) == (hour, day, shift)


def test_without_shifts_days_end_at_midnight() -> None:
    time = HouseTime(zone=AUCKLAND)
    at = datetime(2026, 5, 4, 13, tzinfo=UTC)
    assert (time.day(at), time.shift(at)) == ("2026-05-05", "all day")


def test_an_hour_outside_all_shifts_says_so() -> None:
    assert HouseTime(zone=AUCKLAND, shifts=(NIGHT,)).shift(datetime(2026, 5, 4, 0, tzinfo=UTC)) == "no shift"


def test_where_the_clock_is_half_an_hour_off_the_middle_counts() -> None:
    assert HouseTime(zone=ZoneInfo("Asia/Kolkata")).hour(datetime(2026, 5, 4, 0, tzinfo=UTC)) == "06"
