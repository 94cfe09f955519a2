"""Write what a command makes beside its place and move it there when it is whole, and never over what it reads."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from thirdcard.service.ports.errors import ServiceError

Input = Path | int | None
"""A file that a command reads, or the number of an open one; None where an option was not given."""
STANDARD_INPUT, STANDARD_OUTPUT = 0, 1


class OutputPathError(ServiceError):
    """What a command is to write would go over what it reads, or cannot be written."""


@contextmanager
def written(path: Path, *, option: str, inputs: Iterable[Input] = ()) -> Iterator[Path]:
    """Give a draft's path, of the same name in a folder beside; all files there are moved to their place at the end.

    After an error what was there before stays as it was. What is no regular file, such as a pipe, is written directly.

    Args:
        option: names the option in what is said of a path that cannot be used.
        inputs: what the command reads.

    Raises:
        OutputPathError: A file would go over one of the inputs, or cannot be written.
    """
    read = tuple(inputs)
    refuse_inputs([path], option=option, inputs=read)
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file() and not place.is_dir():
        yield place
        return
    try:
        with TemporaryDirectory(prefix=".thirdcard-", suffix=".part", dir=place.parent) as folder:
            yield Path(folder) / place.name
            _move(Path(folder), place.parent, option, read)
    except OSError as error:
        if error.filename is not None and str(error.filename).startswith(str(place.parent)):
            raise OutputPathError(f"{option} = {path}; must be a file that can be written: {error.strerror}") from error
        raise


def _move(folder: Path, target: Path, option: str, inputs: tuple[Input, ...]) -> None:
    drafts = sorted(folder.iterdir())
    refuse_inputs([target / draft.name for draft in drafts], option=option, inputs=inputs)
    for draft in drafts:
        if (target / draft.name).exists():
            shutil.copymode(target / draft.name, draft)
        draft.replace(target / draft.name)


def refuse_inputs(paths: Iterable[Path], *, option: str, inputs: Iterable[Input]) -> None:
    """Look whether an output is one of the inputs, by whatever name or link.

    Raises:
        OutputPathError: It is.
    """
    read = [one for one in inputs if one is not None]
    for path in paths:
        if any(_is_same(path, one) for one in read):
            raise OutputPathError(f"{option} = {path}; must be another file than those that are read")


def refuse_folder(folder: Path, *, option: str, read: Iterable[Path | None]) -> None:
    """Look whether a folder that is written to is one that is read.

    Raises:
        OutputPathError: It is.
    """
    if any(one is not None and _is_same(folder, one) for one in read):
        raise OutputPathError(f"{option} = {folder}; must be another folder than those that are read")


def refuse_standard_output(inputs: Iterable[Input]) -> None:
    """Look whether what is printed goes into a file that is read, as with `>> FILE`.

    Raises:
        OutputPathError: It does.
    """
    if any(one is not None and _is_same(STANDARD_OUTPUT, one) for one in inputs):
        raise OutputPathError("standard output goes into a file that is read; must go elsewhere")


def _status(file: Path | int) -> os.stat_result:
    return file.stat() if isinstance(file, Path) else os.fstat(file)


def _is_same(output: Path | int, read: Path | int) -> bool:
    """Whether both are one file or folder; what holds nothing, such as a terminal, never is."""
    try:
        first, second = _status(output), _status(read)
    except (OSError, ValueError):
        if isinstance(output, int) or isinstance(read, int):
            return False
        return os.path.realpath(output) == os.path.realpath(read)
    holds = stat.S_ISREG(first.st_mode) or stat.S_ISDIR(first.st_mode)
    return holds and os.path.samestat(first, second)
