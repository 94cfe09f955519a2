"""The held-out scripts are as they were frozen, and a change of one shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from datasets.script import frozen as frozen_split
from datasets.script.frozen import (
    FOLDERS,
    SCRIPTS,
    deck_digest,
    differences,
    fingerprint,
    load_frozen,
    missing_fonts,
)


def test_held_out_scripts_are_as_frozen() -> None:
    frozen, _ = load_frozen()

    assert differences(frozen, fingerprint()) == []


def test_every_held_out_deck_is_frozen() -> None:
    scripts, decks = load_frozen()

    assert {entry["deck"] for entry in scripts.values()} == set(decks)


def test_changed_absent_and_new_scripts_are_told(tmp_path: Path) -> None:
    for folder in FOLDERS:
        shutil.copytree(SCRIPTS / folder, tmp_path / folder)
    changed, absent, *_ = sorted((tmp_path / "held_out").glob("*.yaml"))
    frozen = fingerprint(tmp_path)
    changed.write_text(changed.read_text(encoding="utf-8") + "# one word more\n", encoding="utf-8")
    absent.rename(absent.with_name("99-new.yaml"))

    assert differences(frozen, fingerprint(tmp_path)) == [
        f"held_out/{absent.name}: is missing",
        "held_out/99-new.yaml: is not frozen",
        f"held_out/{changed.name}: was changed",
    ]


def test_deck_has_the_same_digest_each_time_and_another_than_others() -> None:
    assert deck_digest("machine:9500", None) == deck_digest("machine:9500", None) != deck_digest("machine:9501", None)


def test_fonts_that_this_machine_lacks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_split, "find_fonts", lambda variety: (Path("/fonts/FreeSans.ttf"),))

    assert "FreeSans" not in missing_fonts()
    assert {"DejaVuSerifCondensed-Bold", "C059-Bold"} <= set(missing_fonts())
