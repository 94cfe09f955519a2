"""Decide which known card a card that appears may be: one that is missing, hidden or brought back.

A card is known once it was reported. Knows regions and labels, not what they mean. Distances are layout millimetres,
durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from thirdcard.vision.cards.handed_cards import HandedCards
from thirdcard.vision.cards.label_fusion import GUESSED, NO_FACE
from thirdcard.vision.cards.tracker import OUT_OF_SIGHT_S, REST_LOOKS, CardSight, CardTrack, Tracker
from thirdcard.vision.observations import Point, Reading

REACH_KEPT_S = 3.0
"""Seconds for which it is remembered where arms that reached over a card came in."""
BEFORE_TURN_S, AFTER_TURN_S = 1.2, 0.2
"""How many seconds before its other side is seen, and how many after, a card may have been turned."""
MISSED_LOOKS = 2
"""A card that was missed in fewer looks may still lie there."""
SEEN_TWICE_S = 0.5
"""Something seen for more seconds than this while a card was seen at its own place is another card."""
SAME_CARD_MM = 40.0
"""How far in mm a card moves when somebody bends it up or turns it."""
ONE_PLACE_MM = 40.0
"""Two cards that were never seen at one look and lie within this distance may be one that was pushed on."""
SURELY_TWO_LOOKS = 2
"""Number of common looks from which two tracks are two different cards."""
BESIDE_MM = 100.0
"""The centres of cards that lie side by side are nearer than this."""
NEXT_MM = 130.0
"""Cards from one region that were brought together lie nearer to each other than this."""

IsLeft = Callable[[CardSight], bool]
"""Whether bare cloth shows where a card was seen before, and where no other card is seen now."""


@dataclass(slots=True, kw_only=True)
class Known:
    """A card that was reported."""

    region: str
    home: str
    """The last card region that it lay in."""
    face_up: bool
    reading: Reading
    turned_t: float | None = None
    """Since when a turn has been waiting to be reported, in stream seconds."""
    unread_t: float | None = None
    """When its face was reported without a label."""
    is_guessed: bool = False
    """Whether its possible labels were reported since, after it was examined for long enough."""
    _reaches: list[tuple[float, Point | None]] = field(default_factory=list)
    """When arms recently lay over it, and where they came in."""

    def note_reach(self, t: float, entry_mm: Point | None) -> None:
        """Note that something lies over it at `t`, and where that came in; None where this is not visible."""
        self._reaches = [*(reach for reach in self._reaches if t - reach[0] <= REACH_KEPT_S), (t, entry_mm)]

    def reaches_about(self, t: float) -> tuple[Point | None, ...]:
        """Return where arms came in over it about the time at which it was turned, look by look."""
        return tuple(entry for moment, entry in self._reaches if t - BEFORE_TURN_S <= moment <= t + AFTER_TURN_S)

    def forget_reaches(self) -> None:
        """Forget the arms: the card is gone."""
        self._reaches = []


@dataclass(slots=True)
class KnownCards:
    """All cards that were reported, by the ids of their tracks."""

    tracker: Tracker
    handed: HandedCards
    known: dict[int, Known] = field(default_factory=dict)
    gone: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    """Cards that are not seen though nothing covers their places, and since when those are empty; not reported yet."""

    def missing(self, t: float) -> list[CardTrack]:
        """Return the known cards that are not where they were."""
        told = [old for old in self.tracker.tracks if old.track_id in self.known]
        missed = [old for old in told if old.missing_since_t is not None and old.missing_looks >= MISSED_LOOKS]
        return [*(old for old, _ in self.gone.values()), *self.handed.away(t), *missed]

    def missing_back(self, track: CardTrack, t: float, place: str) -> CardTrack | None:
        """Return which known card that lay face down `track` is: one hidden there, else a missing one.

        Left out are cards that lay at another place before, and those from whose region others lie there. The nearest
        is chosen. Where another card was brought with it, the two keep their order as neighbours; the result is None
        until the right one is known to be missing.
        """
        hidden = self._hidden_at(track, t, place)
        if hidden is not None:
            return hidden
        backs = [
            old
            for old in self.missing(t)
            if old is not track
            and not self.known[old.track_id].face_up
            and self.known[old.track_id].region in (place, self.known[old.track_id].home)
            and self._may_lie_at(self.known[old.track_id].home, place)
            and not _were_both_seen(old, track)
        ]
        nearest = min(backs, key=lambda old: _away_mm(old, track), default=None)
        second = self._brought_with(track)
        if nearest is None or second is None:
            return nearest
        home = self.known[nearest.track_id].home
        of_its_region = [old for old in backs if self.known[old.track_id].home == home]
        of_its_region += [old for old in self._out_of_sight(home, t) if old not in of_its_region and old is not track]
        pairs = list(permutations(of_its_region, 2)) or [(nearest, nearest)]
        best = min(pairs, key=lambda pair: _away_mm(pair[0], track) ** 2 + _away_mm(pair[1], second) ** 2)[0]
        return best if best in backs else None

    def _out_of_sight(self, home: str, t: float) -> list[CardTrack]:
        """Return the cards of a region that lie face down and are covered at their places: they may be gone."""
        return [
            old
            for old in self.tracker.tracks
            if self._is_from(old, home)
            and self.known[old.track_id].region == home
            and not self.known[old.track_id].face_up
            and t - old.seen_t >= OUT_OF_SIGHT_S
        ]

    def _hidden_at(self, track: CardTrack, t: float, place: str) -> CardTrack | None:
        """Return a known card at the place that lies face down, was not seen at this look and lay where `track` is."""
        hidden = [
            old
            for old in self.tracker.tracks
            if old is not track
            and old.track_id in self.known
            and self.known[old.track_id].region == place
            and not self.known[old.track_id].face_up
            and old.seen_t < t
            and _away_mm(old, track) < SAME_CARD_MM
        ]
        return min(hidden, key=lambda old: _away_mm(old, track), default=None)

    def _may_lie_at(self, home: str, place: str) -> bool:
        """Whether no card from a region lies at another place."""
        regions = [self.known[each.track_id].region for each in self.tracker.tracks if self._is_from(each, home)]
        return all(region in (home, place) or region not in self.handed.places for region in regions)

    def _is_from(self, track: CardTrack, home: str) -> bool:
        return track.track_id in self.known and self.known[track.track_id].home == home

    def _brought_with(self, track: CardTrack) -> CardTrack | None:
        """Return the unknown card next to `track`, preferring one that was seen often: others may be parts of it."""
        others = [
            other
            for other in self.tracker.tracks
            if other is not track
            and other.track_id not in self.known
            and self.handed.place_of(other.sight.at_mm) is not None
            and _away_mm(other, track) < NEXT_MM
        ]
        return min(others, key=lambda other: (other.looks < REST_LOOKS, _away_mm(other, track)), default=None)

    def has_any(self, t: float) -> bool:
        """Whether any known card is there or may come back."""
        return any(old.track_id in self.known for old in [*self.tracker.tracks, *self.missing(t)])

    def are_all_open(self, t: float) -> bool:
        """Whether every known card shows its face: then none is on its way."""
        told = [old for old in [*self.tracker.tracks, *self.missing(t)] if old.track_id in self.known]
        return all(self.known[old.track_id].face_up for old in told)

    def backs(self) -> list[CardTrack]:
        """Return the tracks of the cards that are known to lie face down."""
        return [
            track
            for track in self.tracker.tracks
            if track.track_id in self.known and not self.known[track.track_id].face_up
        ]

    def unknown(self) -> list[CardTrack]:
        """Return the tracks that were not reported."""
        return [track for track in self.tracker.tracks if track.track_id not in self.known]

    def may_be_a_part(self, track: CardTrack, t: float) -> bool:
        """Whether a half hidden face may be the visible part of a card beside it.

        It may if it cannot be guessed, or equals that card's.
        """
        guess = track.votes.guess()
        is_guessed = track.votes.posterior().max() >= GUESSED and guess not in NO_FACE
        if not track.sight.face_up or (is_guessed and self.may_be_missing(guess, t)):
            return False
        return not is_guessed or self.has_a_twin(track, guess, BESIDE_MM)

    def has_a_twin(self, track: CardTrack, label: str, within_mm: float) -> bool:
        """Whether a known card within `within_mm` shows the given label."""
        return any(
            self.known[other.track_id].reading.label == label and _away_mm(other, track) < within_mm
            for other in self.tracker.tracks
            if other is not track and other.track_id in self.known
        )

    def may_be_missing(self, label: str, t: float) -> bool:
        """Whether a missing card showed this face, or one that could not be read."""
        away = [self.known[old.track_id] for old in self.missing(t)]
        return any(each.face_up and each.reading.label in (None, label) for each in away)

    def has_just_left(self, reading: Reading, t: float) -> bool:
        """Whether the face belongs to a card that just left its place."""
        told = [old for old in self.tracker.tracks if old.track_id in self.known and old.seen_t < t]
        left = [self.known[old.track_id] for old in [*told, *(old for old, _ in self.gone.values())]]
        return reading.label is not None and any(each.face_up and each.reading.label == reading.label for each in left)

    def is_out(self, t: float, looked_t: float) -> bool:
        """Whether a card may be at one of the places: one lies there, or one that lay face down is not visible."""
        told = [old for old in [*self.tracker.tracks, *self.missing(t)] if old.track_id in self.known]
        return any(
            self.known[old.track_id].region in self.handed.places
            or (not self.known[old.track_id].face_up and old.seen_t < looked_t)
            for old in told
        )

    def may_be_covered(self, track: CardTrack, t: float, region: str, reading: Reading) -> bool:
        """Whether `track` may be a card whose old place is covered, so that it is not known to be gone."""
        return any(
            old.track_id in self.known
            and old is not track
            and (t - old.seen_t >= OUT_OF_SIGHT_S or _may_be_one(old, track))
            and not _were_both_seen(old, track)
            and (
                (old.missing_looks < MISSED_LOOKS and self._fits(old, region, reading)) or self._is_nameless(old, track)
            )
            for old in self.tracker.tracks
        )

    def same_card(self, track: CardTrack, t: float, region: str, reading: Reading, is_left: IsLeft) -> CardTrack | None:
        """Return the missing card that `track` may be: from the same region, or with the same face from another one.

        A card that was away for long comes back face up. A back, or a face that was not read, has moved only if
        `is_left` finds its place bare: the detector may have missed it where it still lies.
        """
        gone = [old for old, _ in self.gone.values()]
        away = {old.track_id for old in self.handed.away(t)}
        missing = [old for old in self.missing(t) if track.sight.face_up or old.track_id not in away]
        others = [
            old
            for old in missing
            if old is not track and (not _were_both_seen(old, track) or self._shows_its_face(old, track, reading))
        ]
        fits = [old for old in others if self._fits(old, region, reading)]
        fits = fits or [old for old in gone if old in others and self._is_nameless(old, track)]
        fits = [old for old in fits if self._is_there(old, track, reading) or is_left(old.sight)]
        return min(fits, key=lambda old: _strangeness(self.known[old.track_id], old, track, reading), default=None)

    def _is_there(self, old: CardTrack, track: CardTrack, reading: Reading) -> bool:
        """Whether `track` lies where the card lay, or shows its face."""
        known = self.known[old.track_id]
        is_read = known.face_up and reading.label is not None and reading.label == known.reading.label
        return is_read or _away_mm(old, track) < ONE_PLACE_MM

    def _shows_its_face(self, old: CardTrack, track: CardTrack, reading: Reading) -> bool:
        """Whether `track` shows the face of a card at that very place, and at most one look showed both."""
        label = self.known[old.track_id].reading.label
        is_there = track.beside[old.track_id] < SURELY_TWO_LOOKS and _away_mm(old, track) < ONE_PLACE_MM
        return is_there and label is not None and label == reading.label

    def _fits(self, old: CardTrack, region: str, reading: Reading) -> bool:
        """Whether both have the same label.

        If one was not read or lay face down: whether it vanished from that region.
        """
        known = self.known[old.track_id]
        if reading.label is not None and known.face_up and known.reading.label is not None:
            return known.reading.label == reading.label
        return region in (known.region, known.home)

    def _is_nameless(self, old: CardTrack, track: CardTrack) -> bool:
        """Whether a back, or a face that was not read, may have moved on to another region."""
        known = self.known[old.track_id]
        return known.face_up == track.sight.face_up and known.reading.label is None


def _strangeness(known: Known, old: CardTrack, track: CardTrack, reading: Reading) -> tuple[bool, float]:
    """Sort key of candidates: equal labels first, then the nearest."""
    differs = reading.label is None or known.reading.label != reading.label
    return differs, _away_mm(old, track)


def _were_both_seen(old: CardTrack, track: CardTrack) -> bool:
    """Whether `track` was seen long before the other was last seen, so that they are two cards.

    Not where a back was seen in turns with what lies over it: looks under a hand shift it.
    """
    is_in_turns = not old.sight.face_up and track.beside[old.track_id] == 0 and _away_mm(old, track) < ONE_PLACE_MM
    return track.first_t < old.seen_t - SEEN_TWICE_S and not is_in_turns


def _may_be_one(old: CardTrack, track: CardTrack) -> bool:
    """Whether two backs at one place may be one card: no look showed both."""
    is_back = not old.sight.face_up and not track.sight.face_up
    return is_back and track.beside[old.track_id] == 0 and _away_mm(old, track) < ONE_PLACE_MM


def _away_mm(one: CardTrack, other: CardTrack) -> float:
    return float(np.linalg.norm(one.sight.at_mm - other.sight.at_mm))
