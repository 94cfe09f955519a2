"""Anchors: each checkpoint once in a folder, stamped by an authority, waiting where either is away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.time_stamps import OPENSSL, answering, make_authority
from thirdcard.service.sealing.anchors import STAMP, Anchoring, anchor_path, load_anchors, load_roots
from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.keys import new_key
from thirdcard.service.sealing.signer import Signer, begin_state, open_state

ORIGIN = "casino.example/a"
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="needs openssl, which is not on this machine")


class Steps:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def signer(tmp_path: Path) -> Iterator[Signer]:
    key = new_key(tmp_path / "key", ORIGIN)
    begin_state(tmp_path / "key", key, "first key", NOON)
    made = Signer(key, open_state(tmp_path / "key"), HandClock(NOON))
    yield made
    made.close()


def test_checkpoints_wait_for_a_folder_that_is_away(signer: Signer, tmp_path: Path) -> None:
    steps = Steps()
    anchoring = Anchoring(signer, tmp_path / "anchors", None, steps)
    signer.sign(0)
    anchoring()
    assert str(anchoring.fault).startswith("2 checkpoints wait for")
    (tmp_path / "anchors").mkdir()
    anchoring()
    assert signer.anchored == 0
    steps.now = 61.0
    anchoring()
    assert (str(anchoring.fault), signer.anchored) == ("None", 2)
    assert [anchor.note.checkpoint.number for anchor in load_anchors(tmp_path / "anchors")] == [1, 2]


def test_anchor_is_never_overwritten(signer: Signer, tmp_path: Path) -> None:
    path = anchor_path(tmp_path, ORIGIN, 1)
    path.write_text("something else")
    anchoring = Anchoring(signer, tmp_path, None, Steps())
    anchoring()
    assert "is there already; it is never overwritten" in str(anchoring.fault)
    assert path.read_text() == "something else"


def test_anchor_that_was_written_before_a_kill_is_no_fault(signer: Signer, tmp_path: Path) -> None:
    anchor_path(tmp_path, ORIGIN, 1).write_text(signer.notes(0)[0])
    anchoring = Anchoring(signer, tmp_path, None, Steps())
    anchoring()
    assert (anchoring.fault, signer.anchored) == (None, 1)


@needs_openssl
def test_newest_checkpoint_is_stamped_and_an_authority_that_was_away_is_asked_again(
    signer: Signer, tmp_path: Path
) -> None:
    root, steps, folder = make_authority(tmp_path / "tsa"), Steps(), tmp_path / "anchors"
    folder.mkdir()
    with answering(tmp_path / "tsa") as address:
        pass
    away = Anchoring(signer, folder, address, steps)
    away()
    assert "the newest for its time stamp" in str(away.fault)
    signer.sign(0)
    with answering(tmp_path / "tsa") as address:
        anchoring = Anchoring(signer, folder, address, steps)
        anchoring()
    assert anchoring.fault is None
    first, second = load_anchors(folder, load_roots([root]))
    assert first.stamped_at is None
    assert second.stamped_at is not None
    assert load_anchors(folder)[1].stamped_at is None


@needs_openssl
def test_stamp_that_was_cut_moved_or_is_anothers_is_named(signer: Signer, tmp_path: Path) -> None:
    root, folder = make_authority(tmp_path / "tsa"), tmp_path / "anchors"
    other = make_authority(tmp_path / "other")
    folder.mkdir()
    signer.sign(0)
    with answering(tmp_path / "tsa") as address:
        Anchoring(signer, folder, address, Steps())()
    stamp = anchor_path(folder, ORIGIN, 2).with_suffix(STAMP)
    whole = stamp.read_bytes()
    stamp.chmod(0o600)
    stamp.write_bytes(whole[:100])
    with pytest.raises(SealError, match="00000002.tsr: the time stamp does not hold"):
        load_anchors(folder, load_roots([root]))
    stamp.write_bytes(whole)
    with pytest.raises(SealError, match="00000002.tsr: the time stamp does not hold"):
        load_anchors(folder, load_roots([other]))
    anchor_path(folder, ORIGIN, 1).with_suffix(STAMP).write_bytes(whole)
    with pytest.raises(SealError, match="00000001.tsr: the time stamp does not hold"):
        load_anchors(folder, load_roots([root]))


def test_root_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "root.pem").write_text("nothing")
    with pytest.raises(SealError, match="root.pem; must be a certificate in PEM"):
        load_roots([tmp_path / "root.pem"])
