"""The accuracy of a calibration where it matters: over the boxes, over the wagering areas, on the whole cloth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.fit import Fit
from thirdcard.calibration.layout import Layout
from thirdcard.calibration.map_uncertainty import MapUncertainty

FloatArray = NDArray[np.float64]
Point = tuple[float, float]

MOST_OFF_MM = 30.0
"""The largest stated error in mm, over boxes and wagers, with which a table may be watched: calibrations that were
off by so much changed no result that matters, those off by 60 mm raised false alerts (docs/new-table.md, "Check
it")."""
GRID = 25
"""Number of points along the cloth, and across it, at which the accuracy is computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitQuality:
    """Error of the map in mm that is not exceeded in 90 % of cases, at the worst place of each kind."""

    boxes_mm: float
    """Over the card boxes."""
    wagers_mm: float
    """Over the wagering areas."""
    cloth_mm: float
    """Anywhere on the cloth."""
    worst_at_mm: Point
    """The place of the largest error on the cloth."""
    add: str | None
    """The unused printed point that would improve the fit most; None if all were used."""

    @property
    def off_mm(self) -> float:
        """The larger error, over the boxes or over the wagering areas."""
        return max(self.boxes_mm, self.wagers_mm)

    @property
    def is_usable(self) -> bool:
        """Whether a table may be watched with it."""
        return self.off_mm <= MOST_OFF_MM

    @property
    def advice(self) -> str:
        """What to add for a better fit."""
        return f"add {self.add}" if self.add else "add points far from those that are there, or measure the lens"


def quality_of(fit: Fit, layout: Layout) -> FitQuality:
    """Return the accuracy of a fit over a layout."""
    width, depth = layout.size_mm
    grid = np.stack(np.meshgrid(np.linspace(0, width, GRID), np.linspace(0, depth, GRID)), axis=-1).reshape(-1, 2)
    radius = fit.uncertainty.radius_mm(grid)
    worst = grid[int(radius.argmax())]
    return FitQuality(
        boxes_mm=_worst_over(fit.uncertainty, layout, "hand"),
        wagers_mm=_worst_over(fit.uncertainty, layout, "wager"),
        cloth_mm=float(radius.max()),
        worst_at_mm=(float(worst[0]), float(worst[1])),
        add=_helps_most(fit, layout),
    )


def _worst_over(uncertainty: MapUncertainty, layout: Layout, *kinds: str) -> float:
    polygons = [area.polygon_mm for kind in kinds for area in layout.of_kind(kind)]
    return float(uncertainty.radius_mm(np.concatenate(polygons)).max()) if polygons else 0.0


def _helps_most(fit: Fit, layout: Layout) -> str | None:
    """Return the unused point with which boxes and wagers would be located best; None if there is none."""
    unused = [name for name in layout.reference_points if name not in {*fit.errors_px, *fit.left_out}]
    if not unused:
        return None

    def left_mm(name: str) -> float:
        return _worst_over(fit.uncertainty.with_point(layout.reference_points[name]), layout, "hand", "wager")

    return min(unused, key=left_mm)
