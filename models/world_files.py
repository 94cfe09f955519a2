"""Draw worlds into files, one each, and read their rows; a world whose file is there is skipped, so a broken run goes
on where it was."""

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
"""Arrays with as many rows each."""


def write_worlds(folder: Path, prefix: str, indices: Iterable[int], draw: Callable[[int], Arrays]) -> None:
    """Write `<prefix>-<index>.npz` for every world that has none yet, and say so; a file is whole or not there.

    Args:
        folder: Made where it is not there.
        prefix: What the files of this school are called, its split and seed.
        indices: The worlds.
        draw: A world's arrays by name, as many rows each.
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
    """The rows of drawn worlds; those of files that were written since the last look are read too."""

    def __init__(self, folder: Path, pattern: str, read: Callable[[Arrays], Rows], *, written_by: str) -> None:
        """
        Args:
            folder: Where the files lie.
            pattern: What those that are wanted are called.
            read: From a file's arrays to those that are wanted, as many rows each.
            written_by: The module that draws them.
        """
        self._folder, self._pattern, self._read, self._written_by = folder, pattern, read, written_by
        self._names: set[str] = set()
        self._parts: list[Rows] = []
        self._starts = [0]

    def has_files(self) -> bool:
        """Whether there is anything to read."""
        return any(self._folder.glob(self._pattern))

    def check(self) -> None:
        """Raises FileNotFoundError, which names the module that writes them, where there are no files."""
        if not self.has_files():
            raise FileNotFoundError(f"{self._folder}: no {self._pattern}; {self._written_by} writes them")

    def look(self) -> int:
        """Reads what is new and says how many rows there are; raises FileNotFoundError where there are no files."""
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
        """Some rows of every array."""
        parts = np.searchsorted(self._starts, rows, side="right") - 1
        places = [(self._parts[part], int(row) - self._starts[part]) for part, row in zip(parts, rows, strict=True)]
        return tuple(np.stack(column) for column in zip(*([a[i] for a in part] for part, i in places), strict=True))
