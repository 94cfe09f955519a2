"""The address and protocol of a request behind proxies; a proxy's headers count only where the settings trust it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from thirdcard.service.config.settings import Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a request."""

    address: str
    is_secure: bool
    """Whether it came over TLS."""


def origin_of(connection: HTTPConnection, trusted: Sequence[Network]) -> Origin:
    """The nearest address that is not a trusted proxy, and whether it used TLS."""
    peer = connection.client.host if connection.client is not None else "unknown"
    is_secure = connection.url.scheme in ("https", "wss")
    if not _is_trusted(peer, trusted):
        return Origin(address=peer, is_secure=is_secure)
    said = connection.headers.get("x-forwarded-proto", "").split(",")[-1].strip().lower()
    hops = [hop.strip() for hop in connection.headers.get("x-forwarded-for", "").split(",") if hop.strip()]
    address = next((hop for hop in reversed(hops) if not _is_trusted(hop, trusted)), peer)
    return Origin(address=address[:64], is_secure=said == "https" if said else is_secure)


def _is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed.version == network.version and parsed in network for network in trusted)


class Origins:
    """Stores each request's origin in its state."""

    def __init__(self, app: ASGIApp, *, trusted: Sequence[Network]) -> None:
        self._app, self._trusted = app, trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            origin = origin_of(HTTPConnection(scope), self._trusted)
            scope.setdefault("state", {}).update(address=origin.address, is_secure=origin.is_secure)
        await self._app(scope, receive, send)
