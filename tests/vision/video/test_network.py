"""Why a network camera cannot be opened, and what is reported about its address."""

from __future__ import annotations

import traceback

import pytest

from tests.rtsp_door import rtsp_door
from thirdcard.vision.errors import SignInRefusedError, UnknownHostError, UnknownSchemeError, UnreadableVideoError
from thirdcard.vision.video.network import rtsp_options
from thirdcard.vision.video.video import VideoReader

SECRETS = ("gast", "ge%68eim", "geheim", "verborgen")


def address(port: int) -> str:
    return f"rtsp://gast:ge%68eim@127.0.0.1:{port}/table?token=verborgen"


@pytest.mark.parametrize("transport", ["tcp", "udp", "auto"])
def test_a_refused_password_is_told_as_such_and_was_sent_once(transport: str) -> None:
    with rtsp_door() as door, pytest.raises(SignInRefusedError) as refused:
        VideoReader(address(door.port), transport=transport).open()
    assert str(refused.value) == f"rtsp://127.0.0.1:{door.port}/table: the camera refuses user or password"
    assert door.passwords == 1


def test_a_forbidden_stream_is_a_refused_password_too() -> None:
    with rtsp_door("403 Forbidden") as door, pytest.raises(SignInRefusedError):
        VideoReader(address(door.port)).open()


@pytest.mark.parametrize("status", ["401 Unauthorized", "404 Not Found", "500 Internal Server Error"])
def test_no_traceback_shows_the_address(status: str) -> None:
    with rtsp_door(status) as door, pytest.raises(UnreadableVideoError) as refused:
        VideoReader(address(door.port)).open()
    told = "".join(traceback.format_exception(refused.value)) + repr(refused.value.__cause__)
    assert f"127.0.0.1:{door.port}" in told
    assert not any(secret in told for secret in SECRETS)


def test_nobody_there_is_no_refusal() -> None:
    with rtsp_door() as door:
        port = door.port
    with pytest.raises(UnreadableVideoError) as refused:
        VideoReader(address(port)).open()
    assert not isinstance(refused.value, SignInRefusedError)
    assert not any(secret in str(refused.value) for secret in SECRETS)


@pytest.mark.parametrize(
    ("source", "kind", "says"),
    [
        ("rtsp://gast:geheim@127.0.0.1:9/x", UnreadableVideoError, "Connection refused; is the camera on"),
        ("rtsp://gast:geheim@no-such-host.invalid/x", UnknownHostError, "unknown host; is its name spelt right"),
        ("rtps://gast:geheim@10.0.0.5/live", UnknownSchemeError, "unknown scheme rtps; a camera's address begins with"),
    ],
)
def test_what_cannot_be_opened_says_what_to_do(source: str, kind: type[Exception], says: str) -> None:
    with pytest.raises(UnreadableVideoError) as refused:
        VideoReader(source).open()
    assert type(refused.value) is kind
    assert says in str(refused.value)
    assert not any(secret in str(refused.value) for secret in SECRETS)


def test_both_transports_are_offered_tcp_first() -> None:
    assert rtsp_options("auto") == {"rtsp_transport": "udp+tcp", "rtsp_flags": "prefer_tcp"}
    assert rtsp_options("udp")["rtsp_transport"] == "udp"
