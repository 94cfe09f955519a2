"""Find the corner indices of cards in a photograph: rank and suit sign, at any rotation and size.

A small network examines tiles of a pyramid of scales. Points are pixels of the photograph.

The network's output at a cell (i, j) of 4 x 4 pixels: the logit that an index has its centre there; the offset of that
centre from the cell's centre (x, y) in cells; log(width / 16 px), log(height / 16 px); the direction from sign to rank
(x, y).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import polygon_iou
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.photo_tiles import PhotoTile, tiles_of
from thirdcard.vision.inference.session import ModelSession

CHANNELS = ("logit", "offset_x", "offset_y", "log_width", "log_height", "up_x", "up_y")
CELL_PX = 4
"""The network's stride: its maps are a quarter of the tile's size (models/registry.yaml)."""
UNIT_PX = 16.0
"""The width and height whose logarithm is 0."""
HEIGHTS_PX = (11.0, 42.0)
"""Heights of an index that the network was trained on, in the pixels it receives."""
_TOLERANCE = 1.25
"""Factor by which an index may be smaller or larger than those: scales overlap, so one at the limit is seen at the
next scale as well. Chosen by hand."""
_STEP = 1.6
"""Factor from scale to scale: heights of 11 to 42 px are a factor of 3.8, so each index is examined at two or three
scales."""
_ENLARGED_PX = 1600
"""Pictures whose long side is shorter are enlarged, at most to twice their size: their indices may be tiny."""
_OVERLAP_PX = 56
"""Overlap of tiles: more than the height of the largest index that counts, 42 px x 1.25, so that each is whole in
some tile."""
_SAME_IOU = 0.3
"""Overlap from which two finds are one index: indices of two cards hardly overlap. Chosen by hand."""
_SAME_MIDDLE = 0.45
"""Two finds whose centres are nearer than this share of their height are one index."""


@dataclass(frozen=True, slots=True, eq=False)
class Indices:
    """Corner indices in one picture; one row is one index. The arrays are read-only."""

    centres_px: NDArray[np.float64]
    """(N, 2) centres, x, y."""
    ups: NDArray[np.float64]
    """(N, 2) unit vectors from sign to rank."""
    sizes_px: NDArray[np.float64]
    """(N, 2) width and height."""
    score: NDArray[np.float64]
    """(N,) 0 to 1."""

    def __post_init__(self) -> None:
        count = len(self.score)
        for name in ("centres_px", "ups", "sizes_px"):
            if getattr(self, name).shape != (count, 2):
                raise ValueError(f"{name}: shape = {getattr(self, name).shape}; must be ({count}, 2)")
        for name in ("centres_px", "ups", "sizes_px", "score"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(self.score)

    @property
    def corners_px(self) -> NDArray[np.float64]:
        """(N, 4, 2) the indices' boxes, clockwise from each one's own top left corner."""
        up = self.ups * self.sizes_px[:, 1:] / 2
        right = np.column_stack([-self.ups[:, 1], self.ups[:, 0]]) * self.sizes_px[:, :1] / 2
        middle = self.centres_px
        corners: NDArray[np.float64] = np.stack(
            [middle + up - right, middle + up + right, middle - up + right, middle - up - right], axis=1
        )
        return corners

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | list[int]) -> Indices:
        """Return the rows that a boolean mask or integer indices select."""
        chosen = np.asarray(rows)
        chosen = chosen if chosen.dtype == np.bool_ else chosen.astype(np.int64)
        return Indices(self.centres_px[chosen], self.ups[chosen], self.sizes_px[chosen], self.score[chosen])


class IndexFinder:
    """An open index finder."""

    def __init__(self, session: ModelSession, *, score: float) -> None:
        """Take an open model and the score below which a find is dropped."""
        self._session = session
        self._score = score

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> IndexFinder:
        """Open the index finder of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("index_finder") if spec is None else spec
        if spec.classes != CHANNELS or spec.input_hw_px[0] != spec.input_hw_px[1]:
            raise ModelError(
                f"registry.yaml: {spec.name}.classes = {list(spec.classes)}; must be {list(CHANNELS)}, square input"
            )
        return cls(ModelSession.open(spec, threads=threads), score=spec.setting("score"))

    @property
    def tile_px(self) -> int:
        """Side of the square tiles that the network takes."""
        return self._session.spec.input_hw_px[0]

    def find(self, image: Image) -> Indices:
        """Return all indices of a photograph, (H, W, 3) uint8, BGR, best first."""
        parts = []
        for scale in _scales(image, self.tile_px):
            size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
            smooth = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
            scaled = np.asarray(cv2.resize(image, size, interpolation=smooth), np.uint8)
            parts += [self._look(tile, scale) for tile in tiles_of(scaled, self.tile_px, _OVERLAP_PX)]
        return without_doubles(_joined(parts))

    def _look(self, tile: PhotoTile, scale: float) -> Indices:
        found = decode_indices(self._session.run([tile.image])[0], score=self._score)
        height = found.sizes_px[:, 1]
        fits = (height > HEIGHTS_PX[0] / _TOLERANCE) & (height < HEIGHTS_PX[1] * _TOLERANCE)
        inside = fits & tile.owns(found.centres_px)
        kept = found.take(inside)
        return Indices(
            (kept.centres_px + tile.origin_px + 0.5) / scale - 0.5, kept.ups, kept.sizes_px / scale, kept.score
        )


def decode_indices(told: NDArray[np.float32], *, score: float) -> Indices:
    """Return the peaks of one tile's output, (7, H, W), as indices in the tile's pixels."""
    logit = told[0].astype(np.float64)
    highest = cv2.dilate(told[0], np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((told[0] >= highest) & (logit >= np.log(score / (1 - score))))
    values = told[:, rows, columns].astype(np.float64)
    cells = np.column_stack([columns, rows]) + 0.5 + values[1:3].T
    ups = values[5:7].T
    ups = ups / np.maximum(np.linalg.norm(ups, axis=1, keepdims=True), 1e-6)
    sizes = np.exp(np.clip(values[3:5].T, -3, 3)) * UNIT_PX
    return Indices(cells * CELL_PX - 0.5, ups, sizes, 1 / (1 + np.exp(-values[0])))


def without_doubles(found: Indices) -> Indices:
    """Keep the best of finds that show the same index, best first."""
    order = np.argsort(-found.score, kind="stable")
    corners = found.corners_px.astype(np.float32)
    kept: list[int] = []
    for i in order:
        away = np.linalg.norm(found.centres_px[kept] - found.centres_px[i], axis=1) if kept else np.empty(0)
        near = np.flatnonzero(away < 2 * found.sizes_px[i].max())
        reach = _SAME_MIDDLE * found.sizes_px[i, 1]
        if not any(away[j] < reach or polygon_iou(corners[i], corners[kept[j]]) > _SAME_IOU for j in near):
            kept.append(int(i))
    return found.take(kept)


def _scales(image: Image, tile_px: int) -> list[float]:
    """Return the scales, from the photograph at up to twice its size down to one that fits into a tile."""
    long_px = max(image.shape[:2])
    scales = [min(2.0, max(1.0, _ENLARGED_PX / long_px))]
    while scales[-1] * long_px > tile_px:
        scales.append(scales[-1] / _STEP)
    return scales


def _joined(parts: list[Indices]) -> Indices:
    return Indices(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("centres_px", "ups", "sizes_px", "score")
        )
    )
