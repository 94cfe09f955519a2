"""Tell from two looks at one stack of chips, before a hand was there and after, what became of it, by a small network.

Both looks are means over some frames, cut out in one frame, that of the look before, so that what nobody touched lies
in the same place in both; where the stack was pushed it is found again and shown a third time, laid over the look
before. Knows nothing of heights and counts.
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
"""A crop's size; its scale is the gauge's."""
WIDE_WH_PX = (WIDTH_PX + 2 * REACH_PX, HEIGHT_PX + 2 * REACH_PX)
"""The size of a look after, in which a stack that was pushed is found again."""
CHANNELS = 9
"""Three colours each of the look before, the look after, and that after once more where the stack was pushed to."""
FATES = ("fewer", "same", "more", "anew")
"""What may have become of a stack's chips, in the order of the network's answers: fewer, left as they lay, more, or as
many, but laid anew, as by a hand that straightens them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How what the comparer says is judged, as its weights were examined."""

    least_same: float = 0.0
    """A stack is called changed where it is less likely than this that nothing was added or taken."""
    comparison: float = 1.0
    leaning: float = 0.0
    """How much the comparer's log odds of more chips to fewer count for the direction, and how much the gauge's."""


AS_TOLD = Judging()


class StackComparer:
    """An open comparer."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> StackComparer:
        """Opens the comparer of the registry, or another."""
        spec = load_model_spec("comparer") if spec is None else spec
        if spec.classes != FATES or spec.input.shape[1:] != (CHANNELS, HEIGHT_PX, WIDTH_PX):
            raise ModelError(
                f"registry.yaml: comparer.classes = {list(spec.classes)}; must be {list(FATES)}, "
                f"input {CHANNELS} x {HEIGHT_PX} x {WIDTH_PX}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    @property
    def judging(self) -> Judging:
        """How what it says is judged."""
        spec = self._session.spec
        return Judging(**{name: spec.setting(name) for name in ("least_same", "comparison", "leaning")})

    def compare(self, pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        """Hold looks before against looks after.

        Args:
            pairs: A stack before, (HEIGHT_PX, WIDTH_PX, 3) uint8 BGR, and the same place after, wider by
                `thirdcard.vision.inference.alignment.REACH_PX` on every side.

        Returns:
            (4,) probabilities of FATES, one a pair.
        """
        rows = self.read([joined(before, after) for before, after in pairs]) if pairs else ()
        return [np.asarray(np.exp(row), np.float64) for row in rows]

    def read(self, pairs: Sequence[Image]) -> NDArray[np.float64]:
        """(N, 4) natural logarithms of the probabilities of FATES.

        Args:
            pairs: Each (HEIGHT_PX, WIDTH_PX, CHANNELS) uint8, BGR before, after, and after where it was pushed to.
        """
        return log_probabilities(np.asarray(self._session.run(pairs), np.float64) / self._temperature)


def joined(before: Image, after: Image) -> Image:
    """What the network is shown of a look before and a wide look after."""
    moved = pulled_back(after, push_px(before, after), size_wh_px=(WIDTH_PX, HEIGHT_PX))
    return np.dstack([before, middle_of(after), moved])


def mean_of(looks: Sequence[Sequence[Image]]) -> list[Image]:
    """Each stack's mean over looks, which show as many stacks in the same order and size."""
    means = [np.mean([look[i] for look in looks], axis=0) for i in range(len(looks[0]))]
    return [np.asarray(np.rint(mean), np.uint8) for mean in means]


def log_probabilities(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows x to x - log(sum(exp(x)))."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)), np.float64)


def middle_of(crop: Image) -> Image:
    """The part of a gauge's crop, or of a wide look after, that the comparer sees."""
    top, left = (crop.shape[0] - HEIGHT_PX) // 2, (crop.shape[1] - WIDTH_PX) // 2
    return crop[top : top + HEIGHT_PX, left : left + WIDTH_PX]
