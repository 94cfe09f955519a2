"""What lies in a shift's folder: film by what is in it, and a word on what is none."""

from __future__ import annotations

import shutil
import wave
from pathlib import Path
from zoneinfo import ZoneInfo

import cv2
import numpy as np
import pytest

from tests.service.review.drawn_films import SIZE_WH_PX, draw_film
from tests.service.review.test_reviewing import copy_table
from thirdcard.service.review import opening
from thirdcard.service.review.opening import OpenedTable, open_table
from thirdcard.service.review.shift import ShiftError, find_wanted

UTC_ZONE = ZoneInfo("UTC")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table with a film of whatever size."""
    monkeypatch.setattr(opening, "_size_wh_px", lambda _: SIZE_WH_PX)
    copy_table(tmp_path)
    draw_film(tmp_path / "B07_2026-11-20_21-30-00.mp4", 0, 3)
    return tmp_path


def open_it(folder: Path) -> OpenedTable:
    (wanted,) = find_wanted([folder], None)
    return open_table(wanted, UTC_ZONE)


def notes(folder: Path) -> list[tuple[str, str]]:
    (shift,) = open_it(folder).shifts
    return [(str(note.kind), note.text) for note in shift.notes]


@pytest.mark.parametrize("name", ["cam_2026-11-20_21-31-00.dav", "cam 2026-11-20 21.31", "2026-11-20_21-31-00.bin"])
def test_film_is_known_by_what_is_in_it(folder: Path, name: str) -> None:
    draw_film(folder / "other.ts", 0, 3, seed=1).rename(folder / name)
    (shift,) = open_it(folder).shifts
    assert [part.file.path.name for part in shift.timeline.parts] == ["B07_2026-11-20_21-30-00.mp4", name]


def test_what_is_no_film_is_named_with_its_reason(folder: Path) -> None:
    (folder / "plan.txt").write_text("who deals when\n" * 20, encoding="utf-8")
    (folder / "copies.zip").write_bytes(b"PK\x03\x04" + bytes(1000))
    (folder / "nothing").touch()
    (folder / "broken_2026-11-20_21-40-00.mp4").write_bytes(b"nothing that can be watched")
    cv2.imwrite(str(folder / "table.png"), np.zeros((48, 64, 3), np.uint8))
    (folder / "photo").write_bytes(cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes())
    with wave.open(str(folder / "room.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(16000))
    assert sorted(notes(folder)) == [
        (
            "broken",
            "broken_2026-11-20_21-40-00.mp4 is left out: Invalid data found when processing input",
        ),
        ("left_out", "copies.zip is left out: is no film: Invalid data found when processing input"),
        ("left_out", "nothing is left out: is empty"),
        ("left_out", "photo is left out: is a picture, no film"),
        ("left_out", "plan.txt is left out: is text, no film"),
        ("left_out", "room.wav is left out: holds no video stream"),
        ("left_out", "table.png is left out: is a picture, no film"),
    ]
    assert open_it(folder).faults == ("broken_2026-11-20_21-40-00.mp4 Invalid data found when processing input",)


def test_many_files_of_one_reason_are_named_together(folder: Path) -> None:
    for n in range(9):
        cv2.imwrite(str(folder / f"still{n}.png"), np.zeros((48, 64, 3), np.uint8))
    assert notes(folder) == [("left_out", "9 files are left out, still0.png to still8.png: each is a picture, no film")]


def test_what_belongs_to_the_table_or_was_written_by_this_program_is_not_worth_a_word(folder: Path) -> None:
    for name in ("signals.jsonl", "B07.signals.jsonl", ".hidden.mp4", "alerts.jsonl", "notes.yml"):
        (folder / name).touch()
    (folder / "clips").mkdir()
    shutil.copyfile(folder / "B07_2026-11-20_21-30-00.mp4", folder / "clips" / "0001-late_bet.placed-7.0.mp4")
    room = folder / "room"
    (room / "evidence" / "DEMO").mkdir(parents=True)
    (room / "thirdcard.db").touch()
    shutil.copyfile(folder / "B07_2026-11-20_21-30-00.mp4", room / "evidence" / "DEMO" / "clip.mp4")
    assert notes(folder) == []


def test_copy_counts_once(folder: Path) -> None:
    shutil.copyfile(folder / "B07_2026-11-20_21-30-00.mp4", folder / "copy.mp4")
    assert notes(folder) == [
        (
            "left_out",
            "copy.mp4 is left out: is a copy of another file of the shift, B07_2026-11-20_21-30-00.mp4: it counts once",
        )
    ]


def test_folder_without_film_is_refused(tmp_path: Path) -> None:
    copy_table(tmp_path)
    with pytest.raises(ShiftError, match="holds no video"):
        find_wanted([tmp_path], None)
    (tmp_path / "plan.txt").write_text("who deals when\n", encoding="utf-8")
    with pytest.raises(ShiftError, match="no video of this table can be watched: plan.txt is text, no film"):
        open_it(tmp_path)
