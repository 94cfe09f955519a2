"""The third step: calibrate the camera on the cloth, from points in the picture, from the drawing, or from markers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import yaml

from thirdcard.calibration.camera import Calibration, format_calibration, load_calibration
from thirdcard.calibration.fit import Fit, fit_from_markers, fit_from_points
from thirdcard.calibration.fit_quality import MOST_OFF_MM, FitQuality, quality_of
from thirdcard.calibration.layout import Area, Layout
from thirdcard.calibration.session import outline_px
from thirdcard.service.guide.cloth_step import load_cloth
from thirdcard.service.guide.drafts import LAYOUT, OVERHEAD, STILL, NewTable, in_words, refuse_wrong
from thirdcard.service.guide.lens_step import load_lens
from thirdcard.service.setup.camera_grade import camera_problems
from thirdcard.service.setup.file_problems import USUAL_CARD_MM, USUAL_CHIP_MM
from thirdcard.service.setup.print_check import print_problems
from thirdcard.service.setup.print_words import word_problems
from thirdcard.service.setup.problems import SetupProblem, wrong
from thirdcard.service.watch.wording import bet_text
from thirdcard.vision.frames import Image

GRID_WH = (24, 12)
"""Cells across and down the cloth for the display of uncertainty."""
Place = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnArea:
    """An area of the cloth in the picture."""

    id: str
    kind: str
    text: str
    """Its name, seat and bet."""
    outline_px: tuple[Place, ...]
    """Pixels; empty where the camera does not see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertainCell:
    """A part of the cloth in the picture, with the calibration's uncertainty there."""

    outline_px: tuple[Place, ...]
    off_mm: float
    """The error in mm that is not exceeded in 90 % of cases."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitTold:
    """A fit with its quality and problems."""

    fit: Fit
    quality: FitQuality
    cells: tuple[UncertainCell, ...]
    areas: tuple[DrawnArea, ...]
    places_px: Mapping[str, Place]
    """Where each reference point of the cloth lies in the picture by this fit, pixels."""
    problems: tuple[SetupProblem, ...]
    """Problems of the camera over this cloth, and of the print's place."""


def load_still(draft: NewTable) -> Image:
    """The camera's picture, (H, W, 3) uint8 BGR.

    Raises:
        DraftStateError: No camera is chosen.
    """
    path = draft.needed(STILL, "Choose the camera first.")
    return np.asarray(cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR), np.uint8)


def try_points(draft: NewTable, points: Mapping[str, Place]) -> FitTold:
    """Fit the camera to points in the picture; the points are kept, the calibration is not.

    Raises:
        StepError: They do not determine a camera, or contradict each other.
        DraftStateError: Camera or cloth are not chosen.
    """
    layout, image = load_cloth(draft), load_still(draft)
    draft.change(points=dict(points))
    with in_words():
        fit = fit_from_points(points, layout, image_size_wh_px=(image.shape[1], image.shape[0]), lens=load_lens(draft))
        return _told(fit, layout, image)


def try_markers(draft: NewTable) -> FitTold:
    """Fit the camera to the markers in its picture.

    Raises:
        StepError: Fewer than two are found, or the cloth has none.
        DraftStateError: Camera or cloth are not chosen.
    """
    layout, image = load_cloth(draft), load_still(draft)
    with in_words():
        return _told(fit_from_markers(image, layout, lens=load_lens(draft)), layout, image)


def settle_fit(draft: NewTable, told: FitTold) -> None:
    """Save a calibration.

    Raises:
        StepError: With it boxes lie outside the picture, are too small, or are mirrored.
    """
    refuse_wrong(list(told.problems))
    document = format_calibration(told.fit.calibration)
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=200)
    draft.put(OVERHEAD, text.encode())


def load_fit(draft: NewTable) -> Calibration:
    """The saved calibration.

    Raises:
        DraftStateError: There is none.
    """
    return load_calibration(draft.needed(OVERHEAD, "Calibrate the camera first."))


def drawn_areas(layout: Layout, calibration: Calibration) -> tuple[DrawnArea, ...]:
    """Each area of a cloth in the picture, with its name."""
    return tuple(
        DrawnArea(id=area.id, kind=area.kind, text=area_text(area), outline_px=_seen(outline_px(calibration, area)))
        for area in layout.areas
    )


def area_text(area: Area) -> str:
    """The name of an area for people: its hand, or its seat and bet."""
    if area.kind == "hand":
        return f"{(area.hand or '').capitalize()} box"
    if area.kind == "wager":
        who = area.name or ("" if area.seat is None else f"Seat {area.seat}")
        return f"{who} {bet_text(area.bet or '')}".strip()
    return area.kind.replace("_", " ")


def _told(fit: Fit, layout: Layout, image: Image) -> FitTold:
    calibration, quality = fit.calibration, quality_of(fit, layout)
    problems = [
        *_unsure(quality),
        *camera_problems(calibration, layout, OVERHEAD, card_mm=USUAL_CARD_MM, chip_mm=USUAL_CHIP_MM),
        *print_problems(image, calibration, layout, OVERHEAD),
        *word_problems(image, calibration, layout, LAYOUT),
    ]
    names = list(layout.reference_points)
    places = calibration.image_from_layout(np.array([layout.reference_points[name] for name in names]).reshape(-1, 2))
    return FitTold(
        fit=fit,
        quality=quality,
        cells=_cells(fit, layout),
        areas=drawn_areas(layout, calibration),
        places_px={name: (x, y) for name, (x, y) in zip(names, places.tolist(), strict=True) if np.isfinite(x + y)},
        problems=tuple(problems),
    )


def _unsure(quality: FitQuality) -> Iterator[SetupProblem]:
    if not quality.is_usable:
        say = f"more than {MOST_OFF_MM:g} mm over boxes and wagers; {quality.advice}"
        yield wrong(OVERHEAD, "uncertainty", value=f"{quality.off_mm:.0f} mm", say=say)


def _cells(fit: Fit, layout: Layout) -> tuple[UncertainCell, ...]:
    (width, depth), (across, down) = layout.size_mm, GRID_WH
    step = np.array([width / across, depth / down])
    starts = np.stack(np.meshgrid(np.arange(across), np.arange(down)), axis=-1).reshape(-1, 2) * step
    off_mm = fit.uncertainty.radius_mm(starts + step / 2)
    corners = starts[:, None, :] + np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * step
    places = fit.calibration.image_from_layout(corners.reshape(-1, 2)).reshape(-1, 4, 2)
    return tuple(
        UncertainCell(outline_px=_seen(place), off_mm=float(off))
        for place, off in zip(places, off_mm, strict=True)
        if np.isfinite(place).all()
    )


def _seen(places: np.ndarray) -> tuple[Place, ...]:
    if not np.isfinite(places).all():
        return ()
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in places)
