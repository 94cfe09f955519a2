"""The coded pictures of a film, independent of container and timestamps.

The same H.264 or H.265 picture follows its length in MP4 and a start code in TS, with different headers before it. So
only the slices are hashed. For other codecs the whole packet is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thirdcard.vision.errors import VideoBreakError
from thirdcard.vision.video.film_index import film_index, open_film

SLICES = {"h264": lambda head: 1 <= head & 0x1F <= 5, "hevc": lambda head: (head >> 1) & 0x3F < 32}
"""Whether a unit holds a part of a picture, by its first byte."""
LENGTH_BYTES = 4
"""Containers of this kind could use fewer bytes; none in use does."""
_START = re.compile(b"\x00\x00\x01")
OPENING_PICTURES = 8
"""The number of first pictures that decide whether two files may begin alike."""


@dataclass(frozen=True, slots=True)
class CodedPicture:
    """A coded picture."""

    at_s: float
    """Seconds from the file's first frame."""
    digest: bytes
    size_bytes: int


def opening_of(path: Path) -> str:
    """A hash over a file's first pictures; empty where it has none."""
    digest, count = hashlib.blake2b(digest_size=16), 0
    for picture in _pictures(path, 0.0):
        digest.update(picture.digest)
        count += 1
        if count == OPENING_PICTURES:
            break
    return digest.hexdigest() if count else ""


def pictures_between(path: Path, from_s: float, to_s: float) -> list[CodedPicture]:
    """The coded pictures of a stretch, in seconds from the file's first frame, up to where the file breaks off."""
    found = []
    for picture in _pictures(path, from_s):
        if picture.at_s > to_s + 1.0:  # pictures come out of order
            break
        if from_s <= picture.at_s <= to_s:
            found.append(picture)
    return found


def slices_of(codec: str, data: bytes, *, is_by_length: bool) -> bytes:
    """The picture parts of a packet."""
    is_slice = SLICES.get(codec)
    if is_slice is None:
        return data
    units = _by_length(data) if is_by_length else _by_start(data)
    return b"".join(unit.rstrip(b"\x00") for unit in units if unit and is_slice(unit[0]))


def _by_length(data: bytes) -> Iterator[bytes]:
    place = 0
    while place + LENGTH_BYTES <= len(data):
        length = int.from_bytes(data[place : place + LENGTH_BYTES], "big")
        yield data[place + LENGTH_BYTES : place + LENGTH_BYTES + length]
        place += LENGTH_BYTES + length


def _by_start(data: bytes) -> Iterator[bytes]:
    begins = [found.end() for found in _START.finditer(data)]
    ends = [found - len(b"\x00\x00\x01") for found in begins[1:]] + [len(data)]
    for begin, end in zip(begins, ends, strict=True):
        yield data[begin:end]


def _pictures(path: Path, from_s: float) -> Iterator[CodedPicture]:
    """The coded pictures from the key frame before a time on."""
    with open_film(path, from_s, film_index(path)) as film:
        codec = film.stream.codec_context.name
        is_by_length = bytes(film.stream.codec_context.extradata or b"")[:1] == b"\x01"
        try:
            for each in film.packets:
                picture = slices_of(codec, bytes(each.packet), is_by_length=is_by_length)
                digest = hashlib.blake2b(picture, digest_size=16).digest()
                yield CodedPicture(each.t, digest, len(picture))
        except VideoBreakError:
            return  # what follows a break cannot be compared
