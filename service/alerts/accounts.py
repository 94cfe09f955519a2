"""Change users and tokens; each change is recorded in the audit chain."""

from __future__ import annotations

from collections.abc import Sequence

from thirdcard.service.alerts.room import Room
from thirdcard.service.store import audit
from thirdcard.service.store.people import Person, add_token, add_user, set_password, set_token_active, set_user_active


def new_user(room: Room, person: Person, name: str, role: str, password: str, *, tables: Sequence[str] | None) -> None:
    """Add a user.

    Raises:
        PeopleError: The name is taken, or a value is not allowed.
    """
    now = room.clock()
    with room.database.writing() as session:
        add_user(session, name, role, password, now=now, tables=tables)
        audit.note(session, person.name, "user.added", f"user:{name}", at=now, role=role, tables=tables)


def change_password(room: Room, person: Person, name: str, password: str) -> None:
    """Set a user's password.

    Raises:
        NoSuchUserError: No user has that name.
        PeopleError: The password is not allowed.
    """
    with room.database.writing() as session:
        set_password(session, name, password)
        audit.note(session, person.name, "user.password_set", f"user:{name}", at=room.clock())


def switch_user(room: Room, person: Person, name: str, *, is_active: bool) -> bool:
    """Allow or block a user; returns False where no user has that name.

    Raises:
        PeopleError: No active user would be left who can manage users.
    """
    with room.database.writing() as session:
        is_known = set_user_active(session, name, is_active)
        if is_known:
            act = "user.switched_on" if is_active else "user.switched_off"
            audit.note(session, person.name, act, f"user:{name}", at=room.clock())
    return is_known


def new_token(
    room: Room, person: Person, name: str, role: str, *, tables: Sequence[str] | None, days: int | None
) -> str:
    """Add a token and return it.

    Raises:
        PeopleError: The name is taken, or a value is not allowed.
    """
    now = room.clock()
    with room.database.writing() as session:
        token = add_token(session, name, role, now=now, tables=tables, days=days)
        audit.note(session, person.name, "token.added", f"token:{name}", at=now, role=role, tables=tables, days=days)
    return token


def switch_token(room: Room, person: Person, name: str, *, is_active: bool) -> bool:
    """Enable or disable a token; returns False where none has that name."""
    with room.database.writing() as session:
        is_known = set_token_active(session, name, is_active)
        if is_known:
            act = "token.switched_on" if is_active else "token.switched_off"
            audit.note(session, person.name, act, f"token:{name}", at=room.clock())
    return is_known
