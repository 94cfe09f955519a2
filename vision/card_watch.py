"""Say what becomes of the cards in some regions: at rest, read, turned, moved, gone.

A card is told of once its face was read, or when waiting longer would not help. One that vanishes under a cover and
comes to rest elsewhere with the same face, or the other side up in the same region, is the same card. Distances are
millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card_reading import (
    ENOUGH_READS,
    ONE_CARD_MM,
    REAL_SCORE,
    CardReading,
    IsCovered,
    ReadFaces,
    is_read,
    is_real,
    looks_like_a_face,
)
from vision.observations import (
    CardInSight,
    CardLeft,
    CardRead,
    CardRested,
    CardShifted,
    CardTurned,
    Observation,
    Reading,
)
from vision.tracker import OUT_OF_SIGHT_S, CardSight, CardTrack, Motion, Tracker
from vision.voting import GUESSED, NO_FACE, Votes

REGION_SLACK_MM = 22.0
WAIT_FOR_FACE_S = 1.0
"""So long a face that cannot be read is waited for; it is told as soon as it can be read later."""
WAIT_FOR_NAME_S = 0.6
"""So long after a face was told of without a name a likely name is told: it may decide the round."""
WAIT_FOR_BACK_S = 0.3
LEAVE_S = 1.6
"""How long a card that is gone may turn up elsewhere before it is told as gone."""
MISSED_LOOKS = 2
"""A card that one look missed may still lie there."""
WAIT_FOR_COVER_S = 4.0
"""How long to wait for the sight of an old place before a card counts as new."""
BESIDE_MM = 100.0
"""Middles of cards that lie side by side are nearer than this."""

OVERLAPPING_MM = 45.0
"""Middles of cards that overlap are nearer; one that reads as such a neighbour is what another card leaves of it."""

NOTHING_READ = Reading(label=None, confidence=0.0)

Polygons = Mapping[str, NDArray[np.float64]]


@dataclass(slots=True, kw_only=True)
class Known:
    """A card that was told of."""

    region: str
    face_up: bool
    reading: Reading
    turned_t: float | None = None
    """Since when a turn waits to be told."""
    unread_t: float | None = None
    """When its face was told of without a name."""


@dataclass(slots=True)
class CardWatch:
    """The cards of all card regions."""

    regions: Polygons
    tracker: Tracker
    labels: tuple[str, ...]
    known: dict[int, Known] = field(default_factory=dict)
    _gone: dict[int, tuple[CardTrack, float]] = field(default_factory=dict)
    _reading: CardReading = field(init=False)

    def __post_init__(self) -> None:
        self._reading = CardReading(self.tracker, self.labels)

    def update(
        self,
        sights: Sequence[CardSight],
        t: float,
        *,
        is_covered: IsCovered,
        read_faces: ReadFaces,
        hidden_s: Callable[[NDArray[np.float64]], float] = lambda corners: 0.0,
    ) -> list[Observation]:
        """Take one look in and say what is new."""
        near = [sight for sight in sights if self.region_of(sight.at_mm) is not None]
        near = self._reading.read(near, read_faces)
        changes = self.tracker.update(near, t, is_covered=is_covered)
        for track in self.tracker.tracks:
            if track.looks == 1:
                track.hidden_s = hidden_s(track.sight.corners_mm)
        for track in changes.turned:
            if track.track_id in self.known:
                self.known[track.track_id].turned_t = track.turned_t
            else:
                track.hidden_s = max(track.hidden_s, hidden_s(track.sight.corners_mm))
        for track in changes.left:
            if track.track_id in self.known:
                self._gone[track.track_id] = (track, track.missing_since_t or t)
        self._reading.vote(t, is_covered)
        told: list[Observation] = []
        for track in list(self.tracker.tracks):
            told += self._tell(track, t, is_covered)
        return told + self._tell_gone(t)

    def region_of(self, at_mm: NDArray[np.float64]) -> str | None:
        """The card region a point lies in, or the nearest within the slack."""
        point = (float(at_mm[0]), float(at_mm[1]))
        inside = {
            region: cv2.pointPolygonTest(polygon.astype(np.float32), point, True)
            for region, polygon in self.regions.items()
        }
        best = max(inside, key=lambda region: inside[region], default=None)
        return best if best is not None and inside[best] >= -REGION_SLACK_MM else None

    def unsettled(self) -> list[CardTrack]:
        """Cards that further looks would tell more of."""
        return [
            track
            for track in self.tracker.tracks
            if self.tracker.is_unsettled(track)
            or track.track_id not in self.known
            or self._reading.wants_reading(track)
        ]

    def waiting_since_t(self) -> float | None:
        """The earliest moment of which something may still be told."""
        times = [
            track.place_since_t
            for track in self.tracker.tracks
            if track.track_id not in self.known and track.score >= REAL_SCORE / 2
        ]
        times += [known.turned_t for known in self.known.values() if known.turned_t is not None]
        times += [since for _, since in self._gone.values()]
        return min(times, default=None)

    def in_sight(self) -> tuple[CardInSight, ...]:
        """The cards that were told of and are not known to be gone."""
        return tuple(
            _in_sight(track, self.known[track.track_id])
            for track in self.tracker.tracks
            if track.track_id in self.known and track.missing_since_t is None
        )

    def finish(self) -> list[Observation]:
        """Tell of what was still waited for."""
        gone, self._gone = self._gone, {}
        return [CardLeft(track_id=track_id, t=since) for track_id, (_, since) in gone.items()]

    def _tell(self, track: CardTrack, t: float, is_covered: IsCovered) -> list[Observation]:
        if track.track_id in self.known:
            return self._tell_known(track, t)
        if track.motion is not Motion.RESTING:
            return []
        reading = track.votes.reading()
        waited_s = t - (track.rested_t if track.rested_t is not None else t)
        told = is_read(track, reading)
        enough_s = WAIT_FOR_FACE_S if track.sight.face_up else WAIT_FOR_BACK_S
        if (track.sight.face_up and not told and waited_s < enough_s) or waited_s < WAIT_FOR_BACK_S:
            return []
        if not told and not is_real(track, self.labels):
            return []
        others = [other for other in self.tracker.tracks if other is not track and other.track_id in self.known]
        if _lies_on_one_of(others, track) or self._has_a_twin(track, OVERLAPPING_MM):
            return []
        if is_covered(track.sight.corners_mm) and self._may_be_a_part(track):
            return []
        return self._begin(track, t, reading)

    def _may_be_a_part(self, track: CardTrack) -> bool:
        """Whether a half hidden face may be what shows of a card beside it: nobody can guess it, or both are alike."""
        if not track.sight.face_up:
            return False
        posterior = track.votes.posterior()
        is_guessed = posterior.max() >= GUESSED and self.labels[int(posterior.argmax())] not in NO_FACE
        return not is_guessed or self._has_a_twin(track, BESIDE_MM)

    def _has_a_twin(self, track: CardTrack, within_mm: float) -> bool:
        """Whether a known card so near shows the face that `track` is guessed to show."""
        guess = self.labels[int(track.votes.posterior().argmax())]
        return any(
            self.known[other.track_id].reading.label == guess
            and float(np.linalg.norm(other.sight.at_mm - track.sight.at_mm)) < within_mm
            for other in self.tracker.tracks
            if other is not track and other.track_id in self.known
        )

    def _begin(self, track: CardTrack, t: float, reading: Reading) -> list[Observation]:
        region = self.region_of(track.sight.at_mm)
        if region is None:
            return []
        rested_t = track.rested_t if track.rested_t is not None else t
        if t - rested_t < WAIT_FOR_COVER_S and self._may_be_covered(track, t, region, reading):
            return []
        old = self._same_card(track, region, reading)
        if old is not None:
            return self._go_on(old, track, rested_t, region, reading)
        self.known[track.track_id] = Known(
            region=region, face_up=track.sight.face_up, reading=reading, unread_t=None if reading.label else t
        )
        rested = _rested(track, rested_t, region, reading)
        if not track.sight.face_up or not self._reading.was_face_down(track, rested_t):
            return [rested]
        turned_t = max(track.turned_t or track.face_t or rested_t, rested_t)
        return [
            replace(rested, face_up=False, reading=NOTHING_READ),
            CardTurned(track_id=track.track_id, t=turned_t, face_up=True, reading=reading),
        ]

    def _may_be_covered(self, track: CardTrack, t: float, region: str, reading: Reading) -> bool:
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

    def _same_card(self, track: CardTrack, region: str, reading: Reading) -> CardTrack | None:
        """A card whose place is empty that `track` may be: one of the same region, or the same face from another."""
        gone = [old for old, _ in self._gone.values()]
        told = [old for old in self.tracker.tracks if old.track_id in self.known]
        missed = [old for old in told if old.missing_since_t is not None and old.missing_looks >= MISSED_LOOKS]
        fits = [old for old in [*gone, *missed] if old is not track and self._fits(old, region, reading)]
        fits = fits or [old for old in gone if self._is_nameless(old, track)]
        return min(fits, key=lambda old: _strangeness(self.known[old.track_id], old, track, reading), default=None)

    def _fits(self, old: CardTrack, region: str, reading: Reading) -> bool:
        """Whether both read alike; where one was not read, or lay face down, whether it vanished from that region."""
        known = self.known[old.track_id]
        if reading.label is not None and known.face_up and known.reading.label is not None:
            return known.reading.label == reading.label
        return known.region == region

    def _is_nameless(self, old: CardTrack, track: CardTrack) -> bool:
        """A back, or a face that nobody read, may have gone on to another region: once its place is surely empty."""
        known = self.known[old.track_id]
        return known.face_up == track.sight.face_up and known.reading.label is None

    def _go_on(self, old: CardTrack, track: CardTrack, t: float, region: str, reading: Reading) -> list[Observation]:
        known = self.known[old.track_id]
        self._gone.pop(old.track_id, None)
        self.tracker.adopt(old, track)
        told: list[Observation] = []
        if known.region != region:
            told.append(CardShifted(track_id=track.track_id, t=t, region=region))
            known.region = region
        if known.face_up != track.sight.face_up:
            told.append(CardTurned(track_id=track.track_id, t=t, face_up=track.sight.face_up, reading=reading))
            known.face_up, known.reading = track.sight.face_up, reading
        return told

    def _tell_known(self, track: CardTrack, t: float) -> list[Observation]:
        known = self.known[track.track_id]
        told: list[Observation] = []
        if known.turned_t is not None:
            reading = track.votes.reading()
            is_doubtful = t - known.turned_t < WAIT_FOR_FACE_S or not looks_like_a_face(track, self.labels)
            if track.sight.face_up and ((not is_read(track, reading) and is_doubtful) or self._is_pushed(reading, t)):
                return []
            turned_t, known.turned_t = known.turned_t, None
            if track.sight.face_up != known.face_up:
                known.face_up, known.reading, known.unread_t = track.sight.face_up, reading, t
                told.append(CardTurned(track_id=track.track_id, t=turned_t, face_up=known.face_up, reading=reading))
        elif known.face_up and known.reading.label is None:
            told += _read_at_last(track, known, t)
        region = self.region_of(track.sight.at_mm)
        if region is not None and region != known.region and t - track.still_since_t >= 0.3 and track.seen_t == t:
            known.region = region
            told.append(CardShifted(track_id=track.track_id, t=track.still_since_t, region=region))
        return told

    def _is_pushed(self, reading: Reading, t: float) -> bool:
        """Whether the face belongs to a card that just left its place: it was pushed over this one."""
        told = [old for old in self.tracker.tracks if old.track_id in self.known and old.seen_t < t]
        left = [self.known[old.track_id] for old in [*told, *(old for old, _ in self._gone.values())]]
        return reading.label is not None and any(each.face_up and each.reading.label == reading.label for each in left)

    def _tell_gone(self, t: float) -> list[Observation]:
        ripe = [track_id for track_id, (_, since) in self._gone.items() if t - since >= LEAVE_S]
        return [CardLeft(track_id=track_id, t=self._gone.pop(track_id)[1]) for track_id in ripe]


def _read_at_last(track: CardTrack, known: Known, t: float) -> list[Observation]:
    """The name of a face that was told of without one: once it is sure, or likely after it was looked at for long."""
    reading = track.votes.reading()
    is_overdue = known.unread_t is not None and t - known.unread_t >= WAIT_FOR_NAME_S
    if is_overdue and track.votes.count >= ENOUGH_READS:
        reading = track.votes.likely_reading()
    if not is_read(track, reading):
        return []
    known.reading = reading
    return [CardRead(track_id=track.track_id, t=t, reading=reading)]


def _lies_on_one_of(known: Sequence[CardTrack], track: CardTrack) -> bool:
    """Whether a card lies at the same place, for all that can be seen: then its own half hidden self was seen."""
    return any(
        other.missing_since_t is None and float(np.linalg.norm(other.sight.at_mm - track.sight.at_mm)) < ONE_CARD_MM
        for other in known
    )


def _strangeness(known: Known, old: CardTrack, track: CardTrack, reading: Reading) -> tuple[bool, float]:
    """Same faces first, then the nearest."""
    differs = reading.label is None or known.reading.label != reading.label
    return differs, float(np.linalg.norm(old.sight.at_mm - track.sight.at_mm))


def _in_sight(track: CardTrack, known: Known) -> CardInSight:
    return CardInSight(
        corners_mm=tuple((float(x), float(y)) for x, y in track.sight.corners_mm),
        face_up=known.face_up,
        label=known.reading.label if known.face_up else None,
    )


def _rested(track: CardTrack, t: float, region: str, reading: Reading) -> CardRested:
    at = track.sight.at_mm
    return CardRested(
        track_id=track.track_id,
        t=t,
        region=region,
        at_mm=(float(at[0]), float(at[1])),
        face_up=track.sight.face_up,
        reading=reading,
        score=track.score,
        hidden_s=track.hidden_s,
    )


def new_card_watch(regions: Polygons, labels: tuple[str, ...]) -> CardWatch:
    """A watch over card regions that reads with a reader's labels."""
    return CardWatch(regions, Tracker(lambda: Votes(labels)), labels)
