"""Users and tokens; for admins."""

from __future__ import annotations

from fastapi import APIRouter

from thirdcard.service.alerts.accounts import change_password, new_token, new_user, switch_token, switch_user
from thirdcard.service.store.people import list_tokens, list_users
from thirdcard.service.web.case_schemas import (
    AccountOut,
    ActiveIn,
    Done,
    NewToken,
    PasswordIn,
    TokenIn,
    TokenOut,
    UserIn,
)
from thirdcard.service.web.dependencies import Admin, RoomHere, StrictRoute
from thirdcard.service.web.http_errors import not_found
from thirdcard.service.web.schemas import Listing

router = APIRouter(prefix="/api", route_class=StrictRoute, tags=["people"])


@router.get("/users")
def users(room: RoomHere, person: Admin) -> Listing[AccountOut]:
    """All users."""
    with room.database.reading() as session:
        return Listing[AccountOut](items=[AccountOut.of(account) for account in list_users(session)], next=None)


@router.post("/users", status_code=201)
def add_user(room: RoomHere, person: Admin, body: UserIn) -> Done:
    """Add a user."""
    new_user(room, person, body.name, body.role, body.password, tables=body.tables)
    return Done()


@router.post("/users/{name}/password")
def set_password(room: RoomHere, person: Admin, name: str, body: PasswordIn) -> Done:
    """Change a user's password and end all of the user's sessions."""
    change_password(room, person, name, body.password)
    return Done()


@router.post("/users/{name}/state")
def set_user_state(room: RoomHere, person: Admin, name: str, body: ActiveIn) -> Done:
    """Deactivate a user at once, or activate the user again."""
    if not switch_user(room, person, name, is_active=body.active):
        raise not_found("user")
    return Done()


@router.get("/tokens")
def tokens(room: RoomHere, person: Admin) -> Listing[TokenOut]:
    """All tokens, sorted by name."""
    with room.database.reading() as session:
        return Listing[TokenOut](items=[TokenOut.of(account) for account in list_tokens(session)], next=None)


@router.post("/tokens", status_code=201)
def add_token(room: RoomHere, person: Admin, body: TokenIn) -> NewToken:
    """Add a token; its text is returned only this once."""
    token = new_token(room, person, body.name, body.role, tables=body.tables, days=body.days)
    return NewToken(name=body.name, token=token)


@router.post("/tokens/{name}/state")
def set_token_state(room: RoomHere, person: Admin, name: str, body: ActiveIn) -> Done:
    """Deactivate a token at once, or activate it again."""
    if not switch_token(room, person, name, is_active=body.active):
        raise not_found("token")
    return Done()
