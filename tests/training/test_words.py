"""The training of the reader of printed words, from drawn crops to the file that runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.training.exported import UNMEASURED, exported
from thirdcard.models.onnx_file import compare
from thirdcard.models.training_loop import load_average
from thirdcard.models.words import word_export, word_train
from thirdcard.models.words.word_net import WordNet
from thirdcard.models.words.word_texts import ALPHABET, LABELS, fonts_of
from thirdcard.models.words.word_train import WordReading, hardness
from thirdcard.vision.inference.cloth_words import HEIGHT_PX, WIDTH_PX, ClothWordReader


def test_reader_of_words_is_taught_and_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for script, name in ((word_train, "JUDGED_CROPS"), (word_export, "TEMPERATURE_CROPS")):
        monkeypatch.setattr(script, name, 20)
    word_train.main(["--minutes", "0.05", "--batch", "8", "--out", str(tmp_path)])
    word_export.main([str(tmp_path / "last.pt"), "--home", str(tmp_path), *UNMEASURED])
    spec = exported(tmp_path, "cloth_words")
    net = load_average(tmp_path / "last.pt", WordNet(len(LABELS), len(ALPHABET)))
    assert compare(net, spec.weights, word_export.TENSORS[0].shape) < 0.01
    assert ClothWordReader.open(spec).shares([np.zeros((HEIGHT_PX, WIDTH_PX, 3), np.uint8)]).shape == (1, len(LABELS))


def test_repeated_batch_keeps_its_truth() -> None:
    crops = np.random.default_rng(0).integers(0, 255, (4, HEIGHT_PX, WIDTH_PX, 3)).astype(np.uint8)
    truth, labels = np.ones((4, len(ALPHABET)), np.float32), np.arange(4)
    again, letters, told = WordReading(fonts_of("train")).again((crops, truth, labels))
    assert letters is truth and told is labels
    assert sorted(again[..., 0].ravel()) == sorted(crops[..., 0].ravel())
    assert sorted(again[..., 2].ravel()) == sorted((255 - crops[..., 2]).ravel())


def test_crops_get_harder_during_the_training() -> None:
    assert [hardness(done) for done in (0.0, 0.2, 0.5, 0.8, 1.0)] == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


def test_temperature_makes_sure_answers_less_sure_where_they_are_wrong() -> None:
    logits = np.array([[9.0, 0, 0, 0], [9.0, 0, 0, 0]])
    assert word_export.fit_temperature(logits, np.array([0, 1])) > 2.0
    assert word_export.fit_temperature(logits / 3, np.array([0, 0])) < 1.0
