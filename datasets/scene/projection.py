"""Project points of the layout plane, with a height above the cloth, into a camera's distorted picture.

Heights are millimetres above the cloth, never negative; the calibration's z points into the table.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from thirdcard.calibration.camera import Calibration
from thirdcard.datasets.scene.errors import CameraPoseError

Points = npt.NDArray[np.float64]


class Projector:
    """Maps layout millimetres to one camera's distorted pixels; raises CameraPoseError for a camera without a pose."""

    def __init__(self, camera: Calibration) -> None:
        if camera.rvec is None or camera.tvec is None:
            raise CameraPoseError("camera: rvec = None; the renderer needs a pose")
        self.camera = camera
        self.size_wh_px: tuple[int, int] = (int(camera.image_size_wh_px[0]), int(camera.image_size_wh_px[1]))
        self._rvec = np.asarray(camera.rvec, dtype=np.float64).reshape(3)
        self._tvec = np.asarray(camera.tvec, dtype=np.float64).reshape(3)
        self._matrix = np.asarray(camera.camera_matrix, dtype=np.float64)
        self._distortion = np.asarray(camera.distortion, dtype=np.float64).reshape(-1)
        rotation = cv2.Rodrigues(self._rvec)[0]
        self._reach = _reach(self._distortion)
        self.eye_mm: Points = np.asarray(-rotation.T @ self._tvec, dtype=np.float64)
        """The camera's position: x, y, and height above the cloth, in mm."""
        self.eye_mm[2] = -self.eye_mm[2]

    def px(self, points_mm: npt.ArrayLike, height_mm: npt.ArrayLike = 0.0) -> Points:
        """Project layout points, (N, 2), at a height (one number, or one per point) to distorted pixels, (N, 2)."""
        flat = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        solid = np.empty((len(flat), 3), dtype=np.float64)
        solid[:, :2] = flat
        solid[:, 2] = -np.asarray(height_mm, dtype=np.float64)
        image = cv2.projectPoints(solid, self._rvec, self._tvec, self._matrix, self._distortion)[0]
        return np.asarray(image, dtype=np.float64).reshape(-1, 2)

    def px_per_mm(self, at_mm: npt.ArrayLike) -> float:
        """Return the scale at a point of the cloth, in px per mm (mean over the two axes)."""
        x, y = np.asarray(at_mm, dtype=np.float64)
        p = self.px([(x - 5, y), (x + 5, y), (x, y - 5), (x, y + 5)])
        return float((np.linalg.norm(p[1] - p[0]) + np.linalg.norm(p[3] - p[2])) / 20.0)

    def leaning(self, at_mm: npt.ArrayLike) -> Points:
        """Return the vector in the plane, per millimetre of height, by which things at a point lean in the picture."""
        away = np.asarray(at_mm, dtype=np.float64) - self.eye_mm[:2]
        return np.asarray(away / max(float(self.eye_mm[2]), 1.0), dtype=np.float64)

    def which_seen(self, points_mm: npt.ArrayLike, height_mm: npt.ArrayLike = 0.0) -> npt.NDArray[np.bool_]:
        """Return a mask of the points that lie in front of the camera and within the range of its lens model."""
        flat = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        heights = np.broadcast_to(np.asarray(height_mm, dtype=np.float64), (len(flat),))
        solid = np.column_stack([flat, -heights])
        rays = solid @ cv2.Rodrigues(self._rvec)[0].T + self._tvec
        depth = np.maximum(rays[:, 2], 1e-6)
        radius = np.hypot(rays[:, 0], rays[:, 1]) / depth
        return np.asarray((rays[:, 2] > 100) & (radius < self._reach), np.bool_)

    def sees(self, points_mm: npt.ArrayLike, height_mm: npt.ArrayLike = 0.0) -> bool:
        """Whether all points lie in front of the camera and within the range of its lens model."""
        return bool(self.which_seen(points_mm, height_mm).all())


def _reach(distortion: Points) -> float:
    """Return the normalised radius up to which a barrel lens still moves pixels outward, with a margin."""
    k1 = float(distortion[0]) if len(distortion) else 0.0
    return min(1.8, 0.85 * float(np.sqrt(1 / (-3 * k1)))) if k1 < 0 else 1.8
