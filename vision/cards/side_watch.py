"""Watch the cloth beside the card regions: loose cards, cutting cards, hands over places of interest.

For a loose card it reports which side shows and, where it can be read, which face; later only that it was hidden for a
moment. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.card_monitor import CardCustoms, CardWatch, PlaceLook, new_card_watch, new_tracker
from thirdcard.vision.cards.card_reading import UNREADABLE, IsCovered, ReadFaces
from thirdcard.vision.cards.cut_card_watch import CutCardWatch
from thirdcard.vision.cards.loose_cards import ONE_THING_MM, LooseCards
from thirdcard.vision.cards.tracker import CardSight, CardTrack, Motion
from thirdcard.vision.detections import CUT_CARD, Detections
from thirdcard.vision.observations import CardBeside, CardBesideHidden, CardRested, Observation, RegionVisited
from thirdcard.vision.plane.change_gate import GridFrame, Mask, Polygons

HIDDEN_S = 0.25
"""A card that was hidden for more seconds than this may have another one on it."""
STAYS_S = 0.6
"""Seconds after which an uncovered card that is about to be gathered counts as gone. A longer wait delays the
report. Chosen by hand."""


@dataclass(slots=True)
class BesideWatch:
    """The cards on the ground beside the card regions."""

    cards: CardWatch
    """A card watch over the ground only."""
    _seen_t: dict[int, float] = field(default_factory=dict)
    """When each resting card was last seen."""
    _again_t: dict[int, float] = field(default_factory=dict)
    """Since when cards that were hidden have been visible again."""

    def update(
        self, sights: Sequence[CardSight], t: float, *, is_covered: IsCovered, read_faces: ReadFaces
    ) -> list[CardBeside | CardBesideHidden]:
        """Take one look, with the sights where no card belongs, and return what is new."""
        told = self.cards.update(sights, t, PlaceLook(is_covered=is_covered), read_faces)
        cards = [_beside(each) for each in told if isinstance(each, CardRested) and _is_no_clutter(each)]
        return [*cards, *self._seen_again(t)]

    def _seen_again(self, t: float) -> list[CardBesideHidden]:
        """Report cards that became visible again where they lay and stayed; one that is being gathered is gone soon."""
        before, resting = self._seen_t, [track for track in self.cards.tracker.tracks if _rests(track)]
        self._seen_t = {track.track_id: track.seen_t for track in resting}
        again = {key: t for key, seen_t in self._seen_t.items() if seen_t - before.get(key, seen_t) > HIDDEN_S}
        self._again_t = {key: since for key, since in self._again_t.items() if self._seen_t.get(key) == t} | again
        stayed = [key for key, since in self._again_t.items() if t - since >= STAYS_S]
        for key in stayed:
            del self._again_t[key]
        return [CardBesideHidden(t=t) for _ in stayed]


def _rests(track: CardTrack) -> bool:
    return track.motion is Motion.RESTING


def _is_no_clutter(card: CardRested) -> bool:
    """Whether it is a card: outside the card regions, something unreadable is not one."""
    return card.reading.label is not None or card.score > UNREADABLE


def _beside(card: CardRested) -> CardBeside:
    return CardBeside(t=card.t, face_up=card.face_up, reading=card.reading, score=card.score)


VISITED_SHARE = 0.1
"""A hand is over a region when it covers at least this share of it."""
AWAY_S = 0.5
"""Seconds without a hand over a region after which the next one counts as new, if some look in between missed it."""
PATIENCE_S = 2.5
"""Seconds after which something that was not recognised as a loose card is clutter, and nothing waits for it."""
CLEAR_MM = 20.0
"""A cutting card within this distance of a place where cards are kept is one of those cards."""
OWN_MM = 40.0
"""A card whose centre is within this distance of a card region belongs to that region: cards are 63 mm wide."""
KEPT_MM = 45.0
"""Within this distance of a place where cards are kept, cards are taken out and put in; a pile leans and is seen at
an angle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRegions:
    """What is watched beside the card regions: polygons in mm by name."""

    ground: Polygons = field(default_factory=dict)
    """Where loose cards are reported; if empty, nowhere."""
    kept: Polygons = field(default_factory=dict)
    """Places where cards are kept: what lies there is not loose."""
    piles: Polygons = field(default_factory=dict)
    """Those of `kept` where cards lie face down on each other: the uppermost shows the table's back."""
    visited: Polygons = field(default_factory=dict)
    """Regions over which hands are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLook:
    """The inputs of one look."""

    found: Detections
    """All that the detector last found."""
    hands: Mask
    """(H, W) cells under a hand."""
    is_covered: IsCovered
    read_faces: ReadFaces
    hidden_s: Callable[[NDArray[np.float64]], float]
    """For how many seconds a polygon, (4, 2) mm, was covered until just now."""
    is_strange: IsCovered = lambda corners: True
    """Whether a polygon, (4, 2) mm, looks different from a moment ago."""


class Visits:
    """Hands that come over some regions and leave again, whatever they do there."""

    def __init__(self, regions: Mapping[str, NDArray[np.float64]], grid: GridFrame) -> None:
        self._cells = {region: grid.mask_of(polygon) for region, polygon in regions.items()}
        self._last_t = dict.fromkeys(regions, -np.inf)
        self._was_missed = dict.fromkeys(regions, True)

    def update(self, hands: Mask, t: float) -> list[RegionVisited]:
        """Take the hands of one look and return each region that a hand newly came over."""
        told = []
        for region, cells in self._cells.items():
            if np.count_nonzero(hands & cells) < VISITED_SHARE * np.count_nonzero(cells):
                self._was_missed[region] = True
                continue
            if self._was_missed[region] and t - self._last_t[region] > AWAY_S:
                told.append(RegionVisited(region=region, t=t))
            self._last_t[region], self._was_missed[region] = t, False
        return told


class SideWatch:
    """The surroundings of a table's card regions."""

    def __init__(
        self, regions: SideRegions, cards: CardWatch, grid: GridFrame, *, card_mm: tuple[float, float]
    ) -> None:
        """Take the regions, the watch of the card regions, which handles what lies inside them, and a card's size."""
        self._cards = cards
        self._kept = regions.kept
        self._loose = (
            BesideWatch(new_card_watch(regions.ground, cards.labels, CardCustoms(alike=cards.customs.alike)))
            if regions.ground
            else None
        )
        self._cut_cards = CutCardWatch(self._may_be_a_card, card_mm)
        tracker = new_tracker(cards.labels, cards.customs, cards.familiarity)
        self._anywhere = LooseCards(tracker, cards.labels, self._cut_cards.laid_t)
        self._visits = Visits(regions.visited, grid)
        self._t = 0.0

    def update(
        self,
        sights: Sequence[CardSight],
        t: float,
        seen: SideLook,
    ) -> list[Observation]:
        """Take one look and return what is new."""
        self._t = t
        told: list[Observation] = [
            *self._cut_cards.update(seen.found, t, hidden_s=seen.hidden_s),
            *self._visits.update(seen.hands, t),
        ]
        if self._loose is not None:
            beside = [sight for sight in sights if not self._is_card_region(sight.at_mm)]
            told += self._loose.update(beside, t, is_covered=seen.is_covered, read_faces=seen.read_faces)
        told += self._anywhere.update(
            self._loose_sights(sights, seen),
            t,
            is_covered=seen.is_covered,
            read_faces=seen.read_faces,
            is_strange=seen.is_strange,
        )
        return told

    def _loose_sights(self, sights: Sequence[CardSight], seen: SideLook) -> list[CardSight]:
        """Return the sights that may be cards where none belongs.

        Places to which cards are taken are left out while a card may be brought there. A card that is reported there
        stays in sight whatever happens then.
        """
        cut_cards = seen.found.of(CUT_CARD).centres_mm
        may_be_brought = self._cards.may_be_brought(self._t)
        return [
            sight
            for sight in sights
            if not self._is_near(sight.at_mm, self._cards.regions, OWN_MM)
            and not self._is_near(sight.at_mm, self._kept, KEPT_MM)
            and not (may_be_brought and self._is_handed_place(sight.at_mm))
            and not self._cards.is_known_at(sight.at_mm, ONE_THING_MM)
            and not any(float(np.linalg.norm(at_mm - sight.at_mm)) < ONE_THING_MM for at_mm in cut_cards)
        ]

    def _is_handed_place(self, at_mm: NDArray[np.float64]) -> bool:
        return self._cards.handed.place_of(at_mm) is not None and not self._anywhere.is_known_at(at_mm)

    @staticmethod
    def _is_near(at_mm: NDArray[np.float64], regions: Polygons, within_mm: float) -> bool:
        point = (float(at_mm[0]), float(at_mm[1]))
        return any(
            cv2.pointPolygonTest(polygon.astype(np.float32), point, True) > -within_mm for polygon in regions.values()
        )

    def _is_card_region(self, at_mm: NDArray[np.float64]) -> bool:
        """Whether cards belong or are kept at a point."""
        return self._cards.region_of(at_mm) is not None or self._is_near(at_mm, self._kept, CLEAR_MM)

    def _may_be_a_card(self, at_mm: NDArray[np.float64]) -> bool:
        """Whether cards belong at a point or are taken there for a while: a plain back looks like a cutting card."""
        may_be_handed = self._cards.are_cards_away or self._cards.plain_backs.are_plain
        is_handed = may_be_handed and self._cards.handed.place_of(at_mm) is not None
        return is_handed or self._is_card_region(at_mm)

    def loose_backs(self) -> list[CardTrack]:
        """Return the tracks of the cards that lie face down where none belongs."""
        return self._anywhere.backs()

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        tracks = [] if self._loose is None else self._loose.cards.unsettled()
        fresh = [track.sight.at_mm for track in tracks if self._t - track.place_since_t < PATIENCE_S]
        return [*fresh, *self._cut_cards.asked_mm(), *self._anywhere.asked_mm()]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        loose_t = None if self._loose is None else self._loose.cards.waiting_since_t()
        if loose_t is not None and self._t - loose_t >= PATIENCE_S:
            loose_t = None
        times = [self._cut_cards.waiting_since_t(), self._anywhere.waiting_since_t(), loose_t]
        return min((since for since in times if since is not None), default=None)
