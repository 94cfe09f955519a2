"""Measure the lens with the printed board in the camera's view: an optional part of the third step.

Every view is saved in the draft; from the fifth on, the lens is fitted again after each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import yaml

from thirdcard.calibration.camera_problem import KnownLens
from thirdcard.calibration.charuco import FEWEST_VIEWS, measure_lens, shows_board
from thirdcard.calibration.documents import read_document
from thirdcard.calibration.errors import FitError
from thirdcard.service.guide.camera_step import look_again
from thirdcard.service.guide.drafts import LENS, OVERHEAD, VIEWS, NewTable, StepError

MOST_VIEWS = 40
"""Ten views measure a lens to a hundredth (calibration/charuco.py); more only take time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensTold:
    """The progress of the lens measurement."""

    views: int
    is_measured: bool
    say: str


def add_view(draft: NewTable) -> LensTold:
    """Take one more view of the board, and measure the lens once there are enough.

    Raises:
        StepError: The picture does not show the board, or there are enough views; it is not saved.
        DraftStateError: No camera is saved.
    """
    image = look_again(draft).look.image
    views = _views(draft)
    if not shows_board(image):
        raise StepError("The board is not seen whole enough: hold it nearer, flat and in good light.")
    if len(views) >= MOST_VIEWS:
        raise StepError(f"There are {MOST_VIEWS} views, which is enough; drop them to begin anew.")
    name = f"{VIEWS}/{len(views) + 1:02d}.png"  # lossless: corners matter to a tenth of a pixel
    draft.put(name, cv2.imencode(".png", image)[1].tobytes())
    return _measured(draft, _views(draft))


def drop_views(draft: NewTable) -> None:
    """Delete the views and the lens, and a calibration that used it."""
    had_lens = draft.has(LENS)
    draft.take_away(LENS, *(f"{VIEWS}/{path.name}" for path in _views(draft)), *((OVERHEAD,) if had_lens else ()))


def load_lens(draft: NewTable) -> KnownLens | None:
    """The measured lens; None where there is none."""
    if not draft.has(LENS):
        return None
    document = read_document(draft.folder / LENS)
    matrix, distortion = (np.array(document[key], np.float64) for key in ("camera_matrix", "distortion"))
    return KnownLens(camera_matrix=matrix, distortion=distortion)


def _views(draft: NewTable) -> list[Path]:
    return sorted((draft.folder / VIEWS).glob("*.png"))


def _measured(draft: NewTable, views: list[Path]) -> LensTold:
    if len(views) < FEWEST_VIEWS:
        say = f"{len(views)} of at least {FEWEST_VIEWS} views; tilt the board otherwise for the next."
        return LensTold(views=len(views), is_measured=False, say=say)
    try:
        pictures = {path.name: np.asarray(cv2.imread(str(path)), np.uint8) for path in views}
        fit = measure_lens(pictures)
    except FitError as error:
        return LensTold(views=len(views), is_measured=draft.has(LENS), say=str(error))
    lens = {"camera_matrix": fit.lens.camera_matrix.tolist(), "distortion": fit.lens.distortion.tolist()}
    draft.put(LENS, yaml.safe_dump(lens, default_flow_style=None).encode())
    focal = f"{fit.lens.camera_matrix[0, 0]:.0f} px, known to {fit.focal_spread:.2%}"
    say = f"Focal length {focal}, over {fit.views} views; residual {fit.residual_px:.2f} px."
    return LensTold(views=len(views), is_measured=True, say=say)
