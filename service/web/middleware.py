"""The middleware before all routes: limits of bodies before they are read, and security headers on answers."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thirdcard.service.web.http_errors import Answer, RefusedError, error_response

logger = logging.getLogger(__name__)

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
STRICT_TRANSPORT = "max-age=31536000"


class BodyLimit:
    """Refuses a body that exceeds the limit, by its declared length or as soon as more has arrived.

    Args:
        largest_bytes: the limit of a body.
        larger: the limits for paths that match these patterns.
    """

    def __init__(
        self, app: ASGIApp, *, largest_bytes: int, larger: Mapping[re.Pattern[str], int] = MappingProxyType({})
    ) -> None:
        self._app, self._largest, self._larger = app, largest_bytes, larger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"")
        if announced and not (announced.isdigit() and len(announced) < 16):
            await error_response(RefusedError(400, "Content-Length is no number."))(scope, receive, send)
            return
        largest = next((most for path, most in self._larger.items() if path.fullmatch(scope["path"])), self._largest)
        body = None if announced and int(announced) > largest else await self._read(scope, receive, largest)
        if body is None:
            refusal = RefusedError(413, f"The body is too large; it may have {largest} bytes.")
            await error_response(refusal)(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive, largest: int) -> list[Message] | None:
        """The messages of the body; None where it is too large."""
        names = {name for name, _ in scope["headers"]}
        if not names & {b"content-length", b"transfer-encoding"}:
            return []
        messages: list[Message] = []
        size, is_more = 0, True
        while is_more:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            is_more = message["type"] == "http.request" and message.get("more_body", False)
            if size > largest:
                return None
        return messages


def _replay(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def again() -> Message:
        message = next(waiting, None)
        return await receive() if message is None else message

    return again


class HeadRequests:
    """Answers HEAD as GET without the body; for an endless stream only the head is made."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
            elif not answered.is_set():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                if message.get("more_body", False):
                    answered.set()

        work = asyncio.ensure_future(self._app({**scope, "method": "GET"}, receive, send_head))
        waiting = asyncio.ensure_future(answered.wait())
        await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if answered.is_set() and not work.done():
            work.cancel()
        with suppress(asyncio.CancelledError):
            await work


class LastResort:
    """Answers unexpected exceptions and logs them; the caller sees no details."""

    def __init__(self, app: ASGIApp, *, answer: Answer) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception as error:
            if is_begun or scope["type"] != "http":
                raise
            logger.exception("%s %s failed", scope["method"], scope["path"])
            response = await self._answer(Request(scope), error)
            await response(scope, receive, send)


class SecurityHeaders:
    """Adds the security headers; headers set by a route itself stay."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                if scope.get("state", {}).get("is_secure"):
                    headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
            await send(message)

        await self._app(scope, receive, send if scope["type"] != "http" else send_with_headers)
