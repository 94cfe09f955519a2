"""An exported case proves itself by the script that it carries, and not after one byte was changed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.web.rooms import Seed, TestRoom
from tests.service.web.signed_cases import a_signed_room, export, furnish_case
from thirdcard.service.sealing.checkpoint import parse_note, parse_verifier
from thirdcard.service.store.sealing_schema import CheckpointRow


@pytest.fixture
def signed(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    with a_signed_room(tmp_path, seed) as room:
        yield room


@pytest.fixture
def archive(signed: TestRoom, tmp_path: Path) -> Path:
    """A case that was exported and unpacked."""
    return export(signed, furnish_case(signed), tmp_path / "case")


def check(archive: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, archive / "check.py", *more], capture_output=True, text=True)


def test_script_finds_an_untouched_case_in_order(archive: Path) -> None:
    told = check(archive)
    assert (told.returncode, told.stdout) == (0, "Every file is as it was exported, and the house signed it.\n")
    assert check(archive, (archive / "seal" / "key.pub").read_text().strip()).returncode == 0


def test_proof_holds_the_export_and_the_lines_of_its_alert(archive: Path) -> None:
    proof = json.loads((archive / "seal" / "proof.json").read_text())
    assert [(one["chain"], [line[0] for line in one["lines"]]) for one in proof["chains"]] == [
        ("cases/1", [1]), ("alerts/B07", [1, 2, 3]),
    ]  # fmt: skip
    assert proof["left_out"] == []
    key = parse_verifier(proof["key"], "proof")
    for number, note in proof["checkpoints"].items():
        assert parse_note(note, number).is_signed_by(key)
        assert (archive / "seal" / f"checkpoint-{number}.note").read_text() == note


def change_file(archive: Path) -> None:
    path = archive / "evidence" / "alert-1-clip.mp4"
    path.write_bytes(b"filn")


def change_manifest(archive: Path) -> None:
    path = archive / "manifest.json"
    path.write_text(path.read_text().replace("2026", "2025", 1))


def change_proof(old: str, new: str) -> Callable[[Path], None]:
    def change(archive: Path) -> None:
        path = archive / "seal" / "proof.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(change_file, "evidence/alert-1-clip.mp4", id="file"),
        pytest.param(change_manifest, "AssertionError: manifest", id="manifest"),
        pytest.param(change_proof("seat", "saet"), "AssertionError: alerts/B07", id="line"),
        pytest.param(change_proof("\\ntime 2026", "\\ntime 2025"), "InvalidSignature", id="checkpoint"),
        pytest.param(change_proof('"leaf": 0', '"leaf": 1'), "AssertionError", id="leaf"),
    ],
)
def test_script_names_what_was_changed(archive: Path, change: Callable[[Path], None], said: str) -> None:
    change(archive)
    told = check(archive)
    assert told.returncode == 1
    assert said in told.stderr


def test_another_houses_key_does_not_fit(archive: Path) -> None:
    key = "casino.example/thirdcard+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    assert "InvalidSignature" in check(archive, key).stderr


def test_closing_a_case_has_it_signed(signed: TestRoom) -> None:
    case = furnish_case(signed)
    with signed.database.reading() as session:
        assert session.query(CheckpointRow).count() == 0
    assert signed.as_role("supervisor").post(f"/api/cases/{case}/state", json={"state": "closed"}).status_code == 200
    with signed.database.reading() as session:
        assert session.query(CheckpointRow).count() == 2


def test_house_without_a_signer_says_that_nothing_is_signed(room: TestRoom, tmp_path: Path) -> None:
    archive = export(room, furnish_case(room), tmp_path / "case")
    proof = json.loads((archive / "seal" / "proof.json").read_text())
    assert (proof["key"], proof["chains"]) == (None, [])
    assert "This house signs nothing" in (archive / "player.html").read_text()


def test_case_is_exported_where_the_signer_is_away(tmp_path: Path, seed: Seed) -> None:
    with a_signed_room(tmp_path, seed) as room:
        signer = room.app.state.room.settings.signer
        signer.unlink()
        archive = export(room, furnish_case(room), tmp_path / "case")
    (said,) = json.loads((archive / "seal" / "proof.json").read_text())["left_out"]
    assert said.startswith("The signer is away: ")
