"""Send messages by HTTP, signed so that the receiver knows the sender and the time.

The headers follow the Standard Webhooks specification, for which libraries exist: the signature is HMAC-SHA256 over
`ID.TIMESTAMP.BODY`, in base64, after `v1,`. The id is the message's key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import httpx

from thirdcard.service.notify.channels import ChannelTraits, DeliveryRefusedError, DownError, Outgoing
from thirdcard.service.ports.live_tables import Clock

PREFIX = "whsec_"
"""The prefix of a secret in base64."""
BUSY = frozenset({408, 425, 429})
LONGEST_RETRY_S = 3600


class HttpError(Exception):
    """There was no answer; the text says why."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A receiver's answer."""

    status: int
    retry_after_s: float = 0.0


class HttpPoster(Protocol):
    """A client that posts over HTTP."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float) -> HttpAnswer:
        """Send a POST and return the answer.

        Raises:
            HttpError: There was none.
        """

    def close(self) -> None:
        """Close connections."""


class HttpxPoster:
    """A client that uses httpx; follows no redirects and reads no bodies."""

    def __init__(self) -> None:
        self._client = httpx.Client(follow_redirects=False)

    def post(self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float) -> HttpAnswer:
        """Send a POST and return the answer's status.

        Raises:
            HttpError: There was no answer in time.
        """
        try:
            with self._client.stream("POST", url, content=body, headers=dict(headers), timeout=timeout_s) as answer:
                return HttpAnswer(answer.status_code, _seconds(answer.headers.get("retry-after")))
        except httpx.TimeoutException as error:
            raise HttpError(f"no answer within {timeout_s:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise HttpError(str(error) or type(error).__name__) from error

    def close(self) -> None:
        """Close connections."""
        self._client.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A channel to one program over HTTP."""

    traits: ChannelTraits
    url: str = field(repr=False)
    secret: bytes = field(repr=False)
    timeout_s: float
    version: str
    poster: HttpPoster
    clock: Clock

    def open(self) -> None:
        """Do nothing: connections are made when sending."""

    def send(self, messages: Sequence[Outgoing]) -> None:
        """Post each message.

        Raises:
            DownError: No answer, a server error, or too many requests.
            DeliveryRefusedError: Any other answer but success; redirects are not followed.
        """
        for message in messages:
            self._post(message)

    def close(self) -> None:
        """Close connections."""
        self.poster.close()

    def _post(self, message: Outgoing) -> None:
        body = message.body.encode("utf-8")
        try:
            answer = self.poster.post(self.url, body, self._headers(message.key, body), timeout_s=self.timeout_s)
        except HttpError as error:
            raise DownError(str(error)) from error
        if 200 <= answer.status < 300:
            return
        text = f"the receiver answered {answer.status}"
        if answer.status in BUSY or answer.status >= 500:
            raise DownError(text, retry_after=timedelta(seconds=answer.retry_after_s))
        raise DeliveryRefusedError(text)

    def _headers(self, key: str, body: bytes) -> dict[str, str]:
        at = self.clock()
        return {
            "Content-Type": "application/json",
            "User-Agent": f"Thirdcard/{self.version}",
            "Idempotency-Key": key,
            "webhook-id": key,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": sign(self.secret, key, at, body),
        }


def sign(secret: bytes, key: str, at: datetime, body: bytes) -> str:
    """The signature of a message: `v1,` and the base64 of HMAC-SHA256 over key, Unix seconds and body, with dots."""
    text = f"{key}.{int(at.timestamp())}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest()).decode("ascii")


def secret_bytes(text: str) -> bytes:
    """A secret as bytes: base64 after `whsec_`, else the text itself."""
    if text.startswith(PREFIX):
        try:
            return base64.b64decode(text.removeprefix(PREFIX), validate=True)
        except binascii.Error:
            pass
    return text.encode("utf-8")


def _seconds(text: str | None) -> float:
    """A `Retry-After` in seconds; 0 where there is none, or a date."""
    return float(min(int(text), LONGEST_RETRY_S)) if text is not None and text.isascii() and text.isdecimal() else 0.0
