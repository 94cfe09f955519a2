"""Write the cards that people corrected, cut out and labelled, for the next training.

The detector and the reader examine each kept frame: of the cards in the hand the one is taken that reads like the
correction, or, where nothing was read, the one with the lowest confidence. Cards that were not found are listed for a
person.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from thirdcard.calibration.camera import parse_calibration
from thirdcard.service.media.stills import Image
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store.database import Database
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.vision.detections import CARD_BACK, CARD_FACE
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.plane.rectify import Rectifier

VERSION = 1
MARGIN_MM = 40.0
"""A card that lies partly outside its hand's box, by this much at most, still belongs to it."""
PATCH_PX = 640
PATCH_CARDS = 2.6
"""The width of a patch in card heights."""


class CorrectionExportError(ServiceError):
    """The kept pictures cannot be exported."""


@dataclass(frozen=True, slots=True)
class CardModels:
    """The models that detect and read a card."""

    detector: Detector
    reader: Reader

    @classmethod
    def open(cls) -> CardModels:
        """Load the models of the registry."""
        return cls(Detector.open(), Reader.open())


@dataclass(frozen=True, slots=True)
class Exported:
    """The number of cards written, and of cards not found."""

    cards: int
    not_found: int


def export_corrections(database: Database, evidence: Path, out: Path, eyes: CardModels) -> Exported:
    """Write `crops/`, `images/`, `annotations.json` and `manifest.json` into a folder.

    Raises:
        CorrectionExportError: A kept frame was lost or changed.
    """
    for name in ("crops", "images"):
        (out / name).mkdir(parents=True, exist_ok=True)
    items, annotations = [], []
    with database.reading() as session:
        kept = select(CorrectionRow).where(CorrectionRow.picture_state == "kept", CorrectionRow.taken_back_at.is_(None))
        rows = session.scalars(kept.order_by(CorrectionRow.id)).all()
        facts = [(row.id, row.table_id, row.picture, row.picture_sha256, row.picture_note) for row in rows]
    for number, table_id, path, sha256, note in facts:
        frame = _frame(evidence / str(path), str(sha256))
        sight = json.loads(note or "{}")
        corners = find_card(frame, sight, eyes)
        item = {"correction": number, "table": table_id, "frame_sha256": sha256,
                **{name: sight[name] for name in ("at", "video", "second_s", "hand", "before", "card")}}  # fmt: skip
        if corners is None:
            items.append({**item, "crop": None, "crop_sha256": None, "corners_px": None})
            continue
        items.append({**item, **_write_crop(out, number, frame, sight, corners)})
        if sight["card"] is not None:
            annotations.append(_write_patch(out, number, frame, sight, corners))
    _write_json(out / "annotations.json", annotations)
    _write_json(out / "manifest.json", {"version": VERSION, "items": items})
    found = sum(item["crop"] is not None for item in items)
    return Exported(cards=found, not_found=len(items) - found)


def find_card(frame: Image, sight: Mapping[str, Any], eyes: CardModels) -> NDArray[np.float64] | None:
    """The corners of the corrected card on the layout, (4, 2) mm; None where it is not found."""
    calibration = parse_calibration(sight["calibration"], "calibration")
    boxes = {name: np.asarray(polygon) for name, polygon in sight["hands_mm"].items()}
    wanted = [boxes[sight["hand"]]] if sight["hand"] in boxes else list(boxes.values())
    rectifier = Rectifier(calibration, (sight["size_mm"][0], sight["size_mm"][1]))
    regions = [(*(box.min(axis=0) - MARGIN_MM), *(box.max(axis=0) + MARGIN_MM)) for box in wanted]
    found = eyes.detector.detect_regions(frame, rectifier, regions).of(CARD_FACE, CARD_BACK)
    places: list[NDArray[np.float64]] = [
        corners for corners in found.corners_mm if any(is_in(corners.mean(axis=0), box) for box in wanted)
    ]
    crops = [(corners, card_crop(frame, calibration, corners)) for corners in places]
    seen = [(corners, crop) for corners, crop in crops if crop is not None]
    if not seen:
        return None
    sure = np.exp(eyes.reader.read([crop for _, crop in seen]).log_probs)
    labels = eyes.reader.labels
    if sight["before"] in labels:
        best = sure.argmax(axis=1) == labels.index(sight["before"])
        return seen[int(np.argmax(best))][0] if best.any() else None
    return seen[int(np.argmin(sure.max(axis=1)))][0]


def is_in(point: NDArray[np.float64], polygon: NDArray[np.float64], *, margin_mm: float = MARGIN_MM) -> bool:
    """Whether a point lies in a polygon or within `margin_mm` of it; both in mm."""
    outline = np.asarray(polygon, np.float32).reshape(-1, 1, 2)
    return cv2.pointPolygonTest(outline, (float(point[0]), float(point[1])), True) >= -margin_mm


def _frame(path: Path, sha256: str) -> Image:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CorrectionExportError(f"{path}: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise CorrectionExportError(f"{path}: is not what was kept; `thirdcard verify` tells more")
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:
        raise CorrectionExportError(f"{path}: is no picture")
    return np.asarray(image, np.uint8)


def _write_crop(
    out: Path, number: int, frame: Image, sight: Mapping[str, Any], corners: NDArray[np.float64]
) -> dict[str, Any]:
    """Write the upright crop for the reader; returns its place in the frame."""
    calibration = parse_calibration(sight["calibration"], "calibration")
    crop = card_crop(frame, calibration, corners)
    assert crop is not None, "it was read"
    name = f"crops/{number:08d}.png"
    data = _png(crop)
    (out / name).write_bytes(data)
    corners_px = np.asarray(calibration.image_from_layout(corners)).round(2).tolist()
    return {"crop": name, "crop_sha256": hashlib.sha256(data).hexdigest(), "corners_px": corners_px}


def _write_patch(
    out: Path, number: int, frame: Image, sight: Mapping[str, Any], corners: NDArray[np.float64]
) -> dict[str, Any]:
    """Write the card's surroundings as a photograph of its own, in the form of the reader's training data."""
    calibration = parse_calibration(sight["calibration"], "calibration")
    points = np.asarray(calibration.image_from_layout(corners), np.float64)
    middle, long_px = points.mean(axis=0), float(np.linalg.norm(points[1] - points[2]))
    scale = PATCH_PX / (PATCH_CARDS * max(long_px, 1.0))
    into = np.array([[scale, 0.0, PATCH_PX / 2 - scale * middle[0]], [0.0, scale, PATCH_PX / 2 - scale * middle[1]]])
    patch = cv2.warpAffine(frame, into, (PATCH_PX, PATCH_PX), flags=cv2.INTER_CUBIC)
    name = f"images/ps_{number:08d}.png"
    (out / name).write_bytes(_png(np.asarray(patch, np.uint8)))
    polygon = (points @ into[:, :2].T + into[:, 2]).round(2).tolist()
    return {"image": name, "width": PATCH_PX, "height": PATCH_PX, "native_aspect_est": 1.0,
            "objects": [{"label": sight["card"], "polygon": polygon}]}  # fmt: skip


def _png(image: Image) -> bytes:
    done, data = cv2.imencode(".png", image)
    if not done:
        raise CorrectionExportError("a picture could not be encoded")
    return data.tobytes()


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
