"""The dependencies of routes: the room, the person who asks, and the check of the role."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from thirdcard.service.alerts.room import Room
from thirdcard.service.corrections.card_crops import CardCrops
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.store.people import (
    Person,
    Role,
    is_stale,
    is_token_stale,
    person_of_session,
    person_of_token,
    touch_session,
    touch_token,
)
from thirdcard.service.web.http_errors import RefusedError, not_found
from thirdcard.service.web.pages.showing import Pages

logger = logging.getLogger(__name__)

COOKIE = "thirdcard_session"
CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
LONGEST_KEY = 200
TOUCH_EVERY = timedelta(minutes=1)


async def the_room(request: Request) -> Room:
    """The room of the application; async, since it needs no thread."""
    room = request.app.state.room
    assert isinstance(room, Room), "create_app sets it"
    return room


async def the_pages(request: Request) -> Pages:
    """The renderer of pages."""
    pages = request.app.state.pages
    assert isinstance(pages, Pages), "create_app sets it"
    return pages


async def the_cards(request: Request) -> CardCrops:
    """The source of card pictures."""
    cards = request.app.state.cards
    assert isinstance(cards, CardCrops), "create_app sets it"
    return cards


RoomHere = Annotated[Room, Depends(the_room)]
PagesHere = Annotated[Pages, Depends(the_pages)]
CardsHere = Annotated[CardCrops, Depends(the_cards)]


def find_person(room: Room, request: Request) -> Person | None:
    """The person who makes a request; None without a login. A token takes precedence over a session.

    Raises:
        RefusedError: 401, the token is not valid.
    """
    return room.sharing.get(_said(request), lambda: _read_person(room, request))


def _said(request: Request) -> tuple[str, str | None, str | None]:
    """The parts of a request that identify the person."""
    return "person", request.headers.get("authorization"), old_key(request)


def _read_person(room: Room, request: Request) -> Person | None:
    header = request.headers.get("authorization")
    now = room.clock()
    if header is not None:
        scheme, _, token = header.partition(" ")
        with room.database.reading() as session:
            is_bearer = scheme.lower() == "bearer" and len(token) <= LONGEST_KEY
            person = person_of_token(session, token.strip(), now=now) if is_bearer else None
            is_due = person is not None and is_token_stale(session, token.strip(), now=now, after=TOUCH_EVERY)
        if person is None:
            raise _unknown("The token is not known or no longer holds.")
        if is_due:
            _touch(room, lambda session: touch_token(session, token.strip(), now=now))
        return person
    key = old_key(request)
    if key is None:
        return None
    with room.database.reading() as session:
        person = person_of_session(session, key, now=now)
        is_due = person is not None and is_stale(session, key, now=now, after=TOUCH_EVERY)
    if is_due:
        _touch(room, lambda session: touch_session(session, key, now=now))
    return person


def _touch(room: Room, note: Callable[[Session], None]) -> None:
    """Record the use of a session or token; an unwritable database only causes a warning."""
    try:
        with room.database.writing(is_shown=False) as session:
            note(session)
    except OperationalError as error:
        logger.warning("that somebody is here cannot be noted: %s", error)


async def sent_csrf(request: Request) -> str | None:
    """The CSRF token sent by a page's script or form."""
    kind = request.headers.get("content-type", "")
    if CSRF_HEADER in request.headers or not kind.startswith("application/x-www-form-urlencoded"):
        return request.headers.get(CSRF_HEADER)
    sent = (await request.form()).get(CSRF_FIELD)
    return sent if isinstance(sent, str) else None


def at_least(role: Role) -> Callable[..., Awaitable[Person]]:
    """A dependency: the person who asks, refused without this role or a higher one."""

    async def check(request: Request, room: RoomHere, csrf: Annotated[str | None, Depends(sent_csrf)]) -> Person:
        person: Person | None = room.sharing.peek(_said(request))
        if person is None:
            person = await run_in_threadpool(find_person, room, request)
        if person is None:
            raise _unknown("Sign in first, or send a token.")
        if request.method not in SAFE and person.csrf is not None:
            same_site(request)
            check_csrf(person, csrf)
        if not person.role.includes(role):
            raise RefusedError(403, f"This needs the role {role}; yours is {person.role}.")
        return person

    return check


def same_site(request: Request) -> None:
    """Raise RefusedError 403 where the browser reports that another site's page sends the request."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise RefusedError(403, "The request does not come from a page of this service.")


def old_key(request: Request) -> str | None:
    """The session key sent by the browser."""
    key = request.cookies.get(COOKIE)
    return key if key is not None and len(key) <= LONGEST_KEY else None


def check_csrf(person: Person, sent: str | None) -> None:
    """Raise RefusedError 403 where a browser's request lacks its session's CSRF token."""
    known = person.csrf or ""
    if not known or not secrets.compare_digest(known.encode(), (sent or "").encode("utf-8", "replace")):
        raise RefusedError(
            403, "The request does not come from a page of this service; load the page anew.", field="csrf"
        )


async def a_sender(person: Annotated[Person, Depends(at_least(Role.DEVICE))]) -> Person:
    """A dependency: a person who may send signals, which is an operator or a device."""
    if person.role is not Role.DEVICE and not person.role.includes(Role.OPERATOR):
        raise RefusedError(403, f"This needs the role {Role.OPERATOR} or {Role.DEVICE}; yours is {person.role}.")
    return person


Sender = Annotated[Person, Depends(a_sender)]
Viewer = Annotated[Person, Depends(at_least(Role.VIEWER))]
Operator = Annotated[Person, Depends(at_least(Role.OPERATOR))]
Supervisor = Annotated[Person, Depends(at_least(Role.SUPERVISOR))]
Admin = Annotated[Person, Depends(at_least(Role.ADMIN))]


def seen_table(room: Room, person: Person, table_id: str) -> TableStatus:
    """A table's state.

    Raises:
        RefusedError: 404, there is no such table, or the person may not see it.
    """
    state = room.live.state(table_id) if person.may_see(table_id) else None
    if state is None:
        raise not_found("table")
    return state


def still_may(room: Room, request: Request, person: Person) -> bool:
    """Whether the person of an earlier request still has the same session and rights."""
    try:
        return find_person(room, request) == person
    except RefusedError:
        return False


class StrictRoute(APIRoute):
    """A route that refuses undeclared query parameters."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """The handler with the check."""
        handle = super().get_route_handler()
        known = _query_names(self.dependant)

        async def handle_strictly(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    shown = name[:80].encode("ascii", "backslashreplace").decode("ascii")
                    raise RefusedError(422, f"{shown} is not known here.", field=shown)
            response: Response = await handle(request)
            return response

        return handle_strictly


def _query_names(dependant: Any) -> frozenset[str]:
    names: set[str] = set()
    for field in dependant.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            names |= {info.alias or name for name, info in kind.model_fields.items()}
        else:
            names.add(field.alias)
    for inner in dependant.dependencies:
        names |= _query_names(inner)
    return frozenset(names)


def _unknown(message: str) -> RefusedError:
    return RefusedError(401, message, headers={"WWW-Authenticate": 'Bearer realm="thirdcard"'})
