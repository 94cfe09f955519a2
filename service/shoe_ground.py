"""The ground from the shoe to the discard rack, and whether a camera shows it.

Layout millimetres.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Calibration
from calibration.layout import Layout
from vision.side_watch import SideRegions

GROUND = "ground"
DEPTH_MM = 200.0
"""How far from the boxes towards the seats the ground reaches."""
KEPT = ("shoe", "discard", "chip_tray")


def shows_burns(layout: Layout, calibration: Calibration) -> bool:
    """Whether the picture shows the shoe, the discard rack and both boxes whole."""
    shoe, rack, hands = (layout.of_kind(kind) for kind in ("shoe", "discard", "hand"))
    if not (shoe and rack and hands):
        return False
    width, height = calibration.image_size_wh_px
    points = calibration.image_from_layout(np.concatenate([area.polygon_mm for area in (*shoe, *rack, *hands)]))
    return bool(((points >= 0.0) & (points < (width, height))).all())


def side_regions(layout: Layout, *, are_burns_watched: bool) -> SideRegions:
    """Where cards are kept; where burned cards are to be told of, also where they lie and the rack that they go to."""
    kept = {area.id: area.polygon_mm for kind in KEPT for area in layout.of_kind(kind)}
    if not are_burns_watched:
        return SideRegions(kept=kept)
    racks = {area.id: area.polygon_mm for area in layout.of_kind("discard")}
    return SideRegions(ground={GROUND: _ground(layout)}, kept=kept, visited=racks)


def _ground(layout: Layout) -> NDArray[np.float64]:
    """From the shoe to the rack, and before the boxes on the side of the seats."""
    hands = [area.polygon_mm for area in layout.of_kind("hand")]
    wagers = [area.polygon_mm for area in layout.of_kind("wager")]
    middle = np.concatenate(hands).mean(axis=0)
    away = np.concatenate(wagers).mean(axis=0) - middle if wagers else np.array([0.0, 1.0])
    shift = DEPTH_MM * away / float(np.linalg.norm(away))
    ends = [area.polygon_mm for kind in ("shoe", "discard") for area in layout.of_kind(kind)]
    points = np.concatenate([*hands, *ends, *(polygon + shift for polygon in hands)])
    return np.asarray(cv2.convexHull(points.astype(np.float32)).reshape(-1, 2), np.float64)
