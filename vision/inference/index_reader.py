"""Read which card a corner index names, as calibrated log probabilities.

One row is one index; a label is a class name of the registry: the 52 faces and `unclear`. Knows nothing of cards.
"""

from __future__ import annotations

import numpy as np

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.index_crops import HEIGHT_PX, WIDTH_PX, index_crop
from thirdcard.vision.inference.index_finder import Indices
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.reader import UNCLEAR, Readings, log_softmax
from thirdcard.vision.inference.session import ModelSession

_SIZES = (0.9, 1.0, 1.12)
"""Each index is cut out at these relative sizes, and the answers are averaged."""


class IndexReader:
    """An open index reader."""

    def __init__(self, session: ModelSession, *, temperature: float) -> None:
        """Take an open model and the temperature with which its confidence was calibrated."""
        self._session = session
        self._temperature = temperature
        self.labels = session.spec.classes

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> IndexReader:
        """Open the index reader of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("index_reader") if spec is None else spec
        if spec.input_hw_px != (HEIGHT_PX, WIDTH_PX) or UNCLEAR not in spec.classes:
            raise ModelError(
                f"registry.yaml: {spec.name}.input.shape = {list(spec.input.shape)}; "
                f"must be [null, 3, {HEIGHT_PX}, {WIDTH_PX}], with the class {UNCLEAR}"
            )
        return cls(ModelSession.open(spec, threads=threads), temperature=spec.setting("temperature"))

    def read(self, image: Image, indices: Indices) -> Readings:
        """Read indices of a photograph, (H, W, 3) uint8, BGR; no indices give an empty result."""
        if not len(indices):
            return Readings(np.empty((0, len(self.labels))), self.labels)
        crops = [
            index_crop(image, indices.centres_px[i], indices.ups[i], indices.sizes_px[i] * size)
            for size in _SIZES
            for i in range(len(indices))
        ]
        logits = self._session.run(crops).astype(np.float64).reshape(len(_SIZES), len(indices), -1)
        return Readings(log_softmax(logits.mean(axis=0) / self._temperature), self.labels)
