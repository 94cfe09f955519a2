"""Find cameras in the network: WS-Discovery as in ONVIF's core specification.

A probe goes to every machine of the local network (or to one), and cameras answer within half a second. Answers are
untrusted, since any machine in the network can send one. So a service at an address other than the sender's is ignored:
no password is sent there.
"""

from __future__ import annotations

import socket
import struct
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from thirdcard.service.cameras.soap import NAMES, SoapError, envelope, read_envelope, text_at
from thirdcard.service.ports.errors import ServiceError

GROUP, PORT = "239.255.255.250", 3702
"""The multicast address and port of WS-Discovery."""
TYPES = ("dn:NetworkVideoTransmitter", "tds:Device")
"""The device types of cameras: the first since ONVIF's beginning, the second in newer editions."""
REPEATS, REPEAT_S = 2, 0.2
"""A datagram may get lost: WS-Discovery sends each probe twice, 50 to 250 ms apart."""
LONGEST_BYTES = 65535
MOST_CAMERAS = 1000
"""More answers than this are an attack or a fault."""
LONGEST_NAME = 80
_SCOPE = "onvif://www.onvif.org/"


class DiscoveryError(ServiceError):
    """The network cannot be probed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCamera:
    """A camera that answered."""

    address: str
    """Its IP address."""
    name: str
    """As its maker or somebody named it; empty where it gives none."""
    model: str
    location: str
    services: tuple[str, ...]
    """The addresses of its device service, http or https, at its own IP address."""


def find_cameras(*, wait_s: float, clock: Callable[[], float], ask: tuple[str, int] | None = None) -> list[FoundCamera]:
    """The cameras that answer, sorted by address.

    Args:
        wait_s: How long to wait for answers, in seconds.
        clock: Monotonic time in seconds.
        ask: Address and port of one machine, instead of the whole local network.

    Raises:
        DiscoveryError: The probe cannot be sent.
    """
    message_ids = {f"urn:uuid:{uuid.uuid4()}": types for types in TYPES}
    found: dict[str, FoundCamera] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
        end = clock() + wait_s
        for repeat in range(REPEATS):
            for message_id, types in message_ids.items():
                _send(door, probe(message_id, types), ask)
            is_last = repeat == REPEATS - 1
            for data, sender in _heard(door, end if is_last else min(clock() + REPEAT_S, end), clock):
                for camera in read_matches(data, sender, message_ids):
                    known = found.get(camera.address)
                    if known is not None or len(found) < MOST_CAMERAS:
                        found[camera.address] = camera if known is None else _joined(known, camera)
    return sorted(found.values(), key=lambda camera: socket.inet_aton(camera.address))


def probe(message_id: str, types: str) -> bytes:
    """The probe message for devices of these types."""
    header = (
        f'<a:Action s:mustUnderstand="1">{NAMES["d"]}/Probe</a:Action><a:MessageID>{message_id}</a:MessageID>'
        f"<a:ReplyTo><a:Address>{NAMES['a']}/role/anonymous</a:Address></a:ReplyTo>"
        '<a:To s:mustUnderstand="1">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>'
    )
    return envelope(f"<d:Probe><d:Types>{types}</d:Types></d:Probe>", header)


def read_matches(data: bytes, sender: str, message_ids: Iterator[str] | dict[str, str]) -> list[FoundCamera]:
    """The cameras in one answer; empty where it is no valid answer to our probes.

    Args:
        data: The datagram.
        sender: The IP address that it came from.
        message_ids: Of the probes.
    """
    try:
        root = read_envelope(data)
    except SoapError:
        return []
    if text_at(root, "s:Header/a:RelatesTo") not in message_ids:
        return []
    found = []
    for match in root.iterfind("s:Body/d:ProbeMatches/d:ProbeMatch", NAMES):
        scopes = text_at(match, "d:Scopes").split()
        services = [url for url in text_at(match, "d:XAddrs").split() if _is_of(url, sender)]
        found.append(
            FoundCamera(
                address=sender,
                name=_scope(scopes, "name"),
                model=_scope(scopes, "hardware"),
                location=_scope(scopes, "location"),
                services=tuple(services),
            )
        )
    return found


def _send(door: socket.socket, message: bytes, ask: tuple[str, int] | None) -> None:
    if ask is not None:
        try:
            door.sendto(message, ask)
        except OSError as error:
            raise DiscoveryError(f"--ask = {ask[0]}:{ask[1]}; cannot be asked: {error.strerror or error}") from error
        return
    sent = 0
    for index in _interfaces():
        with suppress(OSError):
            door.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("@4s4si", b"", b"", index))
            door.sendto(message, (GROUP, PORT))
            sent += 1
    if not sent:
        raise DiscoveryError(
            "no network of this machine takes a question to all (multicast); connect it to the cameras' network, or "
            "name a camera: --ask ADDRESS"
        )


def _interfaces() -> list[int]:
    """The interface numbers of this machine's networks; 0, the system's choice, where unknown."""
    try:
        return [index for index, _ in socket.if_nameindex()] or [0]
    except (OSError, AttributeError):
        return [0]


def _heard(door: socket.socket, end: float, clock: Callable[[], float]) -> Iterator[tuple[bytes, str]]:
    """The datagrams until a time, with the IP addresses of their senders."""
    while (left_s := end - clock()) > 0:
        door.settimeout(left_s)
        try:
            data, (sender, *_) = door.recvfrom(LONGEST_BYTES)
        except TimeoutError:
            return
        except OSError:  # a machine that was asked answers that the port is closed
            continue
        yield data, sender


def _is_of(url: str, sender: str) -> bool:
    """Whether the address belongs to the machine that named it."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.hostname == sender and parts.port != 0
    except ValueError:
        return False


def _scope(scopes: list[str], kind: str) -> str:
    """The value of one kind in the scopes, such as `onvif://www.onvif.org/name/AXIS%20M3215`; the first of several."""
    start = f"{_SCOPE}{kind}/"
    value = next((scope[len(start) :] for scope in scopes if scope.lower().startswith(start)), "")
    shown = "".join(sign if sign.isprintable() else " " for sign in unquote(value))
    return " ".join(shown.split())[:LONGEST_NAME]


def _joined(one: FoundCamera, other: FoundCamera) -> FoundCamera:
    """Two answers of one camera, merged."""
    return FoundCamera(
        address=one.address,
        name=one.name or other.name,
        model=one.model or other.model,
        location=one.location or other.location,
        services=tuple(dict.fromkeys((*one.services, *other.services))),
    )
