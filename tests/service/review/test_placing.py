"""Which wall clock is believed, and what is said where clocks and pictures contradict each other."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.service.review.shift_fakes import EVENING, all_others, recorded, same_by_clock, still
from thirdcard.service.review.clocks import CONTAINER, FILE, NAME, STORE, Claim, claims_by_name
from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.placing import place
from thirdcard.service.review.sameness import Compare, Likeness
from thirdcard.vision.video.film_index import FilmRun

AUCKLAND = ZoneInfo("Pacific/Auckland")
HOUR_S = 3600.0


def begins(files: list[RecordedFile], compare: Compare = all_others) -> dict[str, float]:
    """When each file began, in seconds of the evening."""
    return {file.path.name: (file.began_at - EVENING).total_seconds() for file in place(files, compare).files}


def texts(files: list[RecordedFile], compare: Compare = all_others) -> list[str]:
    return [note.text for note in place(files, compare).notes]


def named(name: str, lasts_s: float = HOUR_S, **changes: object) -> RecordedFile:
    """A file whose name tells its time in Auckland."""
    claims = claims_by_name(name, AUCKLAND)
    changes = {"claims": claims, "began_at": claims[0].at, "told_by": NAME, **changes}
    return recorded(name, 0, lasts_s, **changes)


def hours(files: list[RecordedFile], compare: Compare = all_others) -> list[tuple[str, str]]:
    """Each file with its moment in UTC, in order of time."""
    return [(file.path.name, f"{file.began_at:%d %H:%M}") for file in place(files, compare).files]


def also(claims: tuple[Claim, ...], told_by: str, at: datetime) -> tuple[Claim, ...]:
    return (*claims, Claim(told_by=told_by, at=at))


def test_chapters_with_one_creation_time_follow_each_other_by_number() -> None:
    names = ["GX030123.MP4", "GX010123.MP4", "GX020123.MP4"]
    chapters = [recorded(name, 0, 100.0 + n, told_by=CONTAINER) for n, name in enumerate(names)]
    later = recorded("GX010124.MP4", 1000, 60, told_by=CONTAINER)
    assert begins([*chapters, later]) == {
        "GX010123.MP4": 0.0, "GX020123.MP4": 101.0, "GX030123.MP4": 203.0, "GX010124.MP4": 1000.0
    }  # fmt: skip
    assert texts(chapters)[0] == (
        "GX020123.MP4 shows other pictures than GX010123.MP4, though its container says the same time: "
        "it is put after GX010123.MP4, as their names count, 101.0 s later"
    )


def test_copied_files_with_one_date_follow_each_other_as_their_names_count() -> None:
    copies = [recorded(f"part{n}.avi", -600.0 * n % 7, 600, told_by=FILE) for n in (10, 9, 8)]
    first_s = min((file.began_at - EVENING).total_seconds() for file in copies)
    found = begins(copies)
    assert found == {"part8.avi": first_s, "part9.avi": first_s + 600, "part10.avi": first_s + 1200}
    assert texts(copies) == [
        "the dates of part8.avi to part10.avi (3 files) contradict each other: "
        "they are put one after the other as their names count"
    ]


def test_dates_that_do_not_contradict_each_other_are_believed() -> None:
    assert begins([recorded("b", 0, 600, told_by=FILE), recorded("a", 900, 600, told_by=FILE)]) == {"b": 0, "a": 900}


def test_clock_that_was_set_back_moves_all_that_follows_together() -> None:
    files = [recorded("a", 0, HOUR_S), recorded("b", 2400, HOUR_S), recorded("c", 2400 + HOUR_S, HOUR_S)]
    assert begins(files) == {"a": 0.0, "b": HOUR_S, "c": 2 * HOUR_S}
    (text,) = texts(files)
    assert text == (
        "b and c show other pictures than a, though their name says the same time: "
        "they are put after a, as their names count, 1200.0 s later"
    )


def test_stray_file_does_not_push_those_that_fit() -> None:
    files = [recorded("a", 0, 600), recorded("b", 600, 600), recorded("stray", 100, 60)]
    assert begins(files) == {"a": 0.0, "b": 600.0, "stray": 1200.0}


def test_another_clock_puts_a_file_among_its_neighbours() -> None:
    def claims(begins_s: float, truly_s: float) -> tuple[Claim, ...]:
        by_name = Claim(told_by=NAME, at=EVENING + timedelta(seconds=begins_s))
        return also((by_name,), CONTAINER, EVENING + timedelta(seconds=truly_s - 7200))

    files = [
        recorded("a", 0, 600, claims=claims(0, 0)),
        recorded("b", 600, 600, claims=claims(600, 600)),
        recorded("b_1", 600, 600, claims=claims(600, 2400)),
        recorded("c", 1200, 600, claims=claims(1200, 1200)),
    ]
    assert begins(files) == {"a": 0.0, "b": 600.0, "c": 1200.0, "b_1": 2400.0}
    assert "where its container puts it among its neighbours" in texts(files)[0]


def test_two_recorders_of_one_table_get_one_clock() -> None:
    def three_late(_first: RecordedFile, _second: RecordedFile, lag_s: float) -> Likeness:
        return Likeness(lag_s - 3.0)

    files = [recorded("a", 0, 600), recorded("b", 303, 600)]
    assert begins(files, three_late) == {"a": 0.0, "b": 300.0}
    assert texts(files, three_late) == ["b shows the same as a, 3.0 s later by its clock: the clock of a counts"]


def test_copy_under_another_time_gets_the_clock_that_is_trusted_more() -> None:
    files = [recorded("a", 0, 600, opening="x"), recorded("copy", 9000, 600, opening="x", told_by=FILE)]
    assert begins(files, same_by_clock) == {"a": 0.0, "copy": 0.0}
    assert texts(files, same_by_clock) == ["copy shows the same as a under another time: it counts once"]


def test_still_pictures_let_the_names_be_believed_but_never_one_moment_for_two_hours() -> None:
    assert begins([recorded("a", 0, 600), recorded("b", 300, 600)], still) == {"a": 0.0, "b": 300.0}
    assert begins([recorded("a", 0, 600), recorded("a_1", 0, 600)], still) == {"a": 0.0, "a_1": 600.0}


def test_signals_speak_against_a_name() -> None:
    by_name = Claim(told_by=NAME, at=EVENING)
    heard = (EVENING + timedelta(seconds=7300), EVENING + timedelta(seconds=7400))
    claims = also((by_name,), CONTAINER, EVENING + timedelta(seconds=7200))
    file = recorded("a", 0, 600, claims=claims, heard=heard)
    assert begins([file]) == {"a": 7200.0}
    assert texts([file]) == ["a: its signals were not heard at the time that its name says; its container is believed"]


def test_what_an_earlier_review_placed_stays_and_others_give_way() -> None:
    known = recorded("GX010123.MP4", 0, 100, told_by=STORE)
    assert begins([known, recorded("GX020123.MP4", 0, 100)]) == {"GX010123.MP4": 0.0, "GX020123.MP4": 100.0}


def test_night_in_which_an_hour_comes_twice() -> None:
    night = [named(f"B07_2026-04-05_{hour}-00-00.mp4") for hour in ("01", "02", "03")]
    second = named("B07_2026-04-05_02-00-00_1.mp4")
    assert hours([*night, second]) == [
        ("B07_2026-04-05_01-00-00.mp4", "04 12:00"),
        ("B07_2026-04-05_02-00-00.mp4", "04 13:00"),
        ("B07_2026-04-05_02-00-00_1.mp4", "04 14:00"),
        ("B07_2026-04-05_03-00-00.mp4", "04 15:00"),
    ]
    assert texts([*night, second]) == [
        f"the hour of B07_2026-04-05_02-00-00{end} came twice: taken for the {which}, "
        "as it goes on with the file before"
        for end, which in ((".mp4", "first"), ("_1.mp4", "second"))
    ]


def test_files_of_seventeen_minutes_go_on_through_the_hour_that_comes_twice() -> None:
    minutes = ["01-50", "02-07", "02-24", "02-41", "02-58", "02-15", "02-32", "02-49", "03-06"]
    files = [named(f"2026-04-05_{one}-00.ts", 17 * 60.0) for one in sorted(minutes)]
    placed = place(files, all_others).files
    assert [file.path.name[11:16] for file in placed] == minutes
    assert [(other.began_at - one.began_at).total_seconds() for one, other in pairwise(placed)] == [17 * 60.0] * 8


@pytest.mark.parametrize(
    ("around", "is_second"),
    [
        pytest.param([], False, id="nothing-says"),
        pytest.param(["2026-04-05_03-00-00.mp4"], True, id="the-next-goes-on-with-it"),
        pytest.param(["2026-04-05_01-30-00.mp4"], False, id="it-goes-on-with-the-one-before"),
        pytest.param(["2026-04-05_01-30-00.mp4", "2026-04-05_03-00-00.mp4"], False, id="both"),
    ],
)
def test_neighbours_tell_which_of_two_hours_it_was(around: list[str], *, is_second: bool) -> None:
    lone = "2026-04-05_02-30-00.mp4" if "03-00" in str(around) and len(around) == 1 else "2026-04-05_02-00-00.mp4"
    found = dict(hours([named(lone, 1800.0), *(named(name, 1800.0) for name in around)]))
    assert found[lone][3:5] == ("14" if is_second else "13")


@pytest.mark.parametrize("told_by", [CONTAINER, FILE])
def test_clock_in_utc_tells_which_of_two_hours_it_was(told_by: str) -> None:
    name = "2026-04-05_02-30-00.mp4"
    claims = claims_by_name(name, AUCKLAND)
    file = named(name, claims=also(claims, told_by, claims[1].at + timedelta(seconds=20)))
    assert hours([file]) == [(name, "04 14:30")]


def test_container_in_local_time_tells_nothing_of_two_hours() -> None:
    local = timedelta(hours=13)
    before = named("2026-04-05_00-30-00.mp4", 600.0)
    before = named("2026-04-05_00-30-00.mp4", 600.0, claims=also(before.claims, CONTAINER, before.began_at + local))
    doubtful = named("2026-04-05_02-30-00.mp4", 600.0)
    doubtful = named(
        "2026-04-05_02-30-00.mp4", 600.0, claims=also(doubtful.claims, CONTAINER, doubtful.began_at + local)
    )
    assert hours([before, doubtful])[1][1] == "04 13:30"


def test_signals_tell_which_of_two_hours_it_was() -> None:
    name = "2026-04-05_02-30-00.mp4"
    second = claims_by_name(name, AUCKLAND)[1].at
    assert hours([named(name, heard=(second, second + timedelta(seconds=60)))]) == [(name, "04 14:30")]


def test_name_in_the_hour_that_never_came_is_told() -> None:
    file = named("2026-09-27_02-30-00.mp4")
    assert texts([file]) == [
        f"{file.path.name}: the time 2026-09-27 02:30:00 never came in Pacific/Auckland: its clock was not set yet"
    ]


def test_moved_files_keep_their_runs(tmp_path: Path) -> None:
    jumping = recorded("a_1", 0, 0, runs=(FilmRun(0.0, 10.0), FilmRun(20.0, 30.0)))
    placed = place([recorded("a", 0, 100), jumping], all_others).files
    assert placed[1].runs == jumping.runs
