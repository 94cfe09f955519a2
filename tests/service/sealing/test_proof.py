"""What somebody with the database changes and seals anew is found; what is merely not proven is said, and no fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from tests.service.databases import url_of
from tests.service.hand_clock import NOON, HandClock
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse, make_house, reseal, signing
from thirdcard.service.sealing.anchors import anchor_path, load_anchors
from thirdcard.service.sealing.checkpoint import NewerFormatError, SealError
from thirdcard.service.sealing.keys import load_key, load_verifier, new_key, public_path, state_path
from thirdcard.service.sealing.merkle import Leaf
from thirdcard.service.sealing.proof import prove
from thirdcard.service.sealing.signer import Signer, SigningRefusedError, begin_state, open_state
from thirdcard.service.sealing.subtrees import leaves_of
from thirdcard.service.sealing.tree import SetBackError, note_heads, seal_heads
from thirdcard.service.store.database import open_database
from thirdcard.service.store.schema import ChainHead, ChainLine
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf

LOG = "log/B07"


def test_what_was_not_touched_is_in_order_and_said_to_be_signed(house: SealedHouse) -> None:
    house.write(LOG, 2)
    proof = house.prove()
    assert house.fault() is None
    assert proof.said[0] == f"{ORIGIN}: signed until 2026-05-04 12:01:00 UTC; 2 later lines are sealed and not signed."
    assert proof.said[1].startswith("What was written before 2026-05-04 12:01:00 UTC was first signed then")
    assert "Anchored until 2026-05-04 12:01:00 UTC (casino.example_thirdcard-00000002.note)." in proof.said


def change_and_reseal(session: Session) -> None:
    session.execute(update(ChainLine).where(ChainLine.chain == LOG, ChainLine.seq == 2).values(body='{"n":9}'))
    reseal(session, LOG)


def cut_and_set_back(session: Session) -> None:
    session.execute(delete(ChainLine).where(ChainLine.chain == LOG, ChainLine.seq > 1))
    reseal(session, LOG)


def delete_chain(session: Session) -> None:
    session.execute(delete(ChainLine).where(ChainLine.chain == LOG))
    session.execute(delete(ChainHead).where(ChainHead.chain == LOG))


def change_leaf_too(session: Session) -> None:
    change_and_reseal(session)
    head = session.get_one(ChainHead, LOG)
    session.execute(update(TreeLeaf).where(TreeLeaf.chain == LOG, TreeLeaf.seq == head.seq).values(seal=head.seal))


def delete_leaves(session: Session) -> None:
    session.execute(delete(TreeLeaf))


def delete_middle_leaf(session: Session) -> None:
    session.execute(delete(TreeLeaf).where(TreeLeaf.number == 0))


def delete_middle_checkpoint(session: Session) -> None:
    session.execute(delete(CheckpointRow).where(CheckpointRow.number == 1))


def change_checkpoint(session: Session) -> None:
    note = session.get_one(CheckpointRow, (ORIGIN, 2))
    note.note = note.note.replace("chains 2", "chains 1")


def cut_checkpoint(session: Session) -> None:
    note = session.get_one(CheckpointRow, (ORIGIN, 2))
    note.note = note.note[:100]


def swap_checkpoints(session: Session) -> None:
    note = session.get_one(CheckpointRow, (ORIGIN, 2))
    note.note = session.get_one(CheckpointRow, (ORIGIN, 1)).note


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        pytest.param(change_and_reseal, "log/B07: line 1 to 3 are not what was signed: checkpoint 2 of", id="resealed"),
        pytest.param(cut_and_set_back, "log/B07: line 2 is missing: checkpoint 2 of 2026", id="cut, head set back"),
        pytest.param(delete_chain, "log/B07: line 1 is missing: checkpoint 2 of", id="chain gone"),
        pytest.param(change_leaf_too, "leaves are not those of checkpoint", id="leaf changed"),
        pytest.param(delete_leaves, "leaf 0 is missing; checkpoint 2 of", id="leaves gone"),
        pytest.param(delete_middle_leaf, "leaf 0 is missing; checkpoint 2 of", id="leaf gone"),
        pytest.param(delete_middle_checkpoint, "checkpoint 1: is missing", id="checkpoint gone"),
        pytest.param(change_checkpoint, "checkpoint 2: is not signed by casino.example/thirdcard+", id="note changed"),
        pytest.param(cut_checkpoint, "checkpoint 2: is no whole checkpoint", id="note cut"),
        pytest.param(swap_checkpoints, "checkpoint 2: is the checkpoint 1 of the log", id="notes swapped"),
    ],
)
@pytest.mark.parametrize("later", [False, True], ids=["at once", "signed on"])
def test_tampering_is_found_with_the_key_alone(
    house: SealedHouse, tamper: Callable[[Session], None], found: str, later: bool
) -> None:
    if later:
        house.write(LOG)
        house.write("log/B08")
        house.seal()
    with house.database.writing() as session:
        tamper(session)
    fault = house.fault(anchored=False)
    assert found in str(fault)


def set_back_to_the_checkpoint_before(session: Session) -> None:
    """Everything as it was before the last signature: lines, heads, leaves and checkpoint."""
    session.execute(delete(CheckpointRow).where(CheckpointRow.number == 3))
    session.execute(delete(TreeLeaf).where(TreeLeaf.number >= 2))
    session.execute(delete(ChainLine).where(ChainLine.chain == LOG, ChainLine.seq > 3))
    reseal(session, LOG)


def test_set_back_database_is_found_with_anchors_and_said_without(house: SealedHouse) -> None:
    house.write(LOG)
    house.seal()
    with house.database.writing() as session:
        set_back_to_the_checkpoint_before(session)
    assert house.fault(anchored=False) is None
    assert any("removed cannot be seen: no --anchors" in line for line in house.prove(anchored=False).said)
    assert house.fault() == f"the log {ORIGIN}: leaf 2 is missing; checkpoint 3 of 2026-05-04 12:02:00 UTC covers it"


@pytest.mark.parametrize(
    "tamper", [change_and_reseal, cut_and_set_back, delete_chain, set_back_to_the_checkpoint_before]
)
def test_rewritten_history_is_not_signed(house: SealedHouse, tamper: Callable[[Session], None]) -> None:
    house.write(LOG)
    house.seal()
    with house.database.writing() as session:
        tamper(session)
    with pytest.raises((SigningRefusedError, SetBackError)):
        house.seal()


def test_service_that_lies_to_its_signer_is_refused(house: SealedHouse) -> None:
    with signing(house) as link:
        for size, leaf in ((0, Leaf(chain=LOG, seq=9, seal="a" * 64)), (2, Leaf(chain=LOG, seq=1, seal="a" * 64))):
            with pytest.raises(SigningRefusedError, match="the signer refuses to sign"):
                link.extend(size, [leaf])
        assert link.state()[1:] == (2, 2)


def test_checkpoints_of_another_signer_are_not_believed(house: SealedHouse, tmp_path: Path) -> None:
    """Somebody with the service's account changes a line and has a key of his own, with the same name, sign it all."""
    with house.database.writing() as session:
        change_and_reseal(session)
        session.execute(delete(CheckpointRow))
        session.execute(delete(TreeLeaf))
    forged = SealedHouse(house.database, tmp_path, house.clock, tmp_path / "forged.key")
    begin_state(forged.key, new_key(forged.key, ORIGIN), "first key", NOON)
    key, house.key = house.key, forged.key
    house.anchors.rename(tmp_path / "true")
    house.anchors.mkdir()
    house.seal()
    house.key = key
    assert "no checkpoint is signed by" in str(house.fault(anchored=False))


def test_removed_checkpoints_are_a_fault_where_a_key_is_given(house: SealedHouse) -> None:
    with house.database.writing() as session:
        session.execute(delete(CheckpointRow))
        session.execute(delete(TreeLeaf))
    assert "no checkpoint is signed by" in str(house.fault(anchored=False))
    assert "leaf 0 is missing" in str(house.fault())


def test_anchor_of_another_house_is_named(house: SealedHouse, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    database = open_database(url_of(tmp_path / "other.db"))
    other = make_house(database, tmp_path / "other", HandClock(NOON), "other.example/log")
    foreign = anchor_path(other.anchors, "other.example/log", 2)
    (house.anchors / "foreign.note").write_bytes(foreign.read_bytes())
    with pytest.raises(SealError, match="foreign.note: is of the log other.example/log; the key is of casino"):
        house.prove()
    database.close()


def test_anchor_that_is_not_signed_by_the_key_is_named(house: SealedHouse, tmp_path: Path) -> None:
    path = anchor_path(house.anchors, ORIGIN, 2)
    path.chmod(0o600)
    path.write_text(path.read_text().replace("chains 2", "chains 3"))
    assert "checkpoint 2: is not the one that is anchored in" in str(house.fault())
    with house.database.writing() as session:
        session.execute(delete(CheckpointRow).where(CheckpointRow.number == 2))
    with pytest.raises(SealError, match="00000002.note: is not signed by casino"):
        house.prove()


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        pytest.param(lambda text: text[:90], SealError, "00000002.note: is no whole checkpoint", id="cut"),
        pytest.param(lambda text: "", SealError, "00000002.note: is no whole checkpoint", id="empty"),
        pytest.param(
            lambda text: text.replace("format 1", "format 7"), NewerFormatError, "format = 7; must be 1", id="later"
        ),
    ],
)
def test_anchor_that_cannot_be_read_is_named(
    house: SealedHouse, change: Callable[[str], str], error: type[SealError], told: str
) -> None:
    path = anchor_path(house.anchors, ORIGIN, 2)
    path.chmod(0o600)
    path.write_text(change(path.read_text()))
    with pytest.raises(error, match=told):
        house.prove()


def remove_anchors(house: SealedHouse, *numbers: int) -> None:
    for number in numbers:
        anchor_path(house.anchors, ORIGIN, number).unlink()


def test_newest_anchors_that_are_gone_are_a_fault_where_a_later_checkpoint_says_that_they_were_there(
    house: SealedHouse,
) -> None:
    for _ in range(2):
        house.write(LOG)
        house.seal()
    remove_anchors(house, 4)
    told = house.prove()
    assert (told.fault, f"The 1 newest checkpoints of {ORIGIN} are not anchored." in told.said) == (None, True)
    remove_anchors(house, 3)
    signed = "checkpoint 4 of 2026-05-04 12:03:00 UTC says that it was"
    assert house.fault() == f"checkpoint 3: is no longer anchored; {signed}"


def test_anchors_of_a_log_that_are_all_gone_are_a_fault(house: SealedHouse, tmp_path: Path) -> None:
    house.write(LOG)
    house.seal()
    old, house.key = house.key, tmp_path / "second.key"
    begin_state(house.key, new_key(house.key, f"{ORIGIN}-2"), "the key was lost", house.clock())
    house.seal()
    remove_anchors(house, 1, 2, 3)
    keys = (public_path(old), public_path(house.key))
    signed = "checkpoint 3 of 2026-05-04 12:02:00 UTC says that 2 were"
    assert house.prove(keys=keys).fault == f"the log {ORIGIN}: no checkpoint is anchored any more; {signed}"


def test_folder_of_anchors_that_begins_late_is_in_order_and_said(house: SealedHouse) -> None:
    remove_anchors(house, 1)
    proof = house.prove()
    assert proof.fault is None
    assert f"The folder of anchors begins with checkpoint 2 of {ORIGIN}; it covers those before." in proof.said


def test_files_of_anchors_are_compared_alone(house: SealedHouse) -> None:
    house.write(LOG)
    house.seal()
    alone = load_anchors(anchor_path(house.anchors, ORIGIN, 1))
    with house.database.reading() as session:
        proof = prove(session, [load_verifier(public_path(house.key))], alone)
    assert proof.fault is None
    assert f"The 2 newest checkpoints of {ORIGIN} are not anchored." in proof.said


def test_checkpoint_says_which_was_the_newest_anchor_when_it_was_signed(house: SealedHouse) -> None:
    shutil.rmtree(house.anchors)
    house.seal()
    assert "anchored 2" in house.prove(anchored=False).logs[0].notes[-1].text


def test_empty_or_missing_folder_of_anchors_is_named(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(SealError, match="must be a folder with checkpoints"):
            load_anchors(folder)


def test_kill_between_leaves_and_signature_is_no_fault_and_is_signed_later(house: SealedHouse) -> None:
    house.write(LOG)
    with house.database.writing() as session:
        assert note_heads(session, ORIGIN) == 3
    assert house.fault() is None
    assert house.seal() == 3
    assert house.fault() is None


def test_kill_between_signature_and_its_keeping_is_no_fault_and_it_is_fetched_later(house: SealedHouse) -> None:
    house.write(LOG)
    with house.database.writing() as session:
        note_heads(session, ORIGIN)
    with house.database.reading() as session:
        new = [leaf for _, leaf in leaves_of(session, ORIGIN, 2)]
    with signing(house) as link:
        link.extend(2, new)
        link.sign(2)
    assert house.fault() is None
    house.seal()
    assert house.fault() is None
    with house.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(CheckpointRow)) == 4


def test_old_key_and_new_key_prove_the_same_after_a_rotation(house: SealedHouse, tmp_path: Path) -> None:
    signer = Signer(load_key(house.key), open_state(house.key), house.clock)
    signer.rotate(tmp_path / "second.key")
    signer.close()
    state_path(house.key).rename(state_path(tmp_path / "second.key"))
    old, house.key = house.key, tmp_path / "second.key"
    house.write(LOG)
    house.seal()
    for key in (old, house.key):
        proof = house.prove(keys=(public_path(key),))
        assert (proof.fault, proof.logs[0].size) == (None, 3)


def test_old_key_signs_nothing_more_after_a_rotation(house: SealedHouse, tmp_path: Path) -> None:
    signer = Signer(load_key(house.key), open_state(house.key), house.clock)
    signer.rotate(tmp_path / "second.key")
    signer.close()
    with pytest.raises(SealError, match="the state belongs to the key"):
        Signer(load_key(house.key), open_state(house.key), house.clock)


def test_new_log_after_a_lost_key_begins_anew_and_the_old_one_is_said(house: SealedHouse, tmp_path: Path) -> None:
    old = public_path(house.key)
    house.key = tmp_path / "second.key"
    begin_state(house.key, new_key(house.key, f"{ORIGIN}-2"), "the key was lost", house.clock())
    house.write(LOG)
    house.seal()
    alone = house.prove(anchored=False)
    assert alone.fault is None
    assert alone.logs[0].size == 2
    assert f"The log {ORIGIN} is here too and was not compared: name its key with --key." in alone.said
    both = house.prove(keys=(old, public_path(house.key)))
    assert [log.origin for log in both.logs] == [ORIGIN, f"{ORIGIN}-2"]
    assert house.fault(anchored=False) is None


def test_upgraded_house_without_a_signer_is_in_order_and_said_to_be_unsigned(tmp_path: Path) -> None:
    database = open_database(url_of(tmp_path / "plain.db"))
    house = SealedHouse(database, tmp_path, HandClock(NOON), tmp_path / "none")
    house.write(LOG)
    with database.reading() as session:
        proof = prove(session)
    assert proof.fault is None
    assert proof.said == ["Nothing is signed yet: who can write the database could have sealed all of it anew."]
    database.close()


def test_without_a_key_the_log_is_compared_and_signatures_are_said_to_be_unchecked(house: SealedHouse) -> None:
    with house.database.reading() as session:
        proof = prove(session)
    assert (proof.fault, proof.logs[0].size) == (None, 2)
    assert "The signatures were not checked: no --key was given." in proof.said


def test_many_leaves_go_in_batches(house: SealedHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.sealing.tree.BATCH", 7)
    for n in range(30):
        house.write(f"log/T{n:02}", 1)
    assert house.seal() == 32
    assert house.fault() is None


def test_nothing_new_is_signed_again_so_that_the_time_moves_on(house: SealedHouse) -> None:
    with signing(house) as link:
        assert seal_heads(house.database, link) == 2
    assert house.prove().logs[0].notes[-1].checkpoint.number == 3


def test_checkpoint_that_was_cut_is_a_fault_without_a_key_too(house: SealedHouse) -> None:
    with house.database.writing() as session:
        cut_checkpoint(session)
    with house.database.reading() as session:
        fault = prove(session).fault
    assert fault == (
        f"the log {ORIGIN}: its newest checkpoint: is no whole checkpoint; must be a signed note with its signatures"
    )
