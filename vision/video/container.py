"""Open a source and choose its video stream, by content and never by name.

Knows nothing of packets' times or of what pictures show.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from thirdcard.vision.errors import NoFilmError, UnreadableVideoError
from thirdcard.vision.video.network import open_network

PICTURES = re.compile(r"image2|_pipe$|^(gif|apng|ico|webp)")
"""FFmpeg's readers of still pictures: they give a frame, but no video."""
TEXTS = frozenset({"tty", "bin", "xbin", "adf", "idf", "txd"})
"""FFmpeg's readers that render text."""
TEXT = "is text, no film"


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoInfo:
    """What a video declares about itself before it is read."""

    codec: str
    size_wh_px: tuple[int, int]
    rate_hz: float | None
    """Mean frame rate; None where unknown."""
    duration_s: float | None
    """None for live sources and where the container does not declare it."""
    frame_count: int | None


def open_container(source: str, *, is_live: bool = False, transport: str = "tcp") -> InputContainer:
    """Open a source that has at least one video stream.

    Raises:
        UnreadableVideoError: It cannot be opened.
        NoFilmError: It holds no video.
    """
    if not is_live:
        check_file(source)
    container = open_network(source, transport=transport)
    fault = _no_film(container)
    if fault is not None:
        container.close()
        raise NoFilmError(source, fault)
    return container


def choose_stream(container: InputContainer, size_wh_px: tuple[int, int] | None = None) -> VideoStream:
    """Return the video stream of the wanted size if there is one, else the largest; cover pictures do not count."""
    films = _films(container)

    def preference(stream: VideoStream) -> tuple[bool, bool, int]:
        width, height = stream.codec_context.width, stream.codec_context.height
        is_default = bool(stream.disposition & Disposition.default)
        return (width, height) == size_wh_px, is_default if size_wh_px is None else False, width * height

    return max(films, key=preference)  # of equal ones the first


def describe(stream: VideoStream, container: InputContainer) -> VideoInfo:
    """Return what an opened stream declares about itself."""
    duration_s: float | None = None
    if stream.duration is not None and stream.time_base is not None:
        duration_s = float(stream.duration * stream.time_base)
    elif container.duration and len(container.streams) == 1:
        duration_s = container.duration / av.time_base
    return VideoInfo(
        codec=stream.codec_context.name,
        size_wh_px=(stream.codec_context.width, stream.codec_context.height),
        rate_hz=float(stream.average_rate) if stream.average_rate else None,
        duration_s=duration_s,
        frame_count=stream.frames or None,
    )


def _no_film(container: InputContainer) -> str | None:
    """Return why a container holds no video; None where it does."""
    if PICTURES.search(container.format.name):
        return "is a picture, no film"
    if container.format.name in TEXTS:
        return TEXT
    if not container.streams.video:
        return "holds no video stream"
    return None if _films(container) else "holds no video but a cover picture, or its codec is unknown"


def _films(container: InputContainer) -> list[VideoStream]:
    films = [one for one in container.streams.video if one.codec_context is not None]
    return [one for one in films if not one.disposition & Disposition.attached_pic]


def check_file(source: str) -> None:
    """Raise UnreadableVideoError if a path does not lead to a file with content."""
    path = Path(source.removeprefix("file:"))
    if not path.exists():
        raise UnreadableVideoError(source, "no such file")
    if path.is_dir():
        raise UnreadableVideoError(source, "is a folder")
    with suppress(OSError):
        if path.is_file() and path.stat().st_size == 0:
            raise UnreadableVideoError(source, "is empty")
