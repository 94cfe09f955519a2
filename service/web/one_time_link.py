"""Access for a person at this machine: a link that logs in once, as a temporary admin."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from datetime import datetime

from fastapi import FastAPI, Request
from starlette.responses import RedirectResponse, Response

from thirdcard.service.store import audit, people
from thirdcard.service.store.database import Database
from thirdcard.service.web.dependencies import COOKIE
from thirdcard.service.web.http_errors import RefusedError

WHO = "one-time-setup"
"""The user's name in the audit chain."""
PATH = "/begin"


class OneTimeLink:
    """One link to one running service."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database, self._now = database, now
        self._secret = secrets.token_urlsafe(24)
        self._left = threading.Semaphore(1)

    def install(self, app: FastAPI, target: str) -> str:
        """Add the link to the application; returns its path.

        Args:
            app: The service.
            target: The page to which it leads.
        """
        self._begin()

        def begin(request: Request) -> Response:
            sent = request.query_params.get("once", "")
            is_ours = secrets.compare_digest(sent.encode("utf-8", "replace"), self._secret.encode())
            if not is_ours or not self._left.acquire(blocking=False):
                raise RefusedError(403, "This link has been used, or is none; start the command anew.")
            response = RedirectResponse(target, status_code=303)
            response.set_cookie(COOKIE, self._session(), httponly=True, samesite="lax")
            return response

        app.add_api_route(PATH, begin, include_in_schema=False)
        return f"{PATH}?once={self._secret}"

    def close(self) -> None:
        """Remove the temporary user, which ends its sessions."""
        with self._database.writing() as session:
            people.remove_user(session, WHO)
            audit.note(session, WHO, "user.removed", f"user:{WHO}", at=self._now())

    def _begin(self) -> None:
        """Create the user; one left by a killed process is removed first, with its sessions."""
        with self._database.writing() as session:
            people.remove_user(session, WHO)
            people.add_user(session, WHO, "admin", secrets.token_urlsafe(32), now=self._now())
            audit.note(session, WHO, "user.added", f"user:{WHO}", at=self._now(), role="admin")

    def _session(self) -> str:
        password = secrets.token_urlsafe(32)
        with self._database.writing() as session:
            people.set_password(session, WHO, password)
            key = people.sign_in(session, WHO, password, now=self._now())
            audit.note(session, WHO, "session.began", at=self._now(), address="127.0.0.1")
        assert key is not None, "the user is active, and the password is the one just set"
        return key
