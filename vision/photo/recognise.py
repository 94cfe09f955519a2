"""Read the cards in any photograph, without calibration.

The detector knows cards of one size only, so it examines the photograph at several scales; what it detects is cut out
of the full picture and read. Corner indices are found and read in addition: in a fan nothing else is visible. Points
are pixels of the photograph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CHIPS, CUT_CARD, Detections, concatenate, suppress
from thirdcard.vision.errors import ModelError, UnreadableImageError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.crops import photo_crop
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.index_finder import IndexFinder
from thirdcard.vision.inference.index_reader import IndexReader
from thirdcard.vision.inference.photo_tiles import tiles_of
from thirdcard.vision.inference.quads import fit_quad
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Reader
from thirdcard.vision.photo.index_fusion import WholeCard, face_shares, join, read_indices
from thirdcard.vision.photo.recognised import SURE, Recognised

Scale = float
_STEP = 2**0.5
_MOST_LONG_SIDE_PX = 1810
"""Largest long side at which photographs are examined: more tiles take longer. Scales are _STEP apart from half a
tile (160 px) on, so the largest is 1280 px long; the next would be 1810.2."""
_OVERLAP_PX = 90
"""Overlap of tiles: a card of up to 52 px in width (90 px across its diagonal) lies whole in some tile; a larger one
does at a smaller scale."""
_CARD_WIDTHS_PX = (15.0, 90.0)
"""Width of a card in the scaled picture outside which detections are rejected."""
_BEST_WIDTH_PX, _WIDTH_SPREAD = 34.0, 0.6
"""The width at which the detector sees cards best, and the standard deviation of the score's decline away from it,
in log width."""
_CUT_SCORE = 0.5
"""Factor on the score of a box that is cut off by its tile."""
_INSIDE = 0.7
"""A box covered by a better one to a larger share than this is part of it."""
_NEARLY_SQUARE = 1.2
"""A card is 1.4 times as long as wide; where the ratio seems smaller than this, seen obliquely, either side may be
the short one, and it is read both ways. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class PhotoModels:
    """The opened models that read photographs."""

    detector: Detector
    """Detects cards and chips."""
    reader: Reader
    """Reads whole faces."""
    index_finder: IndexFinder
    index_reader: IndexReader

    @classmethod
    def open(cls) -> PhotoModels:
        """Open the models of the registry.

        Raises:
            ModelError: A model is missing or altered, or the two readers name different faces.
        """
        models = cls(Detector.open(), Reader.open(), IndexFinder.open(), IndexReader.open())
        whole = tuple(label for label in models.reader.labels if label not in (BACK, UNCLEAR))
        if (*whole, UNCLEAR) != models.index_reader.labels:
            raise ModelError("registry.yaml: index_reader.classes: must be the reader's faces, then unclear")
        return models


def load_image(path: str | Path) -> Image:
    """Load a picture file as (H, W, 3) uint8, BGR.

    Raises:
        UnreadableImageError: There is no such file, or it cannot be decoded.
    """
    path = Path(path)
    if not path.is_file():
        raise UnreadableImageError(str(path), "no such file")
    image = cv2.imdecode(np.frombuffer(path.read_bytes() or b"\0", np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise UnreadableImageError(str(path), "cannot be decoded")
    return np.asarray(image, np.uint8)


def recognise(image: Image, models: PhotoModels) -> list[Recognised]:
    """Find and read what lies in a photograph, (H, W, 3) uint8, BGR, of any size; best first.

    Cards are read as a whole where they lie free, and by their corner indices where only these are visible.
    """
    found = find(image, models.detector)
    whole = [_read_card(image, found, row, models.reader) for row in range(len(found)) if found.label[row] != CHIPS]
    indices = models.index_finder.find(image)
    faces = [label for label in models.index_reader.labels if label != UNCLEAR]
    cards = join(whole, read_indices(indices, models.index_reader.read(image, indices)), faces)
    chips = [
        Recognised("chips", None, True, float(found.score[row]), found.corners_mm[row])
        for row in range(len(found))
        if found.label[row] == CHIPS
    ]
    return sorted(cards + chips, key=lambda each: -each.confidence)


def find(image: Image, detector: Detector) -> Detections:
    """Detect cards and chips of any size; `corners_mm` holds pixels of the photograph here.

    Cutting cards are among the cards: away from a table, a piece of one colour and of a card's shape may be either.
    """
    parts = []
    for scale in _scales(image, detector.tile_px):
        size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
        smooth = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        parts.append(_find_at(np.asarray(cv2.resize(image, size, interpolation=smooth), np.uint8), detector, scale))
    joined = concatenate(parts).of(CARD_FACE, CARD_BACK, CUT_CARD, CHIPS)
    return without_parts(suppress(joined, iou=0.4, across_labels=((CARD_FACE, CARD_BACK, CUT_CARD),)))


def _scales(image: Image, tile_px: int) -> Iterator[Scale]:
    """Yield the scales, from the photograph in half a tile up to about its own size."""
    long_px = max(image.shape[:2])
    target_px = tile_px / 2
    while target_px <= max(min(1.2 * long_px, _MOST_LONG_SIDE_PX), tile_px):
        yield target_px / long_px
        target_px *= _STEP


def _find_at(image: Image, detector: Detector, scale: Scale) -> Detections:
    side = detector.tile_px
    parts = []
    for tile in tiles_of(image, side, _OVERLAP_PX):
        x, y = tile.origin_px
        parts.append(_weigh(detector.detect(tile.image, (x, y), 1.0), (x, y, x + side, y + side), image))
    found = concatenate(parts)
    width = found.sizes_mm[:, 0]
    believed = (found.label == CHIPS) | ((width > _CARD_WIDTHS_PX[0]) & (width < _CARD_WIDTHS_PX[1]))
    off = np.log(np.maximum(width, 1e-6) / _BEST_WIDTH_PX) / _WIDTH_SPREAD
    score = np.where(found.label == CHIPS, found.score, found.score * np.exp(-0.5 * off**2))
    return Detections(found.corners_mm / scale, found.label, score).take(believed)


def _weigh(found: Detections, tile: tuple[int, int, int, int], image: Image) -> Detections:
    """Lower the score of boxes that their tile cuts off, but not of those that the photograph itself cuts off."""
    low, high = found.corners_mm.min(axis=1), found.corners_mm.max(axis=1)
    height, width = image.shape[:2]
    is_cut = (low[:, 0] < tile[0]) & (tile[0] > 0) | (high[:, 0] > tile[2]) & (tile[2] < width)
    is_cut |= (low[:, 1] < tile[1]) & (tile[1] > 0) | (high[:, 1] > tile[3]) & (tile[3] < height)
    return Detections(found.corners_mm, found.label, np.where(is_cut, found.score * _CUT_SCORE, found.score))


def without_parts(found: Detections) -> Detections:
    """Drop boxes that lie mostly inside a better one of their kind: a pip, or a part seen at another scale."""
    corners = found.corners_mm.astype(np.float32)
    kept: list[int] = []
    for i in range(len(found)):
        same_kind = [j for j in kept if (found.label[j] == CHIPS) == (found.label[i] == CHIPS)]
        if not any(_share_inside(corners[i], corners[j]) > _INSIDE for j in same_kind):
            kept.append(i)
    return found.take(kept)


def _share_inside(inner: NDArray[np.float32], outer: NDArray[np.float32]) -> float:
    area = abs(cv2.contourArea(inner))
    both, _ = cv2.intersectConvexConvex(inner, outer)
    return float(both / area) if area > 0 else 1.0


def _read_card(image: Image, found: Detections, row: int, reader: Reader) -> WholeCard:
    corners = fit_quad(image, found.corners_mm[row])
    short, long = np.linalg.norm(np.diff(corners[:3], axis=0), axis=1)
    quads = [corners] if long > _NEARLY_SQUARE * short else [corners, np.roll(corners, -1, axis=0)]
    readings = reader.read([photo_crop(image, quad) for quad in quads])
    shares = face_shares(readings)
    best = int(shares.max(axis=1).argmax())
    label, confidence = readings.best[best], float(readings.confidence[best])
    if label in (BACK, UNCLEAR) or confidence < SURE:
        face_up = label != BACK and bool(found.label[row] == CARD_FACE)
        return WholeCard(Recognised("card", None, face_up, float(found.score[row]), quads[best]), shares[best])
    return WholeCard(Recognised("card", label, True, confidence, quads[best]), shares[best])
