"""Sheets to print for calibration: markers for a cloth, and the board for measuring a lens.

Sizes are millimetres on A4.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from fpdf import FPDF
from PIL import Image

from thirdcard.calibration.charuco import SQUARES, draw_board
from thirdcard.calibration.layout import Layout, Markers
from thirdcard.calibration.markers import dictionary_of

SQUARE_MM = 21.0
_PX_PER_CELL = 40
_RULER_MM = 100.0
_MARGIN_MM = 15.0


def write_sheets(path: Path, layout: Layout) -> int:
    """Write the layout's markers, one per page, and the board; returns the number of pages.

    Args:
        path: The PDF.
        layout: The cloth; without markers only the board is written.
    """
    document = FPDF(unit="mm", format="A4")
    document.set_auto_page_break(False)
    document.set_font("Helvetica", size=11)
    for number in () if layout.markers is None else layout.markers.at:
        assert layout.markers is not None
        _add_marker(document, layout.name, layout.markers, number)
    _add_board(document)
    document.output(str(path))
    return int(document.page_no())


def _add_marker(document: FPDF, cloth: str, markers: Markers, number: int) -> None:
    document.add_page(orientation="P")
    side, (x_mm, y_mm) = markers.side_mm, markers.at[number]
    left, top = (document.w - side) / 2, 60.0
    cells = 6 * _PX_PER_CELL  # a 4 by 4 marker with its black border
    drawn = cv2.aruco.generateImageMarker(dictionary_of(markers), number, cells)
    document.image(Image.fromarray(np.asarray(drawn, dtype=np.uint8)), left, top, side, side)
    _say(document, 25.0, f"Marker {number} of {cloth}", size=16)
    _say(
        document, 35.0, f"Lay its middle {x_mm:g} mm to the right and {y_mm:g} mm down from the top left corner of the"
    )
    _say(document, 41.0, "cloth, seen with the dealer at the top. All markers lie the same way up.")
    document.set_draw_color(170, 170, 170)
    for dx, dy in ((0.5, -0.12), (0.5, 1.12)):
        at = (left + dx * side, top + dy * side)
        document.line(at[0], at[1] - 3, at[0], at[1] + 3)
    for dx, dy in ((-0.12, 0.5), (1.12, 0.5)):
        at = (left + dx * side, top + dy * side)
        document.line(at[0] - 3, at[1], at[0] + 3, at[1])
    _add_ruler(document, top + side + 40.0, f"The black square must measure {side:g} mm: print at 100 %.")


def _add_board(document: FPDF) -> None:
    document.add_page(orientation="L")
    columns, rows = SQUARES
    width, height = columns * SQUARE_MM + SQUARE_MM, rows * SQUARE_MM + SQUARE_MM
    left, top = (document.w - width) / 2, (document.h - height) / 2 - 4.0
    document.image(Image.fromarray(draw_board(80)), left, top, width, height)
    _say(
        document,
        document.h - 8.0,
        "Glue it onto something flat. Hold it before the camera in ten ways, tilted to each side.",
    )


def _add_ruler(document: FPDF, y_mm: float, text: str) -> None:
    left = (document.w - _RULER_MM) / 2
    document.set_draw_color(0, 0, 0)
    document.line(left, y_mm, left + _RULER_MM, y_mm)
    for tenth in range(11):
        x_mm = left + tenth * _RULER_MM / 10
        document.line(x_mm, y_mm - (4 if tenth % 5 == 0 else 2), x_mm, y_mm)
    _say(document, y_mm + 6.0, f"{text} This line measures {_RULER_MM:g} mm.")


def _say(document: FPDF, y_mm: float, text: str, *, size: int = 11) -> None:
    document.set_font_size(size)
    document.set_xy(_MARGIN_MM, y_mm)
    document.cell(document.w - 2 * _MARGIN_MM, 6.0, text, align="C")
