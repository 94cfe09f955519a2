"""Tell which of a house's chips lies on top of a stack, by a small network that sees its face beside each of them.

A face is sampled on rings round the middle of the top disc and brought into the light of white paper. For each chip of
the house the network is shown the face, that chip's colour, and at each place the nearest colour of the other chips:
the base colour of a face is none of the spots and inlays that other faces may have too. Colours are BGR, 0 to 255.
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
"""Three colours of the face, three of the chip that it is compared with, and three of the nearest other chip."""
CLASSES = ("base",)
"""The network's one answer to a face beside a chip: how well that chip's colour is the face's base colour."""
PAPER_LEVEL = 245.0
"""What white paper is in the light that faces are brought into."""
WHITE_PERCENTILE = 80
"""Of a card's levels, what counts as paper: brighter than print and the rim of cloth, less than spots of glare. Chosen
by hand."""
NET_SHARE, SAMPLE_PER_LEVEL = 0.74, 0.25
"""How much the network counts, and each level by which a face differs from a chip's sample, in the logarithm of how
likely it is that chip, where samples are known. Fitted to 1 187 stacks of 19 drawn worlds whose chips were enrolled
from a row on the same table (models/cards/chip_faces.md)."""
SURE = 0.98
"""A chip less sure than this tells no amount (service/interpretation/chip_values.py)."""
PRINT_NEEDED = float(np.log(SURE / (1 - SURE)) / SAMPLE_PER_LEVEL)
"""Levels by which the samples of two chips of one colour must differ: a face like one's is surely that one's then."""


class ChipFaceReader:
    """An open reader of chips' faces."""

    def __init__(self, session: ModelSession) -> None:
        self._session = session
        self._temperature = session.spec.setting("temperature")

    @classmethod
    def open(cls, spec: ModelSpec | None = None, *, threads: int = 1) -> ChipFaceReader:
        """Opens the reader of the registry, or another."""
        spec = load_model_spec("chip_faces") if spec is None else spec
        if spec.classes != CLASSES or spec.input.shape[1:] != (CHANNELS, RINGS, ANGLES):
            raise ModelError(
                f"registry.yaml: chip_faces.classes = {list(spec.classes)}; must be {list(CLASSES)}, "
                f"input {CHANNELS} x {RINGS} x {ANGLES}"
            )
        return cls(ModelSession.open(spec, threads=threads))

    def read(self, faces: Sequence[Image], looks: ChipLooks, white: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely each chip of the house is the one a face belongs to.

        Args:
            faces: Each (RINGS, ANGLES, 3) uint8, as `face_of` gives it.
            looks: The house's K chips.
            white: (3,) white paper as the camera shows it.

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
        """(len(faces), K): how well the network finds each chip's colour to be the base colour of a face."""
        shown = [picture for face in faces for picture in beside_chips(face, colours, white)]
        return np.asarray(self._session.run(shown), np.float64).reshape(len(faces), len(colours))


def face_of(crop: Image, gauging: Gauging) -> Image:
    """The top face of a stack, out of the crop that it was gauged on: (RINGS, ANGLES, 3) uint8."""
    assert gauging.view is not None, "an average has no crop"
    frame = gauging.view.frame
    foot_px = frame.crop_from_layout(np.array([gauging.foot_mm]))[0]
    return sampled_face(crop, (foot_px[0], foot_px[1] - gauging.displacement_mm * frame.px_per_mm))


def in_paper_light(picture: NDArray[np.uint8], white: NDArray[np.float64]) -> NDArray[np.float64]:
    """A picture, (..., 3), as if white paper had PAPER_LEVEL in it."""
    return np.asarray(np.clip(picture * (PAPER_LEVEL / white), 0, 255), np.float64)


def beside_chips(face: Image, colours: NDArray[np.float64], white: NDArray[np.float64]) -> list[Image]:
    """What the network is shown of a face: (RINGS, ANGLES, CHANNELS) uint8 for each chip."""
    own = in_paper_light(face, white)
    away = np.abs(own[None] - colours[:, None, None]).sum(axis=3)
    shown = []
    for k, colour in enumerate(colours):
        others = np.delete(away, k, axis=0)
        nearest = np.delete(colours, k, axis=0)[others.argmin(axis=0)] if len(colours) > 1 else np.zeros_like(own)
        shown.append(np.dstack([own, np.broadcast_to(colour, own.shape), nearest]).astype(np.uint8))
    return shown


def white_of(card: Image) -> NDArray[np.float64]:
    """(3,): what white paper looks like, by the crop of a face-up card, most of which is paper."""
    return np.asarray(np.percentile(card.reshape(-1, 3), WHITE_PERCENTILE, axis=0), np.float64)
