"""Find ArUco markers in a picture, and compute where their corners lie on the cloth.

Knows nothing of cameras. A marker's corners run clockwise from its own top left corner.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.errors import LayoutError
from thirdcard.calibration.layout import Markers

FloatArray = NDArray[np.float64]


def find_markers(image_hw3: NDArray[np.uint8], markers: Markers) -> Mapping[int, FloatArray]:
    """Find the layout's markers in a picture; those seen twice are left out.

    Args:
        image_hw3: BGR.
        markers: Those that lie on the cloth.

    Returns:
        Each marker's corners, (4, 2) float64, distorted pixels, by its number.
    """
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(marker_dictionary(markers.dictionary), settings)
    found, numbers, _ = detector.detectMarkers(cv2.cvtColor(image_hw3, cv2.COLOR_BGR2GRAY))
    known: list[int] = [] if numbers is None else [int(number) for number in numbers.ravel()]
    return {
        number: np.asarray(corners, dtype=np.float64).reshape(4, 2)
        for number, corners in zip(known, found, strict=True)
        if number in markers.at and known.count(number) == 1
    }


def marker_corners_mm(markers: Markers, number: int, *, turns: int = 0) -> FloatArray:
    """Return a marker's corners on the cloth, for a marker turned clockwise by `turns` quarter turns.

    With no turns its top points towards the dealer.

    Returns:
        (4, 2) float64, mm.
    """
    half = markers.side_mm / 2
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    corners: FloatArray = np.roll(square, -turns, axis=0) + np.array(markers.at[number])
    return corners


def marker_dictionary(name: str) -> cv2.aruco.Dictionary:
    """Return OpenCV's marker dictionary of that name.

    Raises:
        LayoutError: There is none.
    """
    known = sorted(key for key in dir(cv2.aruco) if key.startswith("DICT_"))
    if name not in known:
        raise LayoutError("markers", "dictionary", value=name, allowed=f"must be one of {', '.join(known)}")
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, name))
