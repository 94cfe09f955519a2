"""Log people in and out, throttle password guessing, and record it."""

from __future__ import annotations

import math

from thirdcard.service.alerts.room import Room
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit
from thirdcard.service.store.people import person_of_session, sign_in, sign_out
from thirdcard.service.store.schema import UserRow


class WrongPasswordError(ServiceError):
    """The name or password is wrong; the message does not say which."""

    field = "password"


class TooManyAttemptsError(ServiceError):
    """There were too many login attempts."""

    def __init__(self, wait_s: int) -> None:
        self.wait_s = wait_s
        super().__init__(f"Too many attempts; try again in {math.ceil(wait_s / 60)} min.")


def sign_in_person(room: Room, name: str, password: str, *, address: str, old_key: str | None) -> str:
    """Log a person in and return the new session's key; the browser's old session ends.

    Raises:
        WrongPasswordError: The name or password is wrong, or the user is blocked.
        TooManyAttemptsError: There were too many recent attempts.
    """
    wait = room.attempts.begin(name, address)
    if wait is not None:
        raise TooManyAttemptsError(math.ceil(wait.total_seconds()))
    now = room.clock()
    with room.database.writing() as session:
        key = sign_in(session, name, password, now=now)
        is_known = session.get(UserRow, name) is not None
        act = "session.refused" if key is None else "session.began"
        # an unknown name may be a password typed in the wrong field: it is not stored
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
