"""Gather the files of a table from the disk, so that they stand on their own: what lies elsewhere is taken in under a
name of its own, and the table's file says so.

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
    """The set-up whose table's file this is.

    Args:
        table_file: the file, whatever it is called.
        home: the service's folder, from which the paths of films count.
        also: files that belong to it although nothing names them, where they are there.

    Raises:
        UnreadableTableError: It is not there, or a file is too large.
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
    """What was found so far."""

    home: Path
    files: dict[str, bytes] = field(default_factory=dict)
    films: dict[str, str] = field(default_factory=dict)
    _taken: dict[str, Path] = field(default_factory=lambda: {TABLE: Path()})
    """What each name stands for."""

    def take(self, one: Reference, base: Path, within: str) -> str:
        """Take in what a text names, and give its name; what is not there keeps the one that it has.

        Args:
            one: the text.
            base: the folder that the name counts from.
            within: the folder of the set-up that the new name counts from; empty, or with a `/` at its end.
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
        """A file's content; the files that it names are taken in, too."""
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
    """A set-up as somebody sent it, with the films that its cameras name and that are here already.

    Args:
        sent: the files.
        before: the version before, whose films and cameras' passwords stay known.
        folder: the table's own folder.
        home: the service's.

    Raises:
        TableError: The files are none of a set-up.
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
    """The files as anybody may see them: no camera's user and password."""
    text = read_text(files.files[TABLE])
    table = with_other_texts(text, lambda value: public_address(value) if "://" in value else None)
    return {**files.files, TABLE: table.encode()}


def _with_secrets_of(text: str, before: str) -> str:
    """A table's file in which addresses that stand as `as_shown` shows them are those of the file before."""
    known = {public_address(value): value for value in texts_of(before) if "://" in value}
    return with_other_texts(text, known.get)


def leading_out(files: FileSet) -> Sequence[SetupProblem]:
    """What the files of a set-up name that is not among them, since its name leads out of the folder."""
    say = "must lie beside it or below: send the file along, and name it without .. and without a / at its beginning"
    found = [(TABLE, one) for one in references_of_table(read_text(files.files[TABLE]))]
    for name, content in files.files.items():
        if name.endswith((".yaml", ".yml")) and name != TABLE:
            text = read_text(content)
            found += [(name, one) for one in (*references_of_chips(text), *references_of_deck(text))]
    return [wrong(where, one.key, value=one.name, say=say) for where, one in found if not _stays(where, one.name)]


def _stays(where: str, name: str) -> bool:
    return is_inside(str(PurePosixPath(where).parent / name).removeprefix("./"))
