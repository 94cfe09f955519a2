"""Chains: every line that was changed, lost or slipped in shows."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import String, delete, update
from sqlalchemy.orm import Session

from tests.service.store.conftest import NOW
from thirdcard.service.config.table_file import MOST_ID_CHARACTERS
from thirdcard.service.corrections.acts import correction_chain
from thirdcard.service.store import chain
from thirdcard.service.store.chain import Breach
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.log_chains import alert_chain, log_chain, review_chain
from thirdcard.service.store.recorded_rows import RecordSubject, chain_of_subject
from thirdcard.service.store.schema import ChainHead, ChainLine
from thirdcard.service.store.sealing_schema import TreeLeaf

NAME = "log/B07"


@pytest.fixture
def five(database: Database) -> Database:
    """A chain of five lines."""
    with database.writing() as session:
        chain.append(session, NAME, [{"t": n} for n in range(3)], at=NOW)
    with database.writing() as session:
        chain.append(session, NAME, [{"t": n} for n in range(3, 5)], at=NOW)
    return database


def breach_of(database: Database) -> Breach | None:
    with database.reading() as session:
        return chain.first_breach(session, NAME)


def test_chain_as_it_was_written_has_no_breach(five: Database) -> None:
    assert breach_of(five) is None
    with five.reading() as session:
        assert [line.body for line in chain.read(session, NAME, first=2, last=4)] == ['{"t":1}', '{"t":2}', '{"t":3}']
        assert chain.chains(session) == [NAME]


def change(session: Session) -> None:
    session.execute(update(ChainLine).where(ChainLine.seq == 3).values(body='{"t":9}'))


def change_moment(session: Session) -> None:
    session.execute(update(ChainLine).where(ChainLine.seq == 3).values(at=NOW.replace(hour=21)))


def lose(session: Session) -> None:
    session.execute(delete(ChainLine).where(ChainLine.seq == 3))


def lose_and_renumber(session: Session) -> None:
    lose(session)
    session.execute(update(ChainLine).where(ChainLine.seq == 4).values(seq=3))


def lose_the_end(session: Session) -> None:
    session.execute(delete(ChainLine).where(ChainLine.seq == 5))


def lose_all(session: Session) -> None:
    session.execute(delete(ChainLine))


def add_behind_the_end(session: Session) -> None:
    last = session.query(ChainLine).filter_by(seq=5).one()
    seal = chain.seal_of(last.seal, NAME, 6, NOW, "{}")
    session.add(ChainLine(chain=NAME, seq=6, at=NOW, body="{}", seal=seal))


def lose_the_head(session: Session) -> None:
    session.execute(delete(ChainHead))


@pytest.mark.parametrize(
    ("tamper", "seq", "what"),
    [
        pytest.param(change, 3, "was changed", id="changed"),
        pytest.param(change_moment, 3, "was changed", id="another-moment"),
        pytest.param(lose, 3, "is missing", id="lost"),
        pytest.param(lose_and_renumber, 3, "was changed", id="lost-and-renumbered"),
        pytest.param(lose_the_end, 5, "is missing", id="end-lost"),
        pytest.param(lose_all, 1, "is missing", id="all-lost"),
        pytest.param(add_behind_the_end, 6, "was added behind the end", id="added"),
        pytest.param(lose_the_head, 5, "nothing says that it should", id="head-lost"),
    ],
)
def test_first_line_that_is_not_as_written_is_found(
    five: Database, tamper: Callable[[Session], None], seq: int, what: str
) -> None:
    with five.writing() as session:
        tamper(session)

    breach = breach_of(five)

    assert breach is not None
    assert breach.seq == seq
    assert what in breach.what


def test_lines_of_a_transaction_that_failed_are_not_there(five: Database) -> None:
    with pytest.raises(RuntimeError), five.writing() as session:
        chain.append(session, NAME, [{"t": 5}], at=NOW)
        raise RuntimeError("killed")

    assert breach_of(five) is None
    with five.writing() as session:
        assert chain.append(session, NAME, [{"t": 5}], at=NOW)[0].seq == 6


def test_chain_that_two_processes_write_in_turn_has_no_breach(five: Database) -> None:
    other = open_database(five.engine.url.render_as_string(hide_password=False))
    for n, writer in enumerate((other, five, five, other, five), start=6):
        with writer.writing() as session:
            assert chain.append(session, NAME, [{"t": n}], at=NOW)[0].seq == n
    other.close()

    assert breach_of(five) is None


def test_name_of_every_chain_of_a_table_fits_its_column() -> None:
    longest = "x" * MOST_ID_CHARACTERS
    names = [log_chain(longest), review_chain(longest, "f" * 64), alert_chain(longest), correction_chain(longest)]
    names += [chain_of_subject(subject, longest) for subject in RecordSubject]
    for column in (ChainLine.__table__.c.chain, ChainHead.__table__.c.chain, TreeLeaf.__table__.c.chain):
        assert isinstance(column.type, String)
        assert max(map(len, names)) == column.type.length == 120
