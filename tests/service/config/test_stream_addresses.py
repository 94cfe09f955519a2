"""Addresses that no camera can have are refused by their spelling, and no text shows a part of them."""

from __future__ import annotations

import pytest

from thirdcard.service.config.stream_addresses import SCHEMES, address_fault


@pytest.mark.parametrize(
    "address",
    [
        *(f"{scheme}://10.20.0.31/stream1" for scheme in SCHEMES),
        "rtsp://watcher:p%2Fw%3F@camera-7.local:8554/live?channel=1",
        "rtsp://watcher:a@b@10.20.0.31/live",
        "rtsp://[fd00::31]:554/live",
        "udp://@:5000",
        "udp://@239.0.0.1:5000",
        "srt://:9000?mode=listener",
    ],
)
def test_address_of_a_camera_is_taken(address: str) -> None:
    assert address_fault(address) is None


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("rtps://w:geheim@10.0.0.5/live", "begin with one of rtsp://"),
        ("file:///nowhere/x.mp4", "a film's path"),
        ("RTSP://10.0.0.5/live", "begin with one of rtsp://"),
        ("rtsp:///live", "name the camera's host"),
        ("rtsp://w:geheim@/live", "name the camera's host"),
        ("udp://", "name the camera's host"),
        ("rtsp://10.0.0.5:99999/live", "a port from 1 to 65535"),
        ("rtsp://10.0.0.5:0/live", "a port from 1 to 65535"),
        ("rtsp://10.0.0.5:geheim/live", "a port from 1 to 65535"),
        ("rtsp://w:ge/heim@10.0.0.5/live", "%2F"),
        ("rtsp://[fd00::31/live", "a port from 1 to 65535"),
        ("rtsp://10.0.0. 5/live", "no blank"),
        ("rtsp://10.0.0.5/li\x00ve", "no control character"),
    ],
)
def test_address_of_no_camera_is_refused_without_its_password(address: str, says: str) -> None:
    fault = address_fault(address)
    assert fault is not None
    assert says in fault
    assert "heim" not in fault
