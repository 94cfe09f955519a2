"""Files are the same where their pictures say so, whatever their containers, coders and clocks."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.service.review.drawn_films import STILL, draw_film, remux
from thirdcard.service.review.files import RecordedFile, read_file
from thirdcard.service.review.sameness import NO_WORD, OTHERS, compare

UTC_ZONE = ZoneInfo("UTC")


def read(path: Path) -> RecordedFile:
    return read_file(path, UTC_ZONE)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> RecordedFile:
    """A minute of what a camera saw."""
    return read(draw_film(tmp_path_factory.mktemp("film") / "a.mp4", 0, 60))


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts"])
@pytest.mark.parametrize("clock_s", [20.0, 27.0, 9.0])
def test_the_same_coded_pictures_are_found_in_any_container(
    film: RecordedFile, tmp_path: Path, suffix: str, clock_s: float
) -> None:
    found = compare(film, read(remux(film.path, tmp_path / f"b{suffix}", 20.0)), clock_s)
    assert found.lag_s == pytest.approx(20.0, abs=0.05)


def test_remuxed_copy_begins_alike(film: RecordedFile, tmp_path: Path) -> None:
    copy = read(remux(film.path, tmp_path / "b.ts"))
    assert copy.opening == film.opening
    assert copy.fingerprint != film.fingerprint
    assert read(draw_film(tmp_path / "c.mp4", 0, 3, seed=1)).opening != film.opening


@pytest.mark.parametrize("clock_s", [20.0, 24.0])
def test_another_recorder_codes_the_same_scene_otherwise(film: RecordedFile, tmp_path: Path, clock_s: float) -> None:
    found = compare(film, read(draw_film(tmp_path / "b.mp4", 20.0, 50.0, crf=30)), clock_s)
    assert found.lag_s == pytest.approx(20.0, abs=0.11)


def test_another_hour_of_the_same_name_is_another(film: RecordedFile, tmp_path: Path) -> None:
    assert compare(film, read(draw_film(tmp_path / "b.mp4", 0, 60, seed=1)), 0.0) == OTHERS
    assert compare(film, read(draw_film(tmp_path / "c.mp4", 300, 360)), 0.0) == OTHERS


def test_where_nothing_moves_pictures_tell_nothing(tmp_path: Path) -> None:
    one, other = (read(draw_film(tmp_path / f"{crf}.mp4", 0, 10, crf=crf, seed=STILL)) for crf in (20, 30))
    assert compare(one, other, 0.0) == NO_WORD


def test_damaged_beginning_does_not_hide_that_the_rest_is_the_same(film: RecordedFile, tmp_path: Path) -> None:
    data = bytearray(film.path.read_bytes())
    start = len(data) // 20
    data[start : start + 2000] = bytes(2000)
    damaged = tmp_path / "d.mp4"
    damaged.write_bytes(data)
    assert compare(film, read(damaged), 0.0).lag_s == pytest.approx(0.0)
