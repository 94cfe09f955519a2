"""Places beside the card regions to which cards are taken for a while: which cards seen there are to be believed.

A card is looked for there only while cards are in play; what was there before is furniture. Nothing begins there: a
card that is not known to have left its region, or to have lain there for a moment, is not told of. Distances are
millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.tracker import CardSight, CardTrack

SLACK_MM = 25.0
SAME_THING_MM = 35.0
"""What is seen so near to where something was seen before a card could be there is that thing."""
FURNITURE_S = 20.0
"""So long what was seen while no card could be there is remembered: print is taken for a card now and then."""
AWAY_S = 25.0
"""A card that was taken away and not seen since may come back for so long."""
CLEARING_S = 6.0
"""So long after an open card was cleared a back that goes is cleared too."""

Polygons = Mapping[str, NDArray[np.float64]]


@dataclass(slots=True)
class HandedCards:
    """What a card watch has to know of such places."""

    places: Polygons
    _furniture: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    _away: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    _cleared_t: float = float("-inf")
    """When an open card left its region last."""

    def admit(self, sights: Sequence[CardSight], t: float, *, is_play: bool) -> list[CardSight]:
        """The sights at the places that may be cards; none while no card lies in a region or is missing."""
        if not is_play:
            self._furniture = [(seen_t, at) for seen_t, at in self._furniture if t - seen_t <= FURNITURE_S]
            self.note_furniture(sights, t)
            return []
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        return [sight for sight in there if not self._is_furniture(sight)]

    def note_furniture(self, sights: Sequence[CardSight], t: float) -> None:
        """What is seen at the places while no card can be there: print, a cutting card that lies about."""
        there = [sight for sight in sights if self.place_of(sight.at_mm) is not None]
        self._furniture += [(t, sight.at_mm) for sight in there if not self._is_furniture(sight)]

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
