"""The reader's school: crops have the form, the classes and the honesty that training and running rely on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from thirdcard.datasets.decks import CARDS
from thirdcard.models.reader.reader_bank import BACK, TextureBank, build_bank, open_bank
from thirdcard.models.reader.reader_crops import CLASSES, UNCLEAR, CropDifficulty, ReaderSchool
from thirdcard.models.reader.reader_evaluate import LEAST_WEIGHT, MOST_WEIGHT, TRIED, LessonBook, deck_weights, judge


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> TextureBank:
    path = tmp_path_factory.mktemp("bank") / "two.npy"
    build_bank(path, ["machine:1", "machine:9001"], artwork=None, photos=None)
    return open_bank(path)


def test_classes_are_the_faces_then_back_then_unclear() -> None:
    assert CLASSES[:52] == CARDS
    assert CLASSES[52:] == ("back", "unclear")


def test_bank_keeps_every_face_and_back(bank: TextureBank) -> None:
    assert bank.names == ("machine:1", "machine:9001")
    assert bank.textures.shape == (2, 53, 176, 126, 3)
    assert bank.has.all()


def test_same_seed_draws_the_same_crops(bank: TextureBank) -> None:
    first, second = (ReaderSchool(bank, seed=5, lesson=CropDifficulty(cloths=8)).batch(12) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_decks_are_drawn_as_often_as_their_weights_say(bank: TextureBank) -> None:
    school = ReaderSchool(bank, seed=5, lesson=CropDifficulty(cloths=8))
    school.weigh(np.array([0.0, 1.0]))
    assert {school._deck() for _ in range(50)} == {1}


def test_deck_that_a_reader_misreads_weighs_more(bank: TextureBank) -> None:
    asked: list[int] = []

    def reads_the_first_deck(pictures: np.ndarray) -> np.ndarray:
        asked.append(len(pictures))
        truth = ReaderSchool(bank, seed=3, lesson=TRIED)
        truth.weigh(np.array([1.0, 0.0]))
        logits = np.zeros((len(pictures), len(CLASSES)), np.float32)
        if len(asked) == 1:
            logits[np.arange(len(pictures)), truth.batch(len(pictures))[1]] = 20.0
        return logits

    weights = deck_weights(bank, reads_the_first_deck, seed=3, crops=6)

    assert asked == [6, 6]
    assert weights[0] == LEAST_WEIGHT < 1.0 < weights[1] <= MOST_WEIGHT


def test_crops_have_the_readers_form_and_all_kinds(bank: TextureBank) -> None:
    pictures, labels, told = ReaderSchool(bank, seed=6, lesson=CropDifficulty(cloths=8)).batch(300)
    assert pictures.shape == (300, 112, 80, 3) and pictures.dtype == np.uint8
    assert {BACK, UNCLEAR} <= set(labels.tolist())
    assert len(set(labels.tolist())) > 40
    readable = labels != UNCLEAR
    assert told[readable, 0].min() >= 32 and told[readable, 0].max() <= 106


def test_clean_crop_shows_its_texture_with_the_rim_round_it(bank: TextureBank) -> None:
    lesson = CropDifficulty(strength=0.0, width_px=(90, 91), unclear=0.0, occluded=0.0, neighbours=0.0, cloths=8)
    pictures, labels, _ = ReaderSchool(bank, seed=7, lesson=lesson).batch(60)
    for picture, label in zip(pictures, labels, strict=True):
        if label == BACK:
            continue
        paper = picture[20:92, 12:68].reshape(-1, 3).mean(axis=1)
        assert np.percentile(paper, 80) > np.percentile(picture[:, :2].mean(axis=2), 50) - 90


def test_covered_card_is_called_unclear_only_when_its_indices_are_hidden(bank: TextureBank) -> None:
    school = ReaderSchool(bank, seed=8, lesson=CropDifficulty(cloths=8))
    card = CARDS.index("7H")
    nothing, everything = np.zeros((88, 63), np.float32), np.ones((88, 63), np.float32)
    lower_half = nothing.copy()
    lower_half[46:] = 1.0
    assert school._verdict(0, card, nothing) == card
    assert school._verdict(0, card, lower_half) == card
    assert school._verdict(0, card, everything) == UNCLEAR


def test_judgement_counts_what_is_right_unclear_and_confused() -> None:
    labels = np.array([0, 0, 1, UNCLEAR])
    logits = np.zeros((4, len(CLASSES)), np.float32)
    logits[[0, 1, 2, 3], [0, 1, 1, UNCLEAR]] = 12.0
    book = LessonBook(np.zeros((4, 112, 80, 3), np.uint8), labels, np.array([[60.0, 0.0]] * 4, np.float32))
    found = judge(logits, book)
    assert found.right == pytest.approx(2 / 3)
    assert found.unclear_found == 1.0
    assert found.wrong_when_confident == pytest.approx(1 / 3)
    assert found.confusions == (("AC", "2C", 1),)


def test_bank_of_an_unknown_deck_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="name = gnome:paris"):
        build_bank(tmp_path / "x.npy", ["gnome:paris"], artwork=tmp_path, photos=None)
