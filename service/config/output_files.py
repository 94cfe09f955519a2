"""Write a command's output beside its target and move it there when complete, and never over an input."""

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
"""A file that a command reads, or the number of an open one; None for an option that was not given."""
STANDARD_INPUT, STANDARD_OUTPUT = 0, 1


class OutputPathError(ServiceError):
    """An output would overwrite an input, or cannot be written."""


@contextmanager
def written(path: Path, *, option: str, inputs: Iterable[Input] = ()) -> Iterator[Path]:
    """Yield a draft path of the same name in a temporary folder; all files there are moved to the target's folder at
    the end.

    After an error the previous files stay. A target that is no regular file, such as a pipe, is written directly.

    Args:
        path: The target.
        option: The option's name, for messages.
        inputs: What the command reads.

    Raises:
        OutputPathError: A file would overwrite an input, or cannot be written.
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
    """Refuse an output that is one of the inputs, under any name or link.

    Raises:
        OutputPathError: It is.
    """
    read = [one for one in inputs if one is not None]
    for path in paths:
        if any(_is_same(path, one) for one in read):
            raise OutputPathError(f"{option} = {path}; must be another file than those that are read")


def refuse_missing_folder(path: Path, *, option: str) -> None:
    """Refuse an output whose folder does not exist, before any work is done for it.

    Raises:
        OutputPathError: It does not exist.
    """
    if not path.parent.is_dir():
        raise OutputPathError(f"{option} = {path}; must be in a folder that exists, and {path.parent} does not")


def refuse_folder(folder: Path, *, option: str, read: Iterable[Path | None]) -> None:
    """Refuse an output folder that is also read.

    Raises:
        OutputPathError: It is.
    """
    if any(one is not None and _is_same(folder, one) for one in read):
        raise OutputPathError(f"{option} = {folder}; must be another folder than those that are read")


def refuse_standard_output(inputs: Iterable[Input]) -> None:
    """Refuse standard output that goes into an input file, as with `>> FILE`.

    Raises:
        OutputPathError: It does.
    """
    if any(one is not None and _is_same(STANDARD_OUTPUT, one) for one in inputs):
        raise OutputPathError("standard output goes into a file that is read; must go elsewhere")


def _status(file: Path | int) -> os.stat_result:
    return file.stat() if isinstance(file, Path) else os.fstat(file)


def _is_same(output: Path | int, read: Path | int) -> bool:
    """Whether both are the same file or folder; a terminal never is."""
    try:
        first, second = _status(output), _status(read)
    except (OSError, ValueError):
        if isinstance(output, int) or isinstance(read, int):
            return False
        return os.path.realpath(output) == os.path.realpath(read)
    holds = stat.S_ISREG(first.st_mode) or stat.S_ISDIR(first.st_mode)
    return holds and os.path.samestat(first, second)
