"""Drawn words carry their truth, and the shipped reader of words keeps its floors: `models/metrics.yaml`."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from thirdcard.models.publishing import floors_of, shortfalls
from thirdcard.models.words.word_evaluate import exam_figures, figures_of
from thirdcard.models.words.word_prints import draw_crops
from thirdcard.models.words.word_texts import ALPHABET, LABELS, fonts_of, letters, spelling
from thirdcard.vision.inference.cloth_words import HEIGHT_PX, WIDTH_PX, ClothWordReader
from thirdcard.vision.inference.model_spec import load_model_spec


def test_no_font_is_learned_and_examined() -> None:
    train, held_out = (fonts_of(split).latin for split in ("train", "held_out"))
    assert len(train) > 50 and len(held_out) > 15
    assert not {path.stem[:5] for path in train} & {path.stem[:5] for path in held_out}


def test_crops_carry_their_label_and_letters() -> None:
    crops = list(islice(draw_crops(np.random.default_rng(3), fonts_of("train")), 400))
    assert {crop.shown.shape for crop in crops} == {(HEIGHT_PX, WIDTH_PX, 3)}
    assert {crop.label for crop in crops} == set(range(len(LABELS)))
    for crop in crops:
        spelled = {letter for letter, is_there in zip(ALPHABET, crop.letters, strict=True) if is_there}
        if LABELS[crop.label] == "tie":
            assert spelled & set("TEP")
        if LABELS[crop.label] == "banker":
            assert spelled >= set("BAN")


def test_same_seed_draws_the_same_crops() -> None:
    first, second = (list(islice(draw_crops(np.random.default_rng(4), fonts_of("train")), 12)) for _ in range(2))
    assert all(np.array_equal(one.shown, other.shown) for one, other in zip(first, second, strict=True))


def test_letters_are_cropped_to_their_ink_and_may_be_outlines() -> None:
    font = fonts_of("train").latin[0]
    full, outline, wide = letters("BANK", font), letters("BANK", font, stroke_px=3), letters("BANK", font, apart=0.5)
    assert full[0].any() and full[-1].any() and full[:, 0].any() and full[:, -1].any()
    assert wide.shape[1] > 1.3 * full.shape[1]
    filled = cv2.erode(full, np.ones((7, 7), np.uint8)) > 200
    assert filled.any() and not outline[2:-2, 2:-2][: filled.shape[0], : filled.shape[1]].all()
    assert letters(" ", font).max() == 0


def test_spelling_knows_letters_whatever_their_case() -> None:
    assert np.array_equal(spelling("Égalité"), spelling("EGALITE"))
    assert spelling("").sum() == 0


def test_shipped_reader_keeps_its_floors() -> None:
    figures = exam_figures(ClothWordReader.open())
    assert shortfalls(figures, floors_of("cloth_words")) == [], figures


def test_registry_declares_a_small_reader() -> None:
    spec = load_model_spec("cloth_words")
    spec.check_weights()
    assert spec.classes == LABELS
    assert spec.weights.stat().st_size < 500_000


def test_figures_count_words_and_other_print_apart() -> None:
    shares = np.array([[0.95, 0.05, 0, 0], [0.05, 0.95, 0, 0], [0.6, 0, 0, 0.4], [0.95, 0, 0, 0.05], [0, 0, 0, 1.0]])
    figures = figures_of(shares, np.array([0, 0, 0, 3, 3]))
    assert figures.crops == 5 and figures.right == pytest.approx(0.6)
    assert (figures.read, figures.right_when_sure, figures.swapped_when_sure) == pytest.approx((1 / 3,) * 3)
