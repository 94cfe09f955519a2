"""Decide which cards seen beside the card regions are cards that were taken there for a while.

A card is looked for there only while cards lie in the regions or are missing; what was there before is furniture.
Nothing begins there: a card that is not known to have left its region, or to have lain there for a moment, is not
reported. Knows places, not whose they are. Distances are layout millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.tracker import CardSight, CardTrack
from thirdcard.vision.plane.change_gate import Polygons

SLACK_MM = 25.0
"""How far outside its place a card's middle may lie: two fifths of a card's width. More mixes up neighbouring places,
less misses cards that lie askew. Chosen by hand."""
SAME_THING_MM = 35.0
"""What is seen so near to where something was seen before a card could be there is that thing."""
FURNITURE_S = 20.0
"""So long what was seen while no card could be there is remembered: print is taken for a card now and then."""
AWAY_S = 25.0
"""A card that was taken away and not seen since may come back for so long."""
CLEARING_S = 6.0
"""So long after an open card was cleared a back that goes is cleared too."""

LAID_LOOKS = 3
"""Looks at what was a card. Fewer may be a hand or a shadow, more misses a card that is passed on at once. Chosen by
hand."""
LAID_SCORE = 0.45
"""Its mean detector score in these looks, at least."""
ON_ITS_WAY_S = 2.5
"""A card that is passed on rests at a place within so long."""
BACK_AGAIN_S = 15.0
"""A card that was passed on and seen nowhere is back within so long."""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A back that lay in a region for a moment."""

    region: str
    t: float
    """Since when it was there."""
    seen_t: float
    sight: CardSight
    hidden_s: float


@dataclass(slots=True)
class PassedOn:
    """Backs that lay in a card region too shortly to come to rest there: cards that were passed on at once.

    What was laid down last and not reported.
    """

    _laid: dict[int, Laid] = field(default_factory=dict)

    def note(
        self, unknown: Iterable[CardTrack], t: float, *, region_of: Callable[[NDArray[np.float64]], str | None]
    ) -> None:
        """Take in the cards of a look that were not reported, while all that were reported lie open."""
        self._laid = {key: laid for key, laid in self._laid.items() if t - laid.seen_t <= BACK_AGAIN_S}
        for track in unknown:
            region = region_of(track.sight.at_mm)
            is_card = track.looks >= LAID_LOOKS and track.score >= LAID_SCORE and not track.sight.face_up
            if is_card and region is not None and track.seen_t == t:
                self._laid[track.track_id] = Laid(region, track.place_since_t, t, track.sight, track.hidden_s)

    def take(self, track: CardTrack, known: Container[int]) -> Laid | None:
        """The back that was laid down last before `track` was first seen: it is the same card, and is taken once."""
        return self._last([laid for laid in self._before(track, known) if track.first_t - laid.seen_t <= ON_ITS_WAY_S])

    def take_back(self, track: CardTrack, region: str, known: Container[int]) -> Laid | None:
        """The back that was laid down last in the region and was gone when `track` was first seen there, face up."""
        return self._last([laid for laid in self._before(track, known) if laid.region == region])

    def _before(self, track: CardTrack, known: Container[int]) -> list[Laid]:
        others = [laid for key, laid in self._laid.items() if key != track.track_id and key not in known]
        return [laid for laid in others if laid.seen_t <= track.first_t]

    def _last(self, laid_before: list[Laid]) -> Laid | None:
        last = max(laid_before, key=lambda laid: laid.seen_t, default=None)
        if last is not None:
            self._laid.clear()
        return last


@dataclass(slots=True)
class HandedCards:
    """What a card watch has to know of such places."""

    places: Polygons
    passed_on: PassedOn = field(default_factory=PassedOn)
    _furniture: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    _away: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    _cleared_t: float = float("-inf")
    """When an open card left its region last."""

    def admit(self, sights: Sequence[CardSight], t: float, *, may_be_there: bool) -> list[CardSight]:
        """The sights at the places that may be cards; none while no card lies in a region or is missing."""
        if not may_be_there:
            self._furniture = [(seen_t, at) for seen_t, at in self._furniture if t - seen_t <= FURNITURE_S]
            self.note_furniture(sights, t)
            return []
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        return [sight for sight in there if not self._is_furniture(sight)]

    def note_furniture(self, sights: Sequence[CardSight], t: float) -> None:
        """What is seen at the places while no card can be there: print, a cutting card that lies about."""
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        self._furniture += [(t, sight.at_mm) for sight in there if not self._is_furniture(sight)]

    def forget_furniture(self) -> None:
        """What was seen at the places so far may have been cards all the same."""
        self._furniture = []

    def place_of(self, at_mm: NDArray[np.float64]) -> str | None:
        """The place that a point lies in, the deepest where places overlap."""
        return max(self._depths(at_mm), default=(0.0, None))[1]

    def margin_mm(self, at_mm: NDArray[np.float64]) -> float:
        """How much deeper a point lies in its place than in the next one."""
        depths = sorted((depth for depth, _ in self._depths(at_mm)), reverse=True)
        return depths[0] - max(depths[1] if len(depths) > 1 else -SLACK_MM, -SLACK_MM) if depths else 0.0

    def take_away(self, track: CardTrack, t: float) -> None:
        """A card is gone since `t`, its back up, and may come back, unless the regions are being cleared."""
        if self.places and t - self._cleared_t > CLEARING_S:
            self._away[track.track_id] = (track, t)

    def away(self, t: float) -> list[CardTrack]:
        """The cards that may come back."""
        self._away = {key: entry for key, entry in self._away.items() if t - entry[1] <= AWAY_S}
        return [track for track, _ in self._away.values()]

    def bring_back(self, track: CardTrack) -> bool:
        """A card was found again; whether it had been given up for gone."""
        return self._away.pop(track.track_id, None) is not None

    def clear(self, t: float) -> None:
        """An open card left its region at `t`: they are being cleared, and no card that is away will come back."""
        self._cleared_t = t
        self.forget()

    def forget(self) -> None:
        """No card that is away will come back."""
        self._away.clear()

    def _depths(self, at_mm: NDArray[np.float64]) -> list[tuple[float, str]]:
        """How deep a point lies in each place that it lies in or near."""
        point = (float(at_mm[0]), float(at_mm[1]))
        depths = [
            (cv2.pointPolygonTest(polygon.astype(np.float32), point, True), place)
            for place, polygon in self.places.items()
        ]
        return [entry for entry in depths if entry[0] >= -SLACK_MM]

    def _is_furniture(self, sight: CardSight) -> bool:
        return any(float(np.linalg.norm(sight.at_mm - at)) < SAME_THING_MM for _, at in self._furniture)
