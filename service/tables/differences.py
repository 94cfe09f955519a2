"""The differences between two versions of a set-up, for display: file names, and changed lines of texts."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

TEXTS = (".yaml", ".yml")
MOST_LINES = 400
"""The most lines shown of one file's difference; more than anybody reads on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """A file that differs."""

    name: str
    what: Literal["added", "changed", "removed"]
    lines: tuple[str, ...]
    """A unified diff; empty where the file is not a text."""


def differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[FileChange]:
    """The differences between two sets of files, by name; the files must be free of secrets."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [_change(name, before.get(name), after.get(name)) for name in names]


def _change(name: str, before: bytes | None, after: bytes | None) -> FileChange:
    what: Literal["added", "changed", "removed"] = "changed"
    if before is None or after is None:
        what = "added" if before is None else "removed"
    lines: list[str] = []
    if name.endswith(TEXTS) and what == "changed":
        old, new = (content.decode("utf-8", "replace").splitlines() for content in (before or b"", after or b""))
        lines = list(difflib.unified_diff(old, new, n=2, lineterm=""))[2:]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES} more lines"]
    return FileChange(name=name, what=what, lines=tuple(lines))
