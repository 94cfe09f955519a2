"""Backs that lay in a card region too shortly to come to rest there: cards that were passed on at once.

Third cards only: a hand's first two are both dealt before they are passed, and by then all four lie open. Millimetres
of the layout plane, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.tracker import CardSight, CardTrack

LEAST_LOOKS = 3
LEAST_SCORE = 0.45
"""Mean detector score of what was a card."""
ON_ITS_WAY_S = 2.5
"""A card that is passed on rests before a seat within so long."""
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
    """What was laid down last and not told of."""

    _laid: dict[int, Laid] = field(default_factory=dict)

    def note(
        self, unknown: Iterable[CardTrack], t: float, *, region_of: Callable[[NDArray[np.float64]], str | None]
    ) -> None:
        """Take in the cards of a look that were not told of, while all that were told of lie open."""
        self._laid = {key: laid for key, laid in self._laid.items() if t - laid.seen_t <= BACK_AGAIN_S}
        for track in unknown:
            region = region_of(track.sight.at_mm)
            is_card = track.looks >= LEAST_LOOKS and track.score >= LEAST_SCORE and not track.sight.face_up
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
