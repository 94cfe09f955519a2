"""Tell from two looks at one stack of chips, before a hand was there and after, what became of it, by a small network.

Both looks are cut out of their pictures in one frame, that of the look before, so that what nobody touched lies in the
same place in both. Knows nothing of heights and counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Calibration
from vision.errors import ModelError
from vision.frames import Image
from vision.gauge import StackView, stack_crop
from vision.model_spec import ModelSpec, load_model_spec
from vision.session import ModelSession

WIDTH_PX, HEIGHT_PX = 64, 112
"""A crop's size; its scale is the gauge's."""
FATES = ("fewer", "same", "more")
"""What may have become of a stack's chips, in the order of the network's answers."""


class StackComparer:
    """An open comparer."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> StackComparer:
        """Opens the comparer of the registry, or another."""
        spec = load_model_spec("comparer") if spec is None else spec
        if spec.classes != FATES or spec.input.shape[1:] != (6, HEIGHT_PX, WIDTH_PX):
            raise ModelError(
                f"registry.yaml: comparer.classes = {list(spec.classes)}; must be {list(FATES)}, "
                f"input 6 x {HEIGHT_PX} x {WIDTH_PX}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    @property
    def least_same(self) -> float:
        """A stack is called changed where it is less likely than this that nothing was added or taken."""
        return self._session.spec.setting("least_same")

    def compare(
        self, image: Image, calibration: Calibration, views: Sequence[StackView]
    ) -> list[NDArray[np.float64] | None]:
        """Hold earlier looks against what is to be seen in the same places now.

        Args:
            image: The camera's whole picture.
            calibration: The camera's.
            views: The looks before.

        Returns:
            (3,) natural logarithms of the probabilities of FATES, one a view; None where the camera does not see it.
        """
        crops = [stack_crop(image, calibration, view.frame, size_wh_px=(WIDTH_PX, HEIGHT_PX)) for view in views]
        pairs = [
            np.dstack([middle_of(view.crop), crop]) for view, crop in zip(views, crops, strict=True) if crop is not None
        ]
        rows = iter(self.read(pairs) if pairs else ())
        return [None if crop is None else np.asarray(next(rows), np.float64) for crop in crops]

    def read(self, pairs: Sequence[Image]) -> NDArray[np.float64]:
        """(N, 3) natural logarithms of the probabilities of FATES.

        Args:
            pairs: Each (HEIGHT_PX, WIDTH_PX, 6) uint8, BGR before and BGR after.
        """
        return log_probabilities(np.asarray(self._session.run(pairs), np.float64) / self._temperature)


def log_probabilities(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows x to x - log(sum(exp(x)))."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)


def pooled(looks: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """(3,) probabilities of FATES after some looks at one resting stack.

    The looks err alike, so their logarithms are averaged, not summed: p ~ exp(mean(log p_k)).
    """
    return np.asarray(np.exp(log_probabilities(np.mean(looks, axis=0))), np.float64)


def middle_of(crop: Image) -> Image:
    """The part of a gauge's crop, or of a larger one, that the comparer sees."""
    top, left = (crop.shape[0] - HEIGHT_PX) // 2, (crop.shape[1] - WIDTH_PX) // 2
    return crop[top : top + HEIGHT_PX, left : left + WIDTH_PX]
