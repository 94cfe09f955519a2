"""Addresses as anybody may see them: no user, no password."""

from __future__ import annotations

import pytest

from thirdcard.vision.addresses import public_address, public_text, public_value

ADDRESSES = [
    pytest.param("rtsp://10.0.0.5/live", "rtsp://10.0.0.5/live", id="nothing to hide"),
    pytest.param("rtsp://gast:geheim@10.0.0.5:554/live", "rtsp://10.0.0.5:554/live", id="user and password"),
    pytest.param("rtsp://gast:ge%40h%2Feim@10.0.0.5/live", "rtsp://10.0.0.5/live", id="percent-encoded"),
    pytest.param("rtsp://gast:ge@h/ei?m@10.0.0.5/live", "rtsp://10.0.0.5/live", id="signs that should be encoded"),
    pytest.param("rtsp://gast:ge h#eim@10.0.0.5/live", "rtsp://10.0.0.5/live", id="a space and a hash"),
    pytest.param("rtsp://gast@10.0.0.5/live", "rtsp://10.0.0.5/live", id="user alone"),
    pytest.param(
        "rtsp://gast:geheim@h/cam/realmonitor?channel=1&subtype=0",
        "rtsp://h/cam/realmonitor?channel=1&subtype=0",
        id="streams stay apart",
    ),
    pytest.param("http://h/x?user=gast&pwd=geheim&channel=2", "http://h/x?channel=2", id="in the query"),
    pytest.param("http://h/x?anything=geheim", "http://h/x", id="an unknown word of the query"),
    pytest.param("http://h/x?channel=ge/heim", "http://h/x", id="a harmless word with a strange value"),
    pytest.param("http://h/x?mail=a@b&password=geheim", "http://b&...", id="an at sign in the query"),
    pytest.param("rtsp://h/user=gast&password=geheim&channel=1", "rtsp://h/...", id="in the path"),
    pytest.param("rtsp://h/user=gast_password=geheim_channel=1.sdp?real_stream", "rtsp://h/...", id="one word of path"),
    pytest.param("srt://h:9000?passphrase=geheim", "srt://h:9000", id="another protocol"),
    pytest.param("rtmp://h/app playpath=x token=geheim", "rtmp://h/app", id="words behind the address"),
    pytest.param("gast:geheim@10.0.0.5/live", "10.0.0.5/live", id="scheme forgotten"),
    pytest.param("tables/rtsp:/gast:geheim@10.0.0.5/live", "tables/rtsp:/10.0.0.5/live", id="taken for a file"),
    pytest.param("recordings/b07.mp4", "recordings/b07.mp4", id="a file"),
    pytest.param("/dev/video0", "/dev/video0", id="a device"),
]


@pytest.mark.parametrize(("source", "shown"), ADDRESSES)
def test_of_an_address_nothing_is_shown_that_may_open_it(source: str, shown: str) -> None:
    assert public_address(source) == shown


@pytest.mark.parametrize(("source", "shown"), ADDRESSES)
def test_what_is_shown_stays_as_it_is(source: str, shown: str) -> None:
    assert public_address(public_address(source)) == shown


def test_addresses_in_a_text_are_shown_without_secrets() -> None:
    text = "[in#0 @ 0x7f] Error opening input 'rtsp://gast:geheim@h/live?pwd=geheim': refused\nagain at 10:00"
    assert public_text(text) == "[in#0 @ 0x7f] Error opening input 'rtsp://h/live refused\nagain at 10:00"


def test_a_text_without_addresses_stays_as_it_is() -> None:
    text = "table B07: at 12:30, a@b.example; C:/films"
    assert public_text(text) == text


def test_addresses_within_settings_are_shown_without_secrets() -> None:
    given = {"cameras": [{"name": "overhead", "source": "rtsp://gast:geheim@h/live", "fps": 25}]}
    assert public_value(given) == {"cameras": [{"name": "overhead", "source": "rtsp://h/live", "fps": 25}]}
