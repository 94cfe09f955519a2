"""Classify what became of a stack of chips, from a look before a hand was there and one after, by a small network.

Both looks are means over some frames, cut out in the frame of the look before, so that an untouched stack lies at the
same place in both. If the stack was pushed, it is located again and added a third time, aligned with the look before.
Knows nothing of heights and counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.alignment import REACH_PX, pulled_back, push_px
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.session import ModelSession

WIDTH_PX, HEIGHT_PX = 64, 112
"""A crop's size in px; its scale is the gauge's."""
WIDE_WH_PX = (WIDTH_PX + 2 * REACH_PX, HEIGHT_PX + 2 * REACH_PX)
"""Width and height of a look after, large enough to locate a pushed stack."""
CHANNELS = 9
"""Three channels each: the look before, the look after, and the latter again, aligned with the former."""
FATES = ("fewer", "same", "more", "anew")
"""What may have become of a stack's chips, in the order of the network's outputs: fewer, unchanged, more, or as many
but laid anew, as by a hand that straightens them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How the comparer's answers are judged; fitted to its weights."""

    least_same: float = 0.0
    """A stack counts as changed if its probability of "same" is below this."""
    comparison: float = 1.0
    leaning: float = 0.0
    """Weights of the comparer's log odds of more chips to fewer, and of the gauge's, in the direction."""


AS_TOLD = Judging()


class StackComparer:
    """An open comparer."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> StackComparer:
        """Open the comparer of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("comparer") if spec is None else spec
        if spec.classes != FATES or spec.input.shape[1:] != (CHANNELS, HEIGHT_PX, WIDTH_PX):
            raise ModelError(
                f"registry.yaml: comparer.classes = {list(spec.classes)}; must be {list(FATES)}, "
                f"input {CHANNELS} x {HEIGHT_PX} x {WIDTH_PX}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    @property
    def judging(self) -> Judging:
        """How its answers are judged, from the registry's settings."""
        spec = self._session.spec
        return Judging(**{name: spec.setting(name) for name in ("least_same", "comparison", "leaning")})

    def compare(self, pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        """Compare looks before with looks after.

        Args:
            pairs: A stack before, (HEIGHT_PX, WIDTH_PX, 3) uint8 BGR, and the same place after, wider by
                `thirdcard.vision.inference.alignment.REACH_PX` on every side.

        Returns:
            (4,) probabilities of FATES for each pair.
        """
        rows = self.read([joined(before, after) for before, after in pairs]) if pairs else ()
        return [np.asarray(np.exp(row), np.float64) for row in rows]

    def read(self, pairs: Sequence[Image]) -> NDArray[np.float64]:
        """Return the natural logarithms of the probabilities of FATES, (N, 4).

        Args:
            pairs: (HEIGHT_PX, WIDTH_PX, CHANNELS) uint8 each: BGR before, after, and after aligned with before.
        """
        return log_probabilities(np.asarray(self._session.run(pairs), np.float64) / self._temperature)


def joined(before: Image, after: Image) -> Image:
    """Return the network's input for a look before and a wide look after."""
    moved = pulled_back(after, push_px(before, after), size_wh_px=(WIDTH_PX, HEIGHT_PX))
    return np.dstack([before, middle_of(after), moved])


def mean_of(looks: Sequence[Sequence[Image]]) -> list[Image]:
    """Return each stack's mean over looks, which show the same stacks in the same order and size."""
    means = [np.mean([look[i] for look in looks], axis=0) for i in range(len(looks[0]))]
    return [np.asarray(np.rint(mean), np.uint8) for mean in means]


def log_probabilities(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x - log(sum(exp(x))) for each row x."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)


def middle_of(crop: Image) -> Image:
    """Return the part of a gauge's crop, or of a wide look after, that the comparer sees."""
    top, left = (crop.shape[0] - HEIGHT_PX) // 2, (crop.shape[1] - WIDTH_PX) // 2
    return crop[top : top + HEIGHT_PX, left : left + WIDTH_PX]
