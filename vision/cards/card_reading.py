"""Read the visible cards, collect the votes on each, and decide what may be reported.

Where the reader is clear about which side shows, it decides; elsewhere the detector does. Distances are millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.label_fusion import NO_FACE
from thirdcard.vision.cards.tracker import ONE_CARD_MM, CardSight, CardTrack, Motion, Tracker
from thirdcard.vision.observations import Reading

LEAST_READS = 2
"""Readings of a face before it is reported, however confident: a single look may be blurred or half covered."""
ENOUGH_READS = 5
"""Number of readings after which a face is reported even below SURE_ENOUGH, and a confident one is no longer read:
half a second at ten looks a second. Chosen by hand."""
MOST_READS = 14
"""A card at rest is read at most so often. Each reading takes about 1.2 ms (models/cards/reader.md), and all looks
together count as 2.5 at most (label_fusion.py). Chosen by hand."""
SURE_ENOUGH = 0.985
"""Probability from which a face is reported after LEAST_READS, and a back is accepted by its reading alone. A higher
value delays each card, a lower one lets more misreadings through. Chosen by hand."""
CLEAR = 0.75
"""From this probability on the reader decides which side shows."""
LOG_SURE = float(np.log(0.98))
"""Log probability from which a face counts in full where a hand may cover the card: hands are known as boxes only."""
COVERED_WEIGHT = 0.2
"""Weight of a reading where a hand may cover the card, compared with 1 in plain sight: the visible part may mislead,
but may also be all that is ever seen. Chosen by hand."""
STILL_BEFORE_VOTE_S = 0.08
"""Seconds that a card must be still before a look counts. Less than the 0.095 s between two looks: the look at which
it moved, and may be blurred, does not count; the next does."""
BACK, UNCLEAR = "back", "unclear"
BACKS_SEEN = 2
"""Number of looks at a back after which its card counts as laid face down, even if it was turned at once."""
GLIMPSED = 0.9
"""Reader probability from which a single look at a back is accepted, if it also looks like a card."""
SURELY_GLIMPSED, FAINT_SCORE, FAINT_GLIMPSES = 0.99, 0.4, 2
"""A back with a lower card score is accepted after this many looks, each read with this probability."""
LONG_HIDDEN_S, FAINTEST_SCORE = 0.6, 0.3
"""A single look with an even lower score is enough if the card was hidden for so long (seconds): it may have been
turned over."""
GLIMPSE_S = 2.5
"""How many seconds before a card came to rest its back may have been seen at its place."""
NEXT_CARD_S = 0.5
"""Least seconds between two cards that come to rest."""
TURN_S = 0.3
"""Least seconds that a hand needs to turn a card over."""
LATE_FACE_S = 0.4
"""If a face could not be read for this many seconds after its card came to rest, it may have been turned up
meanwhile."""
KEPT_S = 10.0
"""Seconds for which a glimpse is kept: a card is reported long before."""
REAL_SCORE = 0.7
"""Least mean detector score of a reported card that was never read."""
LONG_THERE_S, LONG_THERE_LOOKS, LONG_THERE_SCORE = 2.0, 15, 0.75
"""Seconds, looks and mean score after which a detected open card counts as one, even if it cannot be read."""
UNREADABLE = 0.5
"""Upper limit of the confidence that such a thing is a card."""
BROUGHT_SCORE, BROUGHT_LOOKS = 0.65, 5
"""Score and looks from which something that may be a missing card is accepted without a clear reading: a card half
under another cannot be read."""
LEAST_BROUGHT_SCORE = 0.45
"""Below this mean score it is not accepted, whatever the reader says."""
SAME_PLACE_MM = 12.0
"""A sight within this distance of a track shows that card: less than half of what two cards' centres lie apart
(ONE_PLACE_MM, 26 mm)."""

IsCovered = Callable[[NDArray[np.float64]], bool]
ReadFaces = Callable[[Sequence[NDArray[np.float64]]], Sequence[NDArray[np.float64] | None]]


@dataclass(frozen=True, slots=True, eq=False)
class SideGlimpse:
    """A look at one side of a card that had not come to rest."""

    t: float
    at_mm: NDArray[np.float64]
    track_id: int
    score: float
    """The detector's score, 0 to 1."""
    face_up: bool


@dataclass(slots=True)
class CardReading:
    """What a reader says about the cards that a tracker follows."""

    tracker: Tracker
    labels: tuple[str, ...]
    _glimpses: list[SideGlimpse] = field(default_factory=list)

    def read(self, sights: Sequence[CardSight], read_faces: ReadFaces) -> list[CardSight]:
        """Read the sights that may bring news, and let the reader correct which side shows."""
        wanted = [sight for sight in sights if sight.log_probs is None and self._is_news(sight)]
        if not wanted:
            return list(sights)
        rows = dict(zip(map(id, wanted), read_faces([sight.corners_mm for sight in wanted]), strict=True))
        return [self._with_reading(sight, rows.get(id(sight))) for sight in sights]

    def _is_news(self, sight: CardSight) -> bool:
        """Whether a sight is more than a further look at a card that was read well enough and shows the same side."""
        return not any(
            float(np.linalg.norm(track.sight.at_mm - sight.at_mm)) < SAME_PLACE_MM
            and track.sight.face_up == sight.face_up
            and not self.wants_reading(track)
            for track in self.tracker.tracks
        )

    def _with_reading(self, sight: CardSight, log_probs: NDArray[np.float64] | None) -> CardSight:
        if log_probs is None:
            return sight
        back, unclear = (float(np.exp(log_probs[self.labels.index(label)])) for label in (BACK, UNCLEAR))
        face = 1.0 - back - unclear
        if max(back, face) < CLEAR:
            return replace(sight, log_probs=log_probs, is_side_sure=sight.is_side_sure and unclear < CLEAR)
        return replace(sight, log_probs=log_probs, face_up=face > back, is_side_sure=True)

    def vote(self, t: float, is_covered: IsCovered) -> None:
        """Add the readings of this look to the votes of their cards."""
        self._glimpses = [glimpse for glimpse in self._glimpses if t - glimpse.t <= KEPT_S]
        for track in self.tracker.tracks:
            log_probs = track.sight.log_probs
            if log_probs is None or track.seen_t != t:
                continue
            back, unclear = (float(np.exp(log_probs[self.labels.index(label)])) for label in (BACK, UNCLEAR))
            track.back_looks += track.sight.is_side_sure and not track.sight.face_up and back > 1.0 - back - unclear
            if track.face_t is None and 1.0 - back - unclear >= CLEAR:
                track.face_t = t
            score = track.sight.score
            is_back, is_face = (side >= _glimpsed(score) for side in (back, 1.0 - back - unclear))
            if track.motion is Motion.MOVING and score >= FAINTEST_SCORE and (is_back or is_face):
                self._glimpses.append(SideGlimpse(t, track.sight.at_mm, track.track_id, score, face_up=is_face))
            if t - track.still_since_t < STILL_BEFORE_VOTE_S:
                continue
            is_sure = log_probs.max() >= LOG_SURE and (track.sight.face_up or unclear < CLEAR)
            is_clear = back >= CLEAR or is_sure or not is_covered(track.sight.corners_mm)
            track.votes.add(log_probs, 1.0 if is_clear else COVERED_WEIGHT)

    def wants_reading(self, track: CardTrack) -> bool:
        """Whether further readings would reveal more about a card."""
        if track.motion is Motion.MOVING or track.other_side_looks > 0 or track.votes.count < ENOUGH_READS:
            return True
        if track.votes.count >= MOST_READS:
            return False
        if not track.sight.face_up:
            return not is_real(track, self.labels)
        reading = track.votes.reading()
        return reading.label is None or reading.confidence < SURE_ENOUGH

    def was_face_down(self, track: CardTrack, rested_t: float) -> bool:
        """Whether a card that shows its face was laid face down, or may have been hidden by the hand that laid it.

        True if its back was seen, or if its face was not seen until long after it came to rest.
        """
        is_late = track.face_t is not None and track.face_t - rested_t > LATE_FACE_S
        return is_late or self.was_back_seen(track, rested_t)

    def was_back_seen(self, track: CardTrack, rested_t: float) -> bool:
        """Whether some look showed the card's back, if only briefly or on its way."""
        since_t = self._last_came_to_rest(track, rested_t)
        is_long_hidden = track.hidden_s >= LONG_HIDDEN_S
        own = [
            glimpse
            for glimpse in self._glimpses
            if not glimpse.face_up
            and self._is_of(glimpse, track, rested_t, since_t)
            and (is_long_hidden or glimpse.score >= FAINT_SCORE)
        ]
        is_glimpsed = len(own) >= FAINT_GLIMPSES or any(glimpse.score >= REAL_SCORE for glimpse in own)
        return track.back_looks >= BACKS_SEEN or is_glimpsed or (is_long_hidden and bool(own))

    def may_be_turned(self, track: CardTrack, rested_t: float) -> bool:
        """Whether a card that shows its face may have been turned under a hand.

        It may if it was hidden and no earlier look showed a face.
        """
        if track.hidden_s < TURN_S:
            return False
        since_t = self._last_came_to_rest(track, rested_t)
        others = {other.track_id for other in self.tracker.tracks if other is not track}
        return not any(
            glimpse.face_up and since_t < glimpse.t < rested_t - track.hidden_s + TURN_S
            for glimpse in self._glimpses
            if glimpse.track_id not in others and rested_t - glimpse.t <= GLIMPSE_S
        )

    def _last_came_to_rest(self, track: CardTrack, rested_t: float) -> float:
        """Return when the previous card came to rest, anywhere: a back seen until then was that card's on its way."""
        others = [other.rested_t for other in self.tracker.tracks if other is not track and other.rested_t is not None]
        return max((other_t for other_t in others if rested_t - other_t >= NEXT_CARD_S), default=-np.inf)

    def _is_of(self, glimpse: SideGlimpse, track: CardTrack, rested_t: float, since_t: float) -> bool:
        """Whether a glimpse shows this card.

        Something that is seen there after the card came to rest may be another card passing over it.
        """
        is_its_own = glimpse.track_id == track.track_id or since_t < glimpse.t <= rested_t
        is_there = float(np.linalg.norm(glimpse.at_mm - track.sight.at_mm)) < ONE_CARD_MM
        return is_its_own and is_there and rested_t - glimpse.t <= GLIMPSE_S


def _glimpsed(score: float) -> float:
    """Return the reader probability that a single look at a side needs, given the detector's score."""
    return GLIMPSED if score >= REAL_SCORE else SURELY_GLIMPSED


def is_read(track: CardTrack, reading: Reading) -> bool:
    """Whether a face may be reported: at once if it is clear, otherwise after some more looks."""
    if reading.label is None or track.votes.count < LEAST_READS:
        return False
    return track.votes.count >= ENOUGH_READS or reading.confidence >= SURE_ENOUGH


def is_real(
    track: CardTrack, labels: tuple[str, ...], *, blends: Callable[[CardSight], bool] = lambda sight: False
) -> bool:
    """Whether something that was not read as a face looks like a card nevertheless.

    A face needs the weight of one clear look: what was only seen half covered may be part of a card beside it. A back
    that the detector hardly recognises must differ from the cloth: parts of two backs look like one as well.

    Args:
        track: A card that may be one.
        labels: The reader's.
        blends: Whether a sight hardly differs from the bare cloth that is known there.
    """
    if track.sight.face_up:
        return track.score >= REAL_SCORE and looks_like_a_face(track, labels)
    is_back = float(track.votes.posterior()[labels.index(BACK)]) >= SURE_ENOUGH
    return track.score >= REAL_SCORE or (is_back and not blends(track.sight))


def is_long_there(track: CardTrack, t: float) -> bool:
    """Whether something that cannot be read has looked like an open card for long enough."""
    waited_s = t - (t if track.rested_t is None else track.rested_t)
    is_like_one = track.sight.face_up and track.score >= LONG_THERE_SCORE and track.looks >= LONG_THERE_LOOKS
    return is_like_one and waited_s >= LONG_THERE_S


def is_brought(track: CardTrack, labels: tuple[str, ...]) -> bool:
    """Whether something at a place to which cards are taken is a card, given that one that lay face down is missing."""
    posterior = track.votes.posterior()
    is_back = float(posterior[labels.index(BACK)]) >= SURE_ENOUGH
    is_like_one = track.score >= BROUGHT_SCORE and track.looks >= BROUGHT_LOOKS and not track.sight.face_up
    return track.score >= LEAST_BROUGHT_SCORE and (is_back or is_like_one)


def looks_like_a_face(track: CardTrack, labels: tuple[str, ...]) -> bool:
    """Whether the reader saw some face, even if not which. Other things that lie on a card cannot be read at all."""
    return track.votes.count >= 1.0 and _face_share(track, labels) > 0.5


def _face_share(track: CardTrack, labels: tuple[str, ...]) -> float:
    """Return the probability that some face shows, whichever it is."""
    posterior = track.votes.posterior()
    return 1.0 - sum(float(posterior[labels.index(label)]) for label in NO_FACE)
