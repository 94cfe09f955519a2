"""The service's errors: one class per cause; every message is one line for the person who gave the command."""

from __future__ import annotations

from thirdcard.calibration.errors import MISSING, show_value
from thirdcard.vision.addresses import public_address, public_text, public_value


class ServiceError(Exception):
    """The root of the service's errors: some input cannot be used."""


class TableError(ServiceError):
    """A value in a table's files is not allowed: `table.yaml: key = value; allowed`, without camera passwords."""

    def __init__(self, where: str, key: str, *, value: object = MISSING, allowed: str) -> None:
        self.where = where
        self.key = key
        self.value = public_value(value)
        self.allowed = public_address(allowed) if "://" in allowed else allowed
        super().__init__(f"{where}: {key} = {show_value(self.value)}; {allowed}")


class UnreadableTableError(ServiceError):
    """A table's file is missing or cannot be read."""

    def __init__(self, text: str) -> None:
        super().__init__(public_text(text))
