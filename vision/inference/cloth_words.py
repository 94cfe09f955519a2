"""Read which printed word a part of the cloth bears.

A part is a polygon in layout millimetres. It is cut out of a rectified view along its own axes, in pieces if it is
long, and shown to the network from both sides, since it is not known from where the word is to be read; where nothing
is read, across its longer side as well. What lies outside the polygon is painted over, so that a neighbour's word is
not read. Labels are class names of the registry; the last one stands for everything else: another word, none, or one
that is upside down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.reader import log_softmax
from thirdcard.vision.inference.session import ModelSession

HEIGHT_PX, WIDTH_PX = 48, 96
"""Size of the network's input."""
OTHER = "other"
"""The label for everything else."""
FACINGS = ("from below", "from above")
"""The sides of the cloth from which a word may be read."""
LEAST_OTHER = 0.02
"""No part alone decides from which side words are read."""
READ = 0.8
"""The probability from which a part counts as read: it is then not looked at across its longer side too."""
RIM_MM = 4.0
"""Width of the rim around a part that is shown too: calibrations are that exact, and lines are 2 to 8 mm wide."""
LONGEST = 3.0
"""Length of a piece in widths: words of six letters are four to six times as long as high, and fill half a part's width
at most. Longer parts are read in pieces that overlap by half."""
HIGHEST = 0.75
"""Height of a piece in lengths, so that a word which runs across a narrow part is not shown tiny."""
PX_PER_MM = 1.0
"""Scale of the rectified view: the finest at which usual cameras show a cloth (docs/camera-guide.md)."""
MESH_PX = 8
"""Between points so close together a lens's distortion is linear to hundredths of a pixel."""
OVERSAMPLING = 2
"""A crop is sampled this many times finer than the input and averaged: small print is not lost between samples."""
NEARBY_PX = 17
"""Side of the surroundings that a pixel is compared with: twice as wide as most letters are high."""
FLAT = 5.0
"""Grey levels added to the spread there, so that the noise of plain cloth is not raised to print."""
BATCH = 64
"""Crops that are run at once: bounds the memory."""

Polygon = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PieceFrame:
    """A piece of a part, as it is looked at in one direction."""

    middle: NDArray[np.float64]
    """(2,) pixels of the view."""
    turn: float
    """Direction of the crop's rows: radians from the view's x axis towards its y axis."""
    size: tuple[float, float]
    """Length along the rows and across them, pixels of the view."""


class ClothWordReader:
    """An open reader of printed words."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")
        self.labels = session.spec.classes

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> ClothWordReader:
        """Open the reader of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("cloth_words") if spec is None else spec
        if spec.input_hw_px != (HEIGHT_PX, WIDTH_PX) or spec.classes[-1] != OTHER:
            raise ModelError(
                f"registry.yaml: {spec.name}.input.shape = {list(spec.input.shape)}; "
                f"must be [null, 3, {HEIGHT_PX}, {WIDTH_PX}], with the last class {OTHER}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    def read(
        self,
        image: Image,
        calibration: Calibration,
        size_mm: tuple[float, float],
        groups: Sequence[Sequence[Polygon]],
    ) -> list[NDArray[np.float64]]:
        """Read the word of each part.

        Args:
            image: The camera's picture, (H, W, 3) uint8 BGR, of the calibration's size.
            calibration: The camera's.
            size_mm: The cloth's width and height.
            groups: Parts, (N, 2) mm each; all words of a group are read from the same side of the cloth.

        Returns:
            (parts, labels without the last) for each group: the probabilities of the words, in the piece in which one
            of them is the surest; 0 where the part is not wholly in the picture.
        """
        view = _view(image, calibration, size_mm)
        return [self._read_group(view, [_px_of(part, calibration) for part in group]) for group in groups]

    def _read_group(self, view: Image, outlines: Sequence[Polygon | None]) -> NDArray[np.float64]:
        """Read the parts that are seen from either side, and keep the side from which more words are read."""
        best = np.zeros((len(FACINGS), len(outlines), len(self.labels) - 1))
        for is_across in (False, True):
            unread = [i for i, each in enumerate(outlines) if each is not None and best[:, i].max(initial=0) < READ]
            looks = [
                (int(np.cos(frame.turn) < 0), i, piece_crop(view, outline, frame, RIM_MM * PX_PER_MM))
                for i in unread
                if (outline := outlines[i]) is not None
                for frame in pieces(outline, RIM_MM * PX_PER_MM, is_across=is_across)
            ]
            for start in range(0, len(looks), BATCH):
                batch = looks[start : start + BATCH]
                for (facing, i, _), row in zip(batch, self.shares([crop for *_, crop in batch])[:, :-1], strict=True):
                    best[facing, i] = row if row.max() > best[facing, i].max() else best[facing, i]
        surprise = -np.log(np.maximum(1.0 - best.sum(axis=2), LEAST_OTHER)).sum(axis=1)
        return np.asarray(best[int(surprise.argmax())], np.float64)

    def shares(self, crops: Sequence[Image]) -> NDArray[np.float64]:
        """Return the probabilities of the labels, (N, labels), for crops (HEIGHT_PX, WIDTH_PX, 3) uint8 BGR."""
        logits = self._session.run([standing_out(crop) for crop in crops]).astype(np.float64)
        return np.exp(log_softmax(logits / self._temperature))


def _view(image: Image, calibration: Calibration, size_mm: tuple[float, float]) -> Image:
    """The cloth as if seen from straight above; pixel (i, j) shows the point (i, j) / PX_PER_MM mm.

    Where each point lies in the picture is computed for every MESH_PX-th pixel, and interpolated.
    """
    width, height = (round(side * PX_PER_MM) + 1 for side in size_mm)
    mesh = (width // MESH_PX + 2, height // MESH_PX + 2)
    maps = calibration.rectify_maps((0.0, 0.0), mesh, px_per_mm=PX_PER_MM / MESH_PX)
    scale = np.array([[1 / MESH_PX, 0.0, 0.0], [0.0, 1 / MESH_PX, 0.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    x, y = (cv2.warpAffine(each.astype(np.float32), scale, (width, height), flags=flags) for each in maps)
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)


def pieces(outline_px: Polygon, rim_px: float, *, is_across: bool) -> Iterator[PieceFrame]:
    """The pieces of a part, each as it is looked at from one side and then from the opposite one."""
    (x, y), size, angle = cv2.minAreaRect(outline_px.astype(np.float32))
    long, short = max(size) + 2 * rim_px, min(size) + 2 * rim_px
    rows, across = (short, long) if is_across else (long, short)
    length = min(rows, LONGEST * across)
    height = min(across, HIGHEST * length)
    turn = float(np.radians(angle + (90 if (size[0] < size[1]) != is_across else 0)))
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    for along in _places(rows, length):
        for down in _places(across, height):
            middle = np.array([x, y]) + np.array([along, down]) @ axes
            yield PieceFrame(middle=middle, turn=turn, size=(length, height))
            yield PieceFrame(middle=middle, turn=turn + np.pi, size=(length, height))


def _places(whole: float, piece: float) -> NDArray[np.float64]:
    """Where the middles of pieces lie that overlap by half or more, from the middle of the whole."""
    free = whole - piece
    return np.linspace(-free / 2, free / 2, 1 + int(np.ceil(free / (piece / 2) - 1e-9)))


def piece_crop(view: Image, outline_px: Polygon, frame: PieceFrame, rim_px: float) -> Image:
    """Cut one piece out, (HEIGHT_PX, WIDTH_PX, 3) uint8, as large as fits in."""
    wide, high = WIDTH_PX * OVERSAMPLING, HEIGHT_PX * OVERSAMPLING
    scale = min(wide / frame.size[0], high / frame.size[1])
    cos, sin = np.cos(frame.turn) * scale, np.sin(frame.turn) * scale
    matrix = np.array([[cos, sin, 0.0], [-sin, cos, 0.0]])
    matrix[:, 2] = (wide / 2, high / 2) - matrix[:, :2] @ frame.middle
    big = cv2.warpAffine(view, matrix, (wide, high), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    crop = np.asarray(cv2.resize(big, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA), np.uint8)
    placed = (outline_px @ matrix[:, :2].T + matrix[:, 2]) / OVERSAMPLING
    return masked(crop, placed, rim_px * scale / OVERSAMPLING)


def masked(crop: Image, outline_px: Polygon, rim_px: float) -> Image:
    """Return a crop in which everything beyond an outline and its rim has the median colour of what lies within."""
    within = np.zeros(crop.shape[:2], np.uint8)
    points = [np.round(outline_px * 16).astype(np.int32)]
    cv2.fillPoly(within, points, 255, cv2.LINE_8, 4)
    cv2.polylines(within, points, True, 255, max(round(2 * rim_px), 1), cv2.LINE_8, 4)
    inside = within > 0
    shown = crop.copy()
    if inside.any():
        shown[~inside] = np.median(crop[inside], axis=0).astype(np.uint8)
    return shown


def standing_out(crop: Image) -> Image:
    """Return what stands out from its surroundings in a crop: the network's input, (height, width, 3) uint8.

    Faint print counts like bright print, and print of any colour alike. In the order of BGR: how far a pixel's colour
    is from the crop's mean, how far from the mean nearby, and how much lighter or darker it is than that.
    """
    levels = crop.astype(np.float32)
    away = levels - cv2.blur(levels, (NEARBY_PX, NEARBY_PX))
    length = np.sqrt(_sum_of(np.square(away)))
    spread = np.sqrt(np.maximum(cv2.blur(np.square(length), (NEARBY_PX, NEARBY_PX)), 0)) + FLAT
    apart = np.sqrt(_sum_of(np.square(levels - levels.mean(axis=(0, 1)))))
    apart /= float(np.sqrt(np.square(apart).mean())) + FLAT
    shown = np.dstack([70.0 * apart, 80.0 * length / spread, 128.0 + 70.0 * (_sum_of(away) / 3.0) / spread])
    return np.asarray(np.clip(shown, 0, 255), np.uint8)


def _sum_of(levels: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum over the three channels, (H, W); several times as fast as `sum` over the last axis."""
    return levels[:, :, 0] + levels[:, :, 1] + levels[:, :, 2]


def _px_of(part: Polygon, calibration: Calibration) -> Polygon | None:
    """The part's outline in pixels of the view; None if it is not wholly in the picture."""
    places = calibration.image_from_layout(part)
    is_seen = np.isfinite(places).all() and (places >= 0).all() and (places < calibration.image_size_wh_px).all()
    return part * PX_PER_MM if is_seen else None
