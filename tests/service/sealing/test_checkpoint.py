"""Checkpoints are signed notes: written and read back, refused when cut, changed, foreign or of a later version."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON
from thirdcard.service.sealing.checkpoint import (
    Checkpoint,
    NewerFormatError,
    SealError,
    SignedNote,
    parse_note,
    parse_verifier,
    sign,
)
from thirdcard.service.sealing.keys import load_key, load_verifier, new_key, public_path

WORDS = Checkpoint(origin="casino.example/a", number=7, size=3, root=bytes(range(32)), at=NOON, chains=2)


def test_signature_of_gos_note_package_holds() -> None:
    key = parse_verifier("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", "key")
    text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
    signature = (
        "c74f20a3f64992e052f541bf49f7dcbc8010c5506d885ba92cbafca40704959227348b8652060dd451580b6a5948d5e0"
        "2afa9fa9d9e0a2da5165be8a13a472c81c099c03"
    )
    note = SignedNote(checkpoint=WORDS, text=text, signatures=(("PeterNeumann", bytes.fromhex(signature)),))
    assert note.is_signed_by(key)
    assert not replace(note, text=text + "\n").is_signed_by(key)


def test_note_is_read_back_as_it_was_signed(tmp_path: Path) -> None:
    key, other = (new_key(tmp_path / name, "casino.example/a") for name in ("one", "two"))
    told = replace(WORDS, next_key=other.verifier, begins="a lost key")
    note = parse_note(sign(told, [key]), "here")
    assert note.checkpoint == told
    assert note.is_signed_by(key.verifier)
    assert not note.is_signed_by(other.verifier)


def test_text_begins_as_tlog_checkpoints_do(tmp_path: Path) -> None:
    lines = sign(WORDS, [new_key(tmp_path / "key", WORDS.origin)]).splitlines()
    assert lines[:3] == ["casino.example/a", "3", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]
    assert lines[6:7] == [""] or "" in lines
    assert lines[-1].startswith("— casino.example/a ")


@pytest.mark.parametrize("kept", [0, 20, 60, 110, -30, -1])
def test_note_that_was_cut_is_refused(tmp_path: Path, kept: int) -> None:
    key = new_key(tmp_path / "key", WORDS.origin)
    cut = sign(WORDS, [key])[:kept]
    with pytest.raises(SealError, match="here: is no"):
        parse_note(cut, "here")


def test_note_that_was_changed_is_not_signed(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key", WORDS.origin)
    note = parse_note(sign(WORDS, [key]).replace("chains 2", "chains 1"), "here")
    assert not note.is_signed_by(key.verifier)


def test_note_of_a_later_version_is_named(tmp_path: Path) -> None:
    text = sign(WORDS, [new_key(tmp_path / "key", WORDS.origin)]).replace("format 1", "format 2")
    with pytest.raises(NewerFormatError, match="here: format = 2; must be 1: a later version of Thirdcard wrote it"):
        parse_note(text, "here")


def test_keys_are_loaded_as_they_were_made(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key", WORDS.origin)
    assert load_key(tmp_path / "key").verifier == load_verifier(public_path(tmp_path / "key")) == key.verifier
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_key_is_never_overwritten(tmp_path: Path) -> None:
    new_key(tmp_path / "key", WORDS.origin)
    with pytest.raises(SealError, match="key: is there already"):
        new_key(tmp_path / "key", WORDS.origin)


def test_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    new_key(tmp_path / "key", WORDS.origin)
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(SealError, match="others may read it; its rights must be 0600"):
        load_key(tmp_path / "key")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda line: line[:-9], id="cut"),
        pytest.param(lambda line: line.replace("casino", "other"), id="another name"),
        pytest.param(lambda line: "a picture", id="no key"),
        pytest.param(lambda line: "", id="empty"),
        pytest.param(lambda line: line.replace("+", "+é", 1), id="no base64"),
    ],
)
def test_key_file_that_is_no_whole_key_is_named(tmp_path: Path, change: object) -> None:
    new_key(tmp_path / "key", WORDS.origin)
    for path, load in ((tmp_path / "key", load_key), (tmp_path / "key.pub", load_verifier)):
        path.write_text(change(path.read_text()))  # type: ignore[operator]
        with pytest.raises(SealError, match=f"{path}: is no"):
            load(path)


@pytest.mark.parametrize("origin", ["", "a b", "a+b", "x" * 121, "casinö"])
def test_origin_that_no_note_can_carry_is_refused(tmp_path: Path, origin: str) -> None:
    with pytest.raises(SealError, match="must be 1 to 120 characters without spaces"):
        new_key(tmp_path / "key", origin)
