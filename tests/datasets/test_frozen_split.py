"""The held-out scripts are as they were frozen, and a change of one shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from thirdcard.datasets.script.frozen import (
    FOLDERS,
    SCRIPTS,
    cloth_digest,
    deck_digest,
    differences,
    fingerprint,
    load_frozen,
)


def test_held_out_scripts_are_as_frozen() -> None:
    assert differences(load_frozen().scripts, fingerprint()) == []


def test_every_held_out_deck_is_frozen() -> None:
    frozen = load_frozen()

    assert {entry["deck"] for entry in frozen.scripts.values()} == set(frozen.decks)


def test_every_held_out_cloth_is_frozen() -> None:
    frozen = load_frozen()

    assert frozen.scripts.keys() == frozen.cloths.keys()


@pytest.mark.parametrize("folder", FOLDERS)
def test_last_cloth_of_a_folder_is_lettered_as_frozen(folder: str) -> None:
    name = max(name for name in load_frozen().cloths if name.startswith(f"{folder}/"))

    assert cloth_digest(SCRIPTS / name) == load_frozen().cloths[name]


def test_deck_drawn_by_machine_is_as_frozen() -> None:
    assert deck_digest("machine:9902", None) == load_frozen().decks["machine:9902"]


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
