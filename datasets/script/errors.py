"""What can be wrong with a scenario script; a message is one line that names key, value and what is allowed."""

from __future__ import annotations

from thirdcard.datasets.errors import DatasetsError


class ScriptError(DatasetsError):
    """A script can't be read, or says something that can't be played."""

    def __init__(self, where: str, found: object, allowed: str) -> None:
        self.where = where
        self.found = found
        self.allowed = allowed
        super().__init__(f"{where} = {found!r}; {allowed}".replace("\n", " "))


class RecordingWriteError(DatasetsError):
    """A recording can't be written."""
