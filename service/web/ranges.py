"""Send a file or a byte range of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.responses import Response, StreamingResponse

from thirdcard.service.alerts.evidence_files import EvidenceFile
from thirdcard.service.web.http_errors import RefusedError

PIECE_BYTES = 256 * 1024
_RANGE = re.compile(r"(\d{0,18})-(\d{0,18})")


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `first` to `last`, both inclusive."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.last - self.first + 1


def parse_range(header: str | None, size: int) -> ByteRange | None:
    """Parse a Range header; None for the whole file, also where several ranges are requested.

    Raises:
        RefusedError: 416, the header is malformed or the range is outside the file.
    """
    if header is None:
        return None
    unit, _, text = header.partition("=")
    parts = [part.strip() for part in text.split(",")]
    if unit.strip().lower() != "bytes" or not header.isascii():
        raise _unsatisfiable(size)
    found = [_parse_part(part, size) for part in parts]
    if any(part is None for part in found):
        raise _unsatisfiable(size)
    return found[0] if len(found) == 1 else None


def _parse_part(text: str, size: int) -> ByteRange | None:
    match = _RANGE.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        first, last = max(size - int(match[2]), 0), size - 1
    else:
        first, last = int(match[1]), min(int(match[2] or size - 1), size - 1)
    return ByteRange(first, last) if first <= last and first < size else None


def _unsatisfiable(size: int) -> RefusedError:
    return RefusedError(
        416,
        f"Range: bytes FIRST-LAST within 0-{size - 1}.",
        field="Range",
        headers={"Content-Range": f"bytes */{size}"},
    )


def file_response(file: EvidenceFile, headers: Mapping[str, str]) -> Response:
    """The response to a request with these headers: 200, 206 or 304; raises RefusedError 416 for a bad range."""
    tag = f'"{file.tag}"'
    answer = {
        "Accept-Ranges": "bytes",
        "ETag": tag,
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'inline; filename="{file.name}"',
    }
    if tag in headers.get("if-none-match", ""):
        return Response(status_code=304, headers=answer)
    is_same = headers.get("if-range", tag) == tag
    part = parse_range(headers.get("range"), file.size_bytes) if is_same else None
    whole = ByteRange(0, file.size_bytes - 1)
    answer["Content-Length"] = str((part or whole).size)
    if part is not None:
        answer["Content-Range"] = f"bytes {part.first}-{part.last}/{file.size_bytes}"
    return StreamingResponse(
        _pieces(file, part or whole), 200 if part is None else 206, headers=answer, media_type=file.media_type
    )


def _pieces(file: EvidenceFile, part: ByteRange) -> Iterator[bytes]:
    with file.open() as stream:
        stream.seek(part.first)
        left = part.size
        while left > 0:
            piece = stream.read(min(left, PIECE_BYTES))
            if not piece:
                return
            left -= len(piece)
            yield piece
