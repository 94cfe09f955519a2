"""The errors of scenario scripts; a text is one line that names key, value and what is allowed."""

from __future__ import annotations

from thirdcard.datasets.errors import DatasetsError


class ScriptError(DatasetsError):
    """A script cannot be read, or contains something that cannot be played."""

    def __init__(self, where: str, found: object, allowed: str) -> None:
        self.where = where
        self.found = found
        self.allowed = allowed
        super().__init__(f"{where} = {found!r}; {allowed}".replace("\n", " "))


class RecordingWriteError(DatasetsError):
    """A recording cannot be written."""
