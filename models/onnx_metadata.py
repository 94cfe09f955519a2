"""Write licence, version and classes into an ONNX file, and read what a file says of itself.

An ONNX file is a protocol buffer, `ModelProto` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. Its field 14,
`metadata_props`, holds pairs of text. Only these are taken out and appended here: every other byte, the graph's among
them, stays as it was. So neither the package `onnx` nor a rewriting of the graph is needed. ONNX Runtime shows the
pairs as `InferenceSession.get_modelmeta().custom_metadata_map`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import thirdcard
from thirdcard.models.errors import ModelExportError

LICENCE = "AGPL-3.0-or-later"
"""The SPDX name of the terms under which weights are given (NOTICE, part 3)."""
AUTHOR = "The Thirdcard maintainers"
_METADATA = 14
_KEY, _VALUE = 1, 2
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a message: its number, the bytes of all of it, and those of its content."""

    number: int
    whole: bytes
    content: bytes


def facts_of(name: str, classes: Sequence[str], version: str = thirdcard.__version__) -> dict[str, str]:
    """What a model's file says of itself.

    Args:
        name: The model, as the registry names it.
        classes: What its outputs mean, in order; written as a JSON list.
        version: Of the Thirdcard that exports it.
    """
    return {
        "name": f"thirdcard {name}",
        "author": AUTHOR,
        "license": LICENCE,
        "version": version,
        "classes": json.dumps(list(classes)),
    }


def stamp(path: Path, facts: Mapping[str, str]) -> None:
    """Write facts into an ONNX file; those of the same name are replaced, all other bytes stay.

    Raises:
        ModelExportError: It is no ONNX file.
    """
    kept = [field.whole for field in _fields(path) if field.number != _METADATA or _pair(field.content)[0] not in facts]
    pairs = (_sized(_KEY, key.encode()) + _sized(_VALUE, value.encode()) for key, value in facts.items())
    path.write_bytes(b"".join([*kept, *(_sized(_METADATA, pair) for pair in pairs)]))


def read_facts(path: Path) -> dict[str, str]:
    """All facts that an ONNX file states.

    Raises:
        ModelExportError: It is no ONNX file.
    """
    return dict(_pair(field.content) for field in _fields(path) if field.number == _METADATA)


def _fields(path: Path) -> list[_Field]:
    try:
        return list(_split(path.read_bytes()))
    except (IndexError, ValueError) as error:
        raise ModelExportError(f"{path.name}: is no ONNX file; must be one, to take licence and classes") from error


def _pair(content: bytes) -> tuple[str, str]:
    parts = {field.number: field.content.decode() for field in _split(content)}
    return parts.get(_KEY, ""), parts.get(_VALUE, "")


def _split(message: bytes) -> Iterator[_Field]:
    """The fields of a message; raises IndexError or ValueError where it is none."""
    at = 0
    while at < len(message):
        tag, begin = _varint(message, at)
        if tag & 7 == _SIZED:
            size, begin = _varint(message, begin)
            end = begin + size
        elif tag & 7 == _VARINT:
            _, end = _varint(message, begin)
        else:
            end = begin + {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(tag & 7, len(message))
        if end > len(message) or not tag >> 3:
            raise ValueError(f"field {tag >> 3} does not end")
        yield _Field(tag >> 3, message[at:end], message[begin:end])
        at = end


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, seven bits a byte, the lowest first, and where it ends."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def _sized(number: int, content: bytes) -> bytes:
    return _as_varint(number << 3 | _SIZED) + _as_varint(len(content)) + content


def _as_varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
