"""A house's own cards as they were enrolled: how each face, and the back, looks in a reader's crop.

Two files: a YAML file that lists what is enrolled, and beside it the pictures (`.npz`). A face of which only a strip
was seen is compared in that strip only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import DocumentError
from thirdcard.vision.errors import VisionError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.similarity import Small, likeness, prepared

KEYS = frozenset({"name", "faces", "cards", "back"})
LEAST_FACES = 26
"""Least number of enrolled faces; with fewer, faces cannot be distinguished."""


class HouseDeckError(VisionError):
    """A file of enrolled cards is missing, altered or of another kind."""


@dataclass(frozen=True, slots=True, eq=False)
class EnrolledFace:
    """An enrolled face, or the back."""

    crop: Image
    """(112, 80, 3) uint8, BGR, one end up."""
    columns: slice
    """The crop's columns that show the card."""


@dataclass(frozen=True, slots=True, eq=False)
class HouseDeck:
    """The enrolled faces by their labels, including the back where it was seen."""

    name: str
    faces: Mapping[str, EnrolledFace]

    def likeness(self, seen: Small, label: str) -> float:
        """Return the similarity, -1 to 1, of a prepared crop and an enrolled face, either end up.

        NaN where the face is not enrolled.
        """
        face = self.faces.get(label)
        if face is None:
            return float("nan")
        turned = np.ascontiguousarray(seen[::-1, ::-1])
        known = prepared(face.crop)
        return max(likeness(seen, known, face.columns), likeness(turned, known, face.columns))


def save_house_deck(path: Path, deck: HouseDeck) -> None:
    """Write the YAML file, and beside it the pictures under the same name."""
    labels = sorted(deck.faces)
    pictures = path.with_suffix(".npz")
    np.savez_compressed(
        pictures,
        crops=np.stack([deck.faces[label].crop for label in labels]),
        columns=np.array(
            [(deck.faces[label].columns.start, deck.faces[label].columns.stop) for label in labels], np.int16
        ),
    )
    said = {"name": deck.name, "faces": pictures.name, "cards": labels, "back": "back" in deck.faces}
    path.write_text(yaml.safe_dump(said, sort_keys=False, default_flow_style=None, width=120), encoding="utf-8")


def load_house_deck(path: Path, labels: tuple[str, ...]) -> HouseDeck:
    """Load what `save_house_deck` wrote.

    Args:
        path: The YAML file.
        labels: The labels that may be enrolled.

    Raises:
        HouseDeckError: A file is missing or wrong; the text names file, key, value and what is allowed.
    """
    said = _read_yaml(path)
    cards = said["cards"]
    if not isinstance(cards, list) or any(card not in labels for card in cards) or len(set(cards)) != len(cards):
        odd = next((card for card in cards if card not in labels), cards) if isinstance(cards, list) else cards
        raise HouseDeckError(f"{path}: cards = {odd!r}; must be a list of different cards such as AS, 10H, and back")
    if len(cards) < LEAST_FACES:
        raise HouseDeckError(f"{path}: cards = {len(cards)} cards; must be at least {LEAST_FACES}")
    crops, columns = _read_pictures(path.parent / str(said["faces"]), len(cards))
    faces = {
        card: EnrolledFace(crop, slice(int(span[0]), int(span[1])))
        for card, crop, span in zip(cards, crops, columns, strict=True)
    }
    return HouseDeck(str(said["name"]), faces)


def _read_yaml(path: Path) -> dict[str, object]:
    try:
        said = dict(read_document(path))
    except DocumentError as error:
        raise HouseDeckError(str(error)) from error
    wrong = sorted(set(map(str, said)) ^ KEYS)
    if wrong:
        raise HouseDeckError(f"{path}: {wrong[0]}: unknown or missing key; allowed: {', '.join(sorted(KEYS))}")
    return said


def _read_pictures(path: Path, count: int) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    try:
        with np.load(path, allow_pickle=False) as stored:
            crops, columns = stored["crops"], stored["columns"]
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise HouseDeckError(f"{path}: cannot be read as the pictures of a deck: {error}") from error
    if crops.shape != (count, HEIGHT_PX, WIDTH_PX, 3) or crops.dtype != np.uint8 or columns.shape != (count, 2):
        found = f"{list(crops.shape)}, {crops.dtype}"
        raise HouseDeckError(f"{path}: crops = {found}; must be [{count}, {HEIGHT_PX}, {WIDTH_PX}, 3], uint8")
    return crops, columns
