"""Watch one table through one camera: frames in, observations out.

Looks a few times a second, only where the picture changed or something is not settled yet. Knows regions by what is
to be seen in them, not what they mean. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Calibration
from vision.card_watch import CardWatch, new_card_watch
from vision.cover import Cover
from vision.crops import card_crop
from vision.detections import CARD_BACK, CARD_FACE, CHIPS, Detections
from vision.detector import Detector
from vision.frames import Frame
from vision.freshness import Freshness
from vision.gate import SMALL_WH_PX, Change, ChangeGate
from vision.gauge import Gauging, StackGauge
from vision.lamp import Lamp
from vision.observations import LampChanged, Observation
from vision.print_memory import PrintMemory
from vision.reader import Reader
from vision.rectify import Rectifier
from vision.stack_watch import StackWatch
from vision.stacks import StackOptics
from vision.tracker import CardSight
from vision.voting import NO_FACE

LAMP_RIM_MM = 20.0
"""A hand this near to a lamp is said to cover it."""
LOOK_S = 0.095
"""Least time between two looks."""
CARD_SCORE = 0.25
"""Low: the reader says what is no card."""
CHIPS_SCORE = 0.55
COVERED_SHARE = 0.12
ONE_PLACE_MM = 26.0
"""Middles of two cards lie at least this far apart, even where they overlap."""
CHIP_WIDTHS = (0.72, 1.5)
"""A stack's silhouette is this many chip diameters wide, its own enlargement by height included."""
CARD_SIDES = (0.62, 1.45)
"""A card's box has this share of the card's true sides."""
CARD_SIZE_MM = (63.0, 88.0)

Polygon = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRegions:
    """What is to be seen where: region names and polygons in mm."""

    size_mm: tuple[float, float]
    cards: Mapping[str, Polygon] = field(default_factory=dict)
    stacks: Mapping[str, Polygon] = field(default_factory=dict)
    lamps: Mapping[str, Polygon] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large things really are, in mm."""

    card_mm: tuple[float, float] = CARD_SIZE_MM
    chip_diameter_mm: float = 39.0
    chip_thickness_mm: float = 3.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The open models."""

    detector: Detector
    reader: Reader
    gauge: StackGauge | None = None
    """None: stacks are measured by the length of their boxes."""


class Observer:
    """Watches one table."""

    def __init__(
        self,
        regions: ObservedRegions,
        calibration: Calibration,
        eyes: Eyes,
        *,
        sizes: Sizes,
        clock: Callable[[], float],
    ) -> None:
        self._eyes, self._calibration, self._sizes, self.clock = eyes, calibration, sizes, clock
        self._gate = ChangeGate(calibration, regions.size_mm)
        self._rectifier = Rectifier(calibration, regions.size_mm)
        self._freshness = Freshness(regions.size_mm, self._gate.grid)
        self._cards: CardWatch = new_card_watch(regions.cards, eyes.reader.labels)
        centre = calibration.camera_centre_mm
        optics = StackOptics(
            camera_mm=None if centre is None else (float(centre[0]), float(centre[1]), float(centre[2])),
            diameter_mm=sizes.chip_diameter_mm,
            thickness_mm=sizes.chip_thickness_mm,
        )
        sureness = None if eyes.gauge is None else eyes.gauge.sureness
        self._stacks = StackWatch(regions.stacks, self._gate.grid, optics, sureness=sureness)
        self._lamps = [
            Lamp(region=region, polygon_px=calibration.image_from_layout(polygon))
            for region, polygon in regions.lamps.items()
        ]
        self._print = PrintMemory(self._gate.grid)
        self._lamp_masks = {
            region: self._gate.grid.mask_of(polygon, grow_mm=LAMP_RIM_MM) for region, polygon in regions.lamps.items()
        }
        self._looked_t: float | None = None
        self.stage_seconds = {"gate": 0.0, "detect": 0.0, "read": 0.0, "track": 0.0}

    @property
    def found(self) -> Detections:
        """What the detector last found on the whole cloth, hands aside."""
        return self._freshness.found

    def update(self, frame: Frame) -> list[Observation]:
        """Take the next frame in; most are passed over."""
        if self._looked_t is not None and frame.t - self._looked_t < LOOK_S:
            return []
        self._looked_t = frame.t
        started = self.clock()
        change = self._gate.update(frame.small(SMALL_WH_PX), frame.t)
        told: list[Observation] = list(self._watch_lamps(frame))
        started = self._spend("gate", started)
        self._look(frame, change)
        started = self._spend("detect", started)
        cover = Cover(self._gate.grid, change, self._freshness.hands)
        found = self._freshness.found
        read_before = self.stage_seconds["read"]
        told += self._cards.update(
            self._without_print(self._card_sights(found), frame, change),
            frame.t,
            is_covered=lambda corners: cover.share_of(self._gate.grid.mask_of(corners)) > COVERED_SHARE,
            read_faces=lambda places: self._read_faces(frame, places),
        )
        chips = found.of(CHIPS).take(found.of(CHIPS).score >= CHIPS_SCORE)
        told += self._stacks.update(chips, cover, frame.t, measure=lambda places: self._gauge(frame, places))
        self._spend("track", started)
        self.stage_seconds["track"] -= self.stage_seconds["read"] - read_before
        return told

    def waiting_since_t(self, t: float) -> float | None:
        """The earliest moment of which something may still be told; None when all is told."""
        times = [self._cards.waiting_since_t(), self._stacks.waiting_since_t(t)]
        return min((since for since in times if since is not None), default=None)

    def finish(self) -> list[Observation]:
        """Tell of what was still waited for when the video ended."""
        return self._cards.finish()

    def _watch_lamps(self, frame: Frame) -> list[LampChanged]:
        changes = []
        for lamp in self._lamps:
            if self._freshness.hands[self._lamp_masks[lamp.region]].any():
                continue
            since = lamp.update(frame.image, frame.t)
            if since is not None:
                changes.append(LampChanged(region=lamp.region, t=since, lit=lamp.lit))
        return changes

    def _look(self, frame: Frame, change: Change) -> None:
        asked = [track.sight.at_mm for track in self._cards.unsettled()] + self._stacks.asked_mm()
        fields = self._freshness.stale_fields(change, asked)
        if fields:
            boxes = self._freshness.boxes(fields)
            found = self._eyes.detector.detect_regions(frame.image, self._rectifier, boxes)
            self._freshness.renew(fields, found, change)

    def _chips(self, found: Detections) -> Detections:
        """Chips that are sure enough and as wide as this table's chips: print is often narrower."""
        chips = found.of(CHIPS)
        width_mm = sides_mm(chips.corners_mm).min(axis=1, initial=np.inf) / self._sizes.chip_diameter_mm
        fits = (width_mm >= CHIP_WIDTHS[0]) & (width_mm <= CHIP_WIDTHS[1])
        return chips.take(fits & (chips.score >= CHIPS_SCORE))

    def _card_sights(self, found: Detections) -> list[CardSight]:
        cards = found.of(CARD_FACE, CARD_BACK)
        shares = np.sort(sides_mm(cards.corners_mm), axis=1)[:, ::2] / np.array(self._sizes.card_mm)
        cards = cards.take(((shares >= CARD_SIDES[0]) & (shares <= CARD_SIDES[1])).all(axis=1))
        cards = _one_a_place(cards.take(cards.score >= CARD_SCORE))
        return [
            CardSight(
                corners_mm=true_rectangle(corners, self._sizes.card_mm),
                face_up=int(label) == CARD_FACE,
                score=float(score),
            )
            for corners, label, score in zip(cards.corners_mm, cards.label, cards.score, strict=True)
        ]

    def _without_print(self, sights: list[CardSight], frame: Frame, change: Change) -> list[CardSight]:
        """The sights that are no print; what the first look shows and nobody can read is taken for print."""
        if not self._print.is_made:
            rows = self._read_faces(frame, [sight.corners_mm for sight in sights])
            unread = [
                sight.corners_mm
                for sight, row in zip(sights, rows, strict=True)
                if row is None or self._cards.labels[int(row.argmax())] in NO_FACE
            ]
            self._print.remember(unread, change)
        return [sight for sight in sights if not self._print.is_print(sight.corners_mm, change)]

    def _read_faces(self, frame: Frame, places: Sequence[Polygon]) -> list[NDArray[np.float64] | None]:
        started = self.clock()
        crops = [card_crop(frame.image, self._calibration, corners) for corners in places]
        seen = [crop for crop in crops if crop is not None]
        rows = iter(self._eyes.reader.read(seen).log_probs)
        result = [None if crop is None else np.asarray(next(rows), np.float64) for crop in crops]
        self._spend("read", started)
        return result

    def _gauge(self, frame: Frame, centres_mm: Sequence[NDArray[np.float64]]) -> list[Gauging | None]:
        gauge, diameter_mm = self._eyes.gauge, self._sizes.chip_diameter_mm
        if gauge is None:
            return [None] * len(centres_mm)
        started = self.clock()
        told = gauge.measure(frame.image, self._calibration, centres_mm, diameter_mm=diameter_mm)
        self._spend("read", started)
        return told

    def _spend(self, stage: str, started: float) -> float:
        now = self.clock()
        self.stage_seconds[stage] += now - started
        return now


def _one_a_place(cards: Detections) -> Detections:
    """The best of boxes whose middles lie so near to each other that no two cards can."""
    order = np.argsort(-cards.score, kind="stable")
    centres = cards.centres_mm[order]
    gaps = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    kept: list[int] = []
    for i in range(len(order)):
        if all(gaps[i, j] >= ONE_PLACE_MM for j in kept):
            kept.append(i)
    return cards.take(order[kept])


def sides_mm(corners_mm: Polygon) -> NDArray[np.float64]:
    """(N, 4) lengths of the sides of (N, 4, 2) boxes."""
    return np.asarray(np.linalg.norm(np.roll(corners_mm, -1, axis=1) - corners_mm, axis=2), np.float64)


def true_rectangle(corners_mm: Polygon, size_mm: tuple[float, float]) -> Polygon:
    """The rectangle of a card's true size at a detected box's middle and angle.

    Args:
        corners_mm: (4, 2) clockwise, a shorter side first.
        size_mm: the card's width and height.
    """
    middle = corners_mm.mean(axis=0)
    along = corners_mm[2] - corners_mm[1]
    down = along / max(float(np.linalg.norm(along)), 1e-6)
    right = np.array([down[1], -down[0]])
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
    return np.asarray(middle + signs[:, :1] * half_w * right + signs[:, 1:] * half_h * down, np.float64)
