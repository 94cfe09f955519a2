"""Worlds on disk: whole files only, and none drawn twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thirdcard.models.world_files import write_worlds


def test_a_broken_run_goes_on_where_it_was(tmp_path: Path) -> None:
    drawn: list[int] = []

    def draw(index: int) -> dict[str, np.ndarray]:
        drawn.append(index)
        if drawn == [0, 1]:
            raise RuntimeError("the power went")
        return {"crops": np.full((2, 3), index), "truths": np.zeros(2)}

    with pytest.raises(RuntimeError):
        write_worlds(tmp_path, "train-1", range(3), draw)
    assert [path.name for path in tmp_path.iterdir()] == ["train-1-00000.npz"]

    write_worlds(tmp_path, "train-1", range(3), draw)

    assert drawn == [0, 1, 1, 2]
    with np.load(tmp_path / "train-1-00002.npz") as file:
        assert sorted(file) == ["crops", "truths"] and (file["crops"] == 2).all()
