"""Measure a house's chips, laid in a row on the cloth, one of each kind, beside a card that lies face up.

The paper of the card shows what white is in this light, so that colours and faces remain valid in another light. Knows
kinds of chips by their place in the row, not what they are worth. Layout millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.chips.table_chips import CHIP_WIDTHS, CHIPS_SCORE, LEAST_LEVEL
from thirdcard.vision.detections import CARD_FACE, CHIPS, Detections, concatenate, sides_mm, suppress
from thirdcard.vision.errors import ChipRowError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.chip_faces import PAPER_LEVEL, ChipFaceReader, face_of, in_paper_light, white_of
from thirdcard.vision.inference.chip_samples import ChipLooks, colours_apart, rings_of
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.reader import BACK, UNCLEAR, Reader
from thirdcard.vision.inference.stack_height import CropFrame, Gauging, StackGauge, stack_crop
from thirdcard.vision.plane.rectify import Rectifier

SHIFTS_MM = ((0.0, 0.0), (90.0, 50.0), (40.0, 110.0))
"""Shifts of the tiles: one look may find a chip that another misses, such as a red one on red cloth across a printed
line."""
SAME = 0.3
"""Boxes that overlap by more than this share are one chip; two that lie apart do not overlap."""
ROW_SHARE = 0.6
"""How many diameters a chip may lie off the row's line when laid by hand."""
LEAST_APART = 1.25
"""Least distance between centres, in diameters: nearer, the shadow and the edge of one fall onto the other."""
LEAST_PX_PER_MM = 0.3
"""In a picture of a smaller scale chips are not distinguished (docs/new-table.md)."""
SURE_FACE = 0.9
"""Confidence from which a card counts as showing its face, and so its paper; the same as where cards are watched."""
STACK_SCALES = 4.0
"""A top displaced by more than one chip's displacement plus this many error scales of the gauge is that of a stack."""
SAMPLE_PX = 128
"""Side in px of the pictures of faces: no camera shows a chip larger."""
BASE_RINGS = slice(6, 11)
"""Rings of a face, from half its radius to its rim, where most chips show their main colour."""
CLUSTERS, LEAST_SHARE, ONE_COLOUR = 4, 0.08, 14.0
"""A face has a main colour and up to three others (edge spots, inlay). A smaller share of the pixels than the second
number is a blend of two colours; colours nearer than the third number in CIELAB are one, apart by shadow and noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipPlace:
    """Where chips may lie, and how large they are."""

    size_mm: tuple[float, float]
    """Size of the cloth, in mm."""
    diameter_mm: float
    thickness_mm: float
    left_out: Mapping[str, NDArray[np.float64]]
    """Regions whose chips do not count, such as a tray: polygons, (N, 2) mm each."""


@dataclass(frozen=True, slots=True)
class RowEyes:
    """The opened models."""

    detector: Detector
    reader: Reader
    gauge: StackGauge
    faces: ChipFaceReader


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowChip:
    """One measured chip of the row."""

    at_mm: tuple[float, float]
    width_px: float
    """Its width in the camera's picture, in px, where it is narrowest."""
    colour: tuple[int, int, int]
    """Its main colour, BGR, in the light of white paper."""
    picture: Image
    """(SAMPLE_PX, SAMPLE_PX, 3) uint8: its face, filling the picture, in the light of white paper."""
    rings: NDArray[np.float64]
    """(RINGS, 3) mean colours of the face's rings, in the same light."""


def read_chip_row(
    images: Sequence[Image], calibration: Calibration, place: ChipPlace, eyes: RowEyes, *, count: int
) -> list[RowChip]:
    """Measure the chips of a row, ordered by x, or by y where the row runs that way.

    Args:
        images: Pictures of the same row, (H, W, 3) uint8 each, at least one.
        calibration: The camera's.
        place: Where chips may lie.
        eyes: The opened models.
        count: The number of chips in the row.

    Raises:
        ChipRowError: The row does not have that many chips, or they cannot be measured; the text says what to change.
        ImageSizeError: The pictures do not have the calibration's size.
    """
    camera_mm = calibration.camera_centre_mm
    if camera_mm is None:
        raise ChipRowError("calibration: rvec = (missing); chips are measured with the camera's place: calibrate anew")
    rectifier = Rectifier(calibration, place.size_mm)
    found = _found(images[-1], rectifier, place, eyes.detector)
    white = _white(images, calibration, found.of(CARD_FACE), eyes.reader)
    row_mm = _row(*_chips(found, place), place.diameter_mm, count)
    _check_apart(row_mm, place.diameter_mm)
    widths = [_width_px(calibration, middle, place.diameter_mm, i) for i, middle in enumerate(row_mm)]
    looks = [eyes.gauge.measure(image, calibration, row_mm, diameter_mm=place.diameter_mm) for image in images]
    faces, pictures = [], []
    for i in range(count):
        seen = [(image, look[i]) for image, look in zip(images, looks, strict=True)]
        gaugings = [(image, gauging) for image, gauging in seen if gauging is not None]
        if not gaugings:
            raise ChipRowError(f"{_named(i)}: the camera does not see it whole; lay the row farther inside the picture")
        _check_single(gaugings[-1][1], np.asarray(camera_mm, np.float64), place.thickness_mm, i)
        faces.append(_mean([face_of(one.view.crop, one) for _, one in gaugings if one.view is not None], white))
        pictures.append(_mean([_picture(image, calibration, one, place) for image, one in gaugings], white))
    colours = base_colours(faces, eyes.faces)
    return [
        RowChip(at_mm=(float(x), float(y)), width_px=width, colour=colour, picture=picture, rings=rings_of(face))
        for (x, y), width, colour, picture, face in zip(row_mm, widths, colours, pictures, faces, strict=True)
    ]


def looks_of_row(row: Sequence[RowChip]) -> ChipLooks:
    """Return the colours and rings of a row's chips, as the reader of faces takes them."""
    colours = np.array([chip.colour for chip in row], np.float64)
    return ChipLooks(colours, np.stack([chip.rings for chip in row]))


def base_colours(faces: Sequence[Image], reader: ChipFaceReader) -> list[tuple[int, int, int]]:
    """Return the main colour of each face, BGR: of its few colours the one that fits the reader of faces best.

    Args:
        faces: (RINGS, ANGLES, 3) uint8 each, in the light of white paper.
        reader: Judges each colour beside the other chips' colours.
    """
    paper = np.full(3, PAPER_LEVEL)
    offered = [_few_colours(face) for face in faces]
    chosen = [colours[0] for colours in offered]
    for i, face in enumerate(faces):
        others = [colour for k, colour in enumerate(chosen) if k != i]
        fits = [reader.fits([face], np.array([colour, *others]), paper)[0, 0] for colour in offered[i]]
        chosen[i] = offered[i][int(np.argmax(fits))]
    return [(round(blue), round(green), round(red)) for blue, green, red in (map(float, each) for each in chosen)]


def _few_colours(face: Image) -> list[NDArray[np.float64]]:
    """Return the colours of a face's outer rings, the most common first."""
    pixels = face[BASE_RINGS].reshape(-1, 3)
    lab = cv2.cvtColor((pixels[None] / 255).astype(np.float32), cv2.COLOR_BGR2LAB)[0]
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    _, labels, _ = cv2.kmeans(lab, CLUSTERS, np.empty(0, np.int32), stop, 3, cv2.KMEANS_PP_CENTERS)
    sizes = np.bincount(labels.ravel(), minlength=CLUSTERS)
    found: list[tuple[int, NDArray[np.float64]]] = []
    for k in np.argsort(-sizes, kind="stable"):
        own = pixels[labels.ravel() == k]
        if not len(own):
            continue
        colour = np.asarray(np.median(own, axis=0), np.float64)
        near = [i for i, (_, other) in enumerate(found) if colours_apart(colour, other) < ONE_COLOUR]
        if near:
            found[near[0]] = (found[near[0]][0] + len(own), found[near[0]][1])
        else:
            found.append((len(own), colour))
    found.sort(key=lambda each: -each[0])
    usual = [colour for size, colour in found if size >= LEAST_SHARE * len(pixels)]
    return usual or [found[0][1]]


def _white(images: Sequence[Image], calibration: Calibration, cards: Detections, reader: Reader) -> NDArray[np.float64]:
    crops = [card_crop(image, calibration, corners) for image in images for corners in cards.corners_mm]
    seen = [crop for crop in crops if crop is not None]
    faces: list[Image] = []
    if seen:
        told = reader.read(seen)
        rows = zip(seen, told.best, told.confidence, strict=True)
        faces = [crop for crop, label, sure in rows if sure > SURE_FACE and label not in (BACK, UNCLEAR)]
    if not faces:
        raise ChipRowError("no card lies face up in the picture; lay one beside the row: its paper tells the light")
    white = np.asarray(np.median([white_of(face) for face in faces], axis=0), np.float64)
    if white.min() < LEAST_LEVEL:
        raise ChipRowError(
            f"the card's paper has {white.min():.0f} of 255; must have {LEAST_LEVEL:g} at least: give more light"
        )
    return white


def _found(image: Image, rectifier: Rectifier, place: ChipPlace, detector: Detector) -> Detections:
    """Return what several looks with shifted tiles detect."""
    whole = [(0.0, 0.0, *place.size_mm)]
    looks = [detector.detect_regions(image, rectifier, whole, shift_mm=shift) for shift in SHIFTS_MM]
    return suppress(concatenate(looks), iou=SAME)


def _chips(found: Detections, place: ChipPlace) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the centres, (N, 2) mm, of possible chips on the cloth, and a mask of those that are certain."""
    chips = found.of(CHIPS)
    width = sides_mm(chips.corners_mm).min(axis=1, initial=np.inf) / place.diameter_mm
    middles = chips.centres_mm
    counts = (width >= CHIP_WIDTHS[0]) & (width <= CHIP_WIDTHS[1])
    counts &= ((middles >= 0) & (middles <= np.array(place.size_mm))).all(axis=1)
    for polygon in place.left_out.values():
        outline = polygon.astype(np.float32)
        away = [cv2.pointPolygonTest(outline, (float(x), float(y)), True) for x, y in middles]
        counts &= np.array(away, np.float64) < -place.diameter_mm / 2
    return np.asarray(middles[counts], np.float64), np.asarray(chips.score[counts] >= CHIPS_SCORE)


def _row(
    middles: NDArray[np.float64], is_sure: NDArray[np.bool_], diameter_mm: float, count: int
) -> list[NDArray[np.float64]]:
    """Return the centres of the row with most certain chips, and of everything else on its line, in order."""
    pairs = list(combinations(np.flatnonzero(is_sure).tolist(), 2))
    lines = [_on_line(middles, i, k, diameter_mm) for i, k in pairs] if pairs else [is_sure]
    row = middles[max(lines, key=lambda line: (int((line & is_sure).sum()), -int(line.sum())))]
    if len(row) != count:
        places = ", ".join(f"({x:.0f}, {y:.0f})" for x, y in sorted(map(tuple, row)))
        at = f", at {places} mm" if places else ""
        say = f"must be {count}, one of each value, with nothing else beside them"
        raise ChipRowError(f"{len(row)} chips lie in a row{at}; {say}")
    along = int(np.argmax(np.ptp(row, axis=0)))
    return [np.asarray(middle, np.float64) for middle in row[np.argsort(row[:, along])]]


def _on_line(middles: NDArray[np.float64], i: int, k: int, diameter_mm: float) -> NDArray[np.bool_]:
    """Return a mask of the points that lie on the line through two of them."""
    step = middles[k] - middles[i]
    normal = np.array([-step[1], step[0]]) / max(float(np.hypot(*step)), 1e-9)
    return np.asarray(np.abs((middles - middles[i]) @ normal) <= ROW_SHARE * diameter_mm)


def _check_apart(row_mm: Sequence[NDArray[np.float64]], diameter_mm: float) -> None:
    for i, (one, other) in enumerate(pairwise(row_mm)):
        apart = float(np.hypot(*(other - one)))
        if apart < LEAST_APART * diameter_mm:
            raise ChipRowError(
                f"chips {i + 1} and {i + 2} of the row lie {apart:.0f} mm apart from middle to middle; must be "
                f"{LEAST_APART * diameter_mm:.0f} mm or more: lay them apart"
            )


def _width_px(calibration: Calibration, middle_mm: NDArray[np.float64], diameter_mm: float, i: int) -> float:
    """Return a chip's width in px where it is narrowest in the picture."""
    turns = np.arange(32) * np.pi / 16
    rim = middle_mm + np.column_stack([np.cos(turns), np.sin(turns)]) * diameter_mm / 2
    seen = calibration.image_from_layout(rim)
    size = np.array(calibration.image_size_wh_px)
    if not np.isfinite(seen).all() or (seen < 0).any() or (seen > size - 1).any():
        raise ChipRowError(f"{_named(i)}: the picture cuts it off; lay the row farther inside")
    width = float(np.linalg.norm(seen[:16] - seen[16:], axis=1).min())
    if width < LEAST_PX_PER_MM * diameter_mm:
        say = "lay the row where the camera sees it larger, or take more pixels"
        least = LEAST_PX_PER_MM * diameter_mm
        raise ChipRowError(f"{_named(i)}: {width:.0f} px wide; must be {least:.0f} or more: {say}")
    return width


def _check_single(gauging: Gauging, camera_mm: NDArray[np.float64], thickness_mm: float, i: int) -> None:
    away = float(np.hypot(*(np.array(gauging.foot_mm) - camera_mm[:2])))
    one_mm = away * thickness_mm / (-float(camera_mm[2]) - thickness_mm)
    if gauging.displacement_mm - one_mm > max(STACK_SCALES * gauging.scale_mm, one_mm):
        raise ChipRowError(f"{_named(i)}: stands higher than one chip; lay one of each value, no stacks")


def _picture(image: Image, calibration: Calibration, gauging: Gauging, place: ChipPlace) -> Image:
    """Cut a face out of the camera's picture, SAMPLE_PX wide."""
    assert gauging.view is not None, "an average has no look"
    frame = gauging.view.frame
    top_mm = np.array(gauging.foot_mm) + frame.outward * gauging.displacement_mm
    square = CropFrame(centre_mm=top_mm, outward=frame.outward, px_per_mm=SAMPLE_PX / place.diameter_mm)
    crop = stack_crop(image, calibration, square, size_wh_px=(SAMPLE_PX, SAMPLE_PX))
    assert crop is not None, "the chip lies within the picture"
    return crop


def _mean(pictures: Sequence[Image], white: NDArray[np.float64]) -> Image:
    mean = np.mean(pictures, axis=0)
    return np.asarray(np.rint(in_paper_light(np.asarray(mean), white)), np.uint8)


def _named(i: int) -> str:
    return f"chip {i + 1} of the row"
