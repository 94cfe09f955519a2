"""Detect that a card is no longer on the table: it lies nowhere, and no hand is there that could hold it.

A card that was taken to a place face down and went out of sight is off the table once that place and all card regions
have been free of hands for long enough, and nothing unknown lies there. Knows places, not whose they are. Layout
millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.card_reading import LEAST_BROUGHT_SCORE, IsCovered
from thirdcard.vision.cards.identity import KnownCards
from thirdcard.vision.cards.tracker import CardTrack
from thirdcard.vision.observations import CardTakenOff, Point

FREE_S, FREE_LOOKS = 0.8, 4
"""Seconds and consecutive looks for which its place must be free: a card that is thrown back is visible again
sooner."""
APART_S = 1.0
"""Looks farther apart than this, in seconds, do not count as consecutive: the wait starts again."""
REACH_MM = 130.0
"""A hand that holds the card is nearer than this to where it was."""
UNKNOWN_LOOKS = 3
"""Something unreported that was seen in this many looks may be the card."""
LAST_LOOKS = 3
"""How many looks at the last arm over a place are kept: in a single one its place of entry may not be visible."""

EntryOf = Callable[[NDArray[np.float64]], Point | None]


@dataclass(frozen=True, slots=True, eq=False)
class _Missing:
    """A card that was taken to a place and is not visible anywhere."""

    track_id: int
    place: str
    at_mm: NDArray[np.float64]
    """Where it was seen at that place, or else where another card from its region lies."""


@dataclass(slots=True)
class OffTable:
    """How long each missing card's place has been free of hands, and whose arm was last there."""

    _cards: KnownCards
    _free: dict[int, list[float]] = field(default_factory=dict)
    """The looks, in stream seconds, that did not find each card since its place became free."""
    _entries: dict[str, tuple[Point | None, ...]] = field(default_factory=dict)
    """Where the last arms over each place's cards came in, look by look."""
    _told: set[int] = field(default_factory=set)

    def update(
        self, t: float, regions: Iterable[NDArray[np.float64]], *, is_covered: IsCovered, entry_of: EntryOf
    ) -> list[CardTakenOff]:
        """Take one look and return the cards that are off the table.

        Args:
            t: Stream time in seconds.
            regions: All card regions, (N, 2) mm each.
            is_covered: Whether something lies over a polygon.
            entry_of: Where what covers a polygon reaches over the table's edge; None where it does not.
        """
        if not self._cards.handed.places:
            return []
        for place, at_mm in self._at_places():
            around = _around(at_mm)
            if is_covered(around):
                self._entries[place] = (*self._entries.get(place, ()), entry_of(around))[-LAST_LOOKS:]
        missing = self._missing(t)
        ids = {card.track_id for card in missing}
        self._told &= ids
        self._free = {key: looks for key, looks in self._free.items() if key in ids}
        is_clear = bool(missing) and not any(map(_may_be_a_card, self._cards.unknown()))
        is_clear = is_clear and not any(is_covered(region) for region in regions)
        return [told for card in missing for told in self._watch(card, t, is_clear, is_covered)]

    def _watch(self, card: _Missing, t: float, is_clear: bool, is_covered: IsCovered) -> list[CardTakenOff]:
        if not is_clear or is_covered(_around(card.at_mm)):
            self._free.pop(card.track_id, None)
            return []
        looks = self._free.get(card.track_id, [])
        looks = self._free[card.track_id] = [*looks, t] if looks and t - looks[-1] <= APART_S else [t]
        if len(looks) < FREE_LOOKS or t - looks[0] < FREE_S or card.track_id in self._told:
            return []
        self._told.add(card.track_id)
        entries_mm = self._entries.get(card.place, ())
        return [CardTakenOff(track_id=card.track_id, t=looks[0], region=card.place, entries_mm=entries_mm)]

    def _missing(self, t: float) -> list[_Missing]:
        """Return the cards at the places that lay face down and are not visible."""
        found = []
        for old in self._cards.missing(t):
            known = self._cards.known[old.track_id]
            beside = old if known.region in self._cards.handed.places else self._other_from(known.home)
            if not known.face_up and beside is not None:
                place = self._cards.known[beside.track_id].region
                found.append(_Missing(old.track_id, place, beside.sight.at_mm))
        return found

    def _at_places(self) -> list[tuple[str, NDArray[np.float64]]]:
        """Return the place and the centre of each card that lies at one of the places."""
        return [
            (known.region, track.sight.at_mm)
            for track in self._cards.tracker.tracks
            if (known := self._cards.known.get(track.track_id)) is not None
            and known.region in self._cards.handed.places
        ]

    def _other_from(self, home: str) -> CardTrack | None:
        """Return a card from the same region that lies at one of the places."""
        for track in self._cards.tracker.tracks:
            known = self._cards.known.get(track.track_id)
            if known is not None and known.home == home and known.region in self._cards.handed.places:
                return track
        return None


def _may_be_a_card(track: CardTrack) -> bool:
    return track.looks >= UNKNOWN_LOOKS and track.score >= LEAST_BROUGHT_SCORE


def _around(at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    return at_mm + REACH_MM * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
