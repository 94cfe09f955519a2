"""The reader's training, from drawn decks to the file that runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.training.exported import exported
from thirdcard.models.errors import BelowFloorsError
from thirdcard.models.reader import reader_export, reader_train
from thirdcard.models.reader.reader_evaluate import onnx_reader
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.training_loop import load_average
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.reader import Reader


def test_reader_is_taught_refused_and_exported_when_forced(tmp_path: Path) -> None:
    decks = ("--banks", str(tmp_path / "banks"), "--most-decks", "2")
    run = (*decks, "--judged", "20", "--batch", "8", "--out", str(tmp_path / "run"), "--decks", "none")
    reader_train.main([*run, "--minutes", "0.05"])
    reader_train.main([*run, "--minutes", "0.08", "--resume"])
    checkpoint, home = tmp_path / "run" / "last.pt", tmp_path / "home"

    export = [str(checkpoint), *decks, "--validation", "40", "--home", str(home)]
    with pytest.raises(BelowFloorsError, match=r"reader: clean = 0\.\d+; must be 0\.98 or more: not exported"):
        reader_export.main(export)
    assert not home.exists()

    reader_export.main([*export, "--force"])
    spec = exported(home, "reader")
    crops = np.random.default_rng(0).integers(0, 256, (3, 112, 80, 3), dtype=np.uint8)
    with torch.no_grad():
        shown = torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255
        wanted = load_average(checkpoint, ReaderNet())(shown).numpy()
    assert onnx_reader(spec.weights)(crops) == pytest.approx(wanted, abs=1e-3)
    assert len(Reader.open(spec).read(list(crops)).best) == 3


def test_reader_that_begins_with_the_shipped_one_is_as_good(tmp_path: Path) -> None:
    decks = ("--banks", str(tmp_path / "banks"), "--most-decks", "2")
    shipped = str(load_model_spec("reader").weights)
    run = ("--judged", "20", "--batch", "96", "--out", str(tmp_path / "run"), "--decks", "none")
    reader_train.main([*decks, *run, "--minutes", "0", "--from", shipped, "--mine", "2"])

    home, checkpoint = tmp_path / "home", str(tmp_path / "run" / "last.pt")
    reader_export.main([checkpoint, *decks, "--with", shipped, "--validation", "40", "--home", str(home)])
    assert exported(home, "reader").setting("temperature") >= 1.0
