"""Dealers' other names."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from thirdcard.service.config.pseudonyms import KEY_FILE, KeyFileError, Pseudonyms, open_pseudonyms


def test_pseudonyms_stay_the_same_and_say_nothing(tmp_path: Path) -> None:
    one, again = open_pseudonyms(tmp_path), open_pseudonyms(tmp_path)
    assert one.of("ann") == again.of("ann") != one.of("ben")
    assert re.fullmatch(r"D-[A-Z2-7]{6}", one.of("ann"))
    assert one.of("") == ""


def test_another_house_has_others() -> None:
    assert Pseudonyms(b"a" * 32).of("ann") != Pseudonyms(b"b" * 32).of("ann")


def test_key_is_read_by_its_owner_alone(tmp_path: Path) -> None:
    open_pseudonyms(tmp_path)
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


def test_many_dealers_have_different_ones() -> None:
    names = Pseudonyms(b"k" * 32)
    assert len({names.of(f"dealer {i}") for i in range(2000)}) == 2000


def test_find_goes_back() -> None:
    names = Pseudonyms(b"k" * 32)
    assert names.find(names.of("ben"), ["ann", "ben"]) == ["ben"]
    assert names.find("D-NOBODY", ["ann", "ben"]) == []


@pytest.mark.parametrize("text", ["none", "00ff"], ids=["no hexadecimal", "too short"])
def test_key_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / KEY_FILE).write_text(text)
    with pytest.raises(KeyFileError, match=r"dealers.key: must hold 32 bytes in hexadecimal"):
        open_pseudonyms(tmp_path)
