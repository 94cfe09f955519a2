"""Draw readings onto a picture of the table: areas, cards' names, and the object in question.

Knows no rule: the caller decides what to emphasise. Areas and outlines come in millimetres of the layout and are
projected with the camera's calibration; pictures are BGR, `image_hw3`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Area, Layout
from thirdcard.vision.observations import CardInSight

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, all inclusive."""

PLAIN: Colour = (214, 204, 190)
LABEL: Colour = (255, 255, 255)
LABEL_GROUND: Colour = (40, 30, 22)
QUESTION: Colour = (60, 76, 255)
EDGE_STEPS = 8
SHADE = 0.72
REFERENCE_WIDTH_PX = 1920.0
FARTHEST_PX = 1e5
AREA_LINE_PX = 2.0
"""Line width in a picture of the reference width, so that half of it is left where a wall shows the picture half as
wide."""
ROWS_TRIED = 4
"""The farthest that a label is drawn from its object, in heights of the label."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """One card, stack or area to draw, with its name."""

    polygon_mm: tuple[tuple[float, float], ...]
    text: str = ""
    in_question: bool = False


def area_outline(area: Area, *, in_question: bool = False, text: str = "") -> Outline:
    """An area of the layout as an outline."""
    polygon = tuple((float(x), float(y)) for x, y in area.polygon_mm)
    return Outline(polygon_mm=polygon, text=text, in_question=in_question)


def card_outlines(cards: Iterable[CardInSight]) -> tuple[Outline, ...]:
    """The outlines of the cards with their names; face-down cards have none."""
    return tuple(
        Outline(polygon_mm=card.corners_mm, text=(card.label or "?") if card.face_up else "") for card in cards
    )


def draw_overlay(image_hw3: Image, calibration: Calibration, layout: Layout, outlines: Iterable[Outline]) -> Image:
    """A copy of the picture with thin areas and the outlines above; objects in question stay bright."""
    outlines = tuple(outlines)
    questioned = [project(calibration, outline.polygon_mm) for outline in outlines if outline.in_question]
    canvas = _shade_around(image_hw3, questioned)
    scale = canvas.shape[1] / REFERENCE_WIDTH_PX
    for area in layout.areas:
        if area.kind in ("hand", "wager"):
            _line(
                canvas, project(calibration, area_outline(area).polygon_mm), PLAIN, max(1, round(AREA_LINE_PX * scale))
            )
    for outline in outlines:
        points = project(calibration, outline.polygon_mm)
        colour = QUESTION if outline.in_question else LABEL
        _line(canvas, points, colour, max(1, round((4 if outline.in_question else 2) * scale)))
    _draw_names(canvas, calibration, [outline for outline in outlines if outline.text])
    return canvas


def crop_area(
    image_hw3: Image, calibration: Calibration, polygon_mm: Sequence[tuple[float, float]], *, margin_mm: float
) -> Image:
    """The picture around a polygon with a margin; empty where it lies outside the picture."""
    x0, y0, x1, y1 = area_box(image_hw3.shape[:2], calibration, polygon_mm, margin_mm=margin_mm)
    return np.ascontiguousarray(image_hw3[y0:y1, x0:x1])


def area_box(
    shape_hw: tuple[int, ...], calibration: Calibration, polygon_mm: Sequence[tuple[float, float]], *, margin_mm: float
) -> tuple[int, int, int, int]:
    """Left, top, right and bottom in pixels around a polygon with a margin; right and bottom are exclusive."""
    points = np.asarray(polygon_mm, dtype=np.float64)
    low, high = points.min(axis=0) - margin_mm, points.max(axis=0) + margin_mm
    corners = ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
    box = project(calibration, corners)
    if not len(box):
        return 0, 0, 0, 0
    x0, y0 = np.clip(np.floor(box.min(axis=0)).astype(int), 0, shape_hw[::-1])
    x1, y1 = np.clip(np.ceil(box.max(axis=0)).astype(int), 0, shape_hw[::-1])
    return int(x0), int(y0), int(x1), int(y1)


def project(calibration: Calibration, polygon_mm: Sequence[tuple[float, float]]) -> NDArray[np.float64]:
    """(N, 2) pixels of corners and points along the edges, so that straight print follows the lens distortion.

    Points outside the lens's field are left out.
    """
    corners = np.asarray(polygon_mm, dtype=np.float64)
    following = np.roll(corners, -1, axis=0)
    steps = np.arange(EDGE_STEPS)[None, :, None] / EDGE_STEPS
    dense = (corners[:, None] * (1 - steps) + following[:, None] * steps).reshape(-1, 2)
    points = np.asarray(calibration.image_from_layout(dense), dtype=np.float64)
    return points[np.isfinite(points).all(axis=1) & (np.abs(points) < FARTHEST_PX).all(axis=1)]


def _shade_around(image_hw3: Image, polygons_px: Sequence[NDArray[np.float64]]) -> Image:
    """A copy, darkened except inside the polygons and a soft rim; unchanged where there are none."""
    if not polygons_px:
        return image_hw3.copy()
    shaded = np.asarray(cv2.convertScaleAbs(image_hw3, alpha=SHADE), np.uint8)
    drawn = [points.round().astype(np.int32) for points in polygons_px if len(points)]
    grow = max(3, round(60 * image_hw3.shape[1] / REFERENCE_WIDTH_PX))
    rows, columns = _around(drawn, 2 * grow, image_hw3.shape[:2])
    piece = image_hw3[rows, columns]
    if piece.size:
        mask = np.zeros(piece.shape[:2], np.uint8)
        cv2.fillPoly(mask, drawn, 255, offset=(-columns.start, -rows.start))
        grown = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (grow, grow)))
        soft = cv2.blur(grown, (grow, grow)).astype(np.float32)[..., None] / 255.0
        shaded[rows, columns] = (piece * (SHADE + (1 - SHADE) * soft)).round()
    return shaded


def _around(polygons_px: Sequence[NDArray[np.int32]], margin_px: int, shape_hw: tuple[int, ...]) -> tuple[slice, slice]:
    """The rows and columns of a picture that hold all polygons and a margin; empty without polygons."""
    if not polygons_px:
        return slice(0, 0), slice(0, 0)
    points = np.concatenate(polygons_px)
    left, top = np.clip(points.min(axis=0) - margin_px, 0, shape_hw[1::-1])
    right, bottom = np.clip(points.max(axis=0) + margin_px + 1, 0, shape_hw[1::-1])
    return slice(int(top), int(bottom)), slice(int(left), int(right))


def _line(canvas: Image, points_px: NDArray[np.float64], colour: Colour, width_px: int) -> None:
    if len(points_px):
        cv2.polylines(canvas, [points_px.round().astype(np.int32)], True, colour, width_px, cv2.LINE_AA)


def _draw_names(canvas: Image, calibration: Calibration, outlines: Sequence[Outline]) -> None:
    """Draw each outline's name on a label; objects in question get their place first, and are drawn on top."""
    size = 0.72 * canvas.shape[1] / REFERENCE_WIDTH_PX
    thickness = max(1, round(1.6 * canvas.shape[1] / REFERENCE_WIDTH_PX))
    placed: list[tuple[Box, Outline, int]] = []
    for outline in sorted(outlines, key=lambda one: not one.in_question):
        points_px = project(calibration, outline.polygon_mm)
        if len(points_px):
            (width, height), _ = cv2.getTextSize(outline.text, cv2.FONT_HERSHEY_DUPLEX, size, thickness)
            pad = max(2, height // 2)
            boxes = _plates(points_px, (width, height), pad, canvas.shape[:2])
            taken = [box for box, _, _ in placed]
            free = (box for box in boxes if not any(_meet(box, one) for one in taken))
            placed.append((next(free, boxes[0]), outline, pad))
    for (left, top, right, bottom), outline, pad in reversed(placed):
        ground = QUESTION if outline.in_question else LABEL_GROUND
        cv2.rectangle(canvas, (left, top), (right, bottom), ground, cv2.FILLED, cv2.LINE_AA)
        at = (left + pad, bottom - pad)
        cv2.putText(canvas, outline.text, at, cv2.FONT_HERSHEY_DUPLEX, size, LABEL, thickness, cv2.LINE_AA)


def _plates(
    points_px: NDArray[np.float64], size_wh_px: tuple[int, int], pad: int, shape_hw: tuple[int, ...]
) -> list[Box]:
    """Possible places for an outline's label inside the picture: above it, below it, then farther off."""
    width, height = size_wh_px
    step = height + 2 * pad + 1
    x = int(np.clip(points_px[:, 0].mean() - width / 2, pad, max(pad, shape_hw[1] - width - pad)))
    above, below = points_px[:, 1].min() - pad - 2, points_px[:, 1].max() + height + pad + 2
    lines = [place for n in range(ROWS_TRIED) for place in (above - n * step, below + n * step)]
    feet = [int(np.clip(line, height + pad, shape_hw[0] - pad)) for line in lines]
    return [(x - pad, y - height - pad, x + width + pad, y + pad) for y in feet]


def _meet(one: Box, other: Box) -> bool:
    """Whether two labels overlap."""
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
