"""Kinds of tampering with chains, the log over them, checkpoints and anchors, some with the project's own code."""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from sqlalchemy import delete, select, text, update
from sqlalchemy.orm import Session

from tests.endurance.tampered_house import TamperedHouse, change_row, line_of, record, reseal_all, row_of
from tests.endurance.tampering_rows import Act
from tests.service.hand_clock import NOON
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse, reseal
from thirdcard.service.sealing.anchors import anchor_path
from thirdcard.service.sealing.keys import new_key
from thirdcard.service.sealing.merkle import Frontier, Leaf
from thirdcard.service.sealing.signer import begin_state
from thirdcard.service.store import chain
from thirdcard.service.store.recorded_rows import table_of
from thirdcard.service.store.row_record import take_over
from thirdcard.service.store.schema import AlertChange, AlertRow, CaseNote, ChainHead, ChainLine, EvidenceRow, UserRow
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf

LOG, AUDIT = "log/B07", "audit"
OTHER_LINE = '{"n":9}'
NEWEST = 4
"""The number of the house's last checkpoint."""


def by_hand(change: Callable[[Session], None]) -> Act:
    """Return an act that changes the database and bypasses the service."""

    def act(house: TamperedHouse) -> None:
        with house.hands() as session:
            change(session)

    return act


def change_line(session: Session) -> None:
    """Change the content of a log line."""
    line_of(session, LOG, 2).body = OTHER_LINE


def spoil_line(session: Session) -> None:
    """Replace a line by text that is not JSON."""
    line_of(session, "alerts/B07", 2).body = "nothing"


def retime_line(session: Session) -> None:
    """Change the time of a log line by an hour."""
    line_of(session, LOG, 2).at += timedelta(hours=1)


def delete_line(session: Session) -> None:
    """Delete a line in the middle."""
    session.delete(line_of(session, LOG, 2))


def cut_chain(session: Session) -> None:
    """Delete the last lines."""
    session.execute(delete(ChainLine).where(ChainLine.chain == LOG, ChainLine.seq > 4))


def set_head_back(session: Session) -> None:
    """Make the head name an earlier end."""
    head, line = session.get_one(ChainHead, LOG), line_of(session, LOG, 4)
    head.seq, head.seal = line.seq, line.seal


def cut_and_set_head_back(session: Session) -> None:
    """Delete the last lines, and make the head fit."""
    set_head_back(session)
    session.flush()
    cut_chain(session)


def swap_lines(session: Session) -> None:
    """Swap the content of two lines."""
    first, second = line_of(session, LOG, 2), line_of(session, LOG, 3)
    first.body, second.body = second.body, first.body


def slip_line_in(session: Session) -> None:
    """Add a line behind the end."""
    session.add(ChainLine(chain=LOG, seq=11, at=NOON, body=OTHER_LINE, seal="0" * 64))


def delete_head(session: Session) -> None:
    """Delete the head of a chain."""
    session.execute(delete(ChainHead).where(ChainHead.chain == LOG))


def change_act(session: Session) -> None:
    """Change who did an act."""
    line = line_of(session, AUDIT, 1)
    line.body = line.body.replace('"who":"', '"who":"not-')


def delete_chain(name: str) -> Callable[[Session], None]:
    """Return a change that deletes a whole chain and its head."""

    def change(session: Session) -> None:
        session.execute(delete(ChainLine).where(ChainLine.chain == name))
        session.execute(delete(ChainHead).where(ChainHead.chain == name))

    return change


def sealed_anew(change: Callable[[Session], None]) -> Act:
    """Return an act that makes a change, and then seals all chains anew with the project's own code."""

    def with_seals(session: Session) -> None:
        change(session)
        session.flush()
        reseal_all(session)

    return by_hand(with_seals)


def drop_line_and_renumber(session: Session) -> None:
    """Delete an act, and renumber those after it."""
    session.delete(line_of(session, AUDIT, 2))
    session.flush()
    for line in session.scalars(select(ChainLine).where(ChainLine.chain == AUDIT, ChainLine.seq > 2)):
        line.seq -= 1
        session.flush()


def retime_all(session: Session) -> None:
    """Make all lines an hour later."""
    for line in session.scalars(select(ChainLine)):
        line.at += timedelta(hours=1)


def swap_logs(session: Session) -> None:
    """Swap the logs of two tables."""
    for name, other in ((LOG, "-"), ("log/B08", LOG), ("-", "log/B08")):
        session.execute(update(ChainLine).where(ChainLine.chain == name).values(chain=other))
        session.execute(update(ChainHead).where(ChainHead.chain == name).values(chain=other))


def join_heads(session: Session) -> None:
    """Give a chain's head the seal of another chain's head."""
    session.get_one(ChainHead, LOG).seal = session.get_one(ChainHead, AUDIT).seal


def forge_evidence(house: TamperedHouse) -> None:
    """Replace the film with its row, line and record, change the alert's seat from 6 to 2, and seal all chains anew."""
    house.file("clip").write_bytes(b"another")
    digest = sha256(b"another").hexdigest()
    with house.hands() as session:
        before = row_of(session, EvidenceRow, alert_id=1, kind="clip").sha256
        change_row(session, EvidenceRow, {"alert_id": 1, "kind": "clip"}, sha256=digest, size_bytes=7)
        body = json.loads(row_of(session, AlertRow, id=1).body) | {"seat": 2}
        change_row(session, AlertRow, {"id": 1}, body=chain.canonical(body))
        for line in session.scalars(select(ChainLine).where(ChainLine.chain == "alerts/B07")):
            if '"alert":1,' in line.body:
                line.body = line.body.replace(before, digest).replace('"seat":6', '"seat":2')
        record(session, EvidenceRow, {"alert_id": 1, "kind": "clip"})
        record(session, AlertRow, {"id": 1})
        reseal_all(session)


def forged_row(
    kind: type[AlertRow | AlertChange | CaseNote | UserRow], key: dict[str, object], **values: object
) -> Act:
    """Return an act that changes a row and its record, and seals all chains anew."""

    def act(house: TamperedHouse) -> None:
        with house.hands() as session:
            change_row(session, kind, key, **values)
            record(session, kind, key)
            reseal_all(session)

    return act


def take_rows_over_again(house: TamperedHouse) -> None:
    """Change a row, delete all records, and let the upgrade record the rows again."""
    with house.hands() as session:
        change_row(session, AlertRow, {"id": 1}, state="dismissed")
        session.execute(delete(ChainLine).where(ChainLine.chain.startswith("rows/")))
        session.execute(delete(ChainHead).where(ChainHead.chain.startswith("rows/")))
    with house.database.engine.connect().execution_options(is_writing=True) as connection, connection.begin():
        take_over(connection)


def downgrade_and_upgrade(house: TamperedHouse) -> None:
    """Do the same by setting the database's version back, so that the upgrade runs again."""
    with house.hands() as session:
        change_row(session, AlertRow, {"id": 1}, state="dismissed")
        session.execute(delete(ChainLine).where(ChainLine.chain.startswith("rows/")))
        session.execute(delete(ChainHead).where(ChainHead.chain.startswith("rows/")))
        session.execute(text("UPDATE alembic_version SET version_num = '0011'"))
        session.execute(text("DROP TABLE subtrees"))
    house.close()
    house.database = house.home.open_database(house.environment)


def change_leaf(session: Session) -> None:
    """Change the seal in a leaf of the log over all chains."""
    session.get_one(TreeLeaf, (ORIGIN, 1)).seal = "a" * 64


def delete_leaf(session: Session) -> None:
    """Delete a leaf in the middle."""
    session.execute(delete(TreeLeaf).where(TreeLeaf.number == 1))


def swap_leaves(session: Session) -> None:
    """Swap two leaves."""
    first, second = (session.get_one(TreeLeaf, (ORIGIN, number)) for number in (1, 2))
    kept = (first.chain, first.seq, first.seal)
    first.chain, first.seq, first.seal = second.chain, second.seq, second.seal
    second.chain, second.seq, second.seal = kept


def change_checkpoint(session: Session) -> None:
    """Change the time in a checkpoint."""
    note = session.get_one(CheckpointRow, (ORIGIN, 2))
    note.note = note.note.replace("time 2026", "time 2025")


def cut_checkpoint(session: Session) -> None:
    """Cut the signature off a checkpoint."""
    note = session.get_one(CheckpointRow, (ORIGIN, 2))
    note.note = note.note[:90]


def delete_checkpoint(session: Session) -> None:
    """Delete a checkpoint in the middle."""
    session.execute(delete(CheckpointRow).where(CheckpointRow.number == 2))


def swap_checkpoints(session: Session) -> None:
    """Swap two checkpoints."""
    first, second = (session.get_one(CheckpointRow, (ORIGIN, number)) for number in (2, 3))
    first.note, second.note = second.note, first.note


def forget_signatures(session: Session) -> None:
    """Delete the log over all chains and all checkpoints."""
    session.execute(delete(TreeLeaf))
    session.execute(delete(CheckpointRow))


def sign_with_own_key(house: TamperedHouse) -> None:
    """Change a line, seal all chains anew, and sign them with another key of the same name."""
    with house.hands() as session:
        change_line(session)
        session.flush()
        reseal_all(session)
        forget_signatures(session)
    own = house.folder / "own"
    (own / "anchors").mkdir(parents=True)
    begin_state(own / "key", new_key(own / "key", ORIGIN), "first key", house.clock())
    SealedHouse(house.database, own, house.clock, own / "key").seal()


def set_all_back(house: TamperedHouse) -> None:
    """Set everything back to the checkpoint before the last."""
    with house.hands() as session:
        size = _size_at(session, NEWEST - 1)
        ends = _ends(session, size)
        for (name,) in session.execute(select(ChainHead.chain)).all():
            session.execute(delete(ChainLine).where(ChainLine.chain == name, ChainLine.seq > ends.get(name, 0)))
            if name in ends:
                reseal(session, name)
            else:
                session.execute(delete(ChainHead).where(ChainHead.chain == name))
        session.execute(delete(table_of(CaseNote)).where(table_of(CaseNote).c.id == 2))
        session.execute(delete(TreeLeaf).where(TreeLeaf.number >= size))
        session.execute(delete(CheckpointRow).where(CheckpointRow.number == NEWEST))


def set_back_and_go_on(house: TamperedHouse) -> None:
    """Do the same, and then write and seal other lines."""
    set_all_back(house)
    with house.database.writing() as session:
        chain.append(session, LOG, [{"n": n} for n in range(20)], at=house.clock())


def rewrite_after_last_but_one(house: TamperedHouse) -> None:
    """Delete the last checkpoint and its leaves, change a line that it covered, and seal its chain anew."""
    with house.hands() as session:
        size = _size_at(session, NEWEST - 1)
        session.execute(delete(TreeLeaf).where(TreeLeaf.number >= size))
        session.execute(delete(CheckpointRow).where(CheckpointRow.number == NEWEST))
        line_of(session, LOG, 10).body = OTHER_LINE
        session.flush()
        reseal(session, LOG)


def restore_older_signatures(house: TamperedHouse) -> None:
    """Delete the last checkpoint and its leaves, and keep all lines."""
    with house.hands() as session:
        session.execute(delete(TreeLeaf).where(TreeLeaf.number >= _size_at(session, NEWEST - 1)))
        session.execute(delete(CheckpointRow).where(CheckpointRow.number == NEWEST))


def _size_at(session: Session, number: int) -> int:
    return int(session.get_one(CheckpointRow, (ORIGIN, number)).note.split("\n")[1])


def _ends(session: Session, size: int) -> dict[str, int]:
    wanted = select(TreeLeaf.chain, TreeLeaf.seq).where(TreeLeaf.number < size).order_by(TreeLeaf.number)
    return dict(session.execute(wanted).all())


def change_anchor(house: TamperedHouse) -> None:
    """Change the time in an anchored checkpoint."""
    path = _writable(house, 3)
    path.write_text(path.read_text().replace("time 2026", "time 2025"))


def cut_anchor(house: TamperedHouse) -> None:
    """Truncate an anchored checkpoint."""
    path = _writable(house, 3)
    path.write_text(path.read_text()[:90])


def delete_anchor(house: TamperedHouse) -> None:
    """Delete an anchored checkpoint in the middle."""
    _writable(house, 3).unlink()


def delete_newest_anchors(house: TamperedHouse) -> None:
    """Delete the newest anchored checkpoints."""
    for number in (NEWEST - 1, NEWEST):
        _writable(house, number).unlink()


def copy_anchor(house: TamperedHouse) -> None:
    """Overwrite an anchored checkpoint with another one."""
    shutil.copy(_writable(house, 2), _writable(house, 3))


def put_foreign_anchor(house: TamperedHouse) -> None:
    """Add an anchor of another house."""
    own = house.folder / "own"
    own.mkdir()
    begin_state(own / "key", new_key(own / "key", "other.example/thirdcard"), "first key", house.clock())
    other = SealedHouse(house.database, own, house.clock, own / "key")
    other.anchors.mkdir()
    other.seal()
    shutil.copy(sorted(other.anchors.glob("*.note"))[-1], house.anchors)
    with house.hands() as session:
        session.execute(delete(TreeLeaf).where(TreeLeaf.origin == "other.example/thirdcard"))
        session.execute(delete(CheckpointRow).where(CheckpointRow.origin == "other.example/thirdcard"))


def _writable(house: TamperedHouse, number: int) -> Path:
    path = anchor_path(house.anchors, ORIGIN, number)
    path.chmod(0o644)
    return path


def with_log(act: Act) -> Act:
    """Return an act that also makes leaves and checkpoints fit; only the signatures cannot be made to fit."""

    def forge(house: TamperedHouse) -> None:
        act(house)
        with house.hands() as session:
            seals = {(line.chain, line.seq): line.seal for line in session.scalars(select(ChainLine))}
            old = session.scalars(select(TreeLeaf).order_by(TreeLeaf.number)).all()
            kept = [(leaf.number, leaf.chain, leaf.seq) for leaf in old if (leaf.chain, leaf.seq) in seals]
            session.execute(delete(TreeLeaf))
            session.expunge_all()
            for number, (_, name, seq) in enumerate(kept):
                session.add(TreeLeaf(origin=ORIGIN, number=number, chain=name, seq=seq, seal=seals[name, seq]))
            for note in session.scalars(select(CheckpointRow)):
                lines = note.note.split("\n")
                tree = Frontier()
                for _, name, seq in (one for one in kept if one[0] < int(lines[1])):
                    tree.add(Leaf(chain=name, seq=seq, seal=seals[name, seq]).data)
                lines[1:3] = [str(tree.size), b64encode(tree.root()).decode()]
                note.note = "\n".join(lines)

    return forge


UNSIGNED = ": is not the one that is anchored"
"""What `verify` reports of a checkpoint that was made to fit. Without anchors it reports that the key did not sign it.
"""
AUTHOR = forged_row(AlertChange, {"id": 1}, who="ben")
CHAIN_TAMPERINGS: Mapping[str, tuple[Act, str, str]] = {
    "line: changed": (by_hand(change_line), "seals", f"{LOG}: line 2 was changed"),
    "line: no JSON any more": (by_hand(spoil_line), "seals", "alerts/B07: line 2 was changed"),
    "line: another time": (by_hand(retime_line), "seals", f"{LOG}: line 2 was changed"),
    "line: deleted": (by_hand(delete_line), "seals", f"{LOG}: line 2 is missing"),
    "lines: swapped": (by_hand(swap_lines), "seals", f"{LOG}: line 2 was changed"),
    "line: slipped in": (by_hand(slip_line_in), "seals", f"{LOG}: line 11 was changed, or one was slipped in"),
    "chain: cut": (by_hand(cut_chain), "seals", f"{LOG}: line 5 is missing"),
    "head: set back": (by_hand(set_head_back), "seals", f"{LOG}: line 10 was added behind the end"),
    "head: deleted": (by_hand(delete_head), "seals", f"{LOG}: line 10 ends here"),
    "head: another chain's": (by_hand(join_heads), "seals", f"{LOG}: line 10 was added behind the end"),
    "act: another author": (by_hand(change_act), "seals", f"{AUDIT}: line 1 was changed"),
    "record: deleted": (by_hand(delete_chain("rows/cases")), "seals", "case 1: was added, and no line says so"),
    "line: changed, sealed anew": (sealed_anew(change_line), "seals", f"{LOG}: line 1 to 9 are not what was signed"),
    "line: another time, sealed anew": (sealed_anew(retime_line), "seals", f"{LOG}: line 1 to 9 are not"),
    "lines: swapped, sealed anew": (sealed_anew(swap_lines), "seals", f"{LOG}: line 1 to 9 are not what was signed"),
    "night: an hour later, sealed anew": (sealed_anew(retime_all), "seals", "are not what was signed"),
    "act: another author, sealed anew": (sealed_anew(change_act), "seals", f"{AUDIT}: line 1 to "),
    "act: gone, sealed anew": (sealed_anew(drop_line_and_renumber), "seals", f"{AUDIT}: line 1 to "),
    "logs: exchanged, sealed anew": (sealed_anew(swap_logs), "seals", f"{LOG}: line 10 is missing: checkpoint"),
    "chain: cut, head set back": (by_hand(cut_and_set_head_back), "seals", f"{LOG}: line 5 is missing: checkpoint"),
    "chain: deleted": (by_hand(delete_chain("log/B08")), "seals", "log/B08: line 1 is missing: checkpoint"),
    "chain: audit deleted": (by_hand(delete_chain(AUDIT)), "seals", f"{AUDIT}: line 1 is missing: checkpoint"),
    "evidence: forged with all seals": (forge_evidence, "seals", "alerts/B07: line 1 to "),
    "alert: state with its record": (
        forged_row(AlertRow, {"id": 1}, state="dismissed"), "seals", "rows/alerts/B07: line 1 "
    ),
    "decision: author with its record": (AUTHOR, "seals", "rows/alerts/B07: line 2 "),
    "note: rewritten with its record": (
        forged_row(CaseNote, {"id": 1}, text="Seat 2."), "seals", "rows/cases: line 1 "
    ),
    "user: made admin with its record": (
        forged_row(UserRow, {"name": "ben"}, role="admin"), "seals", "rows/people: line 1 "
    ),
    "records: deleted and taken over again": (take_rows_over_again, "seals", "rows/alerts/B07: line 1 "),
    "records: made anew by an upgrade": (downgrade_and_upgrade, "seals", "rows/alerts/B07: line 1 "),
    "line: changed, all seals and the log anew": (with_log(sealed_anew(change_line)), "key", UNSIGNED),
    "night: an hour later, all seals and the log anew": (with_log(sealed_anew(retime_all)), "key", UNSIGNED),
    "act: gone, all seals and the log anew": (with_log(sealed_anew(drop_line_and_renumber)), "key", UNSIGNED),
    "chain: cut, with the log": (with_log(by_hand(cut_and_set_head_back)), "key", UNSIGNED),
    "chain: deleted, with the log": (with_log(by_hand(delete_chain("log/B08"))), "key", UNSIGNED),
    "chain: audit deleted, with the log": (with_log(by_hand(delete_chain(AUDIT))), "key", UNSIGNED),
    "evidence: forged with all seals and the log": (with_log(forge_evidence), "key", UNSIGNED),
    "decision: author with its record and the log": (with_log(AUTHOR), "key", UNSIGNED),
    "records: taken over again, with the log": (with_log(take_rows_over_again), "key", UNSIGNED),
    "leaf: changed": (by_hand(change_leaf), "seals", "leaves are not those of checkpoint 2"),
    "leaf: deleted": (by_hand(delete_leaf), "seals", "leaf 1 is missing"),
    "leaves: swapped": (by_hand(swap_leaves), "seals", "leaves are not those of checkpoint 2"),
    "checkpoint: changed": (by_hand(change_checkpoint), "key", f"checkpoint 2{UNSIGNED}"),
    "checkpoint: cut": (by_hand(cut_checkpoint), "seals", "checkpoint 2: is no whole checkpoint"),
    "checkpoint: deleted": (by_hand(delete_checkpoint), "seals", "checkpoint 2: is missing"),
    "checkpoints: swapped": (by_hand(swap_checkpoints), "seals", "checkpoint 2: is the checkpoint 3"),
    "signatures: all gone": (by_hand(forget_signatures), "key", "leaf 0 is missing; checkpoint 2"),
    "signatures: by another key": (sign_with_own_key, "key", f"checkpoint 1{UNSIGNED}"),
    "house: set back to the checkpoint before": (set_all_back, "anchors", "checkpoint 4 of"),
    "house: set back, and going on since": (set_back_and_go_on, "anchors", "checkpoint 4 of"),
    "last lines: written anew, last signature gone": (rewrite_after_last_but_one, "anchors", "checkpoint 4 of"),
    "last signature: gone": (restore_older_signatures, "anchors", "checkpoint 4 of"),
    "anchor: changed": (change_anchor, "anchors", "checkpoint 3: is not the one that is anchored"),
    "anchor: cut": (cut_anchor, "anchors", "00000003.note: is no whole checkpoint"),
    "anchor: deleted": (delete_anchor, "anchors", "checkpoint 3: is no longer anchored"),
    "anchors: newest deleted": (
        delete_newest_anchors, "anchors", f"checkpoint {NEWEST - 1}: is no longer anchored; checkpoint {NEWEST} of"
    ),
    "anchor: written over": (copy_anchor, "anchors", "checkpoint 3: is no longer anchored"),
    "anchor: another house's": (put_foreign_anchor, "anchors", "is of the log other.example/thirdcard"),
}  # fmt: skip
"""The act, the least means with which it is found, and what the output of `verify` must contain."""
