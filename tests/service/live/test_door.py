"""A camera that refuses user or password is asked again only after minutes, by all tables together."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.service.store.conftest import NOW
from thirdcard.service.live.door import PAUSES, Door, door_of, words_of_refusal

ADDRESS = "rtsp://gast:geheim@10.0.0.5/one"


def test_who_was_never_refused_may_ask(tmp_path: Path) -> None:
    assert not door_of(ADDRESS, tmp_path, NOW).remaining(NOW)


def test_each_refusal_makes_the_pause_longer_and_a_restart_forgets_none(tmp_path: Path) -> None:
    now, pauses = NOW, []
    for _ in range(len(PAUSES) + 1):
        door_of(ADDRESS, tmp_path, NOW).note_refusal(now)
        pauses.append(door_of(ADDRESS, tmp_path, NOW).remaining(now))
        now += pauses[-1]
    assert pauses == [*PAUSES, PAUSES[-1]]
    assert sum(pauses[:3], timedelta()) >= timedelta(minutes=14)


def test_another_camera_of_the_recorder_with_the_same_user_keeps_away_too(tmp_path: Path) -> None:
    door_of(ADDRESS, tmp_path, NOW).note_refusal(NOW)
    assert door_of("rtsp://gast:geheim@10.0.0.5/two", tmp_path, NOW).remaining(NOW)
    assert not door_of("rtsp://other:geheim@10.0.0.5/two", tmp_path, NOW).remaining(NOW)
    assert not door_of("rtsp://gast:geheim@10.0.0.6/one", tmp_path, NOW).remaining(NOW)


def test_an_address_that_was_changed_since_is_asked_at_once_and_counts_anew(tmp_path: Path) -> None:
    for _ in range(3):
        door_of(ADDRESS, tmp_path, NOW).note_refusal(NOW)
    later = NOW + timedelta(seconds=30)
    door = door_of(ADDRESS, tmp_path, later)
    assert not door.remaining(later)
    door.note_refusal(later)
    assert door.remaining(later) == PAUSES[0]


def test_who_was_let_in_starts_anew(tmp_path: Path) -> None:
    door = door_of(ADDRESS, tmp_path, NOW)
    door.note_refusal(NOW)
    door.note_opening()
    assert not door.remaining(NOW)


def test_what_is_noted_holds_neither_user_nor_password(tmp_path: Path) -> None:
    door_of(ADDRESS, tmp_path, NOW).note_refusal(NOW)
    (note,) = tmp_path.iterdir()
    assert not any(word in note.name + note.read_text(encoding="utf-8") for word in ("gast", "geheim", "10.0.0.5"))


@pytest.mark.parametrize("source", ["rtsp://10.0.0.5/one", "video.mp4", "/dev/video0"])
def test_an_address_without_a_user_has_no_door(source: str, tmp_path: Path) -> None:
    door = door_of(source, tmp_path, NOW)
    door.note_refusal(NOW)
    with door.alone():
        assert not door.remaining(NOW)
    assert list(tmp_path.iterdir()) == []


def test_a_note_that_is_damaged_keeps_nobody_away(tmp_path: Path) -> None:
    door = Door(tmp_path / "door.json")
    (tmp_path / "door.json").write_text('{"refused_at": 3}', encoding="utf-8")
    assert not door.remaining(NOW)


def test_one_table_asks_at_a_time(tmp_path: Path) -> None:
    one, other = (door_of(ADDRESS, tmp_path, NOW) for _ in range(2))
    order: list[str] = []

    def ask() -> None:
        with other.alone():
            order.append("other")

    with one.alone():
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(0.2)
        order.append("one")
    thread.join(10)
    assert order == ["one", "other"]


@pytest.mark.parametrize(
    ("seconds", "when"), [(0.4, "1 s"), (59, "59 s"), (60, "1 min"), (61, "2 min"), (120, "2 min")]
)
def test_the_screen_says_when_it_is_asked_again(seconds: float, when: str) -> None:
    words = words_of_refusal(timedelta(seconds=seconds))
    assert words == f"the camera refuses user or password; asks again in {when}"
