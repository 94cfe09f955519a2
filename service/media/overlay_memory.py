"""Remember the readings of a table, and find those at the time of a fault: for stills and overlays.

Used by live watches, watches of recordings and reviews. Cards are dated by the frame in which they were seen; hands and
wagers as the referee knows them come a little later and are dated back. Only changes are stored, each valid until the
next. Times are UTC.
"""

from __future__ import annotations

import bisect
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from thirdcard.calibration.layout import Layout
from thirdcard.rules.game.hand import points
from thirdcard.rules.round.round import RoundState
from thirdcard.service.media.overlay import Outline, area_outline

REMEMBERED = timedelta(minutes=5)
BEHIND = timedelta(seconds=1)
"""The delay of the referee behind the picture."""
UNSEEN = timedelta(seconds=2)
"""In a longer gap between frames it is unknown what lay there."""
STILL_MM = 2.5
"""A card whose corners moved less did not move. The estimated corners of a card at rest vary that much: one or two
pixels of a camera that shows the whole table."""

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class AreaText:
    """The content of an area of the layout, in words."""

    area: str
    text: str


@dataclass(frozen=True, slots=True)
class Since(Generic[Kind]):
    """A state from some time on."""

    at: datetime
    what: tuple[Kind, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayStretch:
    """The readings in a stretch of time; the first of each is valid from its beginning."""

    cards: Sequence[Since[Outline]]
    areas: Sequence[Since[AreaText]]

    def seen_at(self, at: datetime, layout: Layout) -> tuple[Outline, ...]:
        """The outlines at a given time, for its still: the hands' boxes with their cards, and the cards."""
        return (*hand_boxes(layout, latest(self.areas, at)), *latest(self.cards, at))

    def between(self, from_at: datetime, to_at: datetime) -> OverlayStretch:
        """The part of the stretch between two times."""
        return OverlayStretch(cards=between(self.cards, from_at, to_at), areas=between(self.areas, from_at, to_at))


@dataclass(slots=True)
class OverlayMemory:
    """The memory of one table; the watch writes, the evidence writer reads in another thread."""

    _cards: deque[Since[Outline]] = field(default_factory=deque)
    _areas: deque[Since[AreaText]] = field(default_factory=deque)
    _seen_at: datetime | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remember(self, at: datetime, cards: tuple[Outline, ...], areas: tuple[AreaText, ...]) -> None:
        """Store the readings of a frame."""
        with self._lock:
            if self._seen_at is not None and at - self._seen_at > UNSEEN:
                gone_at = self._seen_at + UNSEEN
                self._cards.append(Since(gone_at, ()))
                self._areas.append(Since(gone_at, ()))
            self._seen_at = at
            if not self._cards or not lie_alike(self._cards[-1].what, cards):
                self._cards.append(Since(at, cards))
            if not self._areas or self._areas[-1].what != areas:
                self._areas.append(Since(max(at - BEHIND, self._areas[-1].at) if self._areas else at, areas))
            _forget(self._cards, at - REMEMBERED)
            _forget(self._areas, at - REMEMBERED)

    def seen_at(self, at: datetime, layout: Layout) -> tuple[Outline, ...]:
        """The outlines at a given time."""
        return self.between(at, at).seen_at(at, layout)

    def between(self, from_at: datetime, to_at: datetime) -> OverlayStretch:
        """The readings in a stretch."""
        with self._lock:
            return OverlayStretch(cards=self._cards, areas=self._areas).between(from_at, to_at)


def area_texts(layout: Layout, state: RoundState) -> tuple[AreaText, ...]:
    """The contents by the referee of hands' boxes (`7H 2S = 9`) and wagering areas (`500`, `3 chips`)."""
    found = list(_hand_texts(layout, state))
    for area in layout.of_kind("wager"):
        wager = state.wagers.get(area.id)
        if wager is not None and not wager.is_empty:
            counted = "?" if wager.chips is None else f"{wager.chips} chip{'s' if wager.chips != 1 else ''}"
            found.append(AreaText(area.id, counted if wager.value is None else f"{wager.value:,}"))
    return tuple(found)


def _hand_texts(layout: Layout, state: RoundState) -> Iterator[AreaText]:
    for area in layout.of_kind("hand"):
        cards = state.player if area.hand == "player" else state.banker
        if cards:
            text, total = " ".join("?" if card is None else str(card) for card in cards), points(cards)
            yield AreaText(area.id, text if total is None else f"{text} = {total}")


def hand_outlines(layout: Layout, state: RoundState) -> tuple[Outline, ...]:
    """Each hand's box with its cards and point count: `7H 2S = 9`."""
    return hand_boxes(layout, tuple(_hand_texts(layout, state)))


def hand_boxes(layout: Layout, areas: Sequence[AreaText]) -> tuple[Outline, ...]:
    """The hands' boxes with their contents, for a still."""
    texts = {one.area: one.text for one in areas}
    return tuple(area_outline(area, text=texts[area.id]) for area in layout.of_kind("hand") if area.id in texts)


def lie_alike(one: Sequence[Outline], other: Sequence[Outline]) -> bool:
    """Whether both show the same cards in the same places and order."""
    return len(one) == len(other) and all(map(_lies_alike, one, other))


def _lies_alike(one: Outline, other: Outline) -> bool:
    if one.text != other.text or len(one.polygon_mm) != len(other.polygon_mm):
        return False
    pairs = zip(one.polygon_mm, other.polygon_mm, strict=True)
    return all(abs(a[0] - b[0]) < STILL_MM and abs(a[1] - b[1]) < STILL_MM for a, b in pairs)


def between(known: Sequence[Since[Kind]], from_at: datetime, to_at: datetime) -> list[Since[Kind]]:
    """The state at the beginning, if known, and each change up to the end, in order of time."""
    first = bisect.bisect_right(known, from_at, key=lambda since: since.at)
    last = bisect.bisect_right(known, to_at, key=lambda since: since.at)
    before = [Since(from_at, known[first - 1].what)] if first else []
    return [*before, *(known[place] for place in range(first, last))]


def latest(known: Sequence[Since[Kind]], at: datetime) -> tuple[Kind, ...]:
    """The state at a given time; empty where unknown."""
    place = bisect.bisect_right(known, at, key=lambda since: since.at)
    return known[place - 1].what if place else ()


def _forget(known: deque[Since[Kind]], before: datetime) -> None:
    """Drop states that ended before a given time."""
    while len(known) > 1 and known[1].at <= before:
        known.popleft()
