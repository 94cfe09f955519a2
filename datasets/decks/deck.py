"""A deck of 52 faces and a back: drawn from a seed, rasterised from artwork, or photographed.

Textures are (440, 315, 4) uint8 RGBA, upright, 5 px per millimetre, alpha 0 outside the round corners. Everything is a
function of the deck's name: the same name draws the same deck on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.artwork import ARTWORK
from thirdcard.datasets.decks.backs import draw_back
from thirdcard.datasets.decks.canvas import corner_alpha, with_round_corners
from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CARDS, CORNER_RADIUS_MM, TEXTURE_SIZE_WH_PX, Variety
from thirdcard.datasets.decks.faces import draw_face, draw_face_style, index_boxes_mm
from thirdcard.datasets.errors import DatasetsError

Texture = npt.NDArray[np.uint8]
Box = tuple[float, float, float, float]

TRAIN_SEEDS = range(1440)
FIRST_VARIED_SEED = 480
FIRST_SPARSE_SEED = 960
VALIDATION_SEEDS = range(8000, 8030)
"""Seeds for calibration: never trained on, and not part of the final evaluation."""
HELD_OUT_SEEDS = range(9000, 9040)
FIRST_HELD_OUT_SEED = 9000
PHOTO_FOLDERS = ("geaxgx",)
USUAL_INDEX_BOXES_MM: tuple[Box, ...] = ((1.0, 2.0, 11.0, 22.0), (52.0, 66.0, 62.0, 86.0))


class DeckNameError(DatasetsError):
    """There is no deck of that name, or its pictures are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deck:
    """Fifty-two faces and a back; pictures are made on request and not kept."""

    name: str
    draw_face: Callable[[str], Texture]
    draw_back: Callable[[], Texture]
    cards: tuple[str, ...] = CARDS
    """The faces it has; some artwork lacks international indices on some ranks."""
    index_boxes_mm: tuple[Box, ...] = USUAL_INDEX_BOXES_MM
    """(left, top, right, bottom) of each corner index."""
    size_mm: tuple[float, float] = CARD_SIZE_MM

    def face(self, card: str) -> Texture:
        """Return the face of `card`, for example `10H`; raise DeckNameError if this deck has no such card."""
        if card not in self.cards:
            raise DeckNameError(f"{self.name}: card = {card}; must be one of {', '.join(self.cards)}")
        return self.draw_face(card)

    def back(self) -> Texture:
        """Return the back that all its cards share."""
        return self.draw_back()


def machine_deck(seed: int, *, courts: Deck | None = None, any_figures: bool = False) -> Deck:
    """Return a deck drawn by our own code; seeds from 9000 on use letters, signs and places that are never trained on.

    With `courts`, another deck's figures are used for its knaves, queens and kings. With `any_figures`, figures of
    random ranks are used, so that only the index identifies the card.
    """
    rng = np.random.default_rng([seed, 1])
    style = draw_face_style(rng, variety_of(seed))
    back_seed = int(rng.integers(2**31))

    def face(card: str) -> Texture:
        picture = None
        if courts is not None and card[:-1] in "JQK":
            picture = np.ascontiguousarray(courts.face(card)[34:-34, 54:-54, :3])
        drawing = np.random.default_rng([seed, 2, CARDS.index(card)])
        figure = "JQK"[int(drawing.integers(3))] if any_figures else None
        return with_round_corners(draw_face(style, card, drawing, court_picture=picture, figure=figure))

    def back() -> Texture:
        return with_round_corners(draw_back(np.random.default_rng(back_seed), style.paper))

    return Deck(name=f"machine:{seed}", draw_face=face, draw_back=back, index_boxes_mm=index_boxes_mm(style))


def variety_of(seed: int) -> Variety:
    """Return from which letters, signs and inks a generated deck is drawn."""
    if seed >= FIRST_HELD_OUT_SEED:
        return "held_out"
    if FIRST_SPARSE_SEED <= seed < TRAIN_SEEDS.stop:
        return "sparse"
    return "varied" if FIRST_VARIED_SEED <= seed < FIRST_SPARSE_SEED else "plain"


def artwork_deck(name: str, folder: Path) -> Deck:
    """Return a deck that `thirdcard.datasets.decks.rasterise` has written to `folder`.

    Raises:
        DeckNameError: There is no such artwork.
    """
    if name not in ARTWORK:
        raise DeckNameError(f"decks: name = {name}; must be one of {', '.join(ARTWORK)}")
    cards = tuple(card for card in CARDS if card[:-1] in ARTWORK[name].ranks)
    return _picture_deck(name, folder / name.replace(":", "-"), cards)


def photo_deck(title: str, folder: Path) -> Deck:
    """Return a deck photographed face by face (`<folder>/<title>/10H.png`); without a picture its back is generated."""
    return _picture_deck(f"photo:{title}", folder / title, CARDS)


def deck_names(split: Literal["train", "held_out"], folder: Path | None = None) -> list[str]:
    """Return the names of all decks of a split; artwork only if `folder` contains it."""
    held_out = split == "held_out"
    names = [f"machine:{seed}" for seed in (HELD_OUT_SEEDS if held_out else TRAIN_SEEDS)]
    if folder is not None:
        names += [
            artwork.name
            for artwork in ARTWORK.values()
            if artwork.held_out == held_out and (folder / artwork.name.replace(":", "-") / "back.png").exists()
        ]
    return names


def load_deck(name: str, folder: Path | None = None) -> Deck:
    """Load a deck by name: `machine:123`, `gnome:anglo_modern`, `kde:standard`, `photo:geaxgx`.

    Raises:
        DeckNameError: The name is unknown, or the folder of its artwork is not given.
    """
    family, _, title = name.partition(":")
    if family == "machine" and title.isdecimal():
        return machine_deck(int(title))
    if family == "photo" and title in PHOTO_FOLDERS and folder is not None:
        return photo_deck(title, folder)
    if name in ARTWORK and folder is not None:
        return artwork_deck(name, folder)
    if name in ARTWORK:
        raise DeckNameError(
            f"decks: name = {name}; needs the folder that python -m thirdcard.datasets.decks.rasterise fills"
        )
    raise DeckNameError(f"decks: name = {name}; must be machine:<seed>, an artwork deck or photo:<title>")


def _picture_deck(name: str, folder: Path, cards: tuple[str, ...]) -> Deck:
    def face(card: str) -> Texture:
        return _load_texture(folder, card)

    def back() -> Texture:
        if any(folder.glob("back.*")):
            return _load_texture(folder, "back")
        return machine_deck(sum(name.encode())).back()

    return Deck(name=name, draw_face=face, draw_back=back, cards=cards)


def _load_texture(folder: Path, stem: str) -> Texture:
    """Load a picture as a texture; one without transparency gets round corners."""
    paths: Mapping[str, Path] = {path.suffix: path for path in sorted(folder.glob(f"{stem}.*"))}
    picture = cv2.imread(str(next(iter(paths.values()))), cv2.IMREAD_UNCHANGED) if paths else None
    if picture is None:
        raise DeckNameError(f"{folder}: {stem} = no picture; must be a PNG or JPEG of that card")
    picture = cv2.resize(picture, TEXTURE_SIZE_WH_PX, interpolation=cv2.INTER_AREA)
    if picture.shape[2] == 4:
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA), dtype=np.uint8)
    return np.dstack([cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), corner_alpha(CORNER_RADIUS_MM)])
