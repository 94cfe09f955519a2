"""Report what becomes of the cards in some regions: at rest, read, turned, moved, gone.

A card is reported once its face was read, or when waiting longer would not help. If a card vanishes under a cover and
one comes to rest elsewhere with the same face, or with its other side up in the same region, it is the same card.
Distances are millimetres, durations seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.cards.candidates import PlainBacks
from thirdcard.vision.cards.card_reading import (
    ENOUGH_READS,
    LEAST_READS,
    REAL_SCORE,
    UNREADABLE,
    CardReading,
    IsCovered,
    ReadFaces,
    is_brought,
    is_long_there,
    is_read,
    is_real,
    looks_like_a_face,
)
from thirdcard.vision.cards.handed_cards import HandedCards, Laid
from thirdcard.vision.cards.identity import IsLeft, Known, KnownCards
from thirdcard.vision.cards.label_fusion import MOST_LOOKS, Familiarity, Votes, groups_of
from thirdcard.vision.cards.off_table import EntryOf, OffTable
from thirdcard.vision.cards.tracker import CLEAR_SCORE, ONE_CARD_MM, CardSight, CardTrack, Motion, TrackChanges, Tracker
from thirdcard.vision.observations import (
    CardFlipped,
    CardInSight,
    CardLeft,
    CardRead,
    CardRested,
    CardShifted,
    Observation,
    Reading,
)
from thirdcard.vision.plane.change_gate import Polygons
from thirdcard.vision.plane.occlusion import USUAL_GAP_S

REGION_SLACK_MM = 22.0
"""How many mm outside its region a card's centre may lie: a third of a card's width. A larger value admits cards
that lie beside the region, a smaller one misses cards that were laid inexactly. Chosen by hand."""
WAIT_FOR_FACE_S = 1.0
"""How many seconds to wait for a face that cannot be read yet. If it can be read later, that is reported then."""
WAIT_FOR_NAME_S = 0.6
"""How many seconds after a face was reported without a label a likely label is reported."""
WAIT_FOR_BACK_S = 0.3
"""How many seconds after it came to its place a card is reported at the earliest: one look more than it needs to be at
rest, which reveals a side that was detected wrongly. Chosen by hand."""
LEAVE_S = 1.6
"""How many seconds a card that is gone may turn up elsewhere before it is reported as gone."""
WAIT_FOR_COVER_S = 4.0
"""How many seconds to wait until a covered old place is visible again before a card counts as new."""
OVERLAPPING_MM = 45.0
"""Cards whose centres are nearer than this overlap. If one reads as its neighbour, it is a visible part of it."""

NOTHING_READ = Reading(label=None, confidence=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCustoms:
    """What is known of the cards of a table before any is seen."""

    alike: tuple[frozenset[str], ...] = ()
    """Groups of labels that count the same: which of a group a card shows may stay undecided."""
    handed: Polygons = field(default_factory=dict)
    """Places to which cards are taken for a while: polygons in mm."""
    is_handed_at_once: bool = False
    """Whether a card may be taken there as soon as it is laid, while all other cards lie open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceLook:
    """What one look shows about places in the layout plane: polygons, (4, 2) mm each."""

    is_covered: IsCovered
    """Whether something lies over a place."""
    blends: Callable[[CardSight], bool] = lambda sight: False
    """Whether a sight hardly differs from the bare cloth that is known there."""
    is_left: Callable[[CardSight, Sequence[CardSight]], bool] = lambda old, others: True
    """Whether bare cloth shows where a card lay, and where no other card is seen."""
    hidden_s: Callable[[NDArray[np.float64]], float] = lambda corners: 0.0
    """For how many seconds a place was not visible."""
    entry_of: EntryOf = lambda corners: None
    """Where the arm over a place reached over the table's edge."""


@dataclass(slots=True)
class CardWatch:
    """The cards of all card regions, and what is reported of them."""

    regions: Polygons
    tracker: Tracker
    labels: tuple[str, ...]
    customs: CardCustoms
    familiarity: Familiarity
    handed: HandedCards = field(init=False)
    plain_backs: PlainBacks = field(default_factory=PlainBacks)
    _cards: KnownCards = field(init=False)
    _reading: CardReading = field(init=False)
    _off_table: OffTable = field(init=False)
    _looked_t: float | None = None
    are_cards_away: bool = field(default=False, init=False)
    """Whether a card may lie at one of the places to which cards are taken."""

    def __post_init__(self) -> None:
        self.handed = HandedCards(self.customs.handed)
        self._reading = CardReading(self.tracker, self.labels)
        self._cards = KnownCards(self.tracker, self.handed)
        self._off_table = OffTable(self._cards)

    def update(
        self, sights: Sequence[CardSight], t: float, places: PlaceLook, read_faces: ReadFaces
    ) -> list[Observation]:
        """Take one look and return what is new.

        Args:
            sights: The cards that are visible.
            t: Stream time in seconds.
            places: What the look shows about the places where cards lie or lay.
            read_faces: Returns the reader's log probabilities for some sights.
        """
        is_covered, entry_of = places.is_covered, places.entry_of
        looked_t, self._looked_t = t if self._looked_t is None else self._looked_t, t
        unseen_s = t - looked_t if t - looked_t > USUAL_GAP_S else 0.0
        self.are_cards_away = self._cards.is_out(t, looked_t)
        sights = self._told_apart(sights)
        read = self._reading.read(self._believed(sights, t), read_faces)
        changes = self.tracker.update(read, t, is_covered=is_covered, reported=self._cards.known)
        self._note_hidden(changes, lambda track: max(track.hidden_s, unseen_s, places.hidden_s(track.sight.corners_mm)))
        self._note_changes(changes, t)
        self._reading.vote(t, is_covered)
        self._note_reaches(t, is_covered, entry_of)
        if self.customs.is_handed_at_once and self._cards.are_all_open(t):
            self.handed.passed_on.note(self._cards.unknown(), t, region_of=self.region_of)
        told = [each for track in list(self.tracker.tracks) for each in self._tell(track, t, places)]
        if not self.are_cards_away and not self._cards.is_out(t, t):
            self.handed.note_furniture([sight for sight in sights if sight.is_like_cut_card], t)
        off = self._off_table.update(t, self.regions.values(), is_covered=is_covered, entry_of=entry_of)
        return [*told, *self._tell_gone(t, places), *off]

    def _told_apart(self, sights: Sequence[CardSight]) -> list[CardSight]:
        """Return the sights; if the deck's backs are plain, some apparent cutting cards become backs."""
        self.plain_backs.note(sights, self._cards.backs())
        return self.plain_backs.told_apart(sights, lambda sight: self.region_of(sight.at_mm) is not None)

    def _believed(self, sights: Sequence[CardSight], t: float) -> list[CardSight]:
        """Keep the sights that may be cards: in the regions, or at places to which cards may have been taken."""
        sights = [sight for sight in sights if self.are_cards_away or not sight.is_like_cut_card]
        near = [each for each in sights if self.region_of(each.at_mm) is not None and not each.is_like_cut_card]
        beside = [sight for sight in sights if not any(sight is each for each in near)]
        may_be_there = self.are_cards_away or self._cards.has_any(t)
        return [*near, *self.handed.admit(beside, t, may_be_there=may_be_there)]

    def _note_hidden(self, changes: TrackChanges, hidden_s: Callable[[CardTrack], float]) -> None:
        """Record how long new cards, and unknown ones that turned, were hidden until now."""
        turned = [track for track in changes.turned if track.track_id not in self._cards.known]
        for track in (*(each for each in self.tracker.tracks if each.looks == 1), *turned):
            track.hidden_s = hidden_s(track)

    def _note_changes(self, changes: TrackChanges, t: float) -> None:
        """Record which known cards were turned or left their places."""
        for track in changes.turned:
            if track.track_id in self._cards.known:
                self._cards.known[track.track_id].turned_t = track.turned_t
        for track in changes.left:
            if track.track_id in self._cards.known:
                self._cards.gone[track.track_id] = (track, track.missing_since_t or t)
            else:
                self.tracker.keep_lost(track, t)

    def _note_reaches(self, t: float, is_covered: IsCovered, entry_of: EntryOf) -> None:
        """Record where the arms that now lie over known cards enter."""
        for track in self.tracker.tracks:
            known = self._cards.known.get(track.track_id)
            if known is not None and is_covered(track.sight.corners_mm):
                known.note_reach(t, entry_of(track.sight.corners_mm))

    def may_be_brought(self, t: float) -> bool:
        """Whether a card may lie at, or be on its way to, one of the places to which cards are taken.

        None is while all known cards lie open in their regions, and no back has just been passed on.
        """
        return (
            self.are_cards_away or not self._cards.are_all_open(t) or self.handed.passed_on.is_any(t, self._cards.known)
        )

    def is_known_at(self, at_mm: NDArray[np.float64], within_mm: float) -> bool:
        """Whether a card that was reported lies within `within_mm` of a point."""
        return any(
            track.track_id in self._cards.known and float(np.linalg.norm(track.sight.at_mm - at_mm)) < within_mm
            for track in self.tracker.tracks
        )

    def lying_backs(self) -> list[CardTrack]:
        """Return the tracks of the cards that are known to lie face down."""
        return self._cards.backs()

    def region_of(self, at_mm: NDArray[np.float64]) -> str | None:
        """Return the card region that contains a point, (2,) mm, or the nearest within the slack; None for none."""
        return _region_at(self.regions, at_mm)

    def unsettled(self) -> list[CardTrack]:
        """Return the tracks about which further looks would reveal more."""
        return [
            track
            for track in self.tracker.tracks
            if self.tracker.is_unsettled(track)
            or track.track_id not in self._cards.known
            or self._reading.wants_reading(track)
        ]

    def waiting_since_t(self) -> float | None:
        """Return the earliest stream time about which something may still be reported; None when nothing is pending."""
        times = [
            track.place_since_t
            for track in self.tracker.tracks
            if track.track_id not in self._cards.known
            and track.score >= REAL_SCORE / 2
            and self.region_of(track.sight.at_mm) is not None
        ]
        times += [known.turned_t for known in self._cards.known.values() if known.turned_t is not None]
        times += [since for _, since in self._cards.gone.values()]
        return min(times, default=None)

    def in_sight(self) -> tuple[CardInSight, ...]:
        """Return the cards that were reported and are not known to be gone."""
        return tuple(
            _in_sight(track, self._cards.known[track.track_id])
            for track in self.tracker.tracks
            if track.track_id in self._cards.known and track.missing_since_t is None
        )

    def forget(self, track_ids: Collection[int]) -> None:
        """Forget these cards: what lies in their places is reported as new."""
        self.tracker.forget(track_ids)
        for track_id in track_ids:
            self._cards.known.pop(track_id, None)
            self._cards.gone.pop(track_id, None)
        if track_ids:
            self.handed.forget()

    def finish(self) -> list[Observation]:
        """Report what is still pending."""
        gone, self._cards.gone = self._cards.gone, {}
        return [CardLeft(track_id=track_id, t=since) for track_id, (_, since) in gone.items()]

    def _tell(self, track: CardTrack, t: float, places: PlaceLook) -> list[Observation]:
        if track.track_id in self._cards.known:
            return self._tell_known(track, t)
        if track.motion is not Motion.RESTING:
            return []
        reading = track.votes.reading()
        waited_s = t - (track.rested_t if track.rested_t is not None else t)
        told = is_read(track, reading)
        enough_s = WAIT_FOR_FACE_S if track.sight.face_up else WAIT_FOR_BACK_S
        if (track.sight.face_up and not told and waited_s < enough_s) or waited_s < WAIT_FOR_BACK_S:
            return []
        is_beside = self.region_of(track.sight.at_mm) is None
        if not told and not _is_card(track, t, self.labels, is_beside=is_beside):
            return []
        others = [other for other in self.tracker.tracks if other is not track and other.track_id in self._cards.known]
        if _lies_on_one_of(others, track) or self._cards.has_a_twin(track, track.votes.guess(), OVERLAPPING_MM):
            return []
        if places.is_covered(track.sight.corners_mm) and self._cards.may_be_a_part(track, t):
            return []
        return self._begin(track, t, reading, places)

    def _begin(self, track: CardTrack, t: float, reading: Reading, places: PlaceLook) -> list[Observation]:
        rested_t = track.rested_t if track.rested_t is not None else t
        region = self.region_of(track.sight.at_mm)
        if region is None:
            return self._begin_elsewhere(track, t, rested_t, reading)
        if t - rested_t < WAIT_FOR_COVER_S and self._cards.may_be_covered(track, t, region, reading):
            return []
        old = self._cards.same_card(track, t, region, reading, self._is_left(places, t))
        if old is not None:
            return self._go_on(old, track, rested_t, region, reading)
        face_up, unread_t = track.sight.face_up, None if reading.label else t
        laid = (
            self.handed.passed_on.take_back(track, region, self._cards.known)
            if face_up and self.handed.places
            else None
        )
        if laid is not None:
            return self._begin_with(laid, track, rested_t, region, reading)
        self._cards.known[track.track_id] = Known(
            region=region, home=region, face_up=face_up, reading=reading, unread_t=unread_t
        )
        may_be_turned = face_up and self._reading.may_be_turned(track, rested_t)
        rested = replace(_rested(track, rested_t, region, reading), may_be_turned=may_be_turned)
        if reading.label is None and not is_real(track, self.labels, blends=places.blends):
            rested = replace(rested, reading=NOTHING_READ, score=min(track.score, UNREADABLE))
        if not track.sight.face_up or not self._reading.was_face_down(track, rested_t):
            return [rested]
        turned_t = max(track.turned_t or track.face_t or rested_t, rested_t)
        is_back_seen = self._reading.was_back_seen(track, rested_t)
        return [
            replace(rested, face_up=False, reading=NOTHING_READ, is_back_seen=is_back_seen),
            self._turned(track, turned_t, face_up=True, reading=reading),
        ]

    def _is_left(self, places: PlaceLook, t: float) -> IsLeft:
        """The test for bare cloth at the look at `t`."""
        seen = [track.sight for track in self.tracker.tracks if track.seen_t == t]
        return lambda old: places.is_left(old, seen)

    def _begin_elsewhere(self, track: CardTrack, t: float, rested_t: float, reading: Reading) -> list[Observation]:
        """Report a card that was brought to one of the places: a back that is missing from where it lay."""
        place = self.handed.place_of(track.sight.at_mm)
        if place is None or not (is_brought(track, self.labels) or reading.label):
            return []
        old = self._cards.missing_back(track, t, place)
        if old is not None:
            return self._go_on(old, track, rested_t, place, reading)
        laid = self.handed.passed_on.take(track, self._cards.known)
        return [] if laid is None else self._begin_with(laid, track, rested_t, place, reading)

    def _begin_with(self, laid: Laid, track: CardTrack, t: float, place: str, reading: Reading) -> list[Observation]:
        """Report a card that was laid face down and passed on before it could be reported."""
        at = float(laid.sight.at_mm[0]), float(laid.sight.at_mm[1])
        rested = replace(_rested(track, laid.t, laid.region, NOTHING_READ), at_mm=at, face_up=False)
        known = Known(region=laid.region, home=laid.region, face_up=False, reading=NOTHING_READ)
        self._cards.known[track.track_id] = known
        told: list[Observation] = [replace(rested, hidden_s=laid.hidden_s)]
        if place != laid.region:
            told.append(self._shifted(track, t, place))
        if track.sight.face_up:
            known.face_up, known.reading = True, reading
            told.append(self._turned(track, t, face_up=True, reading=reading))
        return told

    def _go_on(self, old: CardTrack, track: CardTrack, t: float, region: str, reading: Reading) -> list[Observation]:
        known = self._cards.known[old.track_id]
        self._cards.gone.pop(old.track_id, None)
        was_away = self.handed.bring_back(old)
        self.tracker.adopt(old, track)
        told: list[Observation] = []
        if known.region != region or was_away:
            told.append(self._shifted(track, t, region))
        if known.face_up != track.sight.face_up:
            turned_t = max(t, track.turned_t or t)
            told.append(self._turned(track, turned_t, face_up=track.sight.face_up, reading=reading))
            known.face_up, known.reading = track.sight.face_up, reading
        return told

    def _tell_known(self, track: CardTrack, t: float) -> list[Observation]:
        known = self._cards.known[track.track_id]
        told: list[Observation] = []
        if known.turned_t is not None:
            reading = track.votes.reading()
            is_doubtful = t - known.turned_t < WAIT_FOR_FACE_S or not looks_like_a_face(track, self.labels)
            is_waited_for = (not is_read(track, reading) and is_doubtful) or self._cards.has_just_left(reading, t)
            if track.sight.face_up and is_waited_for:
                return []
            turned_t, known.turned_t = known.turned_t, None
            if track.sight.face_up != known.face_up:
                known.face_up, known.reading, known.unread_t = track.sight.face_up, reading, t
                told.append(self._turned(track, turned_t, face_up=known.face_up, reading=reading))
        elif known.face_up and known.reading.label is None:
            told += _read_at_last(track, known, t)
        region = self.region_of(track.sight.at_mm)
        if region is not None and region != known.region and t - track.still_since_t >= 0.3 and track.seen_t == t:
            told.append(self._shifted(track, track.still_since_t, region))
        return told

    def _shifted(self, track: CardTrack, t: float, region: str) -> CardShifted:
        known = self._cards.known[track.track_id]
        known.region, known.home = region, known.home if region in self.handed.places else region
        margin_mm = self.handed.margin_mm(track.sight.at_mm) if region in self.handed.places else float("inf")
        return CardShifted(track_id=track.track_id, t=t, region=region, margin_mm=margin_mm)

    def _turned(self, track: CardTrack, t: float, *, face_up: bool, reading: Reading) -> CardFlipped:
        entries = self._cards.known[track.track_id].reaches_about(t)
        return CardFlipped(track_id=track.track_id, t=t, face_up=face_up, reading=reading, entries_mm=entries)

    def _tell_gone(self, t: float, places: PlaceLook) -> list[Observation]:
        is_left = self._is_left(places, t)
        for track_id, (track, _) in self._cards.gone.items():
            may_lie_there = places.is_covered(track.sight.corners_mm) or not is_left(track.sight)
            if may_lie_there and not self._cards.known[track_id].face_up:
                self._cards.gone[track_id] = track, t
        ripe = [(track, since) for track, since in self._cards.gone.values() if t - since >= LEAVE_S]
        for track, since in ripe:
            known = self._cards.known[track.track_id]
            known.forget_reaches()
            known.turned_t = None
            if known.face_up and track.votes.count >= LEAST_READS:
                self.familiarity.note(track.votes.sureness())
            if known.face_up and known.region in self.regions:
                self.handed.clear(since)
            else:
                self.handed.take_away(track, since)
        return [CardLeft(track_id=track.track_id, t=self._cards.gone.pop(track.track_id)[1]) for track, _ in ripe]


def _region_at(regions: Polygons, at_mm: NDArray[np.float64]) -> str | None:
    point = (float(at_mm[0]), float(at_mm[1]))
    inside = {
        region: cv2.pointPolygonTest(polygon.astype(np.float32), point, True) for region, polygon in regions.items()
    }
    best = max(inside, key=lambda region: inside[region], default=None)
    return best if best is not None and inside[best] >= -REGION_SLACK_MM else None


def _read_at_last(track: CardTrack, known: Known, t: float) -> list[Observation]:
    """Report the label of a face that had none: once it is certain, or likely after it was examined for long enough.

    Where none is likely by then, the possible labels are reported, once.
    """
    reading = track.votes.reading()
    is_overdue = known.unread_t is not None and t - known.unread_t >= WAIT_FOR_NAME_S
    is_examined = is_overdue and track.votes.count >= ENOUGH_READS
    if is_examined:
        reading = track.votes.likely_reading()
    is_guess = reading.label is None and bool(reading.alternatives)
    if not is_read(track, reading) and not (is_examined and is_guess and not known.is_guessed):
        return []
    known.reading, known.is_guessed = reading, known.is_guessed or is_examined
    return [CardRead(track_id=track.track_id, t=t, reading=reading)]


def _lies_on_one_of(known: Sequence[CardTrack], track: CardTrack) -> bool:
    """Whether a visible known card lies at the same place: this track is then that card, half hidden before.

    A known card under a hand still lies where it was last seen free.
    """
    places = [at_mm for other in known if other.missing_since_t is None for at_mm in (other.sight.at_mm, other.free_mm)]
    return any(at_mm is not None and float(np.linalg.norm(at_mm - track.sight.at_mm)) < ONE_CARD_MM for at_mm in places)


def _in_sight(track: CardTrack, known: Known) -> CardInSight:
    return CardInSight(
        corners_mm=tuple((float(x), float(y)) for x, y in track.sight.corners_mm),
        face_up=known.face_up,
        label=known.reading.label if known.face_up else None,
    )


def _is_card(track: CardTrack, t: float, labels: tuple[str, ...], *, is_beside: bool) -> bool:
    """Whether something that was not read is a card all the same."""
    if is_real(track, labels):
        return True
    return is_brought(track, labels) if is_beside else is_long_there(track, t)


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
        is_faint=track.score < CLEAR_SCORE,
    )


def new_card_watch(regions: Polygons, labels: tuple[str, ...], customs: CardCustoms | None = None) -> CardWatch:
    """Return a watch over card regions for a reader's labels and what is known of the table's cards."""
    customs, familiarity = CardCustoms() if customs is None else customs, Familiarity()
    return CardWatch(regions, new_tracker(labels, customs, familiarity), labels, customs, familiarity)


def new_tracker(labels: tuple[str, ...], customs: CardCustoms, familiarity: Familiarity) -> Tracker:
    """Return a tracker that reads its cards with these labels."""
    groups = groups_of(labels, customs.alike)
    return Tracker(lambda: Votes(labels, groups, most_looks=lambda: familiarity.most_looks(MOST_LOOKS)))
