"""The first step: choose a camera, and check its picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import cv2

from thirdcard.service.cameras.camera_look import CameraLook, look_at_camera, sign_in_address
from thirdcard.service.cameras.discovery import FoundCamera, find_cameras
from thirdcard.service.cameras.onvif import CameraAnswer, SignIn, ask_camera
from thirdcard.service.config.table_file import is_live_source
from thirdcard.service.guide.drafts import (
    LENS,
    OVERHEAD,
    STILL,
    VIEWS,
    CameraPart,
    NewTable,
    StepError,
    in_words,
    refuse_wrong,
)
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.setup.camera_grade import READABLE_PX_PER_MM
from thirdcard.service.setup.problems import SetupProblem

LOOK_S = 2.5
"""Seconds of look: enough for the second key frame of a camera that sends one every two seconds."""
SCHEMES = ("rtsp", "rtsps", "http", "https")
"""The schemes of camera addresses; others, such as `file:`, would open something else."""
STILL_QUALITY = 95
"""JPEG quality: marker corners are found as exactly as in the camera's own picture."""
WAIT_S = 3.0
"""Seconds to wait: cameras answer within half a second (service/cameras/discovery.py); the probe is sent twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraAsked:
    """The camera that a person entered."""

    source: str
    user: str = ""
    password: str = ""
    transport: Literal["tcp", "udp", "auto"] = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraTold:
    """The result of a look at the camera."""

    look: CameraLook
    widest_mm: float
    """The widest view in mm at which cards and chips are still large enough to read."""
    problems: tuple[SetupProblem, ...]
    """Doubtful points only."""
    is_other_size: bool
    """Whether an older calibration was dropped, since it is for another picture size."""


def found_cameras() -> Sequence[FoundCamera]:
    """The cameras that answer on this network.

    Raises:
        StepError: The network cannot be probed.
    """
    with in_words():
        return find_cameras(wait_s=WAIT_S, clock=time.monotonic)


def offered_streams(service: str, sign_in: SignIn) -> CameraAnswer:
    """The streams that a camera offers to that user.

    Args:
        service: The address of its device service.
        sign_in: User name and password.

    Raises:
        StepError: It refuses user or password, or does not answer as ONVIF requires.
    """
    if urlsplit(service).scheme not in ("http", "https"):
        raise StepError(f"service = {service}; must begin with http:// or https://", field="service")
    with in_words():
        return ask_camera(service, sign_in, now=now_utc)


def settle_camera(draft: NewTable, asked: CameraAsked, *, films: Path | None) -> CameraTold:
    """Check a camera, and save it with its picture.

    Args:
        draft: The table.
        asked: The camera.
        films: The folder in which films may lie; None: anywhere.

    Raises:
        StepError: It cannot be opened, or its picture is unusable; nothing is saved.
    """
    with in_words():
        source = _source(asked, films)
        look = look_at_camera(source, seconds=LOOK_S, clock=time.monotonic, transport=asked.transport)
        problems = refuse_wrong(list(look.problems))
    return _kept(draft, look, problems, CameraPart(source=source, transport=asked.transport, size_px=look.size_wh_px))


def look_again(draft: NewTable) -> CameraTold:
    """Take a new picture with the saved camera.

    Raises:
        StepError: It cannot be opened, or its picture is unusable; the older one stays.
        DraftStateError: No camera is saved.
    """
    draft.needed(STILL, "Choose the camera first.")
    part = draft.read().camera
    assert part is not None, "it is written after its picture"
    with in_words():
        look = look_at_camera(part.source, seconds=LOOK_S, clock=time.monotonic, transport=part.transport)
        problems = refuse_wrong(list(look.problems))
    return _kept(draft, look, problems, part.model_copy(update={"size_px": look.size_wh_px}))


def _kept(draft: NewTable, look: CameraLook, problems: tuple[SetupProblem, ...], part: CameraPart) -> CameraTold:
    before = draft.read().camera
    is_other = before is not None and before.size_px != part.size_px
    draft.put(STILL, cv2.imencode(".jpg", look.image, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])[1].tobytes())
    was_calibrated = is_other and draft.has(OVERHEAD)
    if is_other:
        draft.take_away(OVERHEAD, LENS, *(f"{VIEWS}/{path.name}" for path in (draft.folder / VIEWS).glob("*.png")))
    draft.change(camera=part, **({"points": {}} if is_other else {}))
    return CameraTold(
        look=look,
        widest_mm=look.size_wh_px[0] / READABLE_PX_PER_MM,
        problems=problems,
        is_other_size=was_calibrated,
    )


def _source(asked: CameraAsked, films: Path | None) -> str:
    source = asked.source.strip()
    if "://" in source:
        if urlsplit(source).scheme not in SCHEMES:
            raise StepError(f"address = {source}; must begin with {', '.join(f'{one}://' for one in SCHEMES)}")
        if "@" in urlsplit(source).netloc and not asked.user:
            return source  # users copy it so from the camera's own page; it is stored, but never shown
        signing = SignIn(user=asked.user, password=asked.password) if asked.user else None
        return sign_in_address(source, signing)
    if is_live_source(source):
        return source
    path = Path(source).expanduser() if films is None else films / source
    if films is not None and not path.resolve().is_relative_to(films.resolve()):
        raise StepError(f"film = {source}; must lie in the service's folder, {films}", field="source")
    if not path.is_file():
        raise StepError(f"{path}: no such film; must be a film, or an address such as rtsp://10.0.0.20/stream1")
    return str(path.resolve())
