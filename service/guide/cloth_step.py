"""The second step: the printed cloth, built-in, from another table of the house, or drawn onto the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import cv2
import numpy as np
import yaml
from numpy.typing import NDArray

from thirdcard.calibration.documents import parse_yaml
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS, HANDS, LAYOUT_FOLDER, Layout, load_layout, parse_layout
from thirdcard.service.guide.drafts import LAYOUT, OVERHEAD, NewTable, Sketch, StepError, in_words, refuse_wrong
from thirdcard.service.setup.file_problems import USUAL_CARD_MM, USUAL_CHIP_MM
from thirdcard.service.setup.layout_problems import layout_problems
from thirdcard.service.setup.problems import SetupProblem, wrong
from thirdcard.service.setup.table_check import TABLE
from thirdcard.service.tables.file_set import FileSet

FloatArray = NDArray[np.float64]
DRAWN, OF_TABLE = "drawn", "table:"
CORNERS = ("top left", "top right", "bottom right", "bottom left")
"""With the dealer's edge up."""
SHARP_DEG = 30.0
"""The least turn of a corner that a person can find in a picture; a circle drawn with 24 points turns by 15 degrees at
each."""
SAME_MM = 5.0
"""Corners of adjoining areas within this distance are one printed corner, and one point."""
LEAST_FRAME_SHARE = 0.02
"""The least share of the picture: corners that enclose less were clicked at one place, or on a line."""


def choose_cloth(draft: NewTable, name: str, house: Mapping[str, FileSet]) -> tuple[SetupProblem, ...]:
    """Save an existing cloth; returns doubtful points.

    Args:
        draft: The table.
        name: A built-in cloth, or `table:` and the id of a table of this house.
        house: The files of this house's tables, by id.

    Raises:
        StepError: There is none of that name, or it cannot be used.
    """
    if name in BUILT_IN_LAYOUTS:
        text = (LAYOUT_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
        content = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")).encode()
    elif name.removeprefix(OF_TABLE) in house and name.startswith(OF_TABLE):
        content = _layout_of(house[name.removeprefix(OF_TABLE)])
    else:
        known = ", ".join((*BUILT_IN_LAYOUTS, *(f"{OF_TABLE}{one}" for one in house)))
        raise StepError(f"cloth = {name}; must be one of {known}", field="name")
    return _settle(draft, content, keeps_calibration=False, cloth=name)


def keep_sketch(draft: NewTable, sketch: Sketch) -> None:
    """Save an unfinished drawing, so that it can be continued."""
    draft.change(sketch=sketch)


def settle_sketch(draft: NewTable, sketch: Sketch) -> tuple[SetupProblem, ...]:
    """Save a finished drawing as the table's cloth; returns doubtful points.

    Raises:
        StepError: Corners are missing or coincide; outlines cross or overlap; a hand's box is missing.
    """
    _check_corners(draft, sketch)
    before = draft.read().sketch
    same = before is not None and (before.corners_px, before.frame_mm) == (sketch.corners_px, sketch.frame_mm)
    document = {
        "name": sketch.name,
        "size_mm": [round(side, 1) for side in sketch.size_mm],
        "areas": [_as_document(area.model_dump(exclude_none=True)) for area in sketch.areas],
        "reference_points": [{"name": name, "at": list(at)} for name, at in reference_points(sketch).items()],
    }
    content = yaml.safe_dump(document, sort_keys=False, allow_unicode=True).encode()
    return _settle(draft, content, keeps_calibration=same, cloth=DRAWN, sketch=sketch)


def load_cloth(draft: NewTable) -> Layout:
    """The saved cloth.

    Raises:
        DraftStateError: There is none.
    """
    draft.needed(LAYOUT, "Choose or draw the cloth first.")
    return load_layout(LAYOUT, draft.folder)


def reference_points(sketch: Sketch) -> dict[str, tuple[float, float]]:
    """Points for the camera fit, in mm of the cloth: the corners that were clicked first, and sharp corners of
    areas."""
    points = {f"corner {name}": _rounded(at) for name, at in zip(CORNERS, _frame_mm(sketch), strict=True)}
    for area in sketch.areas:
        for number, at in enumerate(_sharp(area.polygon), 1):
            if all(math.dist(at, other) > SAME_MM for other in points.values()):
                points[f"{area.id} {number}"] = at
    return points


def sketch_points(sketch: Sketch) -> dict[str, tuple[float, float]]:
    """The reference points in the picture, in pixels by the drawing; empty before four corners are clicked."""
    if len(sketch.corners_px) < len(CORNERS):
        return {}
    points = reference_points(sketch)
    image_from_cloth = cv2.getPerspectiveTransform(
        np.array(_frame_mm(sketch), np.float32), np.array(sketch.corners_px, np.float32)
    )
    places = cv2.perspectiveTransform(np.array([list(points.values())], np.float64), image_from_cloth)[0]
    return {name: (float(x), float(y)) for name, (x, y) in zip(points, places, strict=True)}


def _layout_of(files: FileSet) -> bytes:
    table = parse_yaml(files.files[TABLE].decode(), TABLE)
    held = table.get("layout") if isinstance(table, Mapping) else None
    if isinstance(held, str) and held in files.files:
        return files.files[held]
    if isinstance(held, str) and held in BUILT_IN_LAYOUTS:
        return (LAYOUT_FOLDER / f"{held}.yaml").read_bytes()
    return yaml.safe_dump(held, sort_keys=False).encode()


def _settle(
    draft: NewTable, content: bytes, *, keeps_calibration: bool, cloth: str, sketch: Sketch | None = None
) -> tuple[SetupProblem, ...]:
    with in_words():
        layout = parse_layout(parse_yaml(content.decode(), LAYOUT), LAYOUT)
        found = list(layout_problems(layout, LAYOUT, card_mm=USUAL_CARD_MM, chip_mm=USUAL_CHIP_MM[0]))
        problems = refuse_wrong([*_missing_boxes(layout), *found])
    if not keeps_calibration:
        draft.take_away(OVERHEAD)
    draft.put(LAYOUT, content)
    drawn = {} if sketch is None else {"sketch": sketch, "points": sketch_points(sketch)}
    kept = {name: at for name, at in draft.read().points.items() if name in layout.reference_points}
    draft.change(cloth=cloth, **({"points": kept} | drawn))
    return problems


def _missing_boxes(layout: Layout) -> Iterator[SetupProblem]:
    for hand in HANDS:
        if hand not in {area.hand for area in layout.of_kind("hand")}:
            yield wrong(LAYOUT, "areas", say=f"the {hand}'s card box is missing; draw it")


def _check_corners(draft: NewTable, sketch: Sketch) -> None:
    camera = draft.read().camera
    if len(sketch.corners_px) < len(CORNERS):
        missing = ", ".join(CORNERS[len(sketch.corners_px) :])
        raise StepError(f"corners: click the four corners of the cloth first; missing: {missing}", field="corners_px")
    corners = np.array(sketch.corners_px, np.float32)
    size = (1920, 1080) if camera is None else camera.size_px
    if cv2.contourArea(corners) < LEAST_FRAME_SHARE * size[0] * size[1] or not cv2.isContourConvex(corners):
        raise StepError(
            "corners: lie on a line, at one place, or in another order; click them anew, clockwise from the "
            "top left one with the dealer's edge up",
            field="corners_px",
        )
    left, top, width, depth = sketch.frame_mm
    inside = left >= 0 and top >= 0 and left + width <= sketch.size_mm[0] and top + depth <= sketch.size_mm[1]
    if width < 100 or depth < 100 or not inside:
        raise StepError(
            f"frame = {list(sketch.frame_mm)}; must be a rectangle of 100 mm and more within the cloth, "
            f"which is {sketch.size_mm[0]:g} x {sketch.size_mm[1]:g} mm",
            field="frame_mm",
        )


def _frame_mm(sketch: Sketch) -> list[tuple[float, float]]:
    left, top, width, depth = sketch.frame_mm
    return [(left, top), (left + width, top), (left + width, top + depth), (left, top + depth)]


def _as_document(area: dict[str, object]) -> dict[str, object]:
    polygon = area.pop("polygon")
    assert isinstance(polygon, list), "a sketch's area has one"
    return {**area, "polygon": [list(_rounded(at)) for at in polygon]}


def _rounded(at: tuple[float, float]) -> tuple[float, float]:
    """Rounded to a tenth of a millimetre, as in the built-in cloths."""
    return round(at[0], 1), round(at[1], 1)


def _sharp(polygon: list[tuple[float, float]]) -> list[tuple[float, float]]:
    points: FloatArray = np.array(polygon)
    steps = np.roll(points, -1, axis=0) - points
    angles = np.degrees(np.arctan2(steps[:, 1], steps[:, 0]))
    turns = np.abs((angles - np.roll(angles, 1) + 180.0) % 360.0 - 180.0)
    return [_rounded(at) for at, turn in zip(polygon, turns, strict=True) if turn >= SHARP_DEG]
