"""Sign people in and out, slowly for those who guess, and note it."""

from __future__ import annotations

import math

from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.people import person_of_session, sign_in, sign_out
from thirdcard.service.store.schema import UserRow


class WrongPasswordError(ServiceError):
    """Name or password is wrong; the message does not say which."""

    field = "password"


class TooManyAttemptsError(ServiceError):
    """Somebody guesses."""

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(f"Too many attempts; try again in {math.ceil(wait_s / 60)} min.")


def sign_in_person(room: Room, name: str, password: str, *, address: str, old_key: str | None) -> str:
    """The key of a new session; the browser's old one ends.

    Raises:
        WrongPasswordError: Name or password are wrong, or the user may no longer come in.
        TooManyAttemptsError: There were too many attempts lately.
    """
    wait = room.attempts.begin(name, address)
    if wait is not None:
        raise TooManyAttemptsError(math.ceil(wait.total_seconds()))
    now = room.clock()
    with room.database.writing() as session:
        key = sign_in(session, name, password, now=now)
        is_known = session.get(UserRow, name) is not None
        act = "session.refused" if key is None else "session.began"
        # what was typed for a name that nobody has may be a password: it is not kept
        audit.note(session, name if is_known else "unknown", act, at=now, address=address)
        if key is not None and old_key is not None:
            sign_out(session, old_key)
    if key is None:
        raise WrongPasswordError("Name or password are wrong.")
    room.attempts.succeed(name, address)
    return key


def sign_out_person(room: Room, key: str) -> None:
    """End a session."""
    with room.database.writing() as session:
        person = person_of_session(session, key, now=room.clock())
        sign_out(session, key)
        if person is not None:
            audit.note(session, person.name, "session.ended", at=room.clock())
