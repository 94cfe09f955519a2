"""Find cards, chip stacks, cutting cards and hands in the rectified view, as oriented boxes in millimetres.

The network looks at square tiles of a fixed scale; regions larger than a tile are covered by several that overlap.
Decodes the raw output of an Ultralytics oriented-box network. Raises where it cannot look; empty means nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.batching import Session
from vision.detections import (
    CARD_BACK,
    CARD_FACE,
    CUT_CARD,
    HAND,
    LABELS,
    Detections,
    concatenate,
    order_corners,
    suppress,
)
from vision.errors import DetectorError, ModelError
from vision.frames import Image
from vision.model_spec import ModelSpec, load_model_spec
from vision.rectify import Rectifier
from vision.session import ModelSession
from vision.tiling import Rect, cover, holds

COMPETING = ((CARD_FACE, CARD_BACK, CUT_CARD),)
"""One flat piece of the size of a card is one object, whatever it may be."""
_SEAM_SLACK_MM = 12.0


class Detector:
    """An open detector."""

    def __init__(self, session: Session, *, score: float, iou: float) -> None:
        """Takes an open model.

        Args:
            session: The model.
            score: Boxes below this raw score are dropped.
            iou: Boxes that overlap more than this are one object.
        """
        self._session = session
        self.score = score
        self._iou = iou

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1, score: float | None = None) -> Detector:
        """Opens the detector of the registry, or another."""
        spec = load_model_spec("detector") if spec is None else spec
        if spec.classes != LABELS or spec.input_hw_px[0] != spec.input_hw_px[1]:
            raise ModelError(
                f"registry.yaml: detector.classes = {list(spec.classes)}; must be {list(LABELS)}, square input"
            )
        return cls.over(ModelSession.open(spec, threads=threads), score=score)

    @classmethod
    def over(cls, session: Session, *, score: float | None = None) -> Detector:
        """A detector whose model is open already, with the numbers of the registry."""
        spec = session.spec
        return cls(session, score=spec.setting("score") if score is None else score, iou=spec.setting("iou"))

    @property
    def tile_px(self) -> int:
        """Side of the square tiles that the network takes."""
        return self._session.spec.input_hw_px[0]

    def detect(self, image_hw3: Image, origin_mm: tuple[float, float], px_per_mm: float) -> Detections:
        """Looks at one tile.

        Args:
            image_hw3: (tile_px, tile_px, 3) uint8, BGR.
            origin_mm: Where the centre of the tile's first pixel lies.
            px_per_mm: The tile's scale.

        Raises:
            DetectorError: The network failed.
        """
        return self.detect_tiles([image_hw3], [origin_mm], px_per_mm)[0]

    def detect_tiles(
        self, images: Sequence[Image], origins_mm: Sequence[tuple[float, float]], px_per_mm: float
    ) -> list[Detections]:
        """Looks at several tiles; as `detect`, one result a tile."""
        found = []
        for raw, origin_mm in zip(self._run(images), origins_mm, strict=True):
            boxes = decode(raw, score=self.score)
            in_mm = Detections(boxes.corners_mm / px_per_mm + np.array(origin_mm), boxes.label, boxes.score)
            found.append(suppress(in_mm, iou=self._iou, across_labels=COMPETING))
        return found

    def _run(self, images: Sequence[Image]) -> Iterator[NDArray[np.float32]]:
        """The raw output of each picture; one by one where batches are no faster, as on a CPU."""
        size = max(len(images), 1) if self._session.takes_batches else 1
        for begin in range(0, len(images), size):
            try:
                yield from self._session.run(images[begin : begin + size])
            except ModelError:
                raise
            except Exception as error:  # onnxruntime raises classes that it does not export
                raise DetectorError(f"detector: {' '.join(str(error).split())}") from error

    def detect_regions(
        self,
        image: Image,
        rectifier: Rectifier,
        rects_mm: Sequence[Rect],
        *,
        shift_mm: tuple[float, float] = (0.0, 0.0),
    ) -> Detections:
        """Looks at parts of the cloth.

        Args:
            image: The camera's whole picture.
            rectifier: Its rectified view.
            rects_mm: (x0, y0, x1, y1) each. Objects whose middle lies inside are found, others may be.
            shift_mm: how far the tiles are moved: what one look misses another may see.

        Raises:
            DetectorError: The network failed.
        """
        side_mm = self.tile_px / rectifier.px_per_mm
        looks = cover(rects_mm, side_mm)
        size_px = (self.tile_px, self.tile_px)
        origins_mm = [
            rectifier.snapped_mm((look.origin_mm[0] + shift_mm[0], look.origin_mm[1] + shift_mm[1])) for look in looks
        ]
        tiles = [rectifier.tile(image, origin_mm, size_px) for origin_mm in origins_mm]
        found = self.detect_tiles(tiles, origins_mm, rectifier.px_per_mm)
        parts = [
            part.take(holds(look.core_mm, part.centres_mm, slack_mm=_SEAM_SLACK_MM) | (part.label == HAND))
            for look, part in zip(looks, found, strict=True)
        ]
        joined = concatenate(parts)
        return joined if len(parts) < 2 else suppress(joined, iou=self._iou, across_labels=COMPETING)


def decode(raw: NDArray[np.float32], *, score: float) -> Detections:
    """Turns one picture's raw output into boxes in its pixels.

    A row of the output is x, y of the middle, width, height, one score a class, the angle t in radians; corners are
    the middle ± (w/2)(cos t, sin t) ± (h/2)(-sin t, cos t).

    Args:
        raw: (4 + classes + 1, anchors).
        score: Rows whose best class score is lower are dropped.
    """
    best = raw[4:-1].max(axis=0)
    rows = raw[:, best >= score].astype(np.float64)
    cosine, sine = np.cos(rows[-1]), np.sin(rows[-1])
    along = np.column_stack([cosine, sine]) * (rows[2] / 2)[:, None]
    across = np.column_stack([-sine, cosine]) * (rows[3] / 2)[:, None]
    middle = rows[:2].T
    corners = np.stack(
        [middle - along - across, middle + along - across, middle + along + across, middle - along + across], 1
    )
    scores = rows[4:-1]
    label = scores.argmax(axis=0) if scores.shape[1] else np.empty(0, np.int64)
    return Detections(order_corners(corners), label.astype(np.int64), scores.max(axis=0, initial=0.0))
