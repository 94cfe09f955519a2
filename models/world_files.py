"""Draw worlds into one file each, and read their rows.

A world whose file exists is skipped, so that an interrupted run continues where it stopped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[np.generic]]
Rows = tuple[npt.NDArray[Any], ...]
"""Arrays with equally many rows."""


def write_worlds(folder: Path, prefix: str, indices: Iterable[int], draw: Callable[[int], Arrays]) -> None:
    """Write `<prefix>-<index>.npz` for every world without a file; a file is either complete or absent.

    Args:
        folder: Created if it is missing.
        prefix: The beginning of the files' names: split and seed.
        indices: The worlds.
        draw: Returns a world's arrays by name, with equally many rows.
    """
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    for index in indices:
        path = folder / f"{prefix}-{index:05d}.npz"
        if path.exists():
            continue
        started = time.perf_counter()
        arrays = draw(index)
        draft = path.with_suffix(".draft")
        with draft.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        draft.replace(path)
        count = len(next(iter(arrays.values())))
        sys.stdout.write(f"{path.name}: {count} rows, {time.perf_counter() - started:.1f} s\n")
        sys.stdout.flush()


class WorldFolder:
    """The rows of drawn worlds; files written since the last look are read as well."""

    def __init__(self, folder: Path, pattern: str, read: Callable[[Arrays], Rows], *, written_by: str) -> None:
        """Set up the folder.

        Args:
            folder: Where the files lie.
            pattern: Glob pattern of the wanted files.
            read: Selects the wanted arrays of a file, with equally many rows.
            written_by: The module that draws them, for error messages.
        """
        self._folder, self._pattern, self._read, self._written_by = folder, pattern, read, written_by
        self._names: set[str] = set()
        self._parts: list[Rows] = []
        self._starts = [0]

    def has_files(self) -> bool:
        """Whether there is any file to read."""
        return any(self._folder.glob(self._pattern))

    def check(self) -> None:
        """Raise FileNotFoundError, naming the module that writes them, if there are no files."""
        if not self.has_files():
            raise FileNotFoundError(f"{self._folder}: no {self._pattern}; {self._written_by} writes them")

    def look(self) -> int:
        """Read new files and return the number of rows; raise FileNotFoundError if there are no files or rows."""
        self.check()
        for path in sorted(self._folder.glob(self._pattern)):
            if path.name not in self._names:
                self._names.add(path.name)
                with np.load(path) as file:
                    rows = self._read(file)
                if len(rows[0]):
                    self._parts.append(rows)
                    self._starts.append(self._starts[-1] + len(rows[0]))
        if not self._parts:
            raise FileNotFoundError(f"{self._folder}: {self._pattern} hold no rows; draw more worlds")
        return self._starts[-1]

    def take(self, rows: npt.NDArray[np.int64]) -> Rows:
        """Return the given rows of every array."""
        parts = np.searchsorted(self._starts, rows, side="right") - 1
        places = [(self._parts[part], int(row) - self._starts[part]) for part, row in zip(parts, rows, strict=True)]
        return tuple(np.stack(column) for column in zip(*([a[i] for a in part] for part, i in places), strict=True))
