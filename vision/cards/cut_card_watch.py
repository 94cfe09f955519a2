"""Report when a cutting card comes to rest on the cloth.

It is reported only where it was seen repeatedly after a hand laid it there. Cutting cards that lay there from the
beginning are ignored, and so are those that no hand brought, or that lie where cards belong. A card with a back of one
colour looks the same until it is turned: the report waits a while, and is dropped if a face appears there. Layout
millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.loose_cards import FACE_SCORE, LIES_S, ONE_THING_MM
from thirdcard.vision.detections import CARD_FACE, CUT_CARD, Detections, have_sides
from thirdcard.vision.observations import CutCardRested

SCORE = 0.6
"""Detector score from which something is a cutting card. Twice the detector's own threshold: it labels some backs on
a cloth of their colour as cutting cards (models/cards/detector.md). Chosen by hand."""
DOUBTFUL_SCORE = 0.25
"""From this score on, what lay there when the watch began counts as furniture."""
SIZES = (0.75, 1.25)
"""Allowed range of its sides, relative to a card's: a cutting card has the size of a card, and the boxes of cards at
rest on drawn tables are up to 11 % too long. A telephone is 1.6 times as long as a card. Chosen by hand."""
REST_MM = 15.0
"""Looks whose centres lie nearer than this show the same thing at rest."""
REST_S = 0.6
"""A cutting card that lies for fewer seconds was only carried past, or laid down for a moment. Chosen by hand."""
REST_LOOKS = 4
"""Looks that must show it in that time, of about seven: some may miss it. Chosen by hand."""
TURNED_S = 4.0
"""Seconds for which a face may show that it is no cutting card: of three plain backs that were laid beside the boxes
and turned, two showed their faces 2.8 and 3.4 s later. Everything else waits as long, but seldom: a cutting card comes
once in an hour or so."""
REPORTED_S = 2.0 * LIES_S
"""Seconds from the first sight of the face until the card itself is reported at the latest. What reports it waits on,
since the card has lain there for as long as the apparent cutting card."""
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
    """Whether nothing is to be reported of it any more."""
    faced_t: float | None = None
    """When a face was first seen there: then it is a card."""

    @property
    def rested(self) -> bool:
        """Whether it lay there for longer than something that is only carried past."""
        return self.looks >= REST_LOOKS and self.seen_t - self.first_t >= REST_S


@dataclass(slots=True)
class CutCardWatch:
    """The cutting cards in sight, and which of them are reported."""

    is_card_region: Callable[[NDArray[np.float64]], bool]
    """Whether cards belong at a point, (2,) mm: an apparent cutting card there is one of them."""
    card_mm: tuple[float, float]
    """A card's width and height."""
    _places: list[_Place] = field(default_factory=list)
    _furniture: list[NDArray[np.float64]] | None = None
    _t: float = 0.0

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
        sure = sure.take(have_sides(sure.corners_mm, self.card_mm, SIZES))
        for at_mm, corners_mm in zip(sure.centres_mm, sure.corners_mm, strict=True):
            if not self.is_card_region(at_mm) and not any(_is_same(at_mm, each) for each in self._furniture):
                self._see(at_mm, t, was_hidden=hidden_s(corners_mm) > 0.0)
        faces = found.of(CARD_FACE)
        for at_mm in faces.take(faces.score >= FACE_SCORE).centres_mm:
            for place in self._places:
                if not place.is_told and float(np.linalg.norm(at_mm - place.at_mm)) < ONE_THING_MM:
                    place.is_told, place.faced_t = True, t
        due = [each for each in self._places if (each.rested and t - each.first_t >= TURNED_S) or _is_gone(each, t)]
        told = [self._tell(place) for place in due if place.rested and not place.is_told]
        self._places = [place for place in self._places if not _is_gone(place, t)]
        self._t = t
        return told

    def laid_t(self, at_mm: NDArray[np.float64]) -> float | None:
        """Return since when a card, now open, has lain at a point, (2,) mm, if it was taken for a cutting card."""
        near = (each for each in self._places if float(np.linalg.norm(each.at_mm - at_mm)) < ONE_THING_MM)
        return min((each.first_t for each in near if each.faced_t is not None and each.rested), default=None)

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        return [place.at_mm for place in self._places if not place.is_told and not place.rested]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        return min((place.first_t for place in self._places if self._is_waited_for(place)), default=None)

    def _is_waited_for(self, place: _Place) -> bool:
        return not place.is_told or (place.faced_t is not None and self._t - place.faced_t <= REPORTED_S)

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


def _is_gone(place: _Place, t: float) -> bool:
    return t - place.seen_t > GONE_S
