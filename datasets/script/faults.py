"""Camera faults and their effect on a good picture.

Pictures are (H, W, 3) uint8 BGR; a fault also takes the time, so that sensor noise differs from picture to picture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.calibration.layout import Layout
from thirdcard.datasets.script.errors import ScriptError

Image = NDArray[np.uint8]

MOVED_MM = 8.0
"""How far a moved camera's picture shifts on the cloth."""
BLUR_MM = 6.0
"""Spread of a defocused point on the cloth."""
DARK_PART = 0.05
NOISE_LEVELS = 2.0
"""Noise of what is dark or covered, in grey levels: a sensor without light still has noise."""
GLARE_LEVELS = 420.0
GLARE_PART = 0.13
"""Size of the spot of glare, in widths of the picture."""
COVER_PART = 0.8
"""Share of the picture that an object before the lens hides."""


class CameraFault(StrEnum):
    """The faults of a camera, in the words of the table log."""

    FROZEN = "frozen"
    DARK = "dark"
    GLARE = "glare"
    COVERED = "covered"
    BLURRED = "blurred"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Spell:
    """A period with a camera fault."""

    fault: CameraFault
    from_s: float
    to_s: float

    def is_at(self, t: float) -> bool:
        """Whether a picture at time `t` has the fault."""
        return self.from_s <= t < self.to_s


def parse_spell(text: str) -> Spell:
    """Parse `dark@20+8`: the fault, its first second, and its duration in seconds.

    Raises:
        ScriptError: The text has another form.
    """
    kind, _, span = text.partition("@")
    begin, _, length = span.partition("+")
    try:
        spell = Spell(CameraFault(kind), float(begin), float(begin) + float(length))
    except ValueError as error:
        raise ScriptError(
            "--fault", text, f"must be {', '.join(CameraFault)}, as in dark@20+8: from 20 s for 8 s"
        ) from error
    if not 0.0 <= spell.from_s < spell.to_s:
        raise ScriptError("--fault", text, "must begin at 0 s or later and last")
    return spell


@dataclass(slots=True)
class FaultMaker:
    """Applies faults to the pictures of one camera, in order of time."""

    calibration: Calibration
    layout: Layout
    last_good: Image | None = None
    """The picture that a frozen camera repeats."""

    def spoil(self, image: Image, t: float, fault: CameraFault | None) -> Image:
        """Return the picture with the fault, or the picture itself without one."""
        if fault is None:
            self.last_good = image
            return image
        if fault is CameraFault.FROZEN:
            return image if self.last_good is None else self.last_good
        if fault is CameraFault.MOVED:
            return _shifted(image, self._step_px(MOVED_MM))
        if fault is CameraFault.BLURRED:
            return _blurred(image, float(np.linalg.norm(self._step_px(BLUR_MM))))
        return _LIGHT[fault](image, t)

    def _step_px(self, step_mm: float) -> NDArray[np.float64]:
        """Return the shift in px of a step to the right at the centre of the cloth, (2,)."""
        middle = np.array(self.layout.size_mm, np.float64) / 2
        ends = self.calibration.image_from_layout(np.array([middle, middle + np.array([step_mm, 0.0])]))
        return np.asarray(ends[1] - ends[0])


def _shifted(image: Image, step_px: NDArray[np.float64]) -> Image:
    matrix = np.array([[1.0, 0.0, step_px[0]], [0.0, 1.0, step_px[1]]])
    size = (image.shape[1], image.shape[0])
    return np.asarray(cv2.warpAffine(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _blurred(image: Image, sigma_px: float) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.uint8)


def _dark(image: Image, t: float) -> Image:
    return _noisy(image * DARK_PART, t)


def _glaring(image: Image, t: float) -> Image:
    """Add a spot of light on the cloth, reflected into the lens."""
    height, width = image.shape[:2]
    y, x = np.ogrid[:height, :width]
    distance = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (2 * (GLARE_PART * width) ** 2)
    return np.asarray(np.clip(image + GLARE_LEVELS * np.exp(-distance)[:, :, None], 0, 255), np.uint8)


def _covered(image: Image, t: float) -> Image:
    """Cover a part with something dark and out of focus right before the lens."""
    width = image.shape[1]
    share = 1.0 / (1.0 + np.exp((np.arange(width) - COVER_PART * width) / (0.02 * width)))
    hidden = share[None, :, None]
    thing = np.array([38.0, 46.0, 60.0])
    return _noisy(image * (1.0 - hidden) + thing * hidden, t)


def _noisy(picture: NDArray[np.floating], t: float) -> Image:
    rng = np.random.default_rng(round(t * 1000))
    noise = rng.normal(0.0, NOISE_LEVELS, (picture.shape[0] // 2 + 1, picture.shape[1] // 2 + 1, 1))
    coarse = np.repeat(np.repeat(noise, 2, axis=0), 2, axis=1)[: picture.shape[0], : picture.shape[1]]
    return np.asarray(np.clip(picture + coarse, 0, 255), np.uint8)


_LIGHT: Mapping[CameraFault, Callable[[Image, float], Image]] = {
    CameraFault.DARK: _dark,
    CameraFault.GLARE: _glaring,
    CameraFault.COVERED: _covered,
}
