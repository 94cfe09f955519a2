"""Find ArUco markers in a picture, and compute where their corners lie on the cloth.

Knows nothing of cameras. A marker's corners run clockwise from its own top left corner. The detector finds them to a
third of a pixel or so, as blur rounds them off; the whole pattern is then fitted to the picture (G. Evangelidis,
E. Psarakis, "Parametric Image Alignment Using Enhanced Correlation Coefficient Maximization", 2008), which uses every
edge of it.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.errors import LayoutError
from thirdcard.calibration.layout import Markers

FloatArray = NDArray[np.float64]
Float32Array = NDArray[np.float32]

_ENOUGH = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-6)
_BLUR_PX = 3
"""Size of the Gaussian filter over picture and pattern during the alignment."""


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
    detector = cv2.aruco.ArucoDetector(dictionary_of(markers), settings)
    grey = cv2.cvtColor(image_hw3, cv2.COLOR_BGR2GRAY)
    found, numbers, _ = detector.detectMarkers(grey)
    known: list[int] = [] if numbers is None else [int(number) for number in numbers.ravel()]
    picture = np.asarray(grey, dtype=np.float32)
    return {
        number: _aligned(picture, np.asarray(corners, dtype=np.float32).reshape(4, 2), markers, number)
        for number, corners in zip(known, found, strict=True)
        if number in markers.at and known.count(number) == 1
    }


def _aligned(picture: Float32Array, corners: Float32Array, markers: Markers, number: int) -> FloatArray:
    """Return a marker's corners where its whole pattern matches the picture best.

    The corners stay as the detector found them if the pattern does not match, or would match half a cell farther away.
    """
    dictionary = marker_dictionary(markers.dictionary)
    cells = dictionary.markerSize + 2
    side_px = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
    cell = max(int(np.ceil(side_px / cells)), 4)
    rim = cell // 2
    tile = cv2.aruco.generateImageMarker(dictionary, number, cells * cell)
    tile = cv2.copyMakeBorder(tile, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=(255,))
    first, last = rim - 0.5, rim + cells * cell - 0.5
    square = np.array([[first, first], [last, first], [last, last], [first, last]], dtype=np.float32)
    start = cv2.getPerspectiveTransform(square, corners).astype(np.float32)
    detected = np.asarray(corners, dtype=np.float64)
    everywhere = np.ones(picture.shape, dtype=np.uint8)
    try:
        _, found = cv2.findTransformECC(
            tile.astype(np.float32), picture, start, cv2.MOTION_HOMOGRAPHY, _ENOUGH, everywhere, _BLUR_PX
        )
    except cv2.error:
        return detected
    aligned = cv2.perspectiveTransform(square[None], found)[0].astype(np.float64)
    is_near = np.linalg.norm(aligned - detected, axis=1).max() < side_px / cells / 2
    return aligned if is_near else detected


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


def dictionary_of(markers: Markers) -> cv2.aruco.Dictionary:
    """Return the dictionary of a layout's markers.

    Raises:
        LayoutError: There is none of that name, or it lacks one of the markers.
    """
    dictionary = marker_dictionary(markers.dictionary)
    count = len(dictionary.bytesList)
    for number in markers.at:
        if number >= count:
            allowed = f"{markers.dictionary} has the markers 0 to {count - 1}"
            raise LayoutError("markers", f"at.{number}", value=list(markers.at[number]), allowed=allowed)
    return dictionary
