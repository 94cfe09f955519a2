"""Webhooks: signed as receivers' libraries expect, and every answer understood; over a real connection as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from tests.service.hand_clock import NOON, HandClock
from tests.service.notify.fakes import http_receiver
from thirdcard.service.notify.channels import ChannelError, ChannelTraits, DeliveryRefusedError, DownError, Outgoing
from thirdcard.service.notify.webhook import HttpAnswer, HttpError, HttpPoster, HttpxPoster, Webhook, secret_bytes, sign

MESSAGE = Outgoing("alert-17-raised", '{"event":"raised"}')


@dataclass(slots=True)
class FakePoster:
    """Answers what it was asked to."""

    answer: HttpAnswer | HttpError
    posted: list[tuple[str, bytes, Mapping[str, str]]] = field(default_factory=list)

    def post(self, url: str, body: bytes, headers: Mapping[str, str], *, timeout_s: float) -> HttpAnswer:
        """The answer."""
        self.posted.append((url, body, headers))
        if isinstance(self.answer, HttpError):
            raise self.answer
        return self.answer

    def close(self) -> None:
        """Nothing."""


def a_webhook(poster: HttpPoster, url: str = "http://x/hook", *, timeout_s: float = 5) -> Webhook:
    traits = ChannelTraits(name="office", give_up_after=timedelta(hours=1))
    return Webhook(
        traits=traits, url=url, secret=b"k" * 32, timeout_s=timeout_s, version="1", poster=poster, clock=HandClock()
    )


def test_signature_is_that_of_the_published_example() -> None:
    secret = secret_bytes("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    at = datetime.fromtimestamp(1614265330, UTC)
    signature = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        pytest.param("whsec_AAEC", b"\x00\x01\x02", id="base64"),
        pytest.param("a long enough secret", b"a long enough secret", id="words"),
        pytest.param("whsec_not base64!", b"whsec_not base64!", id="prefix-by-chance"),
    ],
)
def test_secret_is_base64_behind_its_prefix_else_its_own_bytes(text: str, secret: bytes) -> None:
    assert secret_bytes(text) == secret


def test_message_is_posted_with_key_moment_and_signature() -> None:
    poster = FakePoster(HttpAnswer(202))
    a_webhook(poster).send([MESSAGE])
    ((url, body, headers),) = poster.posted
    assert (url, body) == ("http://x/hook", b'{"event":"raised"}')
    assert headers["Idempotency-Key"] == headers["webhook-id"] == "alert-17-raised"
    assert headers["webhook-timestamp"] == str(int(NOON.timestamp()))
    assert headers["webhook-signature"] == sign(b"k" * 32, "alert-17-raised", NOON, body)


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        pytest.param(HttpAnswer(301), DeliveryRefusedError, "answered 301", id="redirect"),
        pytest.param(HttpAnswer(404), DeliveryRefusedError, "answered 404", id="not-there"),
        pytest.param(HttpAnswer(422), DeliveryRefusedError, "answered 422", id="not-liked"),
        pytest.param(HttpAnswer(429, 90), DownError, "answered 429", id="too-much"),
        pytest.param(HttpAnswer(503), DownError, "answered 503", id="error-of-its-own"),
        pytest.param(HttpError("nobody there"), DownError, "nobody there", id="no-answer"),
    ],
)
def test_answer_that_is_no_success_is_told(
    answer: HttpAnswer | HttpError, kind: type[ChannelError], message: str
) -> None:
    with pytest.raises(kind, match=message) as refused:
        a_webhook(FakePoster(answer)).send([MESSAGE])
    if isinstance(refused.value, DownError):
        assert refused.value.retry_after.total_seconds() == getattr(answer, "retry_after_s", 0)


def test_real_server_gets_just_what_was_signed() -> None:
    poster = HttpxPoster()
    with http_receiver() as server:
        a_webhook(poster, server.url).send([MESSAGE])
        (request,) = server.requests
    poster.close()
    assert request.json == {"event": "raised"}
    assert request.headers["webhook-signature"] == sign(b"k" * 32, "alert-17-raised", NOON, request.body)
    assert request.headers["content-type"] == "application/json"


def test_real_server_that_is_away_is_down() -> None:
    with http_receiver() as server:
        url = server.url
    poster = HttpxPoster()
    with pytest.raises(DownError):
        a_webhook(poster, url).send([MESSAGE])
    with pytest.raises(DownError):
        a_webhook(poster, "http://").send([MESSAGE])
    poster.close()
