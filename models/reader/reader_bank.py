"""A file with all card textures for training the reader, drawn once.

A bank holds 52 faces and a back per deck, by default at 2 px/mm: (decks, 53, 176, 126, 3) uint8 RGB; a face that a deck
lacks is all zero. The file is not under version control and is memory-mapped, so several processes share it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARDS
from thirdcard.datasets.decks.deck import TRAIN_SEEDS, Deck, load_deck, machine_deck

BANK_SIZE_WH_PX = (126, 176)
BANK_PX_PER_MM = 2.0
BACK = len(CARDS)
COURTS_FROM_ARTWORK = 0.35
"""Share of generated decks that use the court figures of an artwork deck, if there is one."""
FIGURES_OF_ANY_RANK = 0.35
"""Share of generated training decks with random court figures, so that courts are read by their index."""


@dataclass(frozen=True, slots=True)
class TextureBank:
    """Textures with the names of their decks and the positions of their indices."""

    textures: npt.NDArray[np.uint8]
    """(D, 53, height, width, 3) RGB."""
    names: tuple[str, ...]
    index_boxes_mm: tuple[tuple[tuple[float, float, float, float], ...], ...]
    """Corner indices per deck (left, top, right, bottom)."""
    has: npt.NDArray[np.bool_]
    """(D, 53): which textures exist."""


def build_bank(
    path: Path,
    names: Sequence[str],
    *,
    artwork: Path | None,
    photos: Path | None,
    size_wh_px: tuple[int, int] = BANK_SIZE_WH_PX,
) -> None:
    """Draw the named decks into `path` (.npy) and a description beside it (.json)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").unlink(missing_ok=True)
    width, height = size_wh_px
    shape = (len(names), BACK + 1, height, width, 3)
    textures = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=shape)
    courts = [name for name in names if not name.startswith("machine:")] if artwork else []
    boxes = []
    for i, name in enumerate(names):
        deck = _load(name, artwork, photos, courts)
        for card in deck.cards:
            textures[i, CARDS.index(card)] = shrink(deck.face(card), size_wh_px)
        textures[i, BACK] = shrink(deck.back(), size_wh_px)
        boxes.append(deck.index_boxes_mm)
    textures.flush()
    path.with_suffix(".json").write_text(json.dumps({"names": list(names), "index_boxes_mm": boxes}))


def open_bank(path: Path) -> TextureBank:
    """Memory-map a bank that `build_bank` wrote."""
    textures = np.load(path, mmap_mode="r")
    told = json.loads(path.with_suffix(".json").read_text())
    boxes = tuple(tuple((box[0], box[1], box[2], box[3]) for box in deck) for deck in told["index_boxes_mm"])
    has = textures[:, :, ::8, ::8, 0].any(axis=(2, 3))
    return TextureBank(textures=textures, names=tuple(told["names"]), index_boxes_mm=boxes, has=has)


def holds(path: Path, names: Sequence[str]) -> bool:
    """Return whether a complete bank of exactly these decks exists."""
    told = path.with_suffix(".json")
    return told.exists() and json.loads(told.read_text())["names"] == list(names)


def shrink(texture: npt.NDArray[np.uint8], size_wh_px: tuple[int, int] = BANK_SIZE_WH_PX) -> npt.NDArray[np.uint8]:
    """Put a deck's texture, (440, 315, 4), on white and resize it to the bank's size."""
    alpha = texture[..., 3:].astype(np.float32) / 255
    flat = (texture[..., :3] * alpha + 250 * (1 - alpha)).astype(np.uint8)
    return np.asarray(cv2.resize(flat, size_wh_px, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _load(name: str, artwork: Path | None, photos: Path | None, courts: Sequence[str]) -> Deck:
    if name.startswith("photo:"):
        return load_deck(name, photos)
    if name.startswith("machine:"):
        seed = int(name.partition(":")[2])
        rng = np.random.default_rng([seed, 3])
        share = rng.random()
        if courts and share < COURTS_FROM_ARTWORK:
            lender = courts[int(rng.integers(len(courts)))]
            return machine_deck(seed, courts=_load(lender, artwork, photos, ()))
        return machine_deck(seed, any_figures=share > 1 - FIGURES_OF_ANY_RANK and seed in TRAIN_SEEDS)
    return load_deck(name, artwork)
