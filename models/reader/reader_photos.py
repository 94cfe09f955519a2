"""Cut cards out of labelled photographs, as training samples for the reader.

Reads `annotations.json` (a list of `{image, width, height, native_aspect_est, objects: [{label, polygon}]}`) and only
pictures whose name begins with `ps_`; every tenth picture is kept for validation. A patch is the card's rectangle with
30 % more on each side at 1.6 px/mm, long side upright, either way up.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.datasets.decks.cards import CARD_SIZE_MM, CARDS

PATCH_MARGIN = 0.3
PATCH_PX_PER_MM = 1.6
PREFIX = "images/ps_"


@dataclass(frozen=True, slots=True)
class PhotoBook:
    """Patches with their classes."""

    patches: npt.NDArray[np.uint8]
    """(N, H, W, 3) RGB."""
    labels: npt.NDArray[np.int64]
    """(N,): index in `CARDS`, or 52 for a back."""


def read_photographs(annotations: Path, *, validation: bool) -> PhotoBook:
    """Cut out every whole labelled card; augmented copies are in the same split as their original picture."""
    patches, labels = [], []
    for record in json.loads(annotations.read_text(encoding="utf-8")):
        if not record["image"].startswith(PREFIX) or _is_for_validation(record["image"]) != validation:
            continue
        picture = cv2.imread(str(annotations.parent / record["image"]))
        if picture is None:
            continue
        for labelled in record["objects"]:
            label = 52 if labelled["label"] == "BACK" else _index_of(labelled["label"])
            quad = _upright_quad(labelled, float(record.get("native_aspect_est") or 1.0))
            if label is not None and quad is not None:
                patches.append(_cut(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), dtype=np.uint8), quad))
                labels.append(label)
    return PhotoBook(patches=np.stack(patches), labels=np.array(labels))


def _is_for_validation(image: str) -> bool:
    """Return whether a picture, with its augmented copies, belongs to the tenth kept for validation."""
    original = Path(image).stem.split(".rf")[0].split("_jpg")[0]
    return zlib.crc32(original.encode()) % 10 == 0


def _index_of(label: str) -> int | None:
    return CARDS.index(label) if label in CARDS else None


def _upright_quad(labelled: dict[str, Any], aspect: float) -> npt.NDArray[np.float32] | None:
    """Return the corners clockwise from the card's top left; None for an unknown long side or a cut-off card."""
    points = np.array(labelled.get("polygon", ()), dtype=np.float32)
    if points.shape != (4, 2) or points.min() < 2 or points.max() > 638:
        return None
    edges = np.roll(points, -1, axis=0) - points
    if edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0] < 0:
        points = points[::-1]
        edges = np.roll(points, -1, axis=0) - points
    sides = np.hypot(edges[:, 0] * aspect, edges[:, 1])
    ratio = (sides[0] + sides[2]) / (sides[1] + sides[3])
    if min(sides) < 45 or 0.87 < ratio < 1.15:
        return None
    return np.asarray(points if ratio < 1 else np.roll(points, 1, axis=0), dtype=np.float32)


def _cut(picture: npt.NDArray[np.uint8], quad: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    card = np.array(CARD_SIZE_MM) * PATCH_PX_PER_MM
    rim = card * PATCH_MARGIN
    target = np.array([rim, (rim[0] + card[0], rim[1]), rim + card, (rim[0], rim[1] + card[1])], dtype=np.float32)
    size = (int(card[0] + 2 * rim[0]), int(card[1] + 2 * rim[1]))
    matrix = cv2.getPerspectiveTransform(quad, target)
    return np.asarray(cv2.warpPerspective(picture, matrix, size, borderMode=cv2.BORDER_REFLECT), dtype=np.uint8)
