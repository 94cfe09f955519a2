"""Read which face a card's crop shows, as calibrated log probabilities.

One row is one crop; a label is a class name of the registry: the 52 faces, `back`, `unclear`. Keeps no memory: votes
over time are counted elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.batching import Session
from thirdcard.vision.inference.crops import HEIGHT_PX, WIDTH_PX
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.session import ModelSession

BACK, UNCLEAR = "back", "unclear"


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The reader's answers for some crops; the array is read-only."""

    log_probs: NDArray[np.float64]
    """(N, classes) natural logarithms; the probabilities of each row sum to 1."""
    labels: tuple[str, ...]
    """Class names, in the order of the columns."""

    def __post_init__(self) -> None:
        if self.log_probs.ndim != 2 or self.log_probs.shape[1] != len(self.labels):
            raise ValueError(f"log_probs: shape = {self.log_probs.shape}; must be (N, {len(self.labels)})")
        view = self.log_probs.view()
        view.flags.writeable = False
        object.__setattr__(self, "log_probs", view)

    def __len__(self) -> int:
        return len(self.log_probs)

    @property
    def best(self) -> list[str]:
        """The most likely class of each crop."""
        return [self.labels[i] for i in self.log_probs.argmax(axis=1)]

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(N,) probability of the most likely class."""
        highest: NDArray[np.float64] = np.exp(self.log_probs.max(axis=1, initial=-np.inf))
        return highest


class Reader:
    """An open reader."""

    deck: None = None
    """It has no enrolled deck."""

    def __init__(self, session: Session, *, temperature: float) -> None:
        """Take an open model and the temperature with which its confidence was calibrated."""
        self._session = session
        self._temperature = temperature
        self.labels = session.spec.classes

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> Reader:
        """Open the reader of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("reader") if spec is None else spec
        if spec.input_hw_px != (HEIGHT_PX, WIDTH_PX) or not {BACK, UNCLEAR} <= set(spec.classes):
            raise ModelError(
                f"registry.yaml: {spec.name}.input.shape = {list(spec.input.shape)}; "
                f"must be [null, 3, {HEIGHT_PX}, {WIDTH_PX}], with the classes {BACK} and {UNCLEAR}"
            )
        return cls.over(ModelSession.open(spec, threads=threads))

    @classmethod
    def over(cls, session: Session) -> Reader:
        """Return a reader over an open model, with the temperature of the registry."""
        return cls(session, temperature=session.spec.setting("temperature"))

    def read(self, crops: Sequence[Image]) -> Readings:
        """Read crops of (112, 80, 3) uint8, BGR; no crops give an empty result.

        A card has no upper end: each crop is read both ways up and the two answers are averaged.
        """
        if not crops:
            return Readings(np.empty((0, len(self.labels))), self.labels)
        turned = [np.ascontiguousarray(crop[::-1, ::-1]) for crop in crops]
        logits = self._session.run([*crops, *turned]).astype(np.float64) / self._temperature
        return Readings(log_softmax((logits[: len(crops)] + logits[len(crops) :]) / 2), self.labels)


def log_softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x - log(sum(exp(x))) for each row x; the largest value is subtracted first to avoid overflow."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
