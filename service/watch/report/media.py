"""Embed pictures and clips in the page up to a size limit, and link the others.

Pictures of alerts come first, then clips in the order of the alerts, then pictures of wagers that changed; files beyond
the limit stay beside the page.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2

from thirdcard.service.media.alert_media import Evidence

MOST_BYTES = 24_000_000
STILL_WIDTH_PX = 1280
STILL_QUALITY = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Medium:
    """One media file of the page."""

    name: str
    """Its path relative to the page."""
    data: str | None
    """Its content in base64; None where it is linked."""
    kind: str
    """Its media type."""
    key: str = ""
    """Equal for files of equal content."""

    @property
    def address(self) -> str:
        """The value of `src`: the data itself, or the path of the file."""
        return f"data:{self.kind};base64,{self.data}" if self.data is not None else self.name


def embed(
    folder: Path, evidences: Iterable[Evidence | None], *, last: Iterable[str] = (), most_bytes: int = MOST_BYTES
) -> Mapping[str, Medium]:
    """All existing files that the evidence names, by name; the pictures in `last` are embedded last."""
    kept = [evidence for evidence in evidences if evidence is not None]
    pictures = [name for e in kept for name in (e.still, e.before, e.after) if name is not None]
    clips = [e.clip for e in kept if e.clip is not None]
    media: dict[str, Medium] = {}
    kept_keys: set[str] = set()
    room = most_bytes
    for name in (*pictures, *clips, *last):
        path = folder / name
        if not path.is_file():
            continue
        content = path.read_bytes() if name.endswith(".mp4") else _page_size(path)
        key = hashlib.sha256(content).hexdigest()[:16]
        data = base64.b64encode(content).decode("ascii")
        cost = 0 if key in kept_keys else len(data)
        is_kept = cost <= room
        media[name] = Medium(name=name, data=data if is_kept else None, kind=_kind(name), key=key)
        if is_kept:
            kept_keys.add(key)
            room -= cost
    return media


def _kind(name: str) -> str:
    return "video/mp4" if name.endswith(".mp4") else "image/jpeg"


def _page_size(path: Path) -> bytes:
    """A picture scaled down to the display width of the page."""
    content = path.read_bytes()
    picture = cv2.imread(str(path))
    if picture is None or picture.shape[1] <= STILL_WIDTH_PX:
        return content
    size = (STILL_WIDTH_PX, round(picture.shape[0] * STILL_WIDTH_PX / picture.shape[1]))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY])
    return data.tobytes() if done else content
