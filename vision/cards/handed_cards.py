"""Decide which cards seen beside the card regions were taken there for a while.

A card is expected there only while cards lie in the regions or are missing; what was there before is furniture. No card
starts there: one that is not known to have left its region, or to have lain there for a moment, is not reported. Knows
places, not whose they are. Distances are layout millimetres, durations seconds.
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
"""How many mm outside its place a card's centre may lie: two fifths of a card's width. A larger value mixes up
neighbouring places, a smaller one misses cards that are laid inexactly. Chosen by hand."""
SAME_THING_MM = 35.0
"""A sight within this distance of something that was there before any card could be is that thing."""
FURNITURE_S = 20.0
"""Seconds for which things are remembered that were seen while no card could be there: print is sometimes detected
as a card."""
AWAY_S = 25.0
"""Seconds for which a card that was taken away and not seen since may come back."""
CLEARING_S = 6.0
"""A back that disappears within this many seconds after an open card was cleared is cleared as well."""

LAID_LOOKS = 3
"""Looks at something that was a card. Fewer may be a hand or a shadow, more misses a card that is passed on at once.
Chosen by hand."""
LAID_SCORE = 0.45
"""Least mean detector score in these looks."""
ON_ITS_WAY_S = 2.5
"""Longest time in seconds from when a card is passed on until it rests at a place."""
BACK_AGAIN_S = 15.0
"""Longest time in seconds after which a card that was passed on and seen nowhere returns."""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A back that lay in a region for a moment."""

    region: str
    t: float
    """Since when it was there, in stream seconds."""
    seen_t: float
    sight: CardSight
    hidden_s: float


@dataclass(slots=True)
class PassedOn:
    """Backs that lay in a card region too briefly to come to rest: cards that were passed on at once.

    Only backs that were not reported are kept; the one that was laid last is matched first.
    """

    _laid: dict[int, Laid] = field(default_factory=dict)

    def note(
        self, unknown: Iterable[CardTrack], t: float, *, region_of: Callable[[NDArray[np.float64]], str | None]
    ) -> None:
        """Take the unreported cards of a look, at which all reported cards lie open."""
        self._laid = {key: laid for key, laid in self._laid.items() if t - laid.seen_t <= BACK_AGAIN_S}
        for track in unknown:
            region = region_of(track.sight.at_mm)
            is_card = track.looks >= LAID_LOOKS and track.score >= LAID_SCORE and not track.sight.face_up
            if is_card and region is not None and track.seen_t == t:
                self._laid[track.track_id] = Laid(region, track.place_since_t, t, track.sight, track.hidden_s)

    def is_any(self, t: float, known: Container[int]) -> bool:
        """Whether a back that was passed on may still be on its way; one that is known by now was not passed on."""
        return any(t - laid.seen_t <= ON_ITS_WAY_S for key, laid in self._laid.items() if key not in known)

    def take(self, track: CardTrack, known: Container[int]) -> Laid | None:
        """Return and remove the back that was laid last before `track` was first seen: it is the same card."""
        return self._last([laid for laid in self._before(track, known) if track.first_t - laid.seen_t <= ON_ITS_WAY_S])

    def take_back(self, track: CardTrack, region: str, known: Container[int]) -> Laid | None:
        """Return and remove the back laid last in the region that was gone when `track` first showed a face there."""
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
    """The places to which cards are taken, the cards in them, and the cards that are away."""

    places: Polygons
    passed_on: PassedOn = field(default_factory=PassedOn)
    _furniture: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    _away: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    _cleared_t: float = float("-inf")
    """When an open card last left its region, in stream seconds."""

    def admit(self, sights: Sequence[CardSight], t: float, *, may_be_there: bool) -> list[CardSight]:
        """Return the sights at the places that may be cards; none while no card lies in a region or is missing."""
        if not may_be_there:
            self._furniture = [(seen_t, at) for seen_t, at in self._furniture if t - seen_t <= FURNITURE_S]
            self.note_furniture(sights, t)
            return []
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        return [sight for sight in there if not self._is_furniture(sight)]

    def note_furniture(self, sights: Sequence[CardSight], t: float) -> None:
        """Remember what is seen at the places while no card can be there: print, or a cutting card that lies about."""
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        self._furniture += [(t, sight.at_mm) for sight in there if not self._is_furniture(sight)]

    def forget_furniture(self) -> None:
        """Forget the furniture: what was seen at the places so far may have been cards after all."""
        self._furniture = []

    def place_of(self, at_mm: NDArray[np.float64]) -> str | None:
        """Return the place that a point lies in, the deepest where places overlap; None where there is none."""
        return max(self._depths(at_mm), default=(0.0, None))[1]

    def margin_mm(self, at_mm: NDArray[np.float64]) -> float:
        """Return how many mm deeper a point lies in its place than in the next one."""
        depths = sorted((depth for depth, _ in self._depths(at_mm)), reverse=True)
        return depths[0] - max(depths[1] if len(depths) > 1 else -SLACK_MM, -SLACK_MM) if depths else 0.0

    def take_away(self, track: CardTrack, t: float) -> None:
        """Note that a card that lay face down has been gone since `t` and may come back.

        Ignored while the regions are being cleared.
        """
        if self.places and t - self._cleared_t > CLEARING_S:
            self._away[track.track_id] = (track, t)

    def away(self, t: float) -> list[CardTrack]:
        """Return the cards that may come back."""
        self._away = {key: entry for key, entry in self._away.items() if t - entry[1] <= AWAY_S}
        return [track for track, _ in self._away.values()]

    def bring_back(self, track: CardTrack) -> bool:
        """Note that a card was found again; return whether it had been given up as gone."""
        return self._away.pop(track.track_id, None) is not None

    def clear(self, t: float) -> None:
        """Note that an open card left its region at `t`: the regions are being cleared.

        No card that is away comes back from then on.
        """
        self._cleared_t = t
        self.forget()

    def forget(self) -> None:
        """Give up all cards that are away."""
        self._away.clear()

    def _depths(self, at_mm: NDArray[np.float64]) -> list[tuple[float, str]]:
        """Return how deep, in mm, a point lies in each place that it lies in or near."""
        point = (float(at_mm[0]), float(at_mm[1]))
        depths = [
            (cv2.pointPolygonTest(polygon.astype(np.float32), point, True), place)
            for place, polygon in self.places.items()
        ]
        return [entry for entry in depths if entry[0] >= -SLACK_MM]

    def _is_furniture(self, sight: CardSight) -> bool:
        return any(float(np.linalg.norm(sight.at_mm - at)) < SAME_THING_MM for _, at in self._furniture)
