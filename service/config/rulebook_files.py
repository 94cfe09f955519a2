"""Find the rulebook that a table, a command or a stored log names: by id, by file, or by the text stored with
the log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import thirdcard.rules
from thirdcard.calibration.documents import file_fault
from thirdcard.rules.rulebook.load import (
    SUFFIXES,
    Rulebook,
    is_file_reference,
    load_rulebook,
    read_rulebook,
    rulebook_ids,
    rulebook_text,
)
from thirdcard.service.ports.errors import ServiceError

FOLDER = "rulebooks"
"""The folder of the house's own rulebooks in the data folder, each ID.yaml."""
TABLES, SETUPS = "tables", "setups"
"""The folders of the tables' files, and of every version of them: `setups/B07/3/table.yaml`."""
_ID = re.compile(r"[a-z][a-z0-9-]{0,39}")


class RulebookFileError(ServiceError):
    """A rulebook's file cannot be written under that id."""


def find_rulebook(name: str, table: Path) -> str:
    """The rulebook that a table file's `rulebook` means: the id of a shipped one, or the path of a file.

    Args:
        name: An id, or a path beside the table file. An id may also name a file in `rulebooks/` of the data folder that
            contains the table file.
        table: The table file.
    """
    if is_file_reference(name):
        return str(table.parent / name)
    if name in rulebook_ids():
        return name
    return next((str(path) for path in _in_data_folder(name, table) if file_fault(path) is None), name)


def shipped_files() -> tuple[Path, ...]:
    """The files of the shipped rulebooks."""
    return tuple(sorted((Path(thirdcard.rules.__file__).parent / "rulebooks").glob("*.yaml")))


def own_rulebooks(home: Path) -> tuple[Path, ...]:
    """The files of a data folder's own rulebooks, sorted."""
    return tuple(sorted(path for path in (home / FOLDER).glob("*") if path.suffix in SUFFIXES))


def rulebook_of_log(rules: Mapping[str, Any]) -> Rulebook:
    """The rulebook that a stored log was judged by: from the text stored with it, or by its id.

    Raises:
        RulebookError: No rulebook has that id, or the text is no rulebook.
        KeyError: The log names none.
    """
    name, text = str(rules["rulebook"]), rules.get("rulebook_text")
    return load_rulebook(name) if text is None else read_rulebook(str(text), name)


def kept_text(reference: str) -> str | None:
    """The text of a house's own rulebook, to store with a log; None for a shipped one."""
    return rulebook_text(reference) if is_file_reference(reference) else None


def homes_of(table: Path) -> list[Path]:
    """The data folders whose `tables/` or `setups/` contain a table's file, the nearest first."""
    folders = [*table.absolute().parents]
    if len(folders) > 3 and folders[2].name == SETUPS:
        return [folders[3]]
    return [folder.parent for folder in folders if folder.name == TABLES]


def _in_data_folder(name: str, table: Path) -> list[Path]:
    return [home / FOLDER / f"{name}{suffix}" for home in homes_of(table)[:1] for suffix in SUFFIXES]


def write_copy(name: str, source: str, home: Path | None) -> Path:
    """Write a copy of a rulebook under a new id; returns its path.

    Args:
        name: The new id.
        source: The id or path of the original.
        home: The data folder, which gets it in `rulebooks/`; None for the working folder.

    Raises:
        RulebookFileError: The id is not allowed, or taken.
        RulebookError: There is no such source, or it cannot be used.
    """
    if not _ID.fullmatch(name):
        raise RulebookFileError(f"{name}: no id of a rulebook; must be small letters, digits and -, a letter first")
    if name in rulebook_ids():
        raise RulebookFileError(f"{name}: a rulebook of this id comes with the program; must be another id")
    text, folder = rulebook_text(source), Path() if home is None else home / FOLDER
    load_rulebook(source)
    path = folder / f"{name}.yaml"
    body = re.sub(r"\A# yaml-language-server:[^\n]*\n", "", text)
    body = re.sub(r"^id:[^\n]*$", f"id: {name}", body, count=1, flags=re.MULTILINE)
    head = f"# Begun as a copy of {source}: sections and texts are still that one's. Keys: docs/rulebook-format.md\n"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(head + body)
    except FileExistsError as error:
        raise RulebookFileError(f"{path}: is there already; must be a new file") from error
    return path
