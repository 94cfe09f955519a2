"""Accounts: users with passwords, programs with tokens, browsers with sessions.

Passwords are stored as argon2id hashes; tokens and session keys, which are long and random, as SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.schema import SessionRow, TokenRow, UserRow

LEAST_PASSWORD = 10
LONGEST_PASSWORD = 200
IDLE = timedelta(hours=10)
"""A session unused for this long is expired."""
LONGEST = timedelta(hours=24)
"""The longest lifetime of a session."""
KEY_BYTES = 32
TOKEN = "token:"
"""The prefix of a token's name in logs, so that it differs from every user's name."""
MOST_DAYS = 3660
"""Ten years: for longer, a token without expiry is the better choice."""
_HASHER = PasswordHasher()


class Role(StrEnum):
    """What a person or program may do; each role includes those before it."""

    DEVICE = "device"
    """For tokens only: may send signals of the tables that it names, and read nothing."""
    VIEWER = "viewer"
    OPERATOR = "operator"
    SUPERVISOR = "supervisor"
    ADMIN = "admin"

    def includes(self, other: Role) -> bool:
        """Whether this role may do everything that the other role may."""
        return list(Role).index(self) >= list(Role).index(other)


PEOPLE_ROLES = tuple(role for role in Role if role is not Role.DEVICE)


class PeopleError(ServiceError):
    """A user or a token cannot be created; `field` names the value that is not allowed."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        self.field = field
        super().__init__(message)


class NoSuchUserError(PeopleError):
    """No user has that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The user, or the program with a token, that makes a request."""

    name: str
    role: Role
    tables: frozenset[str] | None = None
    """The tables that may be seen; None for all."""
    csrf: str | None = None
    """The CSRF token that a form must send; None for a program."""

    def may_see(self, table_id: str) -> bool:
        """Whether the table may be seen."""
        return self.tables is None or table_id in self.tables


def add_user(
    session: Session, name: str, role: str, password: str, *, now: datetime, tables: Iterable[str] | None = None
) -> None:
    """Add a user.

    Raises:
        PeopleError: The name is taken, or name, role or password are not allowed.
    """
    _check_name(name)
    check_password(password)
    if session.get(UserRow, name) is not None:
        raise PeopleError(f"user = {name}; there is one of that name", field="name")
    session.add(
        UserRow(
            name=name,
            role=_role(role, PEOPLE_ROLES),
            password_hash=_HASHER.hash(password),
            tables=_format_tables(tables),
            added_at=now,
        )
    )
    session.flush()


def check_password(password: str) -> None:
    """Raise PeopleError where a password is too short or too long."""
    if not LEAST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise PeopleError(
            f"password has {len(password)} characters; must have {LEAST_PASSWORD} to {LONGEST_PASSWORD}",
            field="password",
        )


def set_password(session: Session, name: str, password: str) -> None:
    """Change a user's password and end all of the user's sessions.

    Raises:
        NoSuchUserError: No user has that name.
        PeopleError: The password is not allowed.
    """
    check_password(password)
    user = session.get(UserRow, name)
    if user is None:
        raise NoSuchUserError(f"user = {name}; there is none of that name")
    user.password_hash = _HASHER.hash(password)
    session.execute(delete(SessionRow).where(SessionRow.user == name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user or a token, as shown in the settings."""

    name: str
    role: str
    tables: frozenset[str] | None
    added_at: datetime
    is_active: bool
    expires_at: datetime | None = None
    """When a token expires; None for never, and for users."""
    used_at: datetime | None = None
    """When a token was last used."""


def list_users(session: Session) -> list[Account]:
    """Return all users, sorted by name."""
    return [_account(row) for row in session.scalars(select(UserRow).order_by(UserRow.name))]


def list_tokens(session: Session) -> list[Account]:
    """All tokens, sorted by name."""
    rows = session.scalars(select(TokenRow).order_by(TokenRow.name))
    return [replace(_account(row), expires_at=row.expires_at, used_at=row.used_at) for row in rows]


def set_user_active(session: Session, name: str, is_active: bool) -> bool:
    """Activate or deactivate a user, at once; returns False where no user has that name.

    Raises:
        PeopleError: No active admin would remain.
    """
    user = session.get(UserRow, name)
    if user is None:
        return False
    user.is_active = is_active
    session.flush()
    admins = select(UserRow.name).where(UserRow.role == Role.ADMIN, UserRow.is_active.is_(True)).limit(1)
    if session.scalar(admins) is None:
        raise PeopleError(f"user = {name}; is the last admin and must stay active", field="active")
    if not is_active:
        session.execute(delete(SessionRow).where(SessionRow.user == name))
    return True


def remove_user(session: Session, name: str) -> None:
    """Delete a temporary user with its sessions; its acts stay in the audit chain under its name."""
    session.execute(delete(SessionRow).where(SessionRow.user == name))
    user = session.get(UserRow, name)
    if user is not None:
        session.delete(user)
        session.flush()


def set_token_active(session: Session, name: str, is_active: bool) -> bool:
    """Activate or deactivate a token; returns False where no token has that name."""
    token = session.get(TokenRow, name)
    if token is None:
        return False
    token.is_active = is_active
    return True


def has_users(session: Session) -> bool:
    """Whether there is any user."""
    return session.scalar(select(UserRow.name).limit(1)) is not None


def add_token(
    session: Session,
    name: str,
    role: str,
    *,
    now: datetime,
    tables: Iterable[str] | None = None,
    days: int | None = None,
) -> str:
    """Add a token and return it: it cannot be read again later.

    Args:
        session: The database session.
        name: The name of the token, which says what it is for.
        role: Its role; `device` needs the tables whose signals it sends.
        now: The current time.
        tables: The tables that it may see; None for all.
        days: Its lifetime in days; None for no expiry.

    Raises:
        PeopleError: The name is taken, or a value is not allowed.
    """
    _check_name(name)
    if session.get(TokenRow, name) is not None:
        raise PeopleError(f"token = {name}; there is one of that name", field="name")
    if _role(role) == Role.DEVICE and not tables:
        raise PeopleError("tables: a device's token names the tables whose signals it sends", field="tables")
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise PeopleError(f"days = {days}; must be 1 to {MOST_DAYS}", field="days")
    token = f"tc_{secrets.token_urlsafe(KEY_BYTES)}"
    session.add(
        TokenRow(
            name=name,
            role=role,
            token_hash=_digest(token),
            tables=_format_tables(tables),
            added_at=now,
            expires_at=None if days is None else now + timedelta(days=days),
        )
    )
    session.flush()
    return token


def sign_in(session: Session, name: str, password: str, *, now: datetime) -> str | None:
    """Start a session and return its key; None where name or password are wrong."""
    user, nobody = session.get(UserRow, name), _nobodys_hash()
    try:
        _HASHER.verify(nobody if user is None else user.password_hash, password[: LONGEST_PASSWORD + 1])
    except VerificationError:
        return None
    if user is None or not user.is_active:
        return None
    key = secrets.token_urlsafe(KEY_BYTES)
    session.add(
        SessionRow(key_hash=_digest(key), user=name, csrf=secrets.token_urlsafe(KEY_BYTES), began_at=now, seen_at=now)
    )
    session.flush()
    return key


def sign_out(session: Session, key: str) -> None:
    """End a session."""
    session.execute(delete(SessionRow).where(SessionRow.key_hash == _digest(key)))


def person_of_session(session: Session, key: str, *, now: datetime) -> Person | None:
    """The user of a session; None where the key is unknown or the session has expired."""
    row = session.get(SessionRow, _digest(key))
    if row is None or now - row.seen_at > IDLE or now - row.began_at > LONGEST:
        return None
    user = session.get(UserRow, row.user)
    if user is None or not user.is_active:
        return None
    return Person(name=user.name, role=Role(user.role), tables=_parse_tables(user.tables), csrf=row.csrf)


def is_stale(session: Session, key: str, *, now: datetime, after: timedelta) -> bool:
    """Whether the session's time of last use is due for an update."""
    row = session.get(SessionRow, _digest(key))
    return row is not None and now - row.seen_at >= after


def touch_session(session: Session, key: str, *, now: datetime) -> None:
    """Record that a session is in use."""
    row = session.get(SessionRow, _digest(key))
    if row is not None and row.seen_at < now:
        row.seen_at = now


def person_of_token(session: Session, token: str, *, now: datetime) -> Person | None:
    """The program with that token; None where it is unknown, deactivated or expired."""
    row = _token_row(session, token)
    if row is None or not row.is_active or (row.expires_at is not None and row.expires_at <= now):
        return None
    return Person(name=f"{TOKEN}{row.name}", role=Role(row.role), tables=_parse_tables(row.tables))


def is_token_stale(session: Session, token: str, *, now: datetime, after: timedelta) -> bool:
    """Whether the token's time of last use is due for an update."""
    row = _token_row(session, token)
    return row is not None and (row.used_at is None or now - row.used_at >= after)


def touch_token(session: Session, token: str, *, now: datetime) -> None:
    """Record that a token is in use."""
    row = _token_row(session, token)
    if row is not None and (row.used_at is None or row.used_at < now):
        row.used_at = now


def role_of(session: Session, name: str) -> Role | None:
    """The present role of a user or `token:NAME` of the audit chain; None where the account no longer exists."""
    row = session.get(TokenRow, name[len(TOKEN) :]) if name.startswith(TOKEN) else session.get(UserRow, name)
    return None if row is None else Role(row.role)


def _token_row(session: Session, token: str) -> TokenRow | None:
    return session.scalar(select(TokenRow).where(TokenRow.token_hash == _digest(token)))


def _account(row: UserRow | TokenRow) -> Account:
    return Account(
        name=row.name, role=row.role, tables=_parse_tables(row.tables), added_at=row.added_at, is_active=row.is_active
    )


def _role(text: str, allowed: Iterable[Role] = tuple(Role)) -> str:
    if text not in list(allowed):
        raise PeopleError(f"role = {text}; must be one of {', '.join(allowed)}", field="role")
    return text


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= 64 or not all(letter.isalnum() or letter in "-_.@" for letter in name):
        raise PeopleError(f"name = {name!r}; must be 1 to 64 letters, digits, or any of - _ . @", field="name")


@cache
def _nobodys_hash() -> str:
    """What is verified where the name is unknown, so that the answer takes as long as for a known name."""
    return _HASHER.hash(secrets.token_hex(8))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8")).hexdigest()


def _format_tables(tables: Iterable[str] | None) -> str | None:
    return None if tables is None else json.dumps(sorted(tables))


def _parse_tables(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(json.loads(text))
