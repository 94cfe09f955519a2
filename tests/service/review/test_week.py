"""A week of a recorder's files over a change of summer time: each second of film once, at its true moment.

Each file lasts some seconds and stands for an hour: what counts is when it begins, and what it shows.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.service.review.drawn_films import draw_film, remux
from thirdcard.service.review.files import RecordedFile, read_file
from thirdcard.service.review.shift_timeline import Part, build_timeline

AUCKLAND, LONDON = ZoneInfo("Pacific/Auckland"), ZoneInfo("Europe/London")
LASTS_S = 6.0
EVERY = timedelta(hours=1)


def write_hours(folder: Path, zone: ZoneInfo, first_at: datetime, count: int) -> dict[str, datetime]:
    """One file an hour, each of another scene, named in local time, with `_1` where a name is taken; their moments."""
    moments: dict[str, datetime] = {}
    for n in range(count):
        at = first_at + n * EVERY
        stem = f"B07_{at.astimezone(zone):%Y-%m-%d_%H-%M-%S}"
        name = f"{stem}.mp4" if f"{stem}.mp4" not in moments else f"{stem}_1.mp4"
        moments[name] = at
        draw_film(folder / name, 0, LASTS_S, seed=n + 1)
    return moments


def read_all(folder: Path, zone: ZoneInfo) -> list[RecordedFile]:
    return [read_file(path, zone) for path in sorted(folder.iterdir())]


def placed(parts: Sequence[Part]) -> dict[str, datetime]:
    return {part.file.path.name: part.from_at for part in parts}


@pytest.mark.parametrize(
    ("zone", "first_at"),
    [
        pytest.param(AUCKLAND, datetime(2026, 4, 4, 10, tzinfo=UTC), id="auckland-autumn"),
        pytest.param(AUCKLAND, datetime(2026, 9, 26, 11, tzinfo=UTC), id="auckland-spring"),
        pytest.param(LONDON, datetime(2026, 10, 24, 21, tzinfo=UTC), id="london-autumn"),
        pytest.param(LONDON, datetime(2026, 3, 28, 22, tzinfo=UTC), id="london-spring"),
    ],
)
def test_each_hour_stands_at_its_moment_over_both_changes_of_summer_time(
    tmp_path: Path, zone: ZoneInfo, first_at: datetime
) -> None:
    moments = write_hours(tmp_path, zone, first_at, 7)
    parts = build_timeline(read_all(tmp_path, zone)).parts
    assert placed(parts) == moments
    assert sum(part.to_s - part.from_s for part in parts) == pytest.approx(7 * LASTS_S)


def test_copies_chapters_and_what_is_shown_again_count_once(tmp_path: Path) -> None:
    first_at = datetime(2026, 4, 3, 20, tzinfo=UTC)
    moments = write_hours(tmp_path, AUCKLAND, first_at, 2)
    first = tmp_path / next(iter(moments))
    shutil.copyfile(first, tmp_path / "copy of the first.mp4")
    remux(first, tmp_path / "the first once more.ts")
    said = "2026-04-05T02:00:00Z"
    chapters = [draw_film(tmp_path / f"GX0{n}0123.mp4", 0, 3.0 + n, seed=20 + n, said=said) for n in (1, 2, 3)]
    draw_film(tmp_path / "B07_2026-04-06_10-00-00.mp4", 0, 20, seed=30)
    draw_film(tmp_path / "B07_2026-04-06_10-00-10.mp4", 10, 30, seed=30, crf=28)

    parts = build_timeline([file for file in read_all(tmp_path, AUCKLAND) if "copy of" not in file.path.name]).parts

    at = datetime(2026, 4, 5, 2, tzinfo=UTC)
    expected = moments | {
        chapters[0].name: at,
        chapters[1].name: at + timedelta(seconds=4),
        chapters[2].name: at + timedelta(seconds=9),
        "B07_2026-04-06_10-00-00.mp4": datetime(2026, 4, 5, 22, tzinfo=UTC),
        "B07_2026-04-06_10-00-10.mp4": datetime(2026, 4, 5, 22, 0, 20, tzinfo=UTC),
    }
    assert {name: at.replace(microsecond=0) for name, at in placed(parts).items()} == expected
    assert sum(part.to_s - part.from_s for part in parts) == pytest.approx(2 * LASTS_S + 4 + 5 + 6 + 30, abs=0.15)
