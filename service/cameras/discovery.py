"""Ask the network which cameras there are: WS-Discovery as ONVIF's core specification has it.

A question goes to every machine of the local network (or to one), and cameras answer within half a second. An answer
is untrusted: whoever is in the network can send one. So a service at another address than the answer came from is
left out: no password is sent there.
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
"""Where WS-Discovery asks."""
TYPES = ("dn:NetworkVideoTransmitter", "tds:Device")
"""What a camera says it is: the first since ONVIF's beginning, the second as its newer editions order."""
REPEATS, REPEAT_S = 2, 0.2
"""A datagram may get lost: WS-Discovery asks twice, 50 to 250 ms apart."""
LONGEST_BYTES = 65535
MOST_CAMERAS = 1000
"""A network that answers more often is playing tricks."""
LONGEST_NAME = 80
_SCOPE = "onvif://www.onvif.org/"


class DiscoveryError(ServiceError):
    """The network cannot be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCamera:
    """One that answered."""

    address: str
    """Its IP address."""
    name: str
    """As its maker or somebody called it; empty where it does not say."""
    model: str
    location: str
    services: tuple[str, ...]
    """The addresses of its device service, http or https, at its own IP address."""


def find_cameras(*, wait_s: float, clock: Callable[[], float], ask: tuple[str, int] | None = None) -> list[FoundCamera]:
    """The cameras that answer, in the order of their addresses.

    Args:
        wait_s: how long answers are waited for.
        clock: seconds that never go back.
        ask: address and port of one machine, instead of all of the local network.

    Raises:
        DiscoveryError: The question cannot be sent.
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
    """The question for devices of some types."""
    header = (
        f'<a:Action s:mustUnderstand="1">{NAMES["d"]}/Probe</a:Action><a:MessageID>{message_id}</a:MessageID>'
        f"<a:ReplyTo><a:Address>{NAMES['a']}/role/anonymous</a:Address></a:ReplyTo>"
        '<a:To s:mustUnderstand="1">urn:schemas-xmlsoap-org:ws:2005:04:discovery</a:To>'
    )
    return envelope(f"<d:Probe><d:Types>{types}</d:Types></d:Probe>", header)


def read_matches(data: bytes, sender: str, message_ids: Iterator[str] | dict[str, str]) -> list[FoundCamera]:
    """The cameras of one answer; none where it is none, or answers nothing that was asked.

    Args:
        data: the datagram.
        sender: the IP address that it came from.
        message_ids: of the questions.
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
    """The numbers of this machine's networks; 0, the system's choice, where it tells none."""
    try:
        return [index for index, _ in socket.if_nameindex()] or [0]
    except (OSError, AttributeError):
        return [0]


def _heard(door: socket.socket, end: float, clock: Callable[[], float]) -> Iterator[tuple[bytes, str]]:
    """What comes until a time, with the IP addresses that it comes from."""
    while (left_s := end - clock()) > 0:
        door.settimeout(left_s)
        try:
            data, (sender, *_) = door.recvfrom(LONGEST_BYTES)
        except TimeoutError:
            return
        except OSError:  # a machine that was asked says that it has no such port
            continue
        yield data, sender


def _is_of(url: str, sender: str) -> bool:
    """Whether an address is one of the machine that named it."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and parts.hostname == sender and parts.port != 0
    except ValueError:
        return False


def _scope(scopes: list[str], kind: str) -> str:
    """What the scopes say of one kind, such as `onvif://www.onvif.org/name/AXIS%20M3215`; the first of several."""
    start = f"{_SCOPE}{kind}/"
    value = next((scope[len(start) :] for scope in scopes if scope.lower().startswith(start)), "")
    shown = "".join(sign if sign.isprintable() else " " for sign in unquote(value))
    return " ".join(shown.split())[:LONGEST_NAME]


def _joined(one: FoundCamera, other: FoundCamera) -> FoundCamera:
    """Both answers of one camera."""
    return FoundCamera(
        address=one.address,
        name=one.name or other.name,
        model=one.model or other.model,
        location=one.location or other.location,
        services=tuple(dict.fromkeys((*one.services, *other.services))),
    )
