"""Ask one camera which streams it sends: ONVIF's device service, and its media service in version 2 or 1.

The user's name and password go along as a WS-Security digest, and by HTTP digest where the camera wants that; the
password itself is never sent. A digest holds for the camera's own clock, which is asked first. What a camera answers is
untrusted: only the address that was asked is asked further, nothing is followed elsewhere, and answers have a limit.
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
"""A camera in the same building answers within a second; a few more where it is busy."""
MOST_BYTES = 1 << 20
"""The answers of cameras with a dozen profiles have some 60 kB."""
MOST_STREAMS = 16
_DIGEST = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordDigest"
_CODECS = {"H264": "h264", "H265": "hevc", "JPEG": "mjpeg", "MPEG4": "mpeg4"}


class OnvifError(ServiceError):
    """A camera does not answer as ONVIF has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Who asks."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraStream:
    """One stream that a camera offers, by its own word."""

    name: str
    address: str
    """`rtsp://…`, without user and password."""
    codec: str | None
    """As FFmpeg names it."""
    size_wh_px: tuple[int, int] | None
    rate_hz: float | None
    """The most pictures a second."""
    bitrate_kbit_s: float | None
    """The most."""
    key_every_frames: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraAnswer:
    """What a camera says of itself."""

    streams: tuple[CameraStream, ...]
    """The largest first."""
    clock_off_s: float | None
    """By how much its clock is ahead of this machine's; None where it does not tell the time."""


def ask_camera(service: str, sign_in: SignIn, *, now: Callable[[], datetime]) -> CameraAnswer:
    """The streams of one camera.

    Args:
        service: the address of its device service.
        sign_in: who asks.
        now: this machine's clock.

    Raises:
        SignInRefusedError: It refuses user or password.
        OnvifError: It does not answer, or not as ONVIF has it.
    """
    with httpx.Client(timeout=TIMEOUT_S, verify=False, trust_env=False) as client:  # cameras sign their own papers
        return _Camera(client, service, sign_in, now).answer()


class _Camera:
    """One camera that is asked."""

    def __init__(self, client: httpx.Client, service: str, sign_in: SignIn, now: Callable[[], datetime]) -> None:
        self._client, self._service, self._now = client, service, now
        self._sign_in: SignIn | None = None
        self._clock_off = timedelta()
        self._known = sign_in

    def answer(self) -> CameraAnswer:
        """Its clock, then its streams."""
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
        """The addresses of its services, by the prefixes of `NAMES`; old cameras only know GetCapabilities."""
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
        """The body of the answer to one question."""
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
                return Element("nothing")  # some cameras do not even tell the time to strangers
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
        """A UsernameToken: Base64(SHA-1(nonce + created + password)) stands for the password."""
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
        """The same path at the address that was asked: behind a router a camera names one that leads nowhere."""
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
    """The answer, as far as it is no longer than any that makes sense."""
    data = b""
    for piece in pieces:
        data += piece
        if len(data) > MOST_BYTES:
            break
    return data[:MOST_BYTES]
