"""All files of one set-up as one value, and how they are written to disk: completely, or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from thirdcard.service.ports.errors import TableError
from thirdcard.service.setup.table_check import TABLE

MOST_FILES = 200
"""A table has a few files, and a picture for each chip."""
MOST_BYTES = 16 * 2**20
"""The limit for all files together; an enrolled deck, by far the largest, has 1 to 2 MB."""
LONGEST_PART_BYTES, MOST_PARTS = 100, 5
"""The limits of a name: far more than usual names need, and accepted by all file systems."""
_WHERE, _KEY = "set-up", "files"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The files of one set-up."""

    files: Mapping[str, bytes]
    """Contents by name within the table's folder, with `/` between folders; includes `table.yaml`."""
    films: Mapping[str, str] = field(default_factory=dict)
    """Large files that are not copied: their names, and their paths from the service's folder."""

    def __post_init__(self) -> None:
        check_names((*self.files, *self.films))
        if TABLE not in self.files:
            raise TableError(_WHERE, _KEY, value=", ".join(self.files), allowed=f"must hold {TABLE}")
        size = sum(map(len, self.files.values()))
        if size > MOST_BYTES:
            raise TableError(_WHERE, _KEY, value=f"{size} bytes", allowed=f"must be {MOST_BYTES} bytes at most")

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file, by name."""
        return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(self.files.items())}

    @property
    def digest(self) -> str:
        """The SHA-256 over all files and film paths."""
        told = [f"{name}\0{digest}" for name, digest in self.digests().items()]
        told += [f"{name}\0-> {path}" for name, path in sorted(self.films.items())]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()


def check_names(names: tuple[str, ...]) -> None:
    """Check that all names are valid file names within a folder.

    Raises:
        TableError: A name leads out of it, is hidden or empty, is also a folder, or there are too many.
    """
    if len(names) > MOST_FILES:
        raise TableError(_WHERE, _KEY, value=len(names), allowed=f"must be {MOST_FILES} files at most")
    for name in names:
        if not is_inside(name):
            say = (
                "must be a name such as layout.yaml or chips/green.png, which stays within the table's folder: "
                "no leading dot or /, no \\ and no control character"
            )
            raise TableError(_WHERE, _KEY, value=name, allowed=say)
        for folder in PurePosixPath(name).parents:
            if str(folder) in names:
                raise TableError(_WHERE, _KEY, value=name, allowed=f"{folder} is a file, and cannot be a folder too")


def is_inside(name: str) -> bool:
    """Whether it names a file within a folder that is not hidden."""
    parts = name.split("/")
    return 0 < len(parts) <= MOST_PARTS and all(map(_is_plain, parts))


def _is_plain(part: str) -> bool:
    is_shown = part.isprintable() and "\\" not in part and not part.startswith(".")
    return bool(part.strip()) and is_shown and len(part.encode("utf-8", "replace")) <= LONGEST_PART_BYTES


def write_folder(folder: Path, files: FileSet, *, home: Path) -> None:
    """Write a set-up into a new folder; everything is flushed to disk on return.

    Args:
        folder: the folder, which must not exist yet.
        files: the set-up to write.
        home: the service's folder, which the paths of films are relative to.
    """
    folder.mkdir(parents=True)
    for name, content in files.files.items():
        write_file(folder / name, content)
    for name, path in files.films.items():
        link_film(folder / name, home / path)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        sync_folder(made)


def write_file(path: Path, content: bytes) -> None:
    """Replace a file atomically; it is flushed to disk on return."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name[:40]}.{os.getpid()}.part")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)


def link_film(place: Path, film: Path) -> None:
    """Make a name a symbolic link to a film; an existing file is replaced only if it is such a link."""
    if place.exists() and place.resolve() == film.resolve():
        return
    if place.is_symlink():
        place.unlink()
    elif place.exists():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(film, place.parent.resolve()))


def sync_folder(folder: Path) -> None:
    """Flush a folder's new and renamed entries to disk."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def move_folder(folder: Path, place: Path) -> None:
    """Move a folder to its final place; remains of a failed attempt there are deleted first."""
    shutil.rmtree(place, ignore_errors=True)
    folder.replace(place)
    sync_folder(place.parent)
