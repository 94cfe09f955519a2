"""Watch one table through one camera: frames in, observations out.

Looks a few times a second, only where the picture changed or something is not settled yet. Knows regions by what is
to be seen in them, not what they mean. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.cards.candidates import CardLook, CardSights, sides_mm
from thirdcard.vision.cards.card_monitor import CardWatch, new_card_watch
from thirdcard.vision.cards.label_fusion import LOG_CLEAR, NO_FACE
from thirdcard.vision.cards.side_watch import SideLook, SideRegions, SideWatch
from thirdcard.vision.cards.under_hands import UnderHands
from thirdcard.vision.chips.hand_contents import CarriedChips
from thirdcard.vision.chips.house_chips import HouseChips
from thirdcard.vision.chips.missed_chips import BareChips
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.stack_region import StackModels
from thirdcard.vision.chips.stack_watch import StackWatch
from thirdcard.vision.detections import CHIPS, Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.camera_health import CameraHealth
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.enrolled_reader import SharpReader
from thirdcard.vision.inference.reader import Reader
from thirdcard.vision.inference.stack_change import AS_TOLD, WIDE_WH_PX, StackComparer
from thirdcard.vision.inference.stack_height import Gauging, StackGauge, stack_crop
from thirdcard.vision.observations import CardInSight, LampChanged, LampCovered, Observation, StacksChanged
from thirdcard.vision.plane.change_gate import SMALL_WH_PX, Change, ChangeGate
from thirdcard.vision.plane.occlusion import Cover, CoverMemory, everything_covered
from thirdcard.vision.plane.rectify import Rectifier
from thirdcard.vision.plane.stale_regions import Freshness
from thirdcard.vision.plane.tiling import Rect
from thirdcard.vision.signals.lamp import Lamp
from thirdcard.vision.signals.sweep_gesture import SweepWatch
from thirdcard.vision.spread.spread_likeness import compared
from thirdcard.vision.spread.spread_reading import SeenRow, WholeCardReader, read_spread
from thirdcard.vision.spread.spread_watch import SpreadSight, SpreadWatch

LAMP_RIM_MM = 20.0
"""A hand this near to a lamp is said to cover it."""
SHIFTS_MM = ((0.0, 0.0), (14.0, -6.0), (-6.0, 14.0), (8.0, 8.0))
"""How the tiles are moved from look to look: where a thing lies in its tile decides whether a doubtful one is found."""
LOOK_S = 0.095
"""Least time between two looks."""
SPREAD_LOOK_S = 0.24
"""The same while cards lie spread: all of the cloth changes while they are laid and gathered."""
BLIND_LOOK_S = 0.5
"""While the camera cannot see, what waits is gone through so often."""
CHIPS_SCORE = 0.65
COVERED_SHARE = 0.12
CHIP_WIDTHS = (0.72, 1.5)
"""A stack's silhouette is this many chip diameters wide, its own enlargement by height included."""
CARD_SIZE_MM = (63.0, 88.0)

Polygon = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRegions:
    """What is to be seen where: region names and polygons in mm."""

    size_mm: tuple[float, float]
    cards: Mapping[str, Polygon] = field(default_factory=dict)
    stacks: Mapping[str, Polygon] = field(default_factory=dict)
    lamps: Mapping[str, Polygon] = field(default_factory=dict)
    sweeps: Mapping[str, Polygon] = field(default_factory=dict)
    """Over which an arm that sweeps is told."""
    runs: tuple[tuple[str, ...], ...] = ()
    """The sequences in which cards are spread over the table; none: no spread is looked for."""
    handed: Mapping[str, Polygon] = field(default_factory=dict)
    """Places to which cards are taken for a while."""
    side: SideRegions = field(default_factory=SideRegions)
    """What is looked at beside the card regions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large things really are, in mm."""

    card_mm: tuple[float, float] = CARD_SIZE_MM
    chip_diameter_mm: float = 39.0
    chip_thickness_mm: float = 3.3


NO_CHIPS = np.zeros((0, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The open models."""

    detector: Detector
    reader: Reader | SharpReader
    gauge: StackGauge | None = None
    """None: stacks are measured by the length of their boxes."""
    comparer: StackComparer | None = None
    """None: what became of a stack is told from its measures."""
    chip_faces: ChipFaceReader | None = None
    """None: nothing is said of what lies on top of a stack."""


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
        chip_colours: NDArray[np.float64] = NO_CHIPS,
    ) -> None:
        """Takes the kinds of chips of the house by their own colours, (K, 3) BGR."""
        self._eyes, self._calibration, self._sizes, self.clock = eyes, calibration, sizes, clock
        self._health = CameraHealth(calibration, regions.size_mm)
        self._gate = ChangeGate(calibration, regions.size_mm)
        self._rectifier = Rectifier(calibration, regions.size_mm)
        self._freshness = Freshness(regions.size_mm, self._gate.grid)
        self._cards: CardWatch = new_card_watch(regions.cards, eyes.reader.labels, regions.handed)
        self._side = SideWatch(regions.side, self._cards, self._gate.grid, labels=eyes.reader.labels)
        centre = calibration.camera_centre_mm
        optics = StackOptics(
            camera_mm=None if centre is None else (float(centre[0]), float(centre[1]), float(centre[2])),
            diameter_mm=sizes.chip_diameter_mm,
            thickness_mm=sizes.chip_thickness_mm,
        )
        sureness = None if eyes.gauge is None else eyes.gauge.sureness
        judging = AS_TOLD if eyes.comparer is None else eyes.comparer.judging
        self._stacks = StackWatch(regions.stacks, self._gate.grid, optics, sureness=sureness, judging=judging)
        self._sweeps = SweepWatch(regions.sweeps, self._gate.grid, regions.size_mm)
        self._lamps = [
            Lamp(region=region, polygon_px=calibration.image_from_layout(polygon))
            for region, polygon in regions.lamps.items()
        ]
        self._bare_chips = BareChips(regions.stacks, self._rectifier, self._gate.grid, sizes.chip_diameter_mm)
        self._seen_chips = Detections.empty()
        self._carried_chips = CarriedChips()
        self._house_chips = HouseChips(eyes.chip_faces, chip_colours)
        self._cover_memory = CoverMemory(self._gate.grid)
        self._card_sights = CardSights(
            regions.cards, self._rectifier, self._gate.grid, card_mm=sizes.card_mm, labels=eyes.reader.labels
        )
        self._lamp_masks = {
            region: self._gate.grid.mask_of(polygon, grow_mm=LAMP_RIM_MM) for region, polygon in regions.lamps.items()
        }
        self._spread = SpreadWatch(self._gate.grid, sizes.card_mm, lambda image: self.read_spread(image))
        self._size_mm, self._runs = (float(regions.size_mm[0]), float(regions.size_mm[1])), regions.runs
        self._looked_t: float | None = None
        self._looks = 0
        self._waited_blind_t = -np.inf
        self._under_hands = UnderHands(regions.cards.values(), self._gate.grid)
        self.stage_seconds = {"gate": 0.0, "detect": 0.0, "read": 0.0, "track": 0.0}

    @property
    def found(self) -> Detections:
        """What the detector last found on the whole cloth, hands aside."""
        return self._freshness.found

    @property
    def cards(self) -> tuple[CardInSight, ...]:
        """The cards on the table, where they were last seen."""
        return self._cards.in_sight()

    def calm_stacks(self) -> list[str]:
        """The stack regions that nothing has covered since their chips were told of."""
        return self._stacks.calm()

    def forget_cards(self, track_ids: Collection[int]) -> None:
        """Take what lies where these cards lay for others: nobody saw what became of them."""
        self._cards.forget(track_ids)

    def take_spreads(self) -> tuple[SpreadSight, ...]:
        """Cards that lay spread and were taken away since the last call."""
        return self._spread.take()

    def update(self, frame: Frame) -> list[Observation]:
        """Take the next frame in; most are passed over."""
        least_s = SPREAD_LOOK_S if self._spread.is_lying else LOOK_S
        if self._looked_t is not None and frame.t - self._looked_t < least_s:
            return []
        self._looked_t = frame.t
        started = self.clock()
        small = frame.small(SMALL_WH_PX)
        told: list[Observation] = [*self._health.update(frame, small)]
        if self._health.is_blind:
            self._spend("gate", started)
            return told + self._wait_blind(frame.t)
        change = self._gate.update(small, frame.t)
        told += self._watch_lamps(frame)
        started = self._spend("gate", started)
        looked_mm = self._look(frame, change)
        started = self._spend("detect", started)
        if self._runs and self._spread.update(frame, change, self._freshness.found):
            self._spend("track", started)
            return told + self._wait_blind(frame.t)
        cover = Cover(self._gate.grid, change, self._freshness.hands)
        self._cover_memory.update(cover.mask, frame.t)
        found = self._freshness.found
        read_before = self.stage_seconds["read"]
        card_look = CardLook(
            frame=frame,
            change=change,
            cover=cover,
            looked_mm=looked_mm,
            read=lambda places: self._read_faces(frame, places),
        )
        sights = self._card_sights.of(found, card_look)
        look = _look_beside(found, card_look, self._cover_memory)
        told += self._cards.update(
            [*sights, *self._card_sights.like_cut_cards(found)],
            frame.t,
            is_covered=look.is_covered,
            read_faces=look.read_faces,
            hidden_s=look.hidden_s,
            entry_of=lambda corners: cover.entry_of(self._gate.grid.mask_of(corners)),
        )
        told += self._side.update(sights, frame.t, look)
        changes = self._watch_chips(frame, cover, looked_mm)
        touched = [change for change in changes if not change.was_print]
        told += [*changes, *self._sweeps.update(cover, touched, calm_since_t=self._stacks.waiting_since_t(frame.t))]
        self._spend("track", started)
        self.stage_seconds["track"] -= self.stage_seconds["read"] - read_before
        return told

    def waiting_since_t(self, t: float) -> float | None:
        """The earliest moment of which something may still be told; None when all is told.

        Nothing is waited for while the camera is known not to see.
        """
        if self._health.is_faulty:
            return self._health.waiting_since_t
        times = [self._cards.waiting_since_t(), self._stacks.waiting_since_t(t), self._sweeps.waiting_since_t()]
        times += [self._health.waiting_since_t, self._side.waiting_since_t()]
        return min((since for since in times if since is not None), default=None)

    def finish(self) -> list[Observation]:
        """Tell of what was still waited for when the video ended."""
        self._spread.finish(self._looked_t or 0.0)
        return self._cards.finish()

    def read_spread(self, image: NDArray[np.uint8]) -> list[SeenRow]:
        """All rows of a spread in a still picture."""
        whole: Rect = (0.0, 0.0, self._size_mm[0], self._size_mm[1])
        found = self._eyes.detector.detect_regions(image, self._rectifier, [whole])
        reader, card_mm = WholeCardReader(self._eyes.reader), self._sizes.card_mm
        rows = read_spread(image, self._calibration, found, reader, runs=self._runs, card_mm=card_mm)
        return compared(rows, image, self._calibration, self._eyes.reader.deck)

    def _wait_blind(self, t: float) -> list[Observation]:
        """What a look tells that shows nothing: all is covered."""
        cover = everything_covered(self._gate.grid, t)
        self._cover_memory.update(cover.mask, t)
        if t - self._waited_blind_t < BLIND_LOOK_S:
            return []
        self._waited_blind_t = t
        told = self._cards.update(
            [],
            t,
            is_covered=lambda corners: True,
            read_faces=lambda places: [None] * len(places),
            hidden_s=lambda corners: self._cover_memory.hidden_s(corners, t),
        )
        return [*told, *self._stacks.update(self._seen_chips, cover, t)]

    def _watch_lamps(self, frame: Frame) -> list[LampChanged | LampCovered]:
        hands = self._freshness.hands
        return [
            told
            for lamp in self._lamps
            for told in lamp.update(
                frame.image, frame.t, is_under_hand=bool(hands[self._lamp_masks[lamp.region]].any())
            )
        ]

    def _look(self, frame: Frame, change: Change) -> list[Rect]:
        asked = [track.sight.at_mm for track in self._cards.unsettled()] + self._stacks.asked_mm()
        asked += [*self._side.asked_mm(), *self._under_hands.asked_mm(self._freshness.hands, frame.t)]
        fields = self._freshness.stale_fields(change, asked)
        boxes = self._freshness.boxes(fields)
        if boxes:
            shift_mm = SHIFTS_MM[self._looks % len(SHIFTS_MM)]
            found = self._eyes.detector.detect_regions(frame.image, self._rectifier, boxes, shift_mm=shift_mm)
            self._looks += 1
            self._freshness.renew(fields, found, change)
        return boxes

    def _watch_chips(self, frame: Frame, cover: Cover, looked_mm: Sequence[Rect]) -> list[StacksChanged]:
        """What became of the stacks."""
        gone: list[StacksChanged] = []
        chips = self._chips(self._freshness.found)
        self._carried_chips.see(chips, frame.t)
        if looked_mm:
            is_sure = chips.score >= CHIPS_SCORE
            self._seen_chips = self._bare_chips.add(chips.take(is_sure), chips.take(~is_sure), frame, cover, looked_mm)
            gone = self._stacks.forget_print(self._bare_chips.print_mm, frame.t)
        changes = self._stacks.update(
            self._seen_chips,
            cover,
            frame.t,
            measure=lambda places: self._gauge(frame, places),
            cut=lambda places: [
                stack_crop(frame.image, self._calibration, each, size_wh_px=WIDE_WH_PX) for each in places
            ],
            ask=StackModels(
                compare=None if self._eyes.comparer is None else self._compare,
                name=self._house_chips.name,
                carried=self._carried_chips.told,
            ),
        )
        return [*gone, *changes]

    def _chips(self, found: Detections) -> Detections:
        """What may be chips and is as wide as this table's: print is often narrower."""
        chips = found.of(CHIPS)
        width_mm = sides_mm(chips.corners_mm).min(axis=1, initial=np.inf) / self._sizes.chip_diameter_mm
        fits = (width_mm >= CHIP_WIDTHS[0]) & (width_mm <= CHIP_WIDTHS[1])
        return chips.take(fits)

    def _read_faces(self, frame: Frame, places: Sequence[Polygon]) -> list[NDArray[np.float64] | None]:
        started = self.clock()
        crops = [card_crop(frame.image, self._calibration, corners) for corners in places]
        seen = [crop for crop in crops if crop is not None]
        told = self._eyes.reader.read(seen).log_probs
        for crop, row in zip(seen, told, strict=True):
            if row.max() > LOG_CLEAR and self._eyes.reader.labels[int(row.argmax())] not in NO_FACE:
                self._house_chips.see_card(crop)
        rows = iter(told)
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

    def _compare(self, pairs: Sequence[tuple[Image, Image]]) -> list[NDArray[np.float64]]:
        comparer = self._eyes.comparer
        assert comparer is not None, "asked only where there is one"
        started = self.clock()
        told = comparer.compare(pairs)
        self._spend("read", started)
        return told

    def _spend(self, stage: str, started: float) -> float:
        now = self.clock()
        self.stage_seconds[stage] += now - started
        return now


def _look_beside(found: Detections, look: CardLook, memory: CoverMemory) -> SideLook:
    cover, t = look.cover, look.frame.t
    return SideLook(
        found=found,
        hands=cover.hands,
        is_covered=lambda corners: cover.share_of(cover.grid.mask_of(corners)) > COVERED_SHARE,
        read_faces=look.read,
        hidden_s=lambda corners: memory.hidden_s(corners, t),
    )
