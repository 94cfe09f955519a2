"""Watch one table through one camera: frames in, observations out.

Examines a few frames a second, and of these only where the picture changed or something is still unsettled. Checks the
picture, detects objects, and passes each look to the parts for cards, chips and signals; observations come in this
order. Knows what can be seen in a region, not what it means. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.cards.card_monitor import CardCustoms
from thirdcard.vision.cards.side_watch import SideRegions
from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.cards.table_cards import CardFaces, CardRegions, TableCards
from thirdcard.vision.chips.stack_optics import StackOptics
from thirdcard.vision.chips.table_chips import ChipKinds, StackEyes, TableChips
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.health.camera_health import CameraHealth
from thirdcard.vision.inference.chip_faces import ChipFaceReader
from thirdcard.vision.inference.chip_samples import NO_CHIPS, ChipLooks
from thirdcard.vision.inference.detector import Detector
from thirdcard.vision.inference.enrolled_reader import SharpReader
from thirdcard.vision.inference.reader import BACK, Reader
from thirdcard.vision.inference.stack_change import StackComparer
from thirdcard.vision.inference.stack_height import StackGauge
from thirdcard.vision.observations import CameraRefitted, CardInSight, Observation
from thirdcard.vision.plane.change_gate import SMALL_WH_PX, Polygons
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.signals.table_signals import SignalRegions, TableSignals
from thirdcard.vision.spread.spread_reading import SeenRow
from thirdcard.vision.spread.spread_watch import SpreadSight
from thirdcard.vision.spread.table_spread import TableSpread
from thirdcard.vision.stage_clock import StageClock

LOOK_S = 0.095
"""Least seconds between two looks."""
SPREAD_LOOK_S = 0.24
"""The same while cards lie spread, in seconds: the whole cloth changes while they are laid out and gathered."""
BLIND_LOOK_S = 0.5
"""While the camera cannot see, pending observations are checked at this interval, in seconds."""
CARD_SIZE_MM = (63.0, 88.0)
STAGES = ("gate", "detect", "read", "track")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRegions:
    """What can be seen in which region: region names and polygons in mm."""

    size_mm: tuple[float, float]
    cards: Polygons = field(default_factory=dict)
    stacks: Polygons = field(default_factory=dict)
    lamps: Polygons = field(default_factory=dict)
    sweeps: Polygons = field(default_factory=dict)
    """Regions over which a sweeping arm is reported."""
    runs: tuple[tuple[str, ...], ...] = ()
    """The label sequences in which cards are spread over the table; with none, no spread is looked for."""
    customs: CardCustoms = field(default_factory=CardCustoms)
    """What is known of the cards before any is seen."""
    side: SideRegions = field(default_factory=SideRegions)
    """Places that are watched beside the card regions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """True sizes of the things on the table, in mm."""

    card_mm: tuple[float, float] = CARD_SIZE_MM
    chip_diameter_mm: float = 39.0
    chip_thickness_mm: float = 3.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """The opened models of one table."""

    detector: Detector
    reader: Reader | SharpReader
    gauge: StackGauge | None = None
    """None: stacks are measured by the length of their boxes."""
    comparer: StackComparer | None = None
    """None: changes of a stack are judged from its measured heights."""
    chip_faces: ChipFaceReader | None = None
    """None: the top chip of a stack is not read."""


class Observer:
    """Watches one table through one camera."""

    def __init__(
        self,
        regions: ObservedRegions,
        calibration: Calibration,
        eyes: Eyes,
        *,
        sizes: Sizes,
        clock: Callable[[], float],
        chips: ChipLooks = NO_CHIPS,
    ) -> None:
        """Set up the parts for all regions; `chips` describes how the kinds of chips on this table look."""
        self._stages = StageClock(clock, STAGES)
        self._health = CameraHealth(calibration, regions.size_mm)
        self._cloth = ClothWatch(calibration, regions.size_mm, eyes.detector)
        kinds = ChipKinds(eyes.chip_faces, chips)
        backs = self._backs_of(eyes.reader, sizes.card_mm)
        faces = CardFaces(eyes.reader, calibration, self._stages, on_face=kinds.see_card, backs=backs)
        places = CardRegions(own=regions.cards, side=regions.side, customs=regions.customs)
        self._cards = TableCards(places, self._cloth, faces, card_mm=sizes.card_mm)
        optics = StackOptics.of(calibration, diameter_mm=sizes.chip_diameter_mm, thickness_mm=sizes.chip_thickness_mm)
        stack_eyes = StackEyes(calibration, sizes.chip_diameter_mm, eyes.gauge, eyes.comparer, self._stages)
        self._chips = TableChips(regions.stacks, self._cloth, optics, eyes=stack_eyes, kinds=kinds)
        signals = SignalRegions(size_mm=regions.size_mm, lamps=regions.lamps, sweeps=regions.sweeps)
        self._signals = TableSignals(signals, self._cloth.grid, calibration)
        self._spread = TableSpread(regions.runs, self._cloth, eyes.reader, calibration, card_mm=sizes.card_mm)
        self._looked_t: float | None = None
        self._waited_blind_t = -np.inf

    @property
    def clock(self) -> Callable[[], float]:
        """The clock that times the stages."""
        return self._stages.now

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Seconds that each stage has taken so far."""
        return self._stages.seconds

    @property
    def cards(self) -> tuple[CardInSight, ...]:
        """The cards on the table, each where it was last seen."""
        return self._cards.in_sight()

    @property
    def is_picture_good(self) -> bool:
        """Whether the picture shows no fault."""
        return not self._health.is_blind

    def begin_from(self, luma: Image) -> None:
        """Set the picture, (H, W) uint8, for which the calibration was valid.

        A move of the camera since then is detected.
        """
        self._health.begin_from(luma)

    @property
    def familiarity(self) -> float:
        """Share of the cards, 0 to 1, that the reader read with confidence from single looks.

        It shows how well the reader knows the deck.
        """
        return self._cards.familiarity

    def calm_stacks(self) -> list[str]:
        """Return the stack regions that nothing has covered since their chips were reported."""
        return self._chips.calm()

    def forget_cards(self, track_ids: Collection[int]) -> None:
        """Treat what lies where these cards lay as new cards: what became of the old ones was not seen."""
        self._cards.forget(track_ids)

    def take_spreads(self) -> tuple[SpreadSight, ...]:
        """Return the spreads that were gathered up since the last call."""
        return self._spread.take()

    def read_spread(self, image: Image) -> list[SeenRow]:
        """Return all rows of a card spread in a still picture."""
        return self._spread.read(image)

    def update(self, frame: Frame) -> list[Observation | CameraRefitted]:
        """Take the next frame and return what was observed. Most frames are skipped."""
        least_s = SPREAD_LOOK_S if self._spread.is_lying else LOOK_S
        if self._looked_t is not None and frame.t - self._looked_t < least_s:
            return []
        self._looked_t = frame.t
        return list(self._look(frame))

    def waiting_since_t(self, t: float) -> float | None:
        """Return the earliest time about which something may still be reported; None when nothing is pending.

        While the camera is known to be blind, only the check of the picture itself is pending.
        """
        if self._health.is_faulty:
            return self._health.waiting_since_t
        times = [self._cards.waiting_since_t(), self._chips.waiting_since_t(t), self._signals.waiting_since_t()]
        return min((since for since in [*times, self._health.waiting_since_t] if since is not None), default=None)

    def finish(self) -> list[Observation]:
        """Report what was still pending when the video ended."""
        self._spread.finish(self._looked_t or 0.0)
        return self._cards.finish()

    def _backs_of(self, reader: Reader | SharpReader, card_mm: tuple[float, float]) -> TableBacks:
        """The backs of the table's cards: the enrolled back, if any, and those learned while watching."""
        scale = self._cloth.rectifier.px_per_mm
        backs = TableBacks(reader.labels, (round(card_mm[0] * scale), round(card_mm[1] * scale)))
        enrolled = None if reader.deck is None else reader.deck.faces.get(BACK)
        if enrolled is not None:
            backs.enrol(enrolled.crop)
        return backs

    def _look(self, frame: Frame) -> Iterator[Observation | CameraRefitted]:
        """Gate, detect and track one frame, and yield what was observed."""
        with self._stages.stage("gate"):
            small = frame.small(SMALL_WH_PX)
            yield from self._check(frame, small)
            change = None if self._health.is_blind else self._cloth.changed(small, frame.t)
            if change is not None:
                yield from self._signals.watch_lamps(frame, self._cloth.hands)
        if change is None:
            yield from self._wait_blind(frame.t)
            return
        with self._stages.stage("detect"):
            look = self._cloth.look(frame, change, [*self._cards.asked_mm(frame.t), *self._chips.asked_mm()])
        with self._stages.stage("track"):
            if self._spread.update(look):
                yield from self._wait_blind(frame.t)
            else:
                yield from self._track(look)

    def _check(self, frame: Frame, small: Image) -> Iterator[Observation | CameraRefitted]:
        """Check the picture; pass the new calibration of a refitted camera on to all parts."""
        for told in self._health.update(frame, small):
            yield told
            if isinstance(told, CameraRefitted) and told.is_used:
                for part in (self._cloth, self._cards, self._chips, self._signals, self._spread):
                    part.recalibrate(told.calibration)

    def _track(self, look: ClothLook) -> Iterator[Observation]:
        """Yield what became of cards, chips and arms."""
        self._cloth.note_cover(look.cover)
        yield from self._cards.update(look)
        changes = self._chips.update(look, backs_mm=self._cards.loose_backs_mm)
        yield from changes
        calm_since_t = self._chips.waiting_since_t(look.frame.t)
        yield from self._signals.watch_sweeps(look.cover, changes, calm_since_t=calm_since_t)

    def _wait_blind(self, t: float) -> Iterator[Observation]:
        """Handle a look at which the whole table counts as covered."""
        cover = self._cloth.look_blind(t)
        if t - self._waited_blind_t < BLIND_LOOK_S:
            return
        self._waited_blind_t = t
        yield from self._cards.wait(t)
        yield from self._chips.wait(cover)
