"""Index finder and reader may not get worse than `models/metrics.yaml` on drawn fans of decks training never saw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml

from thirdcard.datasets.decks.deck import machine_deck
from thirdcard.models.index.index_bank import IndexBank, measure
from thirdcard.models.index.index_evaluate import Readout, is_said, read_out
from thirdcard.models.index.index_reader_crops import CLASSES
from thirdcard.models.index.index_scenes import SceneLesson, SceneSchool
from thirdcard.models.reader.reader_bank import BACK, TextureBank, shrink
from thirdcard.vision.inference.index_finder import IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.model_spec import REGISTRY_PATH, load_model_spec

HELD_OUT = (9001, 9004, 9008)
SCENES = 60
FLOOR: dict[str, Any] = yaml.safe_load((REGISTRY_PATH.parent / "metrics.yaml").read_text(encoding="utf-8"))["index"]


@pytest.fixture(scope="module")
def bank() -> IndexBank:
    decks = [machine_deck(seed) for seed in HELD_OUT]
    faces = [[shrink(deck.face(card)) for card in deck.cards] + [shrink(deck.back())] for deck in decks]
    names, boxes = tuple(deck.name for deck in decks), tuple(deck.index_boxes_mm for deck in decks)
    drawn = TextureBank(np.stack(faces), names, boxes, np.ones((len(decks), BACK + 1), np.bool_))
    return IndexBank(bank=drawn, boxes_mm=measure(drawn), corners=np.array([len(each) for each in boxes]))


@pytest.fixture(scope="module")
def readout(bank: IndexBank) -> Readout:
    lesson = SceneLesson(index_px=(16.0, 40.0), strength=0.5, shrunk=0.0, backdrops=12)
    school = SceneSchool([bank], seed=31, lesson=lesson)
    return read_out([school.scene() for _ in range(SCENES)], IndexFinder.open(), IndexReader.open())


def test_cards_in_drawn_fans_are_read_as_well_as_they_were(readout: Readout) -> None:
    said = is_said(readout.logits)
    right = said & (readout.logits.argmax(axis=1) == readout.labels)
    wrong = said & ~right & (readout.labels >= 0)
    assert len(readout.wanted_px) >= 200, "too few to tell"
    assert right.sum() / len(readout.wanted_px) >= FLOOR["recall"]
    assert right.sum() / (right.sum() + wrong.sum()) >= FLOOR["precision"]


def test_confidence_of_an_index_is_not_better_than_it_is(readout: Readout) -> None:
    sure = is_said(readout.logits) & (readout.labels >= 0) & (np.exp(readout.logits.max(axis=1)) >= 0.99)
    right = readout.logits.argmax(axis=1) == readout.labels
    assert sure.sum() >= 50
    assert right[sure].mean() >= FLOOR["right_when_sure"]


def test_registry_declares_the_index_models_and_all_weights_stay_small() -> None:
    specs = [
        load_model_spec(name) for name in ("detector", "reader", "comparer", "gauge", "index_finder", "index_reader")
    ]
    for spec in specs:
        spec.check_weights()
    assert load_model_spec("index_reader").classes == CLASSES
    assert load_model_spec("index_reader").setting("temperature") >= 1.0
    assert sum(spec.weights.stat().st_size for spec in specs) < 20_000_000
