"""When a recording began: as names, containers and dates of files tell."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from thirdcard.service.review.clocks import began_by_container, began_by_file, claims_by_name, order_of_name

AUCKLAND = ZoneInfo("Pacific/Auckland")
EVENING = datetime(2026, 11, 20, 21, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        pytest.param("B07_2026-11-20_21-30-00.mp4", EVENING, id="dashes"),
        pytest.param("20261120T213000Z.ts", EVENING, id="compact-utc"),
        pytest.param("cam3 2026.11.20 21.30.mkv", EVENING, id="dots-without-seconds"),
        pytest.param("B07_2026-11-20_21-30-00.250.mp4", EVENING.replace(microsecond=250_000), id="milliseconds"),
        pytest.param("2026-11-20T21:30:00+02:00.avi", EVENING.replace(hour=19), id="with-its-own-zone"),
        pytest.param("1795210200.mp4", EVENING, id="unix-seconds"),
        pytest.param("t7-1795210200500.mp4", EVENING.replace(microsecond=500_000), id="unix-milliseconds"),
        pytest.param("table-7.mp4", None, id="no-time"),
        pytest.param("2026-13-40_99-00-00.mp4", None, id="no-such-day"),
        pytest.param("serial-20261120213000123456789.mp4", None, id="a-longer-number"),
    ],
)
def test_name_tells_when_it_began(name: str, at: datetime | None) -> None:
    assert [claim.at for claim in claims_by_name(name, ZoneInfo("UTC"))] == ([] if at is None else [at])


def test_name_is_in_the_recorders_time_zone() -> None:
    (claim,) = claims_by_name("2026-11-21_10-30-00.mp4", AUCKLAND)
    assert claim.at == EVENING
    assert claim.note is None


def test_name_in_the_hour_that_comes_twice_means_two_moments() -> None:
    first, second = claims_by_name("2026-04-05_02-30-00.mp4", AUCKLAND)
    assert first.at == datetime(2026, 4, 4, 13, 30, tzinfo=UTC)
    assert second.at == first.at + timedelta(hours=1)
    assert len(claims_by_name("2026-04-05_02-30-00+12:00.mp4", AUCKLAND)) == 1


def test_name_in_the_hour_that_never_came_says_so() -> None:
    (claim,) = claims_by_name("2026-09-27_02-30-00.mp4", AUCKLAND)
    assert claim.at == datetime(2026, 9, 26, 14, 30, tzinfo=UTC)
    assert claim.note == "the time 2026-09-27 02:30:00 never came in Pacific/Auckland: its clock was not set yet"


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["a9.mp4", "a10.mp4"], id="by-value"),
        pytest.param(["a_2026-04-05_02-00-00.mp4", "a_2026-04-05_02-00-00_1.mp4"], id="suffix"),
        pytest.param(["GX010123.MP4", "GX020123.MP4", "GX010124.MP4", "GX020124.MP4"], id="chapters"),
        pytest.param(["1/a.mp4", "2/a.mp4"], id="folders"),
    ],
)
def test_names_are_counted_as_people_count(names: list[str]) -> None:
    paths = [Path(name) for name in names]
    paths.reverse()
    assert [str(path) for path in sorted(paths, key=order_of_name)] == names


@pytest.mark.parametrize(
    ("metadata", "at"),
    [
        pytest.param({"creation_time": "2026-11-20T21:30:00.000000Z"}, EVENING, id="mp4"),
        pytest.param({"DATE_RECORDED": "2026-11-20 21:30:00"}, EVENING, id="matroska"),
        pytest.param({"creation_time": "1970-01-01T00:00:00Z"}, None, id="clock-never-set"),
        pytest.param({"creation_time": "yesterday"}, None, id="no-time"),
        pytest.param({}, None, id="silent"),
    ],
)
def test_container_tells_when_it_began(metadata: dict[str, str], at: datetime | None) -> None:
    assert began_by_container(metadata) == at


def test_file_was_last_written_to_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "video.mp4"
    path.touch()
    os.utime(path, (EVENING.timestamp() + 90, EVENING.timestamp() + 90))
    assert began_by_file(path, 90.0) == EVENING
