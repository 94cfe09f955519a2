"""Login and logout in a browser."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from thirdcard.service.alerts.signing import TooManyAttemptsError, WrongPasswordError, sign_in_person, sign_out_person
from thirdcard.service.store.people import LONGEST, has_users
from thirdcard.service.web.dependencies import COOKIE, PagesHere, RoomHere, StrictRoute, Viewer, old_key, same_site
from thirdcard.service.web.http_errors import SIGN_IN
from thirdcard.service.web.requests import LoginForm, LoginQuery, local_address

router = APIRouter(route_class=StrictRoute, include_in_schema=False)


@router.get(SIGN_IN)
def login_page(room: RoomHere, pages: PagesHere, query: Annotated[LoginQuery, Query()]) -> Response:
    """The login page."""
    with room.database.reading() as session:
        is_new = not has_users(session)
    return pages.show("login.html", next=local_address(query.next), name="", fault=None, is_new=is_new)


@router.post(SIGN_IN)
def login(room: RoomHere, pages: PagesHere, request: Request, form: Annotated[LoginForm, Form()]) -> Response:
    """Start a session, or show why the login failed."""
    same_site(request)
    target, state = local_address(form.next), request.state
    try:
        key = sign_in_person(room, form.name, form.password, address=state.address, old_key=old_key(request))
    except (WrongPasswordError, TooManyAttemptsError) as error:
        wait_s = getattr(error, "wait_s", None)
        return pages.show_login_fault(str(error), name=form.name, next=target, wait_s=wait_s)
    response = RedirectResponse(target, status_code=303)
    response.set_cookie(
        COOKIE, key, max_age=int(LONGEST.total_seconds()), httponly=True, samesite="lax", secure=state.is_secure
    )
    return response


@router.post("/logout")
def logout(room: RoomHere, person: Viewer, request: Request) -> Response:
    """End the session."""
    key = old_key(request)
    if key is not None:
        sign_out_person(room, key)
    response = RedirectResponse(SIGN_IN, status_code=303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=request.state.is_secure)
    return response
