"""Watch a camera or film for some seconds, and report problems of its stream and picture.

No result contains the camera's password.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

import numpy as np

from thirdcard.service.cameras.onvif import SignIn
from thirdcard.service.config.table_file import TableConfig, is_live_source
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.setup.camera_grade import CameraGrade, camera_problems, grade_camera
from thirdcard.service.setup.print_check import print_problems
from thirdcard.service.setup.print_words import word_problems
from thirdcard.service.setup.problems import Grade, SetupProblem, doubtful, wrong
from thirdcard.vision.addresses import public_address
from thirdcard.vision.errors import UnreadableVideoError, VideoBreakError
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.camera_health import DARK_LEVEL, WASHED_SHARE
from thirdcard.vision.health.picture_measures import PictureMeasures, measure_pictures
from thirdcard.vision.video.video import VideoReader

if TYPE_CHECKING:
    from av.packet import Packet
    from av.video.stream import VideoStream

PATIENCE_S = 15.0
"""Wall time in seconds beyond the wanted stretch: a camera begins to send within 10 s (vision/video/network.py), and
its first key frame follows after its key frame interval, usually 4 s at most."""
KEPT_PICTURES = 12
"""The most pictures that are measured: more add nothing about light and noise, and take half a second each at 4K."""
LEAST_RATE_HZ = 10.0
"""The rate at which the table is looked at (vision/observer.py, `LOOK_S`)."""
MOST_KEY_APART_S = 2.0
"""Seconds between key frames: clips begin at a key frame, and after a loss nothing is seen until the next; live tables
assume groups of two seconds (service/live/entrance.py, `LOSSY`)."""
MOST_BLUR_PX = 2.5
"""Sharp pictures measure 0.9 px. Blurred by 1.6 px, with which recordings were still judged correctly
(docs/accuracy/recordings.md), they measure 1.9 px; by 2.5 px, 2.8 px. Measured on the demo's recording."""
MOST_NOISE = 8.0
"""Grey levels: 95 of 100 training pictures of the models have less noise (datasets/scene/looks.py)."""


class NoKeyFrameError(ServiceError):
    """A stream arrives, but none of its pictures can be decoded."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{public_address(source)}: sends, but no key frame; set the camera's key frame interval (I frame "
            f'interval, GOP) to {MOST_KEY_APART_S:g} s or less, and turn off "smart" codecs (H.264+, Zipstream)'
        )


class LookError(ServiceError):
    """The source is neither a camera nor a film."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraLook:
    """The measurements of one camera or film."""

    address: str
    """Without user and password."""
    codec: str
    size_wh_px: tuple[int, int]
    rate_hz: float | None
    """Measured frames per second; None with too few pictures."""
    seconds: float
    """Stream time that was watched."""
    bitrate_kbit_s: float | None
    key_apart_s: float | None
    """The longest time from one key frame to the next; None where only one came."""
    interruptions: int
    """The number of spans in which decoding failed."""
    broke: str | None
    """Why the stream broke off early; None where it did not."""
    picture: PictureMeasures
    image: Image
    """(H, W, 3) uint8, BGR: the last picture."""
    grade: CameraGrade | None
    """How well it sees each area of the table; None without a table."""
    problems: tuple[SetupProblem, ...]
    """Errors first, then doubtful points."""

    @property
    def is_fit(self) -> bool:
        """Whether no problem is an error; doubtful points are allowed."""
        return all(problem.grade is not Grade.WRONG for problem in self.problems)


@dataclass(slots=True)
class _Packets:
    """Statistics of the packets before decoding."""

    deadline: float
    clock: Callable[[], float]
    size_bytes: int = 0
    count: int = 0
    key_times: list[float] = field(default_factory=list)

    def take(self, packet: Packet[VideoStream]) -> None:
        """Count one packet; raises _TimeUpError after the deadline."""
        self.count += 1
        self.size_bytes += packet.size
        if packet.is_keyframe:
            at = packet.dts if packet.pts is None else packet.pts
            self.key_times.append(float((at or 0) * (packet.time_base or 0)))
        if self.clock() > self.deadline:
            raise _TimeUpError


class _TimeUpError(Exception):
    """The waiting time for the camera is over."""


@dataclass(slots=True)
class _Sights:
    """The decoded frames."""

    frames: list[Frame] = field(default_factory=list)
    """Some of the latest."""
    count: int = 0
    last_t: float = 0.0
    interruptions: int = 0
    broke: str | None = None


def sign_in_address(source: str, sign_in: SignIn | None) -> str:
    """The address with user and password in it, as FFmpeg needs it.

    Raises:
        LookError: The address holds a password already, which would be stored in the shell's history.
    """
    if "://" not in source:
        return source
    parts = urlsplit(source)
    if "@" in parts.netloc:
        raise LookError(
            f"{public_address(source)}: user and password stand in the address, and so in the shell's history; give "
            "them by --user and --password-file, or THIRDCARD_CAMERA_USER and THIRDCARD_CAMERA_PASSWORD"
        )
    if sign_in is None:
        return source
    who = f"{quote(sign_in.user, safe='')}:{quote(sign_in.password, safe='')}"
    return urlunsplit(parts._replace(netloc=f"{who}@{parts.netloc}"))


def look_at_camera(
    source: str,
    *,
    seconds: float,
    clock: Callable[[], float],
    transport: str = "tcp",
    table: TableConfig | None = None,
) -> CameraLook:
    """Watch a camera or film and check it.

    Args:
        source: Its address, with user and password if needed, or a path.
        seconds: Stream time to watch.
        clock: Monotonic time in seconds.
        transport: tcp, udp or auto.
        table: The table whose cards and chips it must show, by its first camera's calibration.

    Raises:
        LookError: It is neither an address nor a file.
        UnreadableVideoError: It cannot be opened, or refuses user or password.
        NoKeyFrameError: It sends, but nothing can be decoded.
    """
    if not is_live_source(source) and not Path(source).is_file():
        raise LookError(f"{source}: no such file; must be a film, or an address such as rtsp://10.0.0.20/stream1")
    packets = _Packets(clock() + seconds + PATIENCE_S, clock)
    with VideoReader(source, on_packet=packets.take, transport=transport) as reader:
        sights = _watched(reader, seconds, packets)
        if not sights.frames:
            raise NoKeyFrameError(source)
        info = reader.info
    image, film_s = sights.frames[-1].image, sights.last_t
    look = CameraLook(
        address=public_address(source),
        codec=info.codec,
        size_wh_px=(image.shape[1], image.shape[0]),
        rate_hz=info.rate_hz if sights.count > 1 else None,
        seconds=film_s,
        bitrate_kbit_s=packets.size_bytes * 8 / 1000 / film_s if film_s else None,
        key_apart_s=float(np.diff(packets.key_times).max()) if len(packets.key_times) > 1 else None,
        interruptions=sights.interruptions,
        broke=sights.broke,
        picture=measure_pictures(sights.frames),
        image=image,
        grade=None,
        problems=(),
    )
    return _judged(look, table)


def picture_problems(where: str, picture: PictureMeasures) -> Iterator[SetupProblem]:
    """Find problems of light, focus and noise.

    Args:
        where: The camera or picture, for messages.
        picture: What was measured in its pictures.
    """
    if picture.brightest < DARK_LEVEL:
        say = f"hardly anything is brighter; at least {DARK_LEVEL:g} is needed: more light, or a longer exposure"
        yield wrong(where, "brightness", value=f"{picture.brightest:.0f} of 255", say=say)
        return
    if picture.washed_share >= WASHED_SHARE:
        say = "shows nothing but white; shorten the exposure, or move the lamp that is reflected"
        yield doubtful(where, "brightness", value=f"{picture.washed_share:.0%} of the picture", say=say)
    if picture.blur_px is None:
        yield doubtful(
            where, "sharpness", value="no detail", say="shows no print; is the lens covered or out of focus?"
        )
    elif picture.blur_px > MOST_BLUR_PX:
        say = f"edges are spread so far, more than {MOST_BLUR_PX:g}; focus the lens, clean its glass"
        yield doubtful(where, "sharpness", value=f"{picture.blur_px:.1f} px", say=say)
    if picture.noise is not None and picture.noise > MOST_NOISE:
        say = f"more than {MOST_NOISE:g} grey levels; more light, so that the camera amplifies less"
        yield doubtful(where, "noise", value=f"{picture.noise:.1f}", say=say)


def _watched(reader: VideoReader, seconds: float, packets: _Packets) -> _Sights:
    """The frames of some seconds; fewer where the film ends or breaks off."""
    sights = _Sights()
    try:
        for item in reader.looks():
            if not isinstance(item, Frame):
                sights.interruptions += 1
                continue
            sights.count += 1
            sights.last_t = item.t
            sights.frames = [*sights.frames[1 - KEPT_PICTURES :], item]
            if item.t >= seconds:
                break
    except _TimeUpError:
        sights.broke = f"brings less than {seconds:g} s of film in {seconds + PATIENCE_S:g} s; is the network too slow?"
    except VideoBreakError as error:
        sights.broke = error.reason
    except UnreadableVideoError:
        if packets.count == 0:
            raise
    return sights


def _judged(look: CameraLook, table: TableConfig | None) -> CameraLook:
    problems = [*_stream_problems(look), *picture_problems(look.address, look.picture)]
    grade = None
    if table is not None:
        grade = grade_camera(table.cameras[0].calibration, table.layout, chip_mm=table.chips.thickness_mm)
        problems += _table_problems(look, table)
    problems.sort(key=lambda problem: problem.grade is not Grade.WRONG)
    return replace(look, grade=grade, problems=tuple(problems))


def _stream_problems(look: CameraLook) -> Iterator[SetupProblem]:
    where = look.address
    if look.broke is not None:
        yield wrong(where, "stream", value=f"broke off after {look.seconds:.1f} s", say=look.broke)
    if look.rate_hz is not None and look.rate_hz < LEAST_RATE_HZ:
        say = f"the table is looked at {LEAST_RATE_HZ:g} times a second; set the camera to 12 or more"
        yield doubtful(where, "rate", value=f"{look.rate_hz:.1f} pictures a second", say=say)
    is_long = look.key_apart_s is not None and look.key_apart_s > MOST_KEY_APART_S * 1.05
    if is_long or (look.key_apart_s is None and look.seconds > MOST_KEY_APART_S * 1.05):
        value = f"{look.key_apart_s:.1f} s" if look.key_apart_s is not None else f"none more in {look.seconds:.1f} s"
        say = f"set the camera's key frame interval (I frame interval, GOP) to {MOST_KEY_APART_S:g} s or less"
        yield doubtful(where, "key frames", value=value, say=say)
    if look.interruptions:
        say = "pictures got lost or damaged on the way; look at cable, switch and Wi-Fi, or use transport tcp"
        yield doubtful(where, "interruptions", value=look.interruptions, say=say)


def _table_problems(look: CameraLook, table: TableConfig) -> Iterator[SetupProblem]:
    camera, chips = table.cameras[0], table.chips
    calibrated = tuple(camera.calibration.image_size_wh_px)
    if look.size_wh_px != calibrated:
        say = (
            f"{camera.calibration_path} is for {calibrated[0]} x {calibrated[1]}; set the camera so, or calibrate anew"
        )
        yield wrong(look.address, "resolution", value=f"{look.size_wh_px[0]} x {look.size_wh_px[1]}", say=say)
        return
    yield from camera_problems(
        camera.calibration,
        table.layout,
        str(camera.calibration_path),
        card_mm=table.card_size_mm,
        chip_mm=(chips.diameter_mm, chips.thickness_mm),
    )
    yield from print_problems(look.image, camera.calibration, table.layout, str(camera.calibration_path))
    yield from word_problems(look.image, camera.calibration, table.layout, f"{table.path}: layout")
