"""Ask one camera for its streams: ONVIF's device service, and its media service in version 2 or 1.

The user's name and password are sent as a WS-Security digest, and by HTTP digest where the camera wants that; the
password itself is never sent. A digest depends on the camera's own clock, which is asked first. Answers are untrusted:
further requests go only to the address that was given, no redirect is followed, and answers are limited in size.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit, urlunsplit
from xml.etree.ElementTree import Element

import httpx

from thirdcard.service.cameras.soap import NAMES, SoapError, envelope, escaped, number_at, read_envelope, text_at
from thirdcard.service.ports.errors import ServiceError
from thirdcard.vision.addresses import public_address
from thirdcard.vision.errors import SignInRefusedError

TIMEOUT_S = 5.0
"""A camera in the same building answers within a second; busy ones need a few."""
MOST_BYTES = 1 << 20
"""The largest answer in bytes; cameras with a dozen profiles send some 60 kB."""
MOST_STREAMS = 16
_DIGEST = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest"
_CODECS = {"H264": "h264", "H265": "hevc", "JPEG": "mjpeg", "MPEG4": "mpeg4"}


class OnvifError(ServiceError):
    """The camera's answer does not follow ONVIF."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """The user name and password for a camera."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStream:
    """One stream of a camera, as the camera describes it."""

    name: str
    address: str
    """`rtsp://…`, without user and password."""
    codec: str | None
    """FFmpeg's name."""
    size_wh_px: tuple[int, int] | None
    rate_hz: float | None
    """The highest frame rate."""
    bitrate_kbit_s: float | None
    """The highest bit rate."""
    key_every_frames: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraAnswer:
    """A camera's description of itself."""

    streams: tuple[CameraStream, ...]
    """The largest picture first."""
    clock_off_s: float | None
    """How far its clock is ahead of this machine's, in seconds; None where it does not give the time."""


def ask_camera(service: str, sign_in: SignIn, *, now: Callable[[], datetime]) -> CameraAnswer:
    """Ask one camera for its streams and clock.

    Args:
        service: The address of its device service.
        sign_in: User name and password.
        now: This machine's clock.

    Raises:
        SignInRefusedError: It refuses user or password.
        OnvifError: It does not answer, or not as ONVIF requires.
    """
    with httpx.Client(timeout=TIMEOUT_S, verify=False, trust_env=False) as client:  # self-signed certificates
        return _Camera(client, service, sign_in, now).answer()


class _Camera:
    """A connection to one camera."""

    def __init__(self, client: httpx.Client, service: str, sign_in: SignIn, now: Callable[[], datetime]) -> None:
        self._client, self._service, self._now = client, service, now
        self._sign_in: SignIn | None = None
        self._clock_off = timedelta()
        self._known = sign_in

    def answer(self) -> CameraAnswer:
        """Ask for the clock, then the streams."""
        off = self._measured_clock_off()
        self._clock_off, self._sign_in = off or timedelta(), self._known
        services = self._services()
        if "tr2" in services:
            streams = list(self._streams_2(services["tr2"]))
        elif "trt" in services:
            streams = list(self._streams_1(services["trt"]))
        else:
            raise self._error("offers no video (no media service)")
        streams.sort(key=lambda stream: stream.size_wh_px or (0, 0), reverse=True)
        return CameraAnswer(streams=tuple(streams), clock_off_s=None if off is None else off.total_seconds())

    def _measured_clock_off(self) -> timedelta | None:
        """How far its clock is ahead; asked without a password, as ONVIF allows."""
        body = self._ask(self._service, "tds", "GetSystemDateAndTime", "<tds:GetSystemDateAndTime/>")
        utc = body.find(".//tt:UTCDateTime", NAMES)
        if utc is None:
            return None
        parts = [text_at(utc, f"tt:{path}") for path in ("Date/tt:Year", "Date/tt:Month", "Date/tt:Day")]
        parts += [text_at(utc, f"tt:Time/tt:{path}") for path in ("Hour", "Minute", "Second")]
        try:
            year, month, day, hour, minute, second = (int(part) for part in parts)
            return datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC) - self._now()
        except (ValueError, OverflowError):
            return None

    def _services(self) -> dict[str, str]:
        """The addresses of its services, by the prefixes of `NAMES`; old cameras only support GetCapabilities."""
        by_namespace = {address: name for name, address in NAMES.items()}
        body = "<tds:GetServices><tds:IncludeCapability>false</tds:IncludeCapability></tds:GetServices>"
        try:
            answer = self._ask(self._service, "tds", "GetServices", body)
            found = {
                by_namespace[text_at(one, "tds:Namespace")]: text_at(one, "tds:XAddr")
                for one in answer.iterfind(".//tds:Service", NAMES)
                if text_at(one, "tds:Namespace") in by_namespace
            }
        except OnvifError:
            body = "<tds:GetCapabilities><tds:Category>Media</tds:Category></tds:GetCapabilities>"
            answer = self._ask(self._service, "tds", "GetCapabilities", body)
            found = {"trt": text_at(answer, ".//tt:Media/tt:XAddr")}
        return {name: self._at_this_camera(address) for name, address in found.items() if address}

    def _streams_2(self, media: str) -> Iterator[CameraStream]:
        body = "<tr2:GetProfiles><tr2:Type>VideoEncoder</tr2:Type></tr2:GetProfiles>"
        profiles = self._ask(media, "tr2", "GetProfiles", body)
        for profile in _first(profiles.iterfind(".//tr2:Profiles", NAMES)):
            encoder = profile.find("tr2:Configurations/tr2:VideoEncoder", NAMES)
            if encoder is None:
                continue
            token = escaped(profile.get("token", ""))
            body = (
                "<tr2:GetStreamUri><tr2:Protocol>RTSP</tr2:Protocol>"
                f"<tr2:ProfileToken>{token}</tr2:ProfileToken></tr2:GetStreamUri>"
            )
            uri = text_at(self._ask(media, "tr2", "GetStreamUri", body), ".//tr2:Uri")
            every = encoder.get("GovLength", "")
            yield _stream(text_at(profile, "tr2:Name"), uri, encoder, float(every) if every.isdecimal() else None)

    def _streams_1(self, media: str) -> Iterator[CameraStream]:
        profiles = self._ask(media, "trt", "GetProfiles", "<trt:GetProfiles/>")
        for profile in _first(profiles.iterfind(".//trt:Profiles", NAMES)):
            encoder = profile.find("tt:VideoEncoderConfiguration", NAMES)
            if encoder is None:
                continue
            token = escaped(profile.get("token", ""))
            body = (
                "<trt:GetStreamUri><trt:StreamSetup><tt:Stream>RTP-Unicast</tt:Stream>"
                "<tt:Transport><tt:Protocol>RTSP</tt:Protocol></tt:Transport></trt:StreamSetup>"
                f"<trt:ProfileToken>{token}</trt:ProfileToken></trt:GetStreamUri>"
            )
            uri = text_at(self._ask(media, "trt", "GetStreamUri", body), ".//tt:Uri")
            yield _stream(text_at(profile, "tt:Name"), uri, encoder, number_at(encoder, "tt:H264/tt:GovLength"))

    def _ask(self, address: str, service: str, action: str, body: str) -> Element:
        """The body of the answer to one request."""
        header = "" if self._sign_in is None else self._security(self._sign_in)
        auth = None if self._sign_in is None else httpx.DigestAuth(self._sign_in.user, self._sign_in.password)
        kind = f'application/soap+xml; charset=utf-8; action="{NAMES[service]}/{action}"'
        message = envelope(body, header)
        try:
            with self._client.stream(
                "POST", address, content=message, headers={"Content-Type": kind}, auth=auth
            ) as answer:
                data = _limited(answer.iter_bytes())
                status = answer.status_code
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._error(f"does not answer ({type(error).__name__})") from error
        if status in (401, 403) or b"NotAuthorized" in data:
            if self._sign_in is None:
                return Element("nothing")  # some cameras do not give the time without a login
            raise SignInRefusedError(self._service)
        try:
            root = read_envelope(data)
        except SoapError as error:
            raise self._error(
                f"HTTP {status}, {error}; is it a camera that knows ONVIF, and is ONVIF turned on?"
            ) from error
        if status != 200 or root.find("s:Body/s:Fault", NAMES) is not None:
            reason = " ".join(text_at(root, "s:Body/s:Fault/s:Reason/s:Text").split())[:200]
            raise self._error(f"refuses {action}{': ' + reason if reason else f', HTTP {status}'}")
        return root

    def _security(self, sign_in: SignIn) -> str:
        """A UsernameToken: Base64(SHA-1(nonce + created + password)) in place of the password."""
        created = (self._now() + self._clock_off).strftime("%Y-%m-%dT%H:%M:%SZ")
        nonce = secrets.token_bytes(16)
        digest = hashlib.sha1(nonce + created.encode() + sign_in.password.encode()).digest()
        return (
            '<wsse:Security s:mustUnderstand="1"><wsse:UsernameToken>'
            f"<wsse:Username>{escaped(sign_in.user)}</wsse:Username>"
            f'<wsse:Password Type="{_DIGEST}">{base64.b64encode(digest).decode()}</wsse:Password>'
            f"<wsse:Nonce>{base64.b64encode(nonce).decode()}</wsse:Nonce><wsu:Created>{created}</wsu:Created>"
            "</wsse:UsernameToken></wsse:Security>"
        )

    def _at_this_camera(self, address: str) -> str:
        """The same path at the address that was given: behind a router a camera may name an unreachable one."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return ""
        asked = urlsplit(self._service)
        return urlunsplit((asked.scheme, asked.netloc, parts.path, parts.query, ""))

    def _error(self, said: str) -> OnvifError:
        return OnvifError(f"{public_address(self._service)}: {said}")


def _stream(name: str, uri: str, encoder: Element, key_every_frames: float | None) -> CameraStream:
    width, height = (number_at(encoder, f"tt:Resolution/tt:{side}") for side in ("Width", "Height"))
    encoding = text_at(encoder, "tt:Encoding").upper()
    return CameraStream(
        name=name,
        address=public_address(uri),
        codec=_CODECS.get(encoding, encoding.lower() or None),
        size_wh_px=None if width is None or height is None else (int(width), int(height)),
        rate_hz=number_at(encoder, "tt:RateControl/tt:FrameRateLimit"),
        bitrate_kbit_s=number_at(encoder, "tt:RateControl/tt:BitrateLimit"),
        key_every_frames=key_every_frames,
    )


def _first(profiles: Iterable[Element]) -> list[Element]:
    return list(profiles)[:MOST_STREAMS]


def _limited(pieces: Iterable[bytes]) -> bytes:
    """The answer, cut at the largest size that is plausible."""
    data = b""
    for piece in pieces:
        data += piece
        if len(data) > MOST_BYTES:
            break
    return data[:MOST_BYTES]
