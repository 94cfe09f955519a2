"""Statements that go to the driver fail as others do: whoever writes catches one kind of error."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from thirdcard.service.store.database import Database
from thirdcard.service.store.driver import execute

ADD = "INSERT INTO chain_heads (chain, seq, seal) VALUES (?, ?, ?)"
COUNT = "SELECT count(*) FROM chain_heads"


def test_statement_is_executed_once_for_each_values(database: Database) -> None:
    with database.writing() as session:
        execute(session.connection(), ADD, ("one", 1, "a"), ("two", 2, "b"))
        assert execute(session.connection(), ADD, ("three", 3, "c")).rowcount == 1
    with database.reading() as session:
        assert execute(session.connection(), COUNT).fetchone() == (3,)


def test_statement_that_the_driver_refuses_names_itself(database: Database) -> None:
    with pytest.raises(DBAPIError, match="nowhere") as refused, database.writing() as session:
        execute(session.connection(), "SELECT 1 FROM nowhere")
    assert refused.value.statement == "SELECT 1 FROM nowhere"


def test_row_that_is_there_already_is_an_integrity_error(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as session:
        execute(session.connection(), ADD, ("one", 1, "a"), ("one", 1, "a"))
    with database.reading() as session:
        assert execute(session.connection(), COUNT).fetchone() == (0,)


def test_connection_that_the_server_ended_is_replaced(database: Database) -> None:
    if database.engine.dialect.name != "postgresql":
        pytest.skip("there is no server")
    with pytest.raises(OperationalError), database.writing() as session:
        (number,) = execute(session.connection(), "SELECT pg_backend_pid()").fetchone()
        with database.reading() as other:
            execute(other.connection(), "SELECT pg_terminate_backend(?)", (number,))
        execute(session.connection(), ADD, ("one", 1, "a"))
    with database.writing() as session:
        assert execute(session.connection(), ADD, ("one", 1, "a")).rowcount == 1
