"""Decks: every face its own, the same name the same deck, the splits apart."""

from __future__ import annotations

import itertools
from pathlib import Path

import cv2
import numpy as np
import pytest

from thirdcard.datasets.decks import CARDS, DeckNameError, deck_names, load_deck, machine_deck
from thirdcard.datasets.decks.artwork import ARTWORK
from thirdcard.datasets.decks.cards import TEXTURE_SIZE_WH_PX
from thirdcard.datasets.decks.deck import FIRST_HELD_OUT_SEED, VALIDATION_SEEDS
from thirdcard.datasets.decks.glyphs import font_masks, stroke_masks
from thirdcard.datasets.fonts.shipped import HELD_OUT_FONTS, SPARSE_FONTS, STEMS, TRAIN_FONTS, VARIED_FONTS

SEEDS = (0, 3, 11, 9004)


@pytest.fixture(scope="module", params=SEEDS)
def faces(request: pytest.FixtureRequest) -> dict[str, np.ndarray]:
    deck = machine_deck(request.param)
    return {card: deck.face(card) for card in CARDS}


def test_cards_are_in_the_order_of_the_models_classes() -> None:
    assert len(CARDS) == 52
    assert CARDS[:3] == ("AC", "2C", "3C")
    assert CARDS[9:14] == ("10C", "JC", "QC", "KC", "AD")
    assert CARDS[-1] == "KS"


def test_faces_of_a_machine_deck_differ_from_each_other(faces: dict[str, np.ndarray]) -> None:
    small = {card: cv2.resize(face[..., :3], (63, 88), interpolation=cv2.INTER_AREA) for card, face in faces.items()}
    for one, other in itertools.combinations(CARDS, 2):
        difference = np.abs(small[one].astype(int) - small[other].astype(int)).max(axis=2)
        assert (difference > 40).sum() >= 8, (one, other)


def test_faces_are_rgba_with_round_corners(faces: dict[str, np.ndarray]) -> None:
    width_px, height_px = TEXTURE_SIZE_WH_PX
    for card, face in faces.items():
        assert face.shape == (height_px, width_px, 4) and face.dtype == np.uint8, card
        assert face[0, 0, 3] == face[-1, -1, 3] == face[0, -1, 3] == 0, card
        assert face[height_px // 2, 0, 3] == face[0, width_px // 2, 3] == 255, card


def test_number_cards_look_alike_after_half_a_turn_but_for_single_pips() -> None:
    face = machine_deck(11).face("4D")[..., :3].astype(int)
    assert np.abs(face - face[::-1, ::-1]).mean() < 3.0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_machine_deck_is_the_same_every_time(seed: int) -> None:
    first, second = machine_deck(seed), machine_deck(seed)
    for card in ("AS", "10H", "QC"):
        np.testing.assert_array_equal(first.face(card), second.face(card))
    np.testing.assert_array_equal(first.back(), second.back())


def test_decks_of_different_seeds_differ() -> None:
    faces = [machine_deck(seed).face("KH") for seed in (1, 2, 9001)]
    assert all((one != other).mean() > 0.01 for one, other in itertools.combinations(faces, 2))


def test_red_suits_are_redder_than_black_ones_in_a_two_colour_deck(faces: dict[str, np.ndarray]) -> None:
    def redness(card: str) -> float:
        face = faces[card].astype(int)
        return float((face[..., 0] - face[..., 2]).max())

    assert redness("AH") > 100


def test_index_boxes_lie_on_the_card_and_hold_ink() -> None:
    for seed in SEEDS:
        deck = machine_deck(seed)
        face = deck.face("8S")[..., :3].astype(int)
        for left, top, right, bottom in deck.index_boxes_mm:
            part = face[int(top * 5) : int(bottom * 5), int(left * 5) : int(right * 5)]
            assert part.size and part.max() - part.min() > 100, seed


def test_splits_have_no_deck_in_common(tmp_path: Path) -> None:
    train, held_out = deck_names("train", tmp_path), deck_names("held_out", tmp_path)
    assert len(set(train)) == len(train) >= 400
    assert not set(train) & set(held_out)
    assert not {f"machine:{seed}" for seed in VALIDATION_SEEDS} & {*train, *held_out}
    assert all(int(name.partition(":")[2]) >= FIRST_HELD_OUT_SEED for name in held_out)


def test_splits_share_no_font() -> None:
    for fonts in (TRAIN_FONTS, VARIED_FONTS, SPARSE_FONTS):
        assert not set(fonts) & set(HELD_OUT_FONTS)


def test_artwork_is_listed_only_where_its_pictures_are(tmp_path: Path) -> None:
    (tmp_path / "gnome-tango").mkdir()
    (tmp_path / "gnome-tango" / "back.png").write_bytes(b"")
    assert [name for name in deck_names("train", tmp_path) if name in ARTWORK] == ["gnome:tango"]
    assert not [name for name in deck_names("held_out", tmp_path) if name in ARTWORK]


def test_artwork_face_is_read_from_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "kde-standard"
    folder.mkdir()
    picture = np.zeros((88, 63, 4), np.uint8)
    picture[...] = (10, 20, 200, 255)
    cv2.imwrite(str(folder / "AS.png"), picture)
    face = load_deck("kde:standard", tmp_path).face("AS")
    assert face.shape == (440, 315, 4)
    assert face[200, 100].tolist() == [200, 20, 10, 255]


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=name or "empty") for name in ("", "machine:", "machine:-1", "gnome:paris", "AS")]
)
def test_unknown_deck_name_is_refused_by_name(name: str) -> None:
    with pytest.raises(DeckNameError, match=f"decks: name = {name}; must be"):
        load_deck(name)


def test_artwork_without_its_folder_says_how_to_make_it() -> None:
    with pytest.raises(DeckNameError, match="rasterise"):
        load_deck("gnome:tango")


def test_missing_picture_names_folder_and_card(tmp_path: Path) -> None:
    with pytest.raises(DeckNameError, match="gnome-tango: 5H = no picture"):
        load_deck("gnome:tango", tmp_path).face("5H")


def test_a_card_that_is_none_is_refused() -> None:
    with pytest.raises(DeckNameError, match="card = 1H"):
        machine_deck(1).face("1H")


@pytest.mark.parametrize("font", STEMS)
def test_every_shipped_font_has_a_mask_of_each_rank(font: str) -> None:
    masks = font_masks(font, width=1.0, slant=0.0)
    assert len(masks) == 13
    assert all(mask.max() > 0.9 and mask.shape[0] > 10 and mask.shape[1] > 2 for mask in masks.values())


def test_letters_by_pen_differ_from_each_other() -> None:
    masks = stroke_masks(np.random.default_rng(4))
    small = {rank: cv2.resize(mask, (24, 32)) for rank, mask in masks.items()}
    for one, other in itertools.combinations(small, 2):
        assert np.abs(small[one] - small[other]).mean() > 0.05, (one, other)
