"""The shipped reader: declared as it is, and it reads what it must."""

from __future__ import annotations

import numpy as np
import pytest

from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.models.reader.reader_bank import TextureBank
from thirdcard.models.reader.reader_crops import CLASSES, CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import exam_bank, exam_figures, onnx_reader
from thirdcard.vision.inference.model_spec import load_model_spec
from thirdcard.vision.inference.reader import Reader


@pytest.fixture(scope="module")
def bank() -> TextureBank:
    return exam_bank()


def test_registry_declares_the_readers_classes_and_temperature() -> None:
    spec = load_model_spec("reader")
    spec.check_weights()
    assert spec.classes == CLASSES
    assert spec.input_hw_px == (112, 80)
    assert spec.setting("temperature") >= 1.0
    assert spec.weights.stat().st_size < 4_000_000


def test_reader_reads_clean_crops_of_decks_it_never_saw(bank: TextureBank) -> None:
    figures = exam_figures(onnx_reader(load_model_spec("reader").weights), bank)
    assert shortfalls(figures, floors_of("reader")) == []


def test_reader_answers_alike_to_rgb_crops_and_to_the_run_times_bgr(bank: TextureBank) -> None:
    lesson = CropDifficulty(strength=0.2, width_px=(58, 63), unclear=0.0, occluded=0.0, cloths=8)
    pictures, _, _ = ReaderSchool(bank, seed=2, lesson=lesson).batch(20)
    expected = onnx_reader(load_model_spec("reader").weights)(pictures).argmax(axis=1)
    readings = Reader.open().read([np.ascontiguousarray(picture[..., ::-1]) for picture in pictures])
    assert readings.best == [CLASSES[i] for i in expected]
