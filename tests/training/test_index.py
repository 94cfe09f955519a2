"""The index models' training, from drawn scenes to the files that run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.training.exported import UNMEASURED, exported
from thirdcard.models.index import index_export, index_finder_train, index_reader_train
from thirdcard.vision.inference.index_finder import IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader


def test_finder_and_reader_are_taught_and_exported_together(tmp_path: Path) -> None:
    decks = ("--banks", str(tmp_path / "banks"), "--most-decks", "8")
    run = (*decks, "--minutes", "0.04", "--judged", "6", "--decks", "none")
    index_finder_train.main([*run, "--batch", "4", "--out", str(tmp_path / "finder")])
    index_reader_train.main([*run, "--batch", "16", "--out", str(tmp_path / "reader")])

    home = tmp_path / "home"
    checkpoints = [f"--{name}={tmp_path / name / 'last.pt'}" for name in ("finder", "reader")]
    index_export.main([*checkpoints, *decks, "--validation", "4", "--home", str(home), *UNMEASURED])

    picture = np.full((300, 400, 3), 128, np.uint8)
    found = IndexFinder.open(exported(home, "index_finder")).find(picture)
    read = IndexReader.open(exported(home, "index_reader")).read(picture, found)
    assert len(read.log_probs) == len(found)
