"""What is kept of subtrees gives the same proofs as the leaves, is filled in later, and is not believed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event, func, insert, select, update

from tests.service.databases import url_of
from tests.service.sealing.sealed_house import ORIGIN, SealedHouse
from thirdcard.service.sealing.inclusion import root_of_path
from thirdcard.service.sealing.line_proof import LineProofs
from thirdcard.service.sealing.merkle import Frontier
from thirdcard.service.sealing.subtrees import Subtrees, keep_subtrees, leaves_of
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.sealing_schema import SubtreeRow, TreeLeaf

MANY = 2**16 + 2**9 + 2**8 + 3
"""Leaves: one subtree of the second kept level, three of the first, and some that are in none."""


def add_leaves(database: Database, size: int) -> None:
    with database.writing() as session:
        rows = [{"origin": ORIGIN, "number": n, "chain": f"log/T{n % 7}", "seq": n // 7 + 1, "seal": f"{n:064x}"}
                for n in range(size)]  # fmt: skip
        session.execute(insert(TreeLeaf), rows)


def root_by_leaves(database: Database, size: int) -> bytes:
    tree = Frontier()
    with database.reading() as session:
        for _, leaf in leaves_of(session, ORIGIN, end=size):
            tree.add(leaf.data)
    return tree.root()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A log of many leaves whose subtrees are kept."""
    database = open_database(url_of(tmp_path_factory.mktemp("log") / "room.db"))
    add_leaves(database, MANY)
    keep_subtrees(database, ORIGIN)
    yield database
    database.close()


@contextmanager
def counted_rows(database: Database) -> Iterator[list[int]]:
    """How many leaves each statement may have read: the limits of those that ask for leaves."""
    asked: list[int] = []

    def note(*given: object) -> None:
        if "tree_leaves" in str(given[2]):
            asked.append(1)

    event.listen(database.engine, "before_cursor_execute", note)
    yield asked
    event.remove(database.engine, "before_cursor_execute", note)


def test_every_whole_subtree_of_the_kept_levels_is_kept_once(log: Database) -> None:
    keep_subtrees(log, ORIGIN)
    with log.reading() as session:
        counts = dict(session.execute(select(SubtreeRow.level, func.count()).group_by(SubtreeRow.level)).all())
    assert counts == {8: MANY >> 8, 16: MANY >> 16}


@pytest.mark.parametrize("size", [1, 255, 257, 2**16, MANY])
def test_proofs_by_what_is_kept_lead_to_the_root_over_the_leaves(log: Database, size: int) -> None:
    root = root_by_leaves(log, size)
    with log.reading() as session:
        kept = Subtrees(session=session, origin=ORIGIN)
        for number in {0, size // 3, size - 1}:
            ((_, leaf),) = leaves_of(session, ORIGIN, number, number + 1)
            assert root_of_path(leaf.data, number, size, kept.path(number, size)) == root


def test_proof_reads_few_leaves(log: Database) -> None:
    with log.reading() as session, counted_rows(log) as asked:
        Subtrees(session=session, origin=ORIGIN).path(5, MANY)
        few = len(asked)
        Subtrees(session=session, origin=ORIGIN, is_kept_used=False).path(5, MANY)
    assert few < 20
    with pytest.raises(ValueError, match="fewer leaves"), log.reading() as session:
        Subtrees(session=session, origin=ORIGIN).path(5, MANY + 1)


def test_leaves_of_an_older_house_are_taken_in_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.sealing.subtrees.AT_ONCE", 2)
    database = open_database(url_of(tmp_path / "room.db"))
    add_leaves(database, 5 * 256 + 7)
    keep_subtrees(database, ORIGIN)
    with database.reading() as session:
        numbers = session.scalars(select(SubtreeRow.number).order_by(SubtreeRow.number)).all()
    assert numbers == [0, 1, 2, 3, 4]
    database.close()


def test_what_is_kept_wrongly_is_not_believed(house: SealedHouse) -> None:
    for n in range(300):
        house.write(f"log/T{n:03}", 1)
    house.seal()
    with house.database.reading() as session:
        proofs = LineProofs(session, ORIGIN)
        proofs.prove("log/T299", [1])
        right = proofs.as_mapping()
    with house.database.writing() as session:
        session.execute(update(SubtreeRow).values(root="a" * 64))
    with house.database.reading() as session:
        proofs = LineProofs(session, ORIGIN)
        proofs.prove("log/T299", [1])
        assert proofs.as_mapping() == right
    assert house.fault() is None, "no proof of the house rests on it"
