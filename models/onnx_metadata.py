"""Write licence, version and classes into an ONNX file, and read the metadata of a file.

An ONNX file is a protocol buffer, `ModelProto` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. Its field 14,
`metadata_props`, holds pairs of text. Only these are replaced and appended here; all other bytes, including the graph,
stay the same. So neither the package `onnx` nor a rewriting of the graph is needed. ONNX Runtime shows the pairs as
`InferenceSession.get_modelmeta().custom_metadata_map`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import thirdcard
from thirdcard.models.errors import ModelExportError

LICENCE = "AGPL-3.0-or-later"
"""SPDX name of the licence of the weights (NOTICE, part 3)."""
AUTHOR = "The Thirdcard maintainers"
_METADATA = 14
_KEY, _VALUE = 1, 2
_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of a message: its number, all of its bytes, and those of its content."""

    number: int
    whole: bytes
    content: bytes


def facts_of(name: str, classes: Sequence[str], version: str = thirdcard.__version__) -> dict[str, str]:
    """Return the metadata of a model's file.

    Args:
        name: Name of the model in the registry.
        classes: Names of its outputs, in order; written as a JSON list.
        version: Version of Thirdcard that exports it.
    """
    return {
        "name": f"thirdcard {name}",
        "author": AUTHOR,
        "license": LICENCE,
        "version": version,
        "classes": json.dumps(list(classes)),
    }


def stamp(path: Path, facts: Mapping[str, str]) -> None:
    """Write metadata into an ONNX file; pairs of the same name are replaced, all other bytes stay the same.

    Raises:
        ModelExportError: The file is not an ONNX file.
    """
    kept = [field.whole for field in _fields(path) if field.number != _METADATA or _pair(field.content)[0] not in facts]
    pairs = (_sized(_KEY, key.encode()) + _sized(_VALUE, value.encode()) for key, value in facts.items())
    path.write_bytes(b"".join([*kept, *(_sized(_METADATA, pair) for pair in pairs)]))


def read_facts(path: Path) -> dict[str, str]:
    """Return the metadata of an ONNX file.

    Raises:
        ModelExportError: The file is not an ONNX file.
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
    """Yield the fields of a message; raise IndexError or ValueError if it is malformed."""
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
    """Return a number (seven bits per byte, the lowest first) and the position after it."""
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
