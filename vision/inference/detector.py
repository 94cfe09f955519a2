"""Detect cards, chip stacks, cutting cards and hands in the rectified view, as oriented boxes in millimetres.

The network takes tiles of a fixed scale, square ones or smaller; regions larger than a tile are covered by several that
overlap. It raises where it fails; an empty result means that nothing was detected.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CARD_BACK, CARD_FACE, CUT_CARD, HAND, LABELS, Detections, concatenate, suppress
from thirdcard.vision.errors import DetectorError, ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.batching import Session
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.oriented_boxes import decode
from thirdcard.vision.inference.session import ModelSession
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.tiling import Rect, cover, holds

COMPETING = ((CARD_FACE, CARD_BACK, CUT_CARD),)
"""Labels that compete: one flat piece of the size of a card is one object, whatever it is."""
_SEAM_SLACK_MM = 12.0
"""A box up to this many mm outside its tile's core still counts, so that one at a seam is not lost between two
tiles: 95 % of cards are off by 11 mm or less (models/cards/detector.md). If it is found twice, one is suppressed."""


class Detector:
    """An open detector."""

    def __init__(self, session: Session, *, score: float, iou: float) -> None:
        """Take an open model.

        Args:
            session: The model.
            score: Boxes with a lower raw score are dropped.
            iou: Boxes that overlap by more than this share are one object.
        """
        self._session = session
        self.score = score
        self._iou = iou
        self._step_px = session.spec.setting("step_px")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1, score: float | None = None) -> Detector:
        """Open the detector of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("detector") if spec is None else spec
        if spec.classes != LABELS or spec.input_hw_px[0] != spec.input_hw_px[1]:
            raise ModelError(
                f"registry.yaml: detector.classes = {list(spec.classes)}; must be {list(LABELS)}, square input"
            )
        return cls.over(ModelSession.open(spec, threads=threads), score=score)

    @classmethod
    def over(cls, session: Session, *, score: float | None = None) -> Detector:
        """Return a detector over an open model, with the thresholds of the registry."""
        spec = session.spec
        return cls(session, score=spec.setting("score") if score is None else score, iou=spec.setting("iou"))

    @property
    def tile_px(self) -> int:
        """Side of the largest tiles that the network takes; smaller ones are multiples of its step."""
        return self._session.spec.input_hw_px[0]

    def detect(self, image_hw3: Image, origin_mm: tuple[float, float], px_per_mm: float) -> Detections:
        """Detect the objects in one tile.

        Args:
            image_hw3: (tile_px, tile_px, 3) uint8, BGR, or smaller in whole steps.
            origin_mm: Where the centre of the tile's first pixel lies.
            px_per_mm: The tile's scale.

        Raises:
            DetectorError: The network failed.
        """
        return self.detect_tiles([image_hw3], [origin_mm], px_per_mm)[0]

    def detect_tiles(
        self, images: Sequence[Image], origins_mm: Sequence[tuple[float, float]], px_per_mm: float
    ) -> list[Detections]:
        """Detect the objects in several tiles; as `detect`, with one result for each tile."""
        found = []
        for image, raw, origin_mm in zip(images, self._run(images), origins_mm, strict=True):
            boxes = decode(raw, (image.shape[0], image.shape[1]), score=self.score)
            in_mm = Detections(boxes.corners_mm / px_per_mm + np.array(origin_mm), boxes.label, boxes.score)
            found.append(suppress(in_mm, iou=self._iou, across_labels=COMPETING))
        return found

    def _run(self, images: Sequence[Image]) -> list[NDArray[np.float32]]:
        """Return the raw output for each picture."""
        told: dict[int, NDArray[np.float32]] = {}
        for batch in self._batches(images):
            try:
                told |= zip(batch, self._session.run([images[i] for i in batch]), strict=True)
            except ModelError:
                raise
            except Exception as error:  # onnxruntime raises classes that it does not export
                raise DetectorError(f"detector: {' '.join(str(error).split())}") from error
        return [told[i] for i in range(len(images))]

    def _batches(self, images: Sequence[Image]) -> list[list[int]]:
        """Group pictures by size; each stands alone where batches are no faster, as on a CPU."""
        if not self._session.takes_batches:
            return [[i] for i in range(len(images))]
        sizes: dict[tuple[int, ...], list[int]] = {}
        for i, image in enumerate(images):
            sizes.setdefault(image.shape, []).append(i)
        return list(sizes.values())

    def detect_regions(
        self,
        image: Image,
        rectifier: Rectifier,
        rects_mm: Sequence[Rect],
        *,
        shift_mm: tuple[float, float] = (0.0, 0.0),
    ) -> Detections:
        """Detect the objects in parts of the cloth.

        Args:
            image: The camera's whole picture.
            rectifier: Its rectified view.
            rects_mm: (x0, y0, x1, y1) each. Objects whose centre lies inside are detected, others may be.
            shift_mm: How far the tiles are moved: what one look misses another may find.

        Raises:
            DetectorError: The network failed.
        """
        px_per_mm = rectifier.px_per_mm
        looks = cover(rects_mm, self.tile_px / px_per_mm, step_mm=self._step_px / px_per_mm)
        origins_mm = [
            rectifier.snapped_mm((look.origin_mm[0] + shift_mm[0], look.origin_mm[1] + shift_mm[1])) for look in looks
        ]
        sizes_px = [(round(look.size_mm[0] * px_per_mm), round(look.size_mm[1] * px_per_mm)) for look in looks]
        tiles = [rectifier.tile(image, *place) for place in zip(origins_mm, sizes_px, strict=True)]
        found = self.detect_tiles(tiles, origins_mm, px_per_mm)
        parts = [
            part.take(holds(look.core_mm, part.centres_mm, slack_mm=_SEAM_SLACK_MM) | (part.label == HAND))
            for look, part in zip(looks, found, strict=True)
        ]
        joined = concatenate(parts)
        return joined if len(parts) < 2 else suppress(joined, iou=self._iou, across_labels=COMPETING)
