"""Fit pictures to the calibrated size.

They are rotated as the film declares, with square pixels, and scaled if the shape is the same. A picture of another
shape shows something else than was calibrated, and cannot be used.
"""

from __future__ import annotations

from fractions import Fraction

import cv2
import numpy as np
from av.video.frame import VideoFrame

from thirdcard.vision.frames import Frame, as_bgr

ALIKE = 0.01
"""Aspect ratios that differ by a smaller share are equal: encoders round sizes up to whole blocks."""
TURNS = {90: cv2.ROTATE_90_COUNTERCLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_CLOCKWISE}
"""By the film's declared rotation, in degrees counterclockwise."""

SizeWh = tuple[int, int]


class PictureFit:
    """Fits one film's pictures; decides again when their size changes."""

    def __init__(self, size_wh_px: SizeWh | None, pixel_aspect: Fraction | None = None) -> None:
        """Take the calibrated size (None: any) and the width of the film's pixels relative to their height."""
        self._wanted = size_wh_px
        self._aspect = float(pixel_aspect) if pixel_aspect else 1.0
        self.scaled_from: SizeWh | None = None
        """The size of pictures that had to be scaled; None where none had to be."""

    def fitted(self, index: int, t: float, decoded: VideoFrame) -> Frame | None:
        """Return the frame in the calibrated size; None where its shape is another."""
        size = (decoded.width, decoded.height)
        turn = round(decoded.rotation) % 360
        if turn in TURNS and not (size == self._wanted and turn != 180):
            image = np.asarray(cv2.rotate(as_bgr(decoded), TURNS[turn]), np.uint8)
            turned = (image.shape[1], image.shape[0])
            if self._wanted is None or turned == self._wanted:
                return Frame(index, t, image)
            if not self._is_alike(turned, 1 / self._aspect if turn != 180 else self._aspect):
                return None
            self.scaled_from = turned
            return Frame(index, t, np.asarray(cv2.resize(image, self._wanted, interpolation=cv2.INTER_AREA), np.uint8))
        if self._wanted is None or size == self._wanted:
            return Frame.from_decoded(index, t, decoded)
        if not self._is_alike(size, self._aspect):
            return None
        self.scaled_from = size
        width, height = self._wanted
        return Frame.from_decoded(index, t, decoded.reformat(width=width, height=height, interpolation="AREA"))

    def _is_alike(self, size_wh_px: SizeWh, pixel_aspect: float) -> bool:
        assert self._wanted is not None
        wanted = self._wanted[0] / self._wanted[1]
        shape = size_wh_px[0] / size_wh_px[1]
        return min(abs(shape * aspect / wanted - 1) for aspect in (1.0, pixel_aspect)) <= ALIKE
