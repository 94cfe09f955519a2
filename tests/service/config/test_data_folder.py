"""The service's folder: other users of the machine are kept out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from thirdcard.service.config.data_folder import Home


@pytest.fixture(autouse=True)
def _usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_folders_and_files_are_closed_to_others(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.tables.mkdir(parents=True)
    kept = [home.folder / "house.yaml", home.tables / "b07.yaml"]
    for file in kept:
        file.write_text("", encoding="utf-8")
    home.make()
    database = home.open_database({})
    database.close()
    (home.evidence / "B07").mkdir()
    (home.evidence / "B07" / "clip.mp4").write_bytes(b"")

    folders = (home.folder, home.tables, home.evidence, home.ring, home.live, home.evidence / "B07")
    files = (*kept, home.folder / "thirdcard.db", home.evidence / "B07" / "clip.mp4")
    assert {rights(folder) for folder in folders} == {0o700}
    assert {rights(file) for file in files} == {0o600}
