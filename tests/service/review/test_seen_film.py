"""What earlier reviews saw, and what is to be seen once more."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tests.service.review.shift_fakes import EVENING, recorded
from thirdcard.service.review.clocks import STORE
from thirdcard.service.review.seen_film import SeenFile, SeenFilm, TimeSpan, merged, without
from thirdcard.service.review.shift_timeline import Part
from thirdcard.vision.video.film_index import FilmRun


def at(second: float) -> datetime:
    return EVENING + timedelta(seconds=second)


def span(from_s: float, to_s: float) -> TimeSpan:
    return TimeSpan(from_at=at(from_s), to_at=at(to_s))


def seen(name: str, from_s: float, to_s: float, log: int = 1) -> SeenFile:
    return SeenFile(log_id=log, name=name, fingerprint=f"{name:>064}", span=span(from_s, to_s), begins_s=0.0)


def whole(name: str, from_s: float, lasts_s: float, **changes: object) -> Part:
    return Part(file=recorded(name, from_s, lasts_s, **changes), from_s=0.0, to_s=lasts_s)


def bounds(spans: list[TimeSpan]) -> list[tuple[float, float]]:
    return [((one.from_at - EVENING).total_seconds(), (one.to_at - EVENING).total_seconds()) for one in spans]


@pytest.mark.parametrize(
    ("taken", "left"),
    [
        ([(2, 4)], [(0, 2), (4, 10)]),
        ([(-1, 3), (8, 12)], [(3, 8)]),
        ([(0, 10)], []),
        ([(10, 20)], [(0, 10)]),
        ([(2, 5), (4, 6)], [(0, 2), (6, 10)]),
    ],
)
def test_what_is_left_beside_others(taken: list[tuple[float, float]], left: list[tuple[float, float]]) -> None:
    assert bounds(without([span(0, 10)], [span(*one) for one in taken])) == left


def test_near_stretches_are_one() -> None:
    assert bounds(merged([span(20, 30), span(0, 5), span(8, 10)], within_s=4.0)) == [(0, 10), (20, 30)]


def test_film_that_was_seen_is_not_seen_again() -> None:
    film = SeenFilm(files=(seen("a", 0, 600),))
    assert film.unseen(whole("a", 0, 600)) == []
    assert film.placed(recorded("a", 50, 600)).told_by == STORE
    assert film.placed(recorded("a", 50, 600)).began_at == at(0)


def test_lost_film_is_unseen_until_a_later_log_saw_it() -> None:
    film = SeenFilm(files=(seen("a", 0, 600),), lost=((1, span(100, 110)),))
    assert bounds(film.unseen(whole("a", 0, 600))) == [(100, 110)]
    later = SeenFilm(files=(*film.files, seen("b", 90, 130, log=2)), lost=film.lost)
    assert later.unseen(whole("a", 0, 600)) == []
    again = SeenFilm(files=later.files, lost=(*film.lost, (2, span(104, 110))))
    assert bounds(again.unseen(whole("a", 0, 600))) == [(104, 110)]


def test_file_of_the_same_name_and_moment_takes_the_place_of_another() -> None:
    film = SeenFilm(files=(seen("a", 0, 400),), lost=((1, span(100, 110)),))
    copy = whole("a", 0.5, 600, fingerprint="f" * 64)
    assert bounds(film.unseen(copy)) == [(400, 600.5), (100, 110)]
    assert film.of_file(recorded("a", 3600, 600, fingerprint="f" * 64)) == []


def test_known_file_has_only_the_runs_that_could_be_watched() -> None:
    film = SeenFilm(files=(seen("a", 0, 600),), lost=((1, span(100, 110)),))
    runs = (FilmRun(0.0, 100.0), FilmRun(110.0, 600.0))
    assert film.without_lost(recorded("a", 0, 600)).runs == runs
    other = recorded("b", 0, 600)
    assert film.without_lost(other) is other


def test_window_holds_whole_rounds_and_the_one_before() -> None:
    rounds = (span(10, 40), span(45, 80), span(85, 120), span(125, 160), span(190, 220))
    film = SeenFilm(rounds=rounds)
    assert bounds([film.window(span(100, 130))]) == [(40, 164)]
    assert bounds([SeenFilm().window(span(100, 130))]) == [(88, 134)]
    long = SeenFilm(rounds=(span(0, 2000),))
    assert bounds([long.window(span(1000, 1010))]) == [(700, 1310)]
