"""Report when a cutting card comes to rest on the cloth.

It is reported only where it was seen repeatedly after a hand laid it there. Cutting cards that lay there from the
beginning are ignored, and so are those that no hand brought, or that lie where cards belong. Layout millimetres,
seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.detections import CUT_CARD, Detections
from thirdcard.vision.observations import CutCardRested

SCORE = 0.6
"""Detector score from which something is a cutting card. Twice the detector's own threshold: it labels some backs on
a cloth of their colour as cutting cards (models/cards/detector.md). Chosen by hand."""
DOUBTFUL_SCORE = 0.25
"""From this score on, what lay there when the watch began counts as furniture."""
REST_MM = 15.0
"""Looks whose centres lie nearer than this show the same thing at rest."""
REST_S = 0.6
"""A cutting card that lies for fewer seconds was only carried past, or laid down for a moment. Chosen by hand."""
REST_LOOKS = 4
"""Looks that must show it in that time, of about seven: some may miss it. Chosen by hand."""
GONE_S = 3.0
"""Seconds without a sight after which it is gone, and is reported again if it reappears."""


@dataclass(slots=True)
class _Place:
    """A place where a cutting card was seen."""

    at_mm: NDArray[np.float64]
    first_t: float
    seen_t: float
    looks: int = 1
    is_told: bool = False


@dataclass(slots=True)
class CutCardWatch:
    """The cutting cards in sight, and which of them are reported."""

    is_card_region: Callable[[NDArray[np.float64]], bool]
    """Whether cards belong at a point, (2,) mm: an apparent cutting card there is one of them."""
    _places: list[_Place] = field(default_factory=list)
    _furniture: list[NDArray[np.float64]] | None = None

    def update(
        self, found: Detections, t: float, *, hidden_s: Callable[[NDArray[np.float64]], float]
    ) -> list[CutCardRested]:
        """Take one look and return the cutting cards that came to rest.

        Args:
            found: All that the detector last found.
            t: Stream time in seconds.
            hidden_s: For how many seconds a polygon, (4, 2) mm, was covered until just now.
        """
        sights = found.of(CUT_CARD)
        if self._furniture is None:
            self._furniture = list(sights.take(sights.score >= DOUBTFUL_SCORE).centres_mm)
        sure = sights.take(sights.score >= SCORE)
        for at_mm, corners_mm in zip(sure.centres_mm, sure.corners_mm, strict=True):
            if not self.is_card_region(at_mm) and not any(_is_same(at_mm, each) for each in self._furniture):
                self._see(at_mm, t, was_hidden=hidden_s(corners_mm) > 0.0)
        self._places = [place for place in self._places if t - place.seen_t <= GONE_S]
        return [self._tell(place) for place in self._places if _is_news(place)]

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        return [place.at_mm for place in self._waited_for()]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        return min((place.first_t for place in self._waited_for()), default=None)

    def _waited_for(self) -> list[_Place]:
        return [place for place in self._places if not place.is_told and place.seen_t - place.first_t < REST_S]

    def _see(self, at_mm: NDArray[np.float64], t: float, *, was_hidden: bool) -> None:
        place = next((each for each in self._places if _is_same(each.at_mm, at_mm)), None)
        if place is None:
            self._places.append(_Place(at_mm, t, t, is_told=not was_hidden))
        else:
            place.seen_t, place.looks = t, place.looks + 1

    def _tell(self, place: _Place) -> CutCardRested:
        place.is_told = True
        return CutCardRested(t=place.first_t, at_mm=(float(place.at_mm[0]), float(place.at_mm[1])))


def _is_same(one_mm: NDArray[np.float64], other_mm: NDArray[np.float64]) -> bool:
    return float(np.hypot(*(one_mm - other_mm))) < REST_MM


def _is_news(place: _Place) -> bool:
    return not place.is_told and place.looks >= REST_LOOKS and place.seen_t - place.first_t >= REST_S
