"""The cards that were told of, those that are missing among them, and which of those a card that appears may be.

Distances are millimetres, durations seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vision.handed_cards import HandedCards
from vision.observations import Reading
from vision.tracker import OUT_OF_SIGHT_S, CardTrack, Tracker

MISSED_LOOKS = 2
"""A card that one look missed may still lie there."""


@dataclass(slots=True, kw_only=True)
class Known:
    """A card that was told of."""

    region: str
    home: str
    """The last of the card regions that it lay in."""
    face_up: bool
    reading: Reading
    turned_t: float | None = None
    """Since when a turn waits to be told."""
    unread_t: float | None = None
    """When its face was told of without a name."""


@dataclass(slots=True)
class KnownCards:
    """All cards that were told of, by their tracks."""

    tracker: Tracker
    handed: HandedCards
    known: dict[int, Known] = field(default_factory=dict)
    gone: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    """Cards whose places are empty, since when; not told yet."""

    def missing(self, t: float) -> list[CardTrack]:
        """The cards that are not where they were."""
        told = [old for old in self.tracker.tracks if old.track_id in self.known]
        missed = [old for old in told if old.missing_since_t is not None and old.missing_looks >= MISSED_LOOKS]
        return [*(old for old, _ in self.gone.values()), *self.handed.away(t), *missed]

    def missing_back(self, track: CardTrack, t: float, place: str) -> CardTrack | None:
        """The missing card nearest to `track` of those whose backs were up, and that lay at no other place before."""
        backs = [
            old
            for old in self.missing(t)
            if old is not track
            and not self.known[old.track_id].face_up
            and self.known[old.track_id].region in (place, self.known[old.track_id].home)
        ]
        return min(backs, key=lambda old: float(np.linalg.norm(old.sight.at_mm - track.sight.at_mm)), default=None)

    def is_out(self, t: float, looked_t: float) -> bool:
        """Whether a card may be at one of the places: one lies there, or one whose back was up is not to be seen."""
        told = [old for old in [*self.tracker.tracks, *self.missing(t)] if old.track_id in self.known]
        return any(
            self.known[old.track_id].region in self.handed.places
            or (not self.known[old.track_id].face_up and old.seen_t < looked_t)
            for old in told
        )

    def may_be_covered(self, track: CardTrack, t: float, region: str, reading: Reading) -> bool:
        """Whether `track` may be a card whose old place is covered, so it is not known to be gone."""
        return any(
            old.track_id in self.known
            and old is not track
            and t - old.seen_t >= OUT_OF_SIGHT_S
            and (
                (old.missing_looks < MISSED_LOOKS and self._fits(old, region, reading)) or self._is_nameless(old, track)
            )
            for old in self.tracker.tracks
        )

    def same_card(self, track: CardTrack, t: float, region: str, reading: Reading) -> CardTrack | None:
        """A card whose place is empty that `track` may be: one of the same region, or the same face from another.

        A card that was away for long comes back with its face up.
        """
        gone = [old for old, _ in self.gone.values()]
        away = {old.track_id for old in self.handed.away(t)}
        missing = [old for old in self.missing(t) if track.sight.face_up or old.track_id not in away]
        fits = [old for old in missing if old is not track and self._fits(old, region, reading)]
        fits = fits or [old for old in gone if self._is_nameless(old, track)]
        return min(fits, key=lambda old: _strangeness(self.known[old.track_id], old, track, reading), default=None)

    def _fits(self, old: CardTrack, region: str, reading: Reading) -> bool:
        """Whether both read alike; where one was not read, or lay face down, whether it vanished from that region."""
        known = self.known[old.track_id]
        if reading.label is not None and known.face_up and known.reading.label is not None:
            return known.reading.label == reading.label
        return region in (known.region, known.home)

    def _is_nameless(self, old: CardTrack, track: CardTrack) -> bool:
        """A back, or a face that nobody read, may have gone on to another region: once its place is surely empty."""
        known = self.known[old.track_id]
        return known.face_up == track.sight.face_up and known.reading.label is None


def _strangeness(known: Known, old: CardTrack, track: CardTrack, reading: Reading) -> tuple[bool, float]:
    """Same faces first, then the nearest."""
    differs = reading.label is None or known.reading.label != reading.label
    return differs, float(np.linalg.norm(old.sight.at_mm - track.sight.at_mm))
