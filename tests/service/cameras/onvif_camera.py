"""A simulated ONVIF network camera on this machine: answers probes over UDP and SOAP requests over HTTP."""

from __future__ import annotations

import base64
import hashlib
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.etree.ElementTree import Element

from thirdcard.service.cameras.soap import NAMES, envelope, read_envelope, text_at

USER, PASSWORD = "watcher", "ge&h<eim"
SKEW = timedelta(seconds=90)
"""How far its clock is ahead."""
FRESH = timedelta(seconds=5)
"""The largest age of a digest; older ones, and ones from the future, are refused."""
SCOPES = (
    "onvif://www.onvif.org/type/video_encoder onvif://www.onvif.org/name/Overhead%20B07 "
    "onvif://www.onvif.org/hardware/DOME-4K onvif://www.onvif.org/location/pit%203"
)
ENCODER = (
    "<tt:Encoding>{codec}</tt:Encoding><tt:Resolution><tt:Width>{width}</tt:Width><tt:Height>{height}</tt:Height>"
    "</tt:Resolution><tt:RateControl><tt:FrameRateLimit>{rate}</tt:FrameRateLimit>"
    "<tt:BitrateLimit>{kbit}</tt:BitrateLimit></tt:RateControl>"
)
MAIN = {"codec": "H265", "width": 3840, "height": 2160, "rate": 25, "kbit": 8192}
SMALL = {"codec": "H264", "width": 640, "height": 360, "rate": 12.5, "kbit": 512}


@dataclass(slots=True)
class OnvifCamera:
    """The properties of the camera, and the requests that it received."""

    version: int = 2
    """The version of its media service; with version 1 it has no GetServices either."""
    wants_http_digest: bool = False
    says: bytes | None = None
    """A fixed answer to every request."""
    http_port: int = 0
    udp_port: int = 0
    asked: list[str] = field(default_factory=list)
    """The names of the requests."""
    signed_in: list[str] = field(default_factory=list)
    """The users with a correct digest, one per request."""
    services: str | None = None
    """The addresses in its answer to a probe; its own by default."""

    @property
    def service(self) -> str:
        """The address of its device service."""
        return f"http://127.0.0.1:{self.http_port}/onvif/device_service"

    def match(self, data: bytes) -> bytes | None:
        """The answer to a probe; None for other messages."""
        root = read_envelope(data)
        if root.find("s:Body/d:Probe", NAMES) is None:
            return None
        header = f"<a:RelatesTo>{text_at(root, 's:Header/a:MessageID')}</a:RelatesTo>"
        body = f"<d:Scopes>{SCOPES}</d:Scopes><d:XAddrs>{self.services or self.service}</d:XAddrs>"
        return envelope(f"<d:ProbeMatches><d:ProbeMatch>{body}</d:ProbeMatch></d:ProbeMatches>", header)

    def answer(self, root: Element) -> tuple[int, bytes]:
        """HTTP status and body of the answer to a request."""
        body = root.find("s:Body", NAMES)
        assert body is not None
        question = body[0]
        name = question.tag.rpartition("}")[2]
        self.asked.append(name)
        if name == "GetSystemDateAndTime":
            return 200, envelope(_moment(datetime.now(UTC) + SKEW))
        if not self._lets_in(root):
            return 400, _fault("<s:Subcode><s:Value>ter:NotAuthorized</s:Value></s:Subcode>", "Sender not Authorized")
        self.signed_in.append(text_at(root, "s:Header/wsse:Security/wsse:UsernameToken/wsse:Username"))
        told = self._told(name, question)
        return (400, _fault("", "Action Not Supported")) if told is None else (200, envelope(told))

    def _lets_in(self, root: Element) -> bool:
        token = root.find("s:Header/wsse:Security/wsse:UsernameToken", NAMES)
        if token is None or text_at(token, "wsse:Username") != USER:
            return False
        created = text_at(token, "wsu:Created")
        away = datetime.fromisoformat(created) - (datetime.now(UTC) + SKEW)
        secret = base64.b64decode(text_at(token, "wsse:Nonce")) + created.encode() + PASSWORD.encode()
        digest = base64.b64encode(hashlib.sha1(secret).digest()).decode()
        return abs(away) < FRESH and text_at(token, "wsse:Password") == digest

    def _told(self, name: str, question: Element) -> str | None:
        inside = "http://192.168.77.7/onvif"  # an address behind a router, unreachable from here
        if name == "GetServices" and self.version == 2:
            services = [("tr2", "media2"), ("trt", "media")]
            told = [
                f"<tds:Service><tds:Namespace>{NAMES[key]}</tds:Namespace><tds:XAddr>{inside}/{path}</tds:XAddr></tds:Service>"
                for key, path in services
            ]
            return f"<tds:GetServicesResponse>{''.join(told)}</tds:GetServicesResponse>"
        if name == "GetCapabilities":
            media = f"<tt:Media><tt:XAddr>{inside}/media</tt:XAddr></tt:Media>"
            return f"<tds:GetCapabilitiesResponse>{media}</tds:GetCapabilitiesResponse>"
        if name == "GetProfiles":
            return self._profiles()
        if name == "GetStreamUri":
            key = "tr2" if self.version == 2 else "trt"
            token = text_at(question, f"{key}:ProfileToken")
            uri = f"rtsp://10.0.0.9/{token}?user=boss&amp;pwd=verborgen&amp;channel=1"
            if key == "tr2":
                return f"<tr2:GetStreamUriResponse><tr2:Uri>{uri}</tr2:Uri></tr2:GetStreamUriResponse>"
            media = f"<trt:MediaUri><tt:Uri>{uri}</tt:Uri></trt:MediaUri>"
            return f"<trt:GetStreamUriResponse>{media}</trt:GetStreamUriResponse>"
        return None

    def _profiles(self) -> str:
        told = []
        for token, encoder in (("small", SMALL), ("main", MAIN)):
            if self.version == 2:
                video = f'<tr2:VideoEncoder GovLength="50">{ENCODER.format(**encoder)}</tr2:VideoEncoder>'
                parts = f"<tr2:Name>{token}</tr2:Name><tr2:Configurations>{video}</tr2:Configurations>"
                told.append(f'<tr2:Profiles token="{token}">{parts}</tr2:Profiles>')
            elif encoder["codec"] == "H264":
                video = f"{ENCODER.format(**encoder)}<tt:H264><tt:GovLength>25</tt:GovLength></tt:H264>"
                video = f"<tt:VideoEncoderConfiguration>{video}</tt:VideoEncoderConfiguration>"
                told.append(f'<trt:Profiles token="{token}"><tt:Name>{token}</tt:Name>{video}</trt:Profiles>')
        told.append('<tr2:Profiles token="sound"/><trt:Profiles token="sound"/>')
        return "<tr2:All>" + "".join(told) + "</tr2:All>"


@contextmanager
def onvif_camera(camera: OnvifCamera | None = None) -> Iterator[OnvifCamera]:
    """A camera on its own ports."""
    camera = camera or OnvifCamera()
    with ExitStack() as open_things:
        server = open_things.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), _door_of(camera)))
        server.daemon_threads = True
        camera.http_port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        open_things.callback(server.shutdown)
        ear = open_things.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        ear.bind(("127.0.0.1", 0))
        ear.settimeout(0.05)
        camera.udp_port = ear.getsockname()[1]
        is_over = threading.Event()
        listener = threading.Thread(target=listen, args=(camera, ear, is_over), daemon=True)
        listener.start()
        yield camera
        is_over.set()
        listener.join()


def listen(camera: OnvifCamera, ear: socket.socket, is_over: threading.Event) -> None:
    """Answer probes until asked to end."""
    while not is_over.is_set():
        try:
            data, sender = ear.recvfrom(65535)
        except TimeoutError:
            continue
        answer = camera.match(data)
        if answer is not None:
            ear.sendto(answer, sender)


def _door_of(camera: OnvifCamera) -> type[BaseHTTPRequestHandler]:
    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            root = read_envelope(data)
            is_open = root.find("s:Body/tds:GetSystemDateAndTime", NAMES) is not None
            if camera.wants_http_digest and not is_open and "Authorization" not in self.headers:
                self._send(401, b"", [("WWW-Authenticate", 'Digest realm="camera", nonce="abc", qop="auth"')])
                return
            self._send(*((200, camera.says) if camera.says is not None else camera.answer(root)))

        def _send(self, status: int, data: bytes, headers: list[tuple[str, str]] | None = None) -> None:
            self.send_response(status)
            for name, value in [("Content-Length", str(len(data))), *(headers or [])]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Door


def _fault(code: str, reason: str) -> bytes:
    return envelope(
        f"<s:Fault><s:Code><s:Value>s:Sender</s:Value>{code}</s:Code>"
        f"<s:Reason><s:Text>{reason}</s:Text></s:Reason></s:Fault>"
    )


def _moment(at: datetime) -> str:
    day = f"<tt:Year>{at.year}</tt:Year><tt:Month>{at.month}</tt:Month><tt:Day>{at.day}</tt:Day>"
    time = f"<tt:Hour>{at.hour}</tt:Hour><tt:Minute>{at.minute}</tt:Minute><tt:Second>{at.second}</tt:Second>"
    return (
        "<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:UTCDateTime>"
        f"<tt:Time>{time}</tt:Time><tt:Date>{day}</tt:Date>"
        "</tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>"
    )
