"""The service's errors: one class per cause; every message is one line for the person who gave the command."""

from __future__ import annotations

import re

from thirdcard.vision.addresses import public_address, public_text, public_value

MISSING = object()
"""Stands for the value of a missing key."""

_LONGEST_VALUE = 80
_NUMBER = re.compile(r"[-+.\d]+")


class ServiceError(Exception):
    """The root of the service's errors: some input cannot be used."""


class TableError(ServiceError):
    """A value in a table's files is not allowed: `table.yaml: key = value; allowed`, without camera passwords."""

    def __init__(self, where: str, key: str, *, value: object = MISSING, allowed: str) -> None:
        self.where = where
        self.key = key
        self.value = public_value(value)
        self.allowed = public_address(allowed) if "://" in allowed else allowed
        super().__init__(f"{where}: {key} = {_show(self.value)}; {allowed}")


class UnreadableTableError(ServiceError):
    """A table's file is missing or cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(public_text(text))


def _show(value: object) -> str:
    if value is MISSING:
        return "(missing)"
    text = "null" if value is None else " ".join(str(value).split())
    if isinstance(value, str) and (not text or _NUMBER.fullmatch(text)):
        return f'"{text}"'
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 4] + " ..."
