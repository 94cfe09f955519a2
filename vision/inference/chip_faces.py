"""Identify the chip on top of a stack with a small network that compares its face with each of the house's chips.

A face is sampled on rings about the centre of the top disc and normalised to the light of white paper. For each chip of
the house the network receives the face, that chip's colour, and at each place the nearest colour of the other chips:
the base colour of a face is not one of the spots and inlays that other faces may share. Colours are BGR, 0 to 255.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_samples import (
    ANGLES,
    RINGS,
    ChipLooks,
    rings_apart,
    rings_of,
    sampled_face,
)
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.session import ModelSession
from thirdcard.vision.inference.stack_change import log_probabilities
from thirdcard.vision.inference.stack_height import Gauging

CHANNELS = 9
"""Three channels each: the face, the chip that it is compared with, and the nearest other chip."""
CLASSES = ("base",)
"""The network's one output for a face and a chip: how well that chip's colour is the face's base colour."""
PAPER_LEVEL = 245.0
"""Grey level of white paper in the light to which faces are normalised."""
WHITE_PERCENTILE = 80
"""Percentile of a card's levels that counts as paper: brighter than print and the rim of cloth, less than spots of
glare. Chosen by hand."""
NET_SHARE, SAMPLE_PER_LEVEL = 0.74, 0.25
"""Weights in the log probability of a chip, where samples are known: of the network's answer, and of each level by
which a face differs from the chip's sample. Fitted to 1 187 stacks of 19 drawn worlds whose chips were enrolled from
a row on the same table (models/cards/chip_faces.md)."""
SURE = 0.98
"""Confidence below which a chip is not used for amounts (service/interpretation/chip_values.py)."""
PRINT_NEEDED = float(np.log(SURE / (1 - SURE)) / SAMPLE_PER_LEVEL)
"""Levels by which the samples of two chips of one colour must differ, so that a face equal to one of them is
identified with confidence SURE."""


class ChipFaceReader:
    """An open reader of chips' faces."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> ChipFaceReader:
        """Open the reader of the registry, or another.

        Raises:
            ModelError: The model is missing, altered or declared differently.
        """
        spec = load_model_spec("chip_faces") if spec is None else spec
        if spec.classes != CLASSES or spec.input.shape[1:] != (CHANNELS, RINGS, ANGLES):
            raise ModelError(
                f"registry.yaml: chip_faces.classes = {list(spec.classes)}; must be {list(CLASSES)}, "
                f"input {CHANNELS} x {RINGS} x {ANGLES}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    def read(self, faces: Sequence[Image], looks: ChipLooks, white: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each face the probabilities of the house's chips.

        Args:
            faces: (RINGS, ANGLES, 3) uint8 each, as `face_of` returns them.
            looks: The house's K chips.
            white: (3,) colour of white paper as the camera shows it.

        Returns:
            (len(faces), K) probabilities.
        """
        if not faces:
            return np.zeros((0, len(looks)))
        log_shares = log_probabilities(self.fits(faces, looks.colours, white) / self._temperature)
        if looks.rings is not None:
            shown = [rings_of(in_paper_light(face, white)) for face in faces]
            away = np.array([[rings_apart(own, sample) for sample in looks.rings] for own in shown])
            log_shares = log_probabilities(NET_SHARE * log_shares - SAMPLE_PER_LEVEL * away)
        return np.exp(log_shares)

    def fits(
        self, faces: Sequence[Image], colours: NDArray[np.float64], white: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the network's logits, (len(faces), K), that each chip's colour is the base colour of a face."""
        shown = [picture for face in faces for picture in beside_chips(face, colours, white)]
        return np.asarray(self._session.run(shown), np.float64).reshape(len(faces), len(colours))


def face_of(crop: Image, gauging: Gauging) -> Image:
    """Cut the top face of a stack out of the crop in which it was measured: (RINGS, ANGLES, 3) uint8."""
    assert gauging.view is not None, "an average has no crop"
    frame = gauging.view.frame
    foot_px = frame.crop_from_layout(np.array([gauging.foot_mm]))[0]
    return sampled_face(crop, (foot_px[0], foot_px[1] - gauging.displacement_mm * frame.px_per_mm))


def in_paper_light(picture: NDArray[np.uint8], white: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a picture, (..., 3), scaled so that white paper has PAPER_LEVEL in it."""
    return np.asarray(np.clip(picture * (PAPER_LEVEL / white), 0, 255), np.float64)


def beside_chips(face: Image, colours: NDArray[np.float64], white: NDArray[np.float64]) -> list[Image]:
    """Return the network's input for a face: (RINGS, ANGLES, CHANNELS) uint8 for each chip."""
    own = in_paper_light(face, white)
    away = np.abs(own[None] - colours[:, None, None]).sum(axis=3)
    shown = []
    for k, colour in enumerate(colours):
        others = np.delete(away, k, axis=0)
        nearest = np.delete(colours, k, axis=0)[others.argmin(axis=0)] if len(colours) > 1 else np.zeros_like(own)
        shown.append(np.dstack([own, np.broadcast_to(colour, own.shape), nearest]).astype(np.uint8))
    return shown


def white_of(card: Image) -> NDArray[np.float64]:
    """Return the colour of white paper, (3,), from the crop of a face-up card, most of which is paper."""
    return np.asarray(np.percentile(card.reshape(-1, 3), WHITE_PERCENTILE, axis=0), np.float64)
