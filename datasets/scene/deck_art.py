"""Keep a deck's pictures as sprites."""

from __future__ import annotations

from typing import Protocol

import cv2
import numpy as np

from thirdcard.datasets.scene.raster import Image, Sprite


class DeckPictures(Protocol):
    """The part of a deck that the renderer needs: RGBA pictures with rounded corners in alpha."""

    def face(self, card: str) -> Image:
        """Return a face such as `10H`, upright."""

    def back(self) -> Image:
        """Return the back."""


class DeckArt:
    """The sprites of a deck, made when first asked for."""

    def __init__(self, deck: DeckPictures) -> None:
        self._deck = deck
        self._faces: dict[str, Sprite] = {}
        self._back: Sprite | None = None

    def face(self, card: str) -> Sprite:
        """Return the sprite of a face."""
        if card not in self._faces:
            self._faces[card] = Sprite(_bgra(self._deck.face(card)))
        return self._faces[card]

    def back(self) -> Sprite:
        """Return the sprite of the back."""
        if self._back is None:
            self._back = Sprite(_bgra(self._deck.back()))
        return self._back

    def back_picture(self) -> Image:
        """Return the back without alpha, BGR."""
        return np.ascontiguousarray(_bgra(self._deck.back())[:, :, :3])


def _bgra(rgba: Image) -> Image:
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(rgba), cv2.COLOR_RGBA2BGRA), np.uint8)
