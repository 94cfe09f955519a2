"""Enrol a house's own cards: from a spread that was read, or from pictures of faces, one per file.

Only faces that were read beyond doubt and look like their kind are used. Of several the one most similar to the others
is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import HEIGHT_PX, RIM, WIDTH_PX
from thirdcard.vision.inference.enrolled_deck import LEAST_FACES, EnrolledFace, HouseDeck, HouseDeckError
from thirdcard.vision.inference.reader import BACK, UNCLEAR
from thirdcard.vision.inference.similarity import likeness, prepared
from thirdcard.vision.photo.recognise import load_image
from thirdcard.vision.spread.spread_reading import SeenRow, Strip, shown_columns, strip_crop

PICTURE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
SHEET_COLUMNS = 13
"""Faces per line of the sheet: a quarter of a deck's 52."""


def deck_from_rows(rows: Sequence[SeenRow], image: Image, calibration: Calibration, name: str) -> HouseDeck:
    """Enrol the faces of a spread.

    Raises:
        HouseDeckError: Too few faces were read beyond doubt.
    """
    strips: dict[str, list[Strip]] = {}
    for card in (card for row in rows if row.is_ordered for card in row.cards):
        if card.is_sure and card.label is not None and not card.is_odd:
            strips.setdefault(card.label, []).append(card.strip)
    faces = {}
    for label, own in strips.items():
        face = _most_usual(own, image, calibration)
        if face is not None:
            faces[label] = face
    if len(faces) < LEAST_FACES:
        raise HouseDeckError(f"{name}: {len(faces)} faces were read beyond doubt; must be at least {LEAST_FACES}")
    return HouseDeck(name, faces)


def deck_from_pictures(folder: Path, labels: tuple[str, ...], name: str) -> HouseDeck:
    """Enrol the faces of a folder of pictures named `AS.png`, `10H.jpg`, `back.png`, each filled by its upright card.

    Raises:
        HouseDeckError: A file is not named after a card, or there are too few.
        UnreadableImageError: A file is not a picture.
    """
    paths = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURE_ENDINGS]
    faces = {}
    for path in paths:
        if path.stem not in labels or path.stem == UNCLEAR:
            raise HouseDeckError(f"{path}: name = {path.stem}; must be a card such as AS or 10H, or {BACK}")
        faces[path.stem] = face_from_picture(path)
    if len(faces) < LEAST_FACES:
        raise HouseDeckError(f"{folder}: {len(faces)} pictures of cards; must be at least {LEAST_FACES}")
    return HouseDeck(name, faces)


def face_from_picture(path: Path) -> EnrolledFace:
    """Load one face, or the back, from a picture that it fills."""
    picture = load_image(path)
    if picture.shape[1] > picture.shape[0]:
        picture = np.ascontiguousarray(np.rot90(picture))
    rim_x, rim_y = round(WIDTH_PX * RIM / (1 + 2 * RIM)), round(HEIGHT_PX * RIM / (1 + 2 * RIM))
    inner = cv2.resize(picture, (WIDTH_PX - 2 * rim_x, HEIGHT_PX - 2 * rim_y), interpolation=cv2.INTER_AREA)
    crop = cv2.copyMakeBorder(inner, rim_y, rim_y, rim_x, rim_x, cv2.BORDER_REPLICATE)
    return EnrolledFace(np.asarray(crop, np.uint8), slice(rim_x, WIDTH_PX - rim_x))


def draw_sheet(deck: HouseDeck, labels: Sequence[str]) -> Image:
    """Draw all enrolled faces side by side, in the order of the labels.

    The place of one that is not enrolled stays empty.
    """
    cells = []
    for label in labels:
        cell = np.full((HEIGHT_PX, WIDTH_PX, 3), 40, np.uint8)
        face = deck.faces.get(label)
        if face is not None:
            cell[:, face.columns] = face.crop[:, face.columns]
        cv2.putText(cell, label, (3, HEIGHT_PX - 3), cv2.FONT_HERSHEY_PLAIN, 0.8, (60, 76, 255), 1, cv2.LINE_AA)
        cells.append(cell)
    cells += [np.full((HEIGHT_PX, WIDTH_PX, 3), 40, np.uint8)] * (-len(cells) % SHEET_COLUMNS)
    lines = [np.hstack(cells[n : n + SHEET_COLUMNS]) for n in range(0, len(cells), SHEET_COLUMNS)]
    return np.vstack(lines)


def _most_usual(strips: Sequence[Strip], image: Image, calibration: Calibration) -> EnrolledFace | None:
    """Return the strip most similar to the others; of fewer than three the widest."""
    crops = [(strip_crop(image, calibration, strip), shown_columns(strip.shown)) for strip in strips]
    seen = [(crop, columns) for crop, columns in crops if crop is not None]
    if not seen:
        return None
    if len(seen) < 3:
        return EnrolledFace(*max(seen, key=lambda each: each[1].stop - each[1].start))
    small = [(prepared(crop), columns) for crop, columns in seen]
    alike = [
        np.mean([likeness(one, other, _both(own, its)) for other, its in small if other is not one])
        for one, own in small
    ]
    return EnrolledFace(*seen[int(np.argmax(np.nan_to_num(alike, nan=-1.0)))])


def _both(first: slice, second: slice) -> slice:
    return slice(max(first.start, second.start), min(first.stop, second.stop))
