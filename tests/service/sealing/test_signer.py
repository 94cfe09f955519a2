"""The signer signs what continues its log, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.hand_clock import NOON, HandClock
from thirdcard.service.sealing.checkpoint import SealError, parse_note
from thirdcard.service.sealing.keys import new_key, state_path
from thirdcard.service.sealing.merkle import Frontier, Leaf
from thirdcard.service.sealing.signer import Signer, SigningRefusedError, begin_state, open_state

A, B = (Leaf(chain=name, seq=5, seal="a" * 64) for name in ("log/B07", "audit"))


@pytest.fixture
def signer(tmp_path: Path) -> Iterator[Signer]:
    key = new_key(tmp_path / "key", "casino.example/a")
    begin_state(tmp_path / "key", key, "first key", NOON)
    made = Signer(key, open_state(tmp_path / "key"), HandClock(NOON))
    made.extend(0, [A, B])
    made.sign(2)
    yield made
    made.close()


def test_root_is_the_signers_own(signer: Signer) -> None:
    tree = Frontier()
    for leaf in (A, B):
        tree.add(leaf.data)
    first, second = (parse_note(note, "note").checkpoint for note in signer.notes(0))
    assert (first.number, first.size, first.begins) == (1, 0, "first key")
    assert (second.number, second.size, second.chains, second.root) == (2, 2, 2, tree.root())


@pytest.mark.parametrize(
    ("size", "leaf", "told"),
    [
        pytest.param(1, A, "the log has 2 signed leaves; the service continues after 1", id="log set back"),
        pytest.param(3, A, "the log has 2 signed leaves; the service continues after 3", id="leaf left out"),
        pytest.param(2, Leaf(chain="log/B07", seq=4, seal="b" * 64), "ends at line 4, and line 5", id="chain set back"),
        pytest.param(2, Leaf(chain="audit", seq=5, seal="b" * 64), "audit: line 5 has another seal", id="sealed anew"),
    ],
)
def test_what_does_not_continue_the_log_is_refused_and_changes_nothing(
    signer: Signer, size: int, leaf: Leaf, told: str
) -> None:
    before = signer.notes(0)
    with pytest.raises(SigningRefusedError, match=told):
        signer.extend(size, [Leaf(chain="log/B08", seq=1, seal="c" * 64), leaf])
    assert (signer.size, signer.notes(0)) == (2, before)
    signer.extend(2, [Leaf(chain="audit", seq=6, seal="d" * 64)])
    signer.sign(2)


@pytest.mark.parametrize("chains", [1, 3])
def test_chain_that_is_gone_or_left_out_is_refused(signer: Signer, chains: int) -> None:
    with pytest.raises(SigningRefusedError, match=f"the service has {chains} chains, the log 2"):
        signer.sign(chains)


def test_state_is_taken_up_again(tmp_path: Path, signer: Signer) -> None:
    signer.close()
    again = Signer(signer.key, open_state(tmp_path / "key"), HandClock(NOON))
    with pytest.raises(SigningRefusedError, match="audit: line 5 has another seal"):
        again.extend(2, [Leaf(chain="audit", seq=5, seal="b" * 64)])
    assert again.newest == 2
    again.close()


def test_second_process_is_refused(tmp_path: Path, signer: Signer) -> None:
    with pytest.raises(SealError, match="key.state: cannot be used: database is locked"):
        open_state(tmp_path / "key")


def test_lost_state_is_named_with_what_to_do(tmp_path: Path, signer: Signer) -> None:
    signer.close()
    state_path(tmp_path / "key").unlink()
    with pytest.raises(SealError, match="begin a new log with a new key"):
        open_state(tmp_path / "key")


def test_state_that_is_cut_or_of_a_later_version_is_named(tmp_path: Path, signer: Signer) -> None:
    signer._state.execute("UPDATE facts SET value = '2' WHERE name = 'format'")
    signer._state.commit()
    signer.close()
    with pytest.raises(SealError, match="format = 2; must be 1: a later version wrote it"):
        open_state(tmp_path / "key")
    state_path(tmp_path / "key").write_bytes(b"no database at all" * 100)
    with pytest.raises(SealError, match="cannot be used: file is not a database"):
        open_state(tmp_path / "key")


def test_state_of_another_key_is_refused(tmp_path: Path, signer: Signer) -> None:
    other = new_key(tmp_path / "other", "casino.example/a")
    signer.close()
    with pytest.raises(SealError, match="the state belongs to the key"):
        Signer(other, open_state(tmp_path / "key"), HandClock(NOON))


def test_new_log_beside_a_state_is_refused(tmp_path: Path, signer: Signer) -> None:
    with pytest.raises(SealError, match="what was signed is never forgotten"):
        begin_state(tmp_path / "key", signer.key, "again", NOON)


def test_reason_of_two_lines_is_refused(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key", "casino.example/a")
    with pytest.raises(SealError, match="must be one line"):
        begin_state(tmp_path / "key", key, "lost\nfound", NOON)


def test_rotated_key_is_signed_by_the_old_one(tmp_path: Path, signer: Signer) -> None:
    old = signer.key
    following = signer.rotate(tmp_path / "key2")
    note = parse_note(signer.notes(2)[0], "note")
    assert note.checkpoint.next_key == following.verifier
    assert note.is_signed_by(old.verifier)
    assert note.is_signed_by(following.verifier)
    signer.extend(2, [Leaf(chain="audit", seq=6, seal="d" * 64)])
    assert not parse_note(signer.sign(2), "note").is_signed_by(old.verifier)
