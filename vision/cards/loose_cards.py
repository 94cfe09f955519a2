"""Watch the whole cloth for cards that come to rest where none belongs: beside a region, on chips, at an edge.

A card is reported once it has lain in plain sight for a while where the cloth looked different before, and once its
face was read or its back is beyond doubt. Later it is reported when it was turned or is gone. Knows regions, not what
they mean. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.card_monitor import LEAVE_S
from thirdcard.vision.cards.card_reading import (
    BACK,
    BACKS_SEEN,
    ENOUGH_READS,
    SURE_ENOUGH,
    CardReading,
    IsCovered,
    ReadFaces,
)
from thirdcard.vision.cards.label_fusion import NO_FACE
from thirdcard.vision.cards.tracker import CardSight, CardTrack, Motion, Tracker
from thirdcard.vision.observations import LooseCardLeft, LooseCardRested, LooseCardTurned, Reading

FACE_SCORE, BACK_SCORE = 0.6, 0.4
"""Least mean detector score of a reported card. Of 40 cards that were laid in the open the lowest mean was 0.42, that
of a back with large dots; in an hour of clean play nothing that was not a card was seen uncovered for half a second."""
LIES_S, LIES_LOOKS = 1.0, 6
"""Seconds and looks for which a card must lie in plain sight: one that is carried or held does not lie that long."""
WAIT_S = 3.0
"""Seconds after which something that may be clutter counts as clutter, and nothing waits for it."""
TURN_S = 1.0
"""Seconds for which a turned card's face is read before it is reported."""
ONE_THING_MM = 40.0
"""A sight within this distance of another thing, such as a cutting card or a card that is known, is that thing: less
than half a card's longer side."""

NOTHING_READ = Reading(label=None, confidence=0.0)

LaidT = Callable[[NDArray[np.float64]], float | None]
LooseSeen = LooseCardRested | LooseCardTurned | LooseCardLeft


@dataclass(slots=True, kw_only=True)
class _Known:
    """A card that was reported."""

    face_up: bool
    turned_t: float | None = None
    """Since when a turn has been waiting to be reported, in stream seconds."""


@dataclass(slots=True)
class LooseCards:
    """The cards that lie where none belongs."""

    tracker: Tracker
    labels: tuple[str, ...]
    laid_t: LaidT = lambda at_mm: None
    """Since when a card that lies open at a point, (2,) mm, lay there unrecognised, its back up; None: it did not."""
    _reading: CardReading = field(init=False)
    _known: dict[int, _Known] = field(default_factory=dict)
    _laid: set[int] = field(default_factory=set)
    """The tracks whose places looked different before: print uncovered by a hand looks as it did."""
    _t: float = 0.0

    def __post_init__(self) -> None:
        self._reading = CardReading(self.tracker, self.labels)

    def update(
        self,
        sights: Sequence[CardSight],
        t: float,
        *,
        is_covered: IsCovered,
        read_faces: ReadFaces,
        is_strange: IsCovered,
    ) -> list[LooseSeen]:
        """Take one look and return what is new.

        Args:
            sights: The cards seen where none belongs.
            t: Stream time in seconds.
            is_covered: Whether something lies over a place, (4, 2) mm.
            read_faces: Returns the reader's log probabilities for some places.
            is_strange: Whether a place, (4, 2) mm, looks different from a moment ago.
        """
        self._t = t
        free = [each for each in sights if not is_covered(each.corners_mm)]
        changes = self.tracker.update(self._reading.read(free, read_faces), t, is_covered=is_covered)
        for track in self.tracker.tracks:
            if track.seen_t == t and is_strange(track.sight.corners_mm):
                self._laid.add(track.track_id)
        self._laid &= {track.track_id for track in self.tracker.tracks}
        self._reading.vote(t, is_covered)
        for track in changes.turned:
            if track.track_id in self._known:
                self._known[track.track_id].turned_t = track.turned_t
        told = [each for track in self.tracker.tracks for each in self._tell(track, t)]
        gone = [track for track in changes.left if self._known.pop(track.track_id, None) is not None]
        return [*told, *(LooseCardLeft(track_id=each.track_id, t=each.missing_since_t or t) for each in gone)]

    def is_known_at(self, at_mm: NDArray[np.float64]) -> bool:
        """Whether a card that was reported lies at a point, (2,) mm."""
        known = (track for track in self.tracker.tracks if track.track_id in self._known)
        return any(float(np.linalg.norm(track.sight.at_mm - at_mm)) < ONE_THING_MM for track in known)

    def backs(self) -> list[CardTrack]:
        """Return the tracks of the reported cards that lie face down."""
        known = (track for track in self.tracker.tracks if track.track_id in self._known)
        return [track for track in known if not track.sight.face_up]

    def asked_mm(self) -> list[NDArray[np.float64]]:
        """Return the points, (2,) mm each, where further looks would reveal more."""
        return [track.sight.at_mm for track in self.tracker.tracks if self._is_waited_for(track)]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        times = [track.place_since_t for track in self.tracker.tracks if self._may_be_told(track)]
        times += [known.turned_t for known in self._known.values() if known.turned_t is not None]
        known = [track for track in self.tracker.tracks if track.track_id in self._known]
        times += [track.missing_since_t for track in known if track.missing_since_t is not None]
        # a card that a hand may have taken turns up elsewhere within LEAVE_S; a hand that rests on it holds up nothing
        times += [track.seen_t for track in known if 0.0 < self._t - track.seen_t <= LEAVE_S]
        return min(times, default=None)

    def _is_waited_for(self, track: CardTrack) -> bool:
        if track.track_id not in self._known:
            return self._may_be_told(track)
        return self.tracker.is_unsettled(track) or self._known[track.track_id].turned_t is not None

    def _may_be_told(self, track: CardTrack) -> bool:
        """Whether an unreported track may still be reported as a card."""
        is_new = track.track_id not in self._known and self._t - track.place_since_t < WAIT_S
        return is_new and track.track_id in self._laid and track.motion is Motion.RESTING

    def _tell(self, track: CardTrack, t: float) -> list[LooseSeen]:
        known = self._known.get(track.track_id)
        if known is not None:
            return self._tell_turned(track, known, t)
        lies = track.motion is Motion.RESTING and track.seen_t == t and track.looks >= LIES_LOOKS
        if not lies or t - track.place_since_t < LIES_S or not self._may_be_told(track):
            return []
        reading = track.votes.reading()
        if not self._is_card(track, reading):
            return []
        self._known[track.track_id] = _Known(face_up=track.sight.face_up)
        rested = LooseCardRested(
            track_id=track.track_id,
            t=track.place_since_t,
            at_mm=(float(track.sight.at_mm[0]), float(track.sight.at_mm[1])),
            face_up=track.sight.face_up,
            reading=reading,
            score=track.score,
        )
        laid_t = self.laid_t(track.sight.at_mm) if track.sight.face_up else None
        if not track.sight.face_up or (track.back_looks < BACKS_SEEN and laid_t is None):
            return [rested]
        turned_t = track.turned_t or track.face_t or track.place_since_t
        turned = LooseCardTurned(track_id=track.track_id, t=turned_t, face_up=True, reading=reading)
        laid_t = rested.t if laid_t is None else min(laid_t, rested.t)
        return [replace(rested, t=laid_t, face_up=False, reading=NOTHING_READ), turned]

    def _tell_turned(self, track: CardTrack, known: _Known, t: float) -> list[LooseSeen]:
        if known.turned_t is None:
            return []
        reading = track.votes.reading()
        is_clear = not track.sight.face_up or (reading.label is not None and track.votes.count >= ENOUGH_READS)
        if not is_clear and t - known.turned_t < TURN_S:
            return []
        turned_t, known.turned_t = known.turned_t, None
        if track.sight.face_up == known.face_up:
            return []
        known.face_up = track.sight.face_up
        return [LooseCardTurned(track_id=track.track_id, t=turned_t, face_up=known.face_up, reading=reading)]

    def _is_card(self, track: CardTrack, reading: Reading) -> bool:
        """Whether a resting thing is a card beyond doubt: a face is one even if it stays open which."""
        if track.votes.count < ENOUGH_READS and track.sight.face_up:
            return False
        posterior = track.votes.posterior()
        if track.sight.face_up:
            face = float(sum(posterior[i] for i, label in enumerate(self.labels) if label not in NO_FACE))
            return track.score >= FACE_SCORE and (reading.label is not None or face >= SURE_ENOUGH)
        return track.score >= BACK_SCORE and float(posterior[self.labels.index(BACK)]) >= SURE_ENOUGH
