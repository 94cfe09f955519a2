"""Cursors: where the next page of a list begins, as an opaque text."""

from __future__ import annotations

import base64
import binascii

from thirdcard.service.ports.errors import ServiceError

LARGEST_NUMBER = 2**63 - 1


class CursorError(ServiceError):
    """The cursor was not issued by this service."""

    field = "cursor"


def format_cursor(kind: str, number: int) -> str:
    """The cursor of the page that follows `number` in a list of that kind."""
    return base64.urlsafe_b64encode(f"{kind}:{number}".encode()).decode("ascii").rstrip("=")


def parse_cursor(kind: str, text: str | None) -> int | None:
    """The number in a cursor of that kind; None where there is no cursor.

    Raises:
        CursorError: The text is no cursor, or belongs to another list.
    """
    if text is None:
        return None
    try:
        plain = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")
    except (ValueError, binascii.Error) as error:
        raise _refusal() from error
    of, _, number = plain.partition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 20
    if of != kind or not is_number or int(number) > LARGEST_NUMBER or format_cursor(kind, int(number)) != text:
        raise _refusal()
    return int(number)


def _refusal() -> CursorError:
    return CursorError("cursor is none that this list gave; leave it out to begin with the newest")
