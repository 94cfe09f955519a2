"""Users, tokens and sessions: who may come in, and as what."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from tests.service.store.conftest import NOW
from thirdcard.service.store import people
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import PeopleError, Person, Role
from thirdcard.service.store.schema import SessionRow, TokenRow, UserRow

PASSWORD = "nine-lives-of-cats"


@pytest.fixture
def anna(database: Database) -> Database:
    with database.writing() as session:
        people.add_user(session, "anna", "operator", PASSWORD, now=NOW, tables=["B07"])
    return database


def test_user_signs_in_and_out(anna: Database) -> None:
    with anna.writing() as session:
        key = people.sign_in(session, "anna", PASSWORD, now=NOW)
        assert key is not None
        person = people.person_of_session(session, key, now=NOW + timedelta(hours=9))
        assert person is not None
        assert (person.name, person.role, person.tables) == ("anna", Role.OPERATOR, frozenset({"B07"}))
        assert person.may_see("B07")
        assert not person.may_see("B08")

        people.sign_out(session, key)

        assert people.person_of_session(session, key, now=NOW) is None


@pytest.mark.parametrize(
    ("name", "password"),
    [pytest.param("anna", "wrong", id="wrong-password"), pytest.param("bert", PASSWORD, id="nobody")],
)
def test_wrong_name_or_password_opens_nothing(anna: Database, name: str, password: str) -> None:
    with anna.writing() as session:
        assert people.sign_in(session, name, password, now=NOW) is None


def test_unknown_name_is_verified_like_a_known_one(anna: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []

    class Hasher(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            verified.append(str(hash))
            return super().verify(hash, password)

    monkeypatch.setattr(people, "_HASHER", Hasher())
    with anna.writing() as session:
        for name in ("anna", "bert", "bert"):
            assert people.sign_in(session, name, "wrong", now=NOW) is None

    known, unknown, again = verified
    assert unknown == again != known
    assert unknown.split("$")[:4] == known.split("$")[:4], "the same algorithm at the same cost"


def test_import_hashes_nothing() -> None:
    module = people.__name__
    script = f"import argon2; argon2.PasswordHasher.hash = None; import {module}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("later", "seen"),
    [
        pytest.param(timedelta(hours=11), timedelta(0), id="idle"),
        pytest.param(timedelta(hours=25), timedelta(hours=24), id="too-long"),
    ],
)
def test_session_ends_by_itself(anna: Database, later: timedelta, seen: timedelta) -> None:
    with anna.writing() as session:
        key = people.sign_in(session, "anna", PASSWORD, now=NOW)
        assert key is not None
        session.scalars(select(SessionRow)).one().seen_at = NOW + seen

        assert people.person_of_session(session, key, now=NOW + later) is None


def test_dismissed_user_has_no_session_any_more(anna: Database) -> None:
    with anna.writing() as session:
        key = people.sign_in(session, "anna", PASSWORD, now=NOW)
        assert key is not None
        session.get_one(UserRow, "anna").is_active = False

        assert people.person_of_session(session, key, now=NOW) is None
        assert people.sign_in(session, "anna", PASSWORD, now=NOW) is None


def test_new_password_signs_all_browsers_out(anna: Database) -> None:
    with anna.writing() as session:
        key = people.sign_in(session, "anna", PASSWORD, now=NOW)
        assert key is not None

        people.set_password(session, "anna", "another-password")

        assert people.person_of_session(session, key, now=NOW) is None
        assert people.sign_in(session, "anna", "another-password", now=NOW) is not None


def test_secrets_are_not_kept_readable(anna: Database) -> None:
    with anna.writing() as session:
        token = people.add_token(session, "shoe-7", "operator", now=NOW)
        key = people.sign_in(session, "anna", PASSWORD, now=NOW)

        kept = [row.password_hash for row in session.scalars(select(UserRow))]
        kept += [row.token_hash for row in session.scalars(select(TokenRow))]
        kept += [row.key_hash for row in session.scalars(select(SessionRow))]

        assert kept[0].startswith("$argon2id$")
        assert not {PASSWORD, token, key} & set(kept)


def test_token_names_its_program(database: Database) -> None:
    with database.writing() as session:
        token = people.add_token(session, "shoe-7", "operator", now=NOW)

        known = people.person_of_token(session, token, now=NOW)
        assert known == Person(name="token:shoe-7", role=Role.OPERATOR)
        assert people.person_of_token(session, token + "x", now=NOW) is None


def test_token_ends_after_its_days(database: Database) -> None:
    with database.writing() as session:
        token = people.add_token(session, "shoe-7", "device", now=NOW, tables=["B07"], days=30)
        last, after = NOW + timedelta(days=30, microseconds=-1), NOW + timedelta(days=30)

        assert people.person_of_token(session, token, now=last) is not None
        assert people.person_of_token(session, token, now=after) is None
        assert people.list_tokens(session)[0].expires_at == after


def test_token_tells_when_it_was_used_last(database: Database) -> None:
    minute = timedelta(minutes=1)
    with database.writing() as session:
        token = people.add_token(session, "shoe-7", "operator", now=NOW)
        assert people.list_tokens(session)[0].used_at is None
        assert people.is_token_stale(session, token, now=NOW, after=minute)

        people.touch_token(session, token, now=NOW)

        assert people.list_tokens(session)[0].used_at == NOW
        assert not people.is_token_stale(session, token, now=NOW, after=minute)
        assert people.is_token_stale(session, token, now=NOW + minute, after=minute)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        pytest.param({"role": "device"}, "tables: a device's token names the tables", id="of no table"),
        pytest.param({"role": "viewer", "days": 0}, "days = 0; must be 1 to 3660", id="no day"),
        pytest.param({"role": "boss"}, "role = boss; must be one of device, viewer", id="role"),
    ],
)
def test_token_that_cannot_be_added_is_refused(database: Database, wish: dict[str, Any], message: str) -> None:
    with database.writing() as session, pytest.raises(PeopleError, match=message):
        people.add_token(session, "shoe-7", now=NOW, **wish)


def test_user_is_no_device(database: Database) -> None:
    with database.writing() as session, pytest.raises(PeopleError, match="role = device; must be one of viewer"):
        people.add_user(session, "bert", "device", PASSWORD, now=NOW)


@pytest.mark.parametrize(
    ("name", "role", "password", "message"),
    [
        pytest.param("bert", "boss", PASSWORD, "role = boss; must be one of viewer, operator", id="role"),
        pytest.param("bert", "viewer", "short", "password has 5 characters; must have 10 to 200", id="short"),
        pytest.param("", "viewer", PASSWORD, "name = ''; must be 1 to 64", id="no-name"),
        pytest.param("a b", "viewer", PASSWORD, "name = 'a b'; must be", id="space"),
        pytest.param("anna", "viewer", PASSWORD, "user = anna; there is one of that name", id="taken"),
    ],
)
def test_user_that_cannot_be_added_is_refused(
    anna: Database, name: str, role: str, password: str, message: str
) -> None:
    with anna.writing() as session, pytest.raises(PeopleError, match=message):
        people.add_user(session, name, role, password, now=NOW)


def test_roles_include_those_before() -> None:
    assert Role.SUPERVISOR.includes(Role.OPERATOR)
    assert not Role.VIEWER.includes(Role.OPERATOR)
