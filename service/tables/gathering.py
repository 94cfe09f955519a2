"""Gather a table's files from the disk into one self-contained set: files from elsewhere get a name within the set, and
the table's file refers to that name.

Films stay where they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from thirdcard.service.ports.errors import UnreadableTableError
from thirdcard.service.setup.problems import SetupProblem, wrong
from thirdcard.service.setup.table_check import TABLE
from thirdcard.service.tables.file_set import MOST_BYTES, FileSet, is_inside
from thirdcard.service.tables.references import (
    Reference,
    read_text,
    references_of_chips,
    references_of_deck,
    references_of_table,
    renamed,
    texts_of,
    with_other_texts,
)
from thirdcard.service.watch.recordings import SIGNALS_NAME
from thirdcard.vision.addresses import public_address


def gather(table_file: Path, home: Path, *, also: Iterable[str] = ()) -> FileSet:
    """The set-up of a table's file.

    Args:
        table_file: the file, under any name.
        home: the service's folder, which the paths of films are relative to.
        also: further files that belong to it though no file names them; included where they exist.

    Raises:
        UnreadableTableError: The file does not exist, or a file is too large.
        TableError: There are too many files.
    """
    gathered = _Gathered(home)
    text = read_text(_read(table_file))
    names = {one: gathered.take(one, table_file.parent, "") for one in references_of_table(text)}
    gathered.files[TABLE] = renamed(text, names).encode()
    for name in sorted({*also} - {*gathered.files, *gathered.films}):
        if (table_file.parent / name).is_file():
            gathered.files[name] = _read(table_file.parent / name)
    return FileSet(files=gathered.files, films=gathered.films)


@dataclass(slots=True)
class _Gathered:
    """The files found so far."""

    home: Path
    files: dict[str, bytes] = field(default_factory=dict)
    films: dict[str, str] = field(default_factory=dict)
    _taken: dict[str, Path] = field(default_factory=lambda: {TABLE: Path()})
    """The path that each name stands for."""

    def take(self, one: Reference, base: Path, within: str) -> str:
        """Add the file that a reference names, and return its new name; a missing file keeps its name.

        Args:
            one: the reference.
            base: the folder that the reference is relative to.
            within: the folder in the set-up that the new name is relative to; empty, or ending in `/`.
        """
        path = base / one.name
        if "\0" in one.name or not path.is_file():
            return one.name
        path = path.resolve()
        name = self._free_name(within, one.name, path)
        if one.is_film:
            self._take_film(name, path)
        else:
            self.files[within + name] = self._with_its_own(one, base / one.name, within + name)
        return one.name if name == str(PurePosixPath(one.name)) else name

    def _free_name(self, within: str, wanted: str, path: Path) -> str:
        tidy = str(PurePosixPath(wanted))
        name = tidy if is_inside(within + tidy) else path.name.lstrip(".") or "file"
        stem, ending, number = PurePosixPath(name).with_suffix(""), PurePosixPath(name).suffix, 1
        while self._taken.setdefault(within + name, path) != path:
            number += 1
            name = f"{stem}-{number}{ending}"
        return name

    def _take_film(self, name: str, path: Path) -> None:
        self.films[name] = self._place_of(path)
        signals = path.with_name(SIGNALS_NAME)
        if signals.is_file():
            self.films[str(PurePosixPath(name).with_name(SIGNALS_NAME))] = self._place_of(signals)

    def _place_of(self, path: Path) -> str:
        return os.path.relpath(path, self.home.resolve())

    def _with_its_own(self, one: Reference, path: Path, name: str) -> bytes:
        """A file's content; the files that it names are added too."""
        content = _read(path)
        if not (one.is_chips or one.is_deck):
            return content
        text = read_text(content)
        found = references_of_chips(text) if one.is_chips else references_of_deck(text)
        within = f"{PurePosixPath(name).parent}/" if "/" in name else ""
        names = {each: self.take(each, path.parent, within) for each in found}
        is_changed = any(name != each.name for each, name in names.items())
        return renamed(text, names).encode() if is_changed else content


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnreadableTableError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > MOST_BYTES:
        raise UnreadableTableError(f"{path}: is larger than {MOST_BYTES} bytes, which no file of a table is")
    return content


def with_films(sent: Mapping[str, bytes], before: FileSet | None, folder: Path, home: Path) -> FileSet:
    """The set-up that was sent, with the existing films that its cameras name.

    Args:
        sent: the files.
        before: the previous version, whose films and camera passwords are kept.
        folder: the table's own folder.
        home: the service's folder.

    Raises:
        TableError: The files are not a set-up.
    """
    files = FileSet(files=sent)
    text = read_text(files.files[TABLE])
    if before is not None:
        text = _with_secrets_of(text, read_text(before.files[TABLE]))
        files = replace(files, files={**sent, TABLE: text.encode()})
    known = {} if before is None else before.films
    films: dict[str, str] = {}
    for one in references_of_table(text):
        if not one.is_film or not is_inside(one.name) or one.name in sent:
            continue
        for name in (one.name, str(PurePosixPath(one.name).with_name(SIGNALS_NAME))):
            here = folder / name
            if name in known:
                films[name] = known[name]
            elif name not in sent and here.is_file():
                films[name] = os.path.relpath(here.resolve(), home.resolve())
    return replace(files, films=films)


def as_shown(files: FileSet) -> dict[str, bytes]:
    """The files without the users and passwords of cameras."""
    text = read_text(files.files[TABLE])
    table = with_other_texts(text, lambda value: public_address(value) if "://" in value else None)
    return {**files.files, TABLE: table.encode()}


def _with_secrets_of(text: str, before: str) -> str:
    """A table's file with the secrets restored: addresses shown without them are replaced by those of `before`."""
    known = {public_address(value): value for value in texts_of(before) if "://" in value}
    return with_other_texts(text, known.get)


def leading_out(files: FileSet) -> Sequence[SetupProblem]:
    """Report names in the files of a set-up that lead out of its folder, and so are missing in it."""
    say = "must lie beside it or below: send the file along, and name it without .. and without a / at its beginning"
    found = [(TABLE, one) for one in references_of_table(read_text(files.files[TABLE]))]
    for name, content in files.files.items():
        if name.endswith((".yaml", ".yml")) and name != TABLE:
            text = read_text(content)
            found += [(name, one) for one in (*references_of_chips(text), *references_of_deck(text))]
    return [wrong(where, one.key, value=one.name, say=say) for where, one in found if not _stays(where, one.name)]


def _stays(where: str, name: str) -> bool:
    return is_inside(str(PurePosixPath(where).parent / name).removeprefix("./"))
