"""Compare a table's layout with its camera picture: is the print where the layout says?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.service.setup.problems import SetupProblem, doubtful, wrong
from thirdcard.vision.frames import Image
from thirdcard.vision.health.outline_match import OutlineMatch, match_outlines
from thirdcard.vision.plane.change_gate import Polygon

LEAST_SCORE = 0.15
"""The correlation from which the print counts as found: 35 tables of two renderers have 0.21 and more where the
calibration is right; where it is off by 15 mm, fifteen of them have 0.03 to 0.18 at the outlines and 0.20 and more at
the print."""
LEAST_GAIN = 0.05
"""The print must fit this much better beside the outlines than on them. Of the 35 tables one, with narrow circles in
rows, fits 0.01 better 6 mm beside them."""
OFF_MM, WRONG_MM = 7.0, 14.0
"""Of 25 rendered tables none was off where the calibration is right; where it is off by 5 mm, they were measured as off
by 4.7 to 6.6, and a cloth drawn by hand, off by 4 mm, by 6.0. Chips lie up to 14 mm outside their areas
(`vision/chips/stack_watch.py`): beyond that somebody is accused."""
PARTS: Mapping[str, str] = {"left": "on the left", "middle": "in the middle", "right": "on the right"}
"""The parts of the cloth, from left to right, and how a message names them."""
LEAST_AREAS = 3
"""With fewer outlines in a part of the cloth, the comparison is not reliable."""


def print_problems(image: Image, calibration: Calibration, layout: Layout, where: str) -> Iterator[SetupProblem]:
    """Report a print that lies beside the layout's outlines, or is not found at all.

    Args:
        image: (H, W, 3) uint8, of the calibration's size.
        calibration: the camera's calibration.
        layout: the table's layout.
        where: the calibration's file, for messages.
    """
    matches = match_outlines(image, calibration, layout.size_mm, _parts(layout))
    found = {part: match for part, match in matches.items() if match.score >= LEAST_SCORE}
    if matches and not found:
        say = (
            "the picture shows no lines where the layout has its boxes and wagering areas; is it this cloth's layout, "
            "and this camera's calibration?"
        )
        yield doubtful(where, say=say)
    for part, match in found.items():
        off_mm = _off_mm(match)
        if off_mm >= OFF_MM:
            tell = wrong if off_mm >= WRONG_MM else doubtful
            lies = f"{PARTS[part]} of the cloth the print lies {_where_to(match)} than the layout says"
            yield tell(where, say=f"{lies}; calibrate again. Up to {OFF_MM:g} mm does no harm")


def print_warning(image: Image, calibration: Calibration, layout: Layout) -> str | None:
    """A sentence that the print lies beside the layout's outlines; None where it does not, or is not found."""
    matches = match_outlines(image, calibration, layout.size_mm, _parts(layout)).values()
    off_mm = max((_off_mm(match) for match in matches if match.score >= LEAST_SCORE), default=0.0)
    if off_mm < OFF_MM:
        return None
    return f"the cloth's print lies up to {off_mm:.0f} mm beside the place that the layout gives: calibrate again"


def _off_mm(match: OutlineMatch) -> float:
    """The distance of the print from the outlines, in mm; 0 where it fits."""
    return hypot(*match.offset_mm) if match.score - match.score_here >= LEAST_GAIN else 0.0


def _parts(layout: Layout) -> Mapping[str, list[Polygon]]:
    """The outlines of boxes and wagering areas by part of the cloth."""
    parts: dict[str, list[Polygon]] = {part: [] for part in PARTS}
    for kind in ("hand", "wager"):
        for area in layout.of_kind(kind):
            share = float(area.polygon_mm[:, 0].mean()) / layout.size_mm[0]
            parts[list(PARTS)[min(max(int(share * len(PARTS)), 0), len(PARTS) - 1)]].append(area.polygon_mm)
    return {part: outlines for part, outlines in parts.items() if len(outlines) >= LEAST_AREAS}


def _where_to(match: OutlineMatch) -> str:
    right, down = match.offset_mm
    across = f"{abs(right):.0f} mm farther {'right' if right > 0 else 'left'}"
    along = f"{abs(down):.0f} mm nearer to the {'players' if down > 0 else 'dealer'}"
    ways = [way for way, by in ((across, right), (along, down)) if abs(by) >= 1.0]
    return " and ".join(ways)
