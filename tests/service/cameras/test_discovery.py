"""Cameras are found by their own word, and no stranger's word is trusted."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from tests.service.cameras.onvif_camera import SCOPES, OnvifCamera, listen, onvif_camera
from thirdcard.service.cameras.discovery import GROUP, PORT, FoundCamera, find_cameras, probe, read_matches
from thirdcard.service.cameras.soap import NAMES, envelope, read_envelope, text_at

ASKED = "urn:uuid:1"


def match(services: str, *, scopes: str = SCOPES, relates_to: str = ASKED) -> bytes:
    body = f"<d:ProbeMatch><d:Scopes>{scopes}</d:Scopes><d:XAddrs>{services}</d:XAddrs></d:ProbeMatch>"
    return envelope(f"<d:ProbeMatches>{body}</d:ProbeMatches>", f"<a:RelatesTo>{relates_to}</a:RelatesTo>")


def read(data: bytes) -> list[FoundCamera]:
    return read_matches(data, "10.0.0.9", {ASKED: "dn:NetworkVideoTransmitter"})


def test_a_camera_is_found_with_name_model_and_place() -> None:
    with onvif_camera() as camera:
        found = find_cameras(wait_s=0.6, clock=time.monotonic, ask=("127.0.0.1", camera.udp_port))
    assert found == [
        FoundCamera(
            address="127.0.0.1", name="Overhead B07", model="DOME-4K", location="pit 3", services=(camera.service,)
        )
    ]


def test_a_camera_of_the_local_network_is_found_by_a_question_to_all() -> None:
    camera, is_over = OnvifCamera(services="http://127.0.0.1/onvif"), threading.Event()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            ear.bind(("", PORT))
            ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + bytes(4))
        except OSError as error:
            pytest.skip(f"no multicast here: {error}")
        ear.settimeout(0.05)
        listener = threading.Thread(target=listen, args=(camera, ear, is_over))
        listener.start()
        found = find_cameras(wait_s=0.8, clock=time.monotonic)
        is_over.set()
        listener.join()
    assert "Overhead B07" in [each.name for each in found]


def test_the_question_is_what_ws_discovery_asks_for() -> None:
    root = read_envelope(probe("urn:uuid:7", "dn:NetworkVideoTransmitter"))
    assert text_at(root, "s:Header/a:Action") == "http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe"
    assert text_at(root, "s:Header/a:To") == "urn:schemas-xmlsoap-org:ws:2005:04:discovery"
    assert text_at(root, "s:Header/a:MessageID") == "urn:uuid:7"
    assert text_at(root, "s:Body/d:Probe/d:Types") == "dn:NetworkVideoTransmitter"


def test_a_service_elsewhere_is_left_out() -> None:
    (camera,) = read(match("http://10.0.0.66/onvif http://10.0.0.9:8080/onvif ftp://10.0.0.9/ http://[bad/"))
    assert camera.services == ("http://10.0.0.9:8080/onvif",)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00\xff" * 40, id="noise"),
        pytest.param(b"<a/>", id="other XML"),
        pytest.param(match("http://10.0.0.9/", relates_to="urn:uuid:2"), id="the answer to another question"),
        pytest.param(
            b'<!DOCTYPE x [<!ENTITY e "boom">]>' + match("http://10.0.0.9/").partition(b"?>")[2], id="a document type"
        ),
    ],
)
def test_what_is_no_answer_is_passed_over(data: bytes) -> None:
    assert read(data) == []


def test_a_name_cannot_write_on_the_terminal() -> None:
    (camera,) = read(match("http://10.0.0.9/", scopes="onvif://www.onvif.org/name/%1b%5b2J%0aB07" + "x" * 300))
    assert camera.name.startswith("[2J B07x")
    assert camera.name.isprintable()
    assert len(camera.name) == 80


def test_nobody_there_is_an_empty_list() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        assert find_cameras(wait_s=0.3, clock=time.monotonic, ask=("127.0.0.1", port)) == []
    assert find_cameras(wait_s=0.3, clock=time.monotonic, ask=("127.0.0.1", port)) == []  # refused by the system


def test_names_are_those_of_the_published_texts() -> None:
    assert NAMES["d"] == "http://schemas.xmlsoap.org/ws/2005/04/discovery"
    assert NAMES["dn"] == "http://www.onvif.org/ver10/network/wsdl"
