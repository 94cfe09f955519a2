"""Draw worlds into files, one each; a world whose file is there is skipped, so a broken run goes on where it was."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[np.generic]]


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
