"""Watch the cards of one table: those in the card regions, those passed on from there, and what lies beside.

Joins the parts that find, read and track cards. Knows regions and a reader's labels, not what they mean. Layout
millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from thirdcard.calibration.camera import Calibration
from thirdcard.vision.cards.blank_cards import with_blank_as_back
from thirdcard.vision.cards.candidates import CardLook, CardSights
from thirdcard.vision.cards.card_monitor import CardCustoms, CardWatch, PlaceLook, new_card_watch
from thirdcard.vision.cards.card_reading import BACK, IsCovered
from thirdcard.vision.cards.label_fusion import LOG_CLEAR, NO_FACE
from thirdcard.vision.cards.loose_backs import LooseBacks, Piles, joined, own_backs
from thirdcard.vision.cards.loose_cards import ONE_THING_MM
from thirdcard.vision.cards.new_things import NewThings
from thirdcard.vision.cards.side_watch import KEPT_MM, OWN_MM, SideLook, SideRegions, SideWatch
from thirdcard.vision.cards.table_backs import TableBacks
from thirdcard.vision.cards.tracker import CLEAR_SCORE
from thirdcard.vision.detections import CUT_CARD, Detections
from thirdcard.vision.frames import Frame, Image
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.inference.reader import Readings
from thirdcard.vision.observations import CardInSight, FirstLookDoubted, Observation
from thirdcard.vision.plane.change_gate import GridFrame, Mask, Polygon, Polygons
from thirdcard.vision.plane.cloth_watch import ClothLook, ClothWatch
from thirdcard.vision.plane.occlusion import Cover
from thirdcard.vision.stage_clock import StageClock

COVERED_SHARE = 0.12
"""A place is covered where more than this share of its cells is."""
STRANGE_SHARE = 0.5
"""A place looks different where more than this share of it does: a card's paper differs from cloth all over."""
UNDER_HANDS_S = 0.3
"""Interval in seconds at which the card regions under hands are examined."""


NOTICED_S = 0.5
"""Longest time in seconds that a new card lies still before it is found: all of 172 in five recordings were in time.
Some backs with a picture were found only after 0.6 to 1.2 s."""
LONGEST_UNNOTICED_S = 3.0
"""Something that has lain still for more seconds than this is not a card that came recently."""


class ReadsCards(Protocol):
    """Reads crops of cards."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that it distinguishes, in the order of its probabilities."""
        ...

    def read(self, crops: Sequence[Image]) -> Readings:
        """Return the log probabilities of the labels for each crop."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRegions:
    """Where cards are looked for: region names and polygons in mm."""

    own: Polygons = field(default_factory=dict)
    """Where cards belong."""
    side: SideRegions = field(default_factory=SideRegions)
    """What is watched beside the card regions."""
    customs: CardCustoms = field(default_factory=CardCustoms)


class CardFaces:
    """Cuts cards out of a camera's picture and has them read."""

    def __init__(
        self,
        reader: ReadsCards,
        calibration: Calibration,
        stages: StageClock,
        *,
        on_face: Callable[[Image], None] = lambda crop: None,
        backs: TableBacks | None = None,
    ) -> None:
        """Take the reader, the camera's calibration, a callback and the table's backs.

        Args:
            reader: Reads the crops.
            calibration: The camera's.
            stages: Counts the time spent.
            on_face: Called with the crop of each card that clearly shows a face.
            backs: The table's backs; None: none is known yet.
        """
        self.labels = reader.labels
        self.calibration = calibration
        self.backs = TableBacks(reader.labels) if backs is None else backs
        self._reader, self._stages, self._on_face = reader, stages, on_face
        self._back = self.labels.index(BACK)

    def read(self, frame: Frame, places: Sequence[Polygon]) -> list[NDArray[np.float64] | None]:
        """Return log probabilities over the labels for places, (4, 2) mm each; None for a place outside the picture."""
        with self._stages.stage("read"):
            crops = [card_crop(frame.image, self.calibration, corners) for corners in places]
            seen = [crop for crop in crops if crop is not None]
            told = self._reader.read(seen).log_probs
            for crop, row in zip(seen, told, strict=True):
                if row.max() > LOG_CLEAR and self.labels[int(row.argmax())] not in NO_FACE:
                    self._on_face(crop)
            rows = iter(
                with_blank_as_back(np.asarray(row, np.float64), crop, self.labels)
                for crop, row in zip(seen, told, strict=True)
            )
            return [None if crop is None else next(rows) for crop in crops]


class UnderHands:
    """Where to look under hands at intervals: a card that is half under one is easily missed."""

    def __init__(self, regions: Iterable[Polygon], grid: GridFrame) -> None:
        """Take the regions' polygons, (N, 2) mm each."""
        self._regions = [(polygon, grid.mask_of(polygon)) for polygon in regions]
        self._asked_t = 0.0

    def asked_mm(self, hands: Mask, t: float) -> list[Polygon]:
        """Return points, (2,) mm each, spread over the regions under `hands`; none if it returned some a moment ago."""
        if t - self._asked_t < UNDER_HANDS_S:
            return []
        self._asked_t = t
        regions = [polygon for polygon, cells in self._regions if (hands & cells).any()]
        return [point for polygon in regions for point in (polygon + polygon.mean(axis=0)) / 2]


def unnoticed_s(cover: Cover, corners_mm: Polygon) -> float:
    """Return for how many seconds a thing that is found now may have lain there: nothing moved at its place since.

    Args:
        cover: What covers the cloth now, and what moved when.
        corners_mm: (4, 2), the thing's corners.

    Returns:
        0 where something moved just now, or where the place has been still for too long.
    """
    cells = cover.grid.mask_of(corners_mm)
    still_s = float(np.median(cover.change.still_s[cells])) if cells.any() else 0.0
    return still_s if NOTICED_S < still_s <= LONGEST_UNNOTICED_S else 0.0


def without(found: Detections, label: int, places_mm: Sequence[NDArray[np.float64]]) -> Detections:
    """Return the detections without those of a label at some points, (2,) mm each."""
    if not places_mm:
        return found
    gaps = np.linalg.norm(found.centres_mm[:, None] - np.array(places_mm)[None], axis=2)
    return found.take((found.label != label) | (gaps.min(axis=1) >= ONE_THING_MM))


class TableCards:
    """The cards of one table."""

    def __init__(
        self, regions: CardRegions, cloth: ClothWatch, faces: CardFaces, *, card_mm: tuple[float, float]
    ) -> None:
        self._cloth, self._faces = cloth, faces
        self._watch: CardWatch = new_card_watch(regions.own, faces.labels, regions.customs)
        self._side = SideWatch(regions.side, self._watch, cloth.grid, card_mm=card_mm)
        self._sights = CardSights(
            regions.own, cloth.rectifier, cloth.grid, card_mm=card_mm, labels=faces.labels, backs=faces.backs
        )
        self._under_hands = UnderHands(regions.own.values(), cloth.grid)
        elsewhere = ((regions.own, OWN_MM), (regions.side.kept, KEPT_MM))
        self._new_things = NewThings(cloth.grid, elsewhere, card_mm)
        self._loose_backs = LooseBacks(faces.backs, cloth.rectifier, card_mm)
        self._piles = Piles(faces.backs, regions.side.piles)
        self._has_looked = False

    def recalibrate(self, calibration: Calibration) -> None:
        """Use another calibration: the camera moved, the cards did not."""
        self._faces.calibration = calibration

    def update(self, look: ClothLook) -> list[Observation]:
        """Take one look and return what is new."""
        t, cover, read = look.frame.t, look.cover, partial(self._faces.read, look.frame)
        sights = self._sights.of(
            look.found,
            CardLook(frame=look.frame, change=cover.change, cover=cover, looked_mm=look.looked_mm, read=read),
        )
        if self._sights.learnt_t == t:
            self._watch.handed.forget_furniture()
        beside = SideLook(
            found=look.found,
            hands=cover.hands,
            is_covered=lambda corners: cover.share_of(cover.grid.mask_of(corners)) > COVERED_SHARE,
            read_faces=read,
            hidden_s=lambda corners: max(self._cloth.hidden_s(corners, t), unnoticed_s(cover, corners)),
            is_strange=lambda corners: float(cover.change.strange[cover.grid.mask_of(corners)].mean()) > STRANGE_SHARE,
        )
        like_cut_cards = self._sights.like_cut_cards(look.found)
        told = self._watch.update(
            [*sights, *like_cut_cards],
            t,
            PlaceLook(
                is_covered=beside.is_covered,
                blends=lambda sight: self._sights.blends(sight, look.frame),
                is_left=lambda old, others: self._sights.is_left(old, others, look.frame),
                hidden_s=beside.hidden_s,
                entry_of=lambda corners: cover.entry_of(cover.grid.mask_of(corners)),
            ),
            read,
        )
        self._learn_backs(look.frame, beside.is_covered)
        crop_of = partial(card_crop, look.frame.image, self._faces.calibration)
        self._piles.update([*sights, *like_cut_cards], t, crop_of, beside.is_covered)
        self._new_things.update(cover, look.found.take(look.found.score >= CLEAR_SCORE).centres_mm)
        backs = self._loose_backs.update(look.frame.image, self._new_things.lying_mm, beside.is_covered)
        own = own_backs(like_cut_cards, crop_of, self._faces.backs)
        beside = replace(beside, found=without(look.found, CUT_CARD, [sight.at_mm for sight in own]))
        return [*self._first_look(t), *told, *self._side.update(joined(joined(sights, own), backs), t, beside)]

    @property
    def loose_backs_mm(self) -> list[Polygon]:
        """Where no card belongs and a back was found by its picture, (4, 2) each."""
        return self._loose_backs.places_mm

    def _learn_backs(self, frame: Frame, is_covered: IsCovered) -> None:
        """Learn the back of each newly seen card that lies face down in plain sight, in its region on known cloth."""
        backs = self._faces.backs
        laid = {track.track_id: track for track in self._watch.lying_backs()}
        loose = {-track.track_id: track for track in self._side.loose_backs()}
        backs.keep(laid.keys() | loose.keys())
        for key, track in (laid | loose).items():
            is_new = track.seen_t == frame.t and not track.sight.face_up and backs.wants(key)
            if not is_new or is_covered(track.sight.corners_mm):
                continue
            if key in loose or self._sights.is_laid(track.sight, frame):
                crop = card_crop(frame.image, self._faces.calibration, track.sight.corners_mm)
                if crop is not None:
                    backs.lies(key, crop)

    def _first_look(self, t: float) -> list[Observation]:
        """Report once whether unknown cards may have lain there at the first look."""
        is_doubted, self._has_looked = not self._has_looked and self._sights.may_hide_cards, True
        return [FirstLookDoubted(t=t)] if is_doubted else []

    def wait(self, t: float) -> list[Observation]:
        """Take a look at which everything is covered, and return what is due to be reported."""
        return self._watch.update(
            [],
            t,
            PlaceLook(is_covered=lambda corners: True, hidden_s=lambda corners: self._cloth.hidden_s(corners, t)),
            read_faces=lambda places: [None] * len(places),
        )

    def asked_mm(self, t: float) -> list[Polygon]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        cards = [track.sight.at_mm for track in self._watch.unsettled()]
        new = self._new_things.asked_mm()
        return [*cards, *self._side.asked_mm(), *new, *self._under_hands.asked_mm(self._cloth.hands, t)]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        times = (self._watch.waiting_since_t(), self._side.waiting_since_t())
        return min((since for since in times if since is not None), default=None)

    def in_sight(self) -> tuple[CardInSight, ...]:
        """Return the cards on the table, each where it was last seen."""
        return self._watch.in_sight()

    @property
    def familiarity(self) -> float:
        """Share of the cards, 0 to 1, that were read with confidence from single looks."""
        return self._watch.familiarity.share

    def forget(self, track_ids: Collection[int]) -> None:
        """Treat what lies where these cards lay as new cards: what became of the old ones was not seen."""
        self._watch.forget(track_ids)

    def finish(self) -> list[Observation]:
        """Report what was still pending when the video ended."""
        return self._watch.finish()
