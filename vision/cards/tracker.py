"""Track cards in the layout plane: at rest, covered, turned, moved, gone.

Distances are millimetres, durations seconds. A card that is covered stays; one that is not
seen though its place is visible is gone. Knows nothing of what a card means, and nothing of pixels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from thirdcard.vision.cards.label_fusion import Votes

STILL_MM = 6.0
"""A card whose centre moved less than this since the last look lies still."""
ONE_CARD_MM = 24.0
"""Two centres nearer than this belong to one card."""
SAME_PLACE_MM = 28.0
"""A card that comes to rest has been at its place since it first came within this distance."""
REST_S = 0.19
"""Seconds without movement after which a card is at rest: two intervals of 0.095 s between looks. A longer time
delays everything that follows; with a shorter one a card that a hand slides slowly counts as at rest."""
REST_LOOKS = 3
"""Looks that must show it: as many as fit in REST_S at ten a second. Where looks come less often it takes longer."""
SHAKEN_S, SHAKEN_LOOKS = 0.38, 5
"""A card that hands shake, or half hide, is at rest once it has been about one place for so long (seconds, looks)."""
FOLLOW_MOVING_MM = 75.0
"""How far a moving card may move between two looks and still be tracked."""
FOLLOW_RESTING_MM = 48.0
"""A card at rest is not tracked over a longer distance: its neighbour's place is hardly farther, and a card may come
to rest there while a hand covers this one."""
FOLLOW_COVERED_MM = 24.0
"""The same where something may cover it: the visible part of a half hidden card misleads."""
FOLLOW_TURNED_MM = 45.0
"""A card at rest that now shows its other side may lie this far away."""
FOLLOW_HIDDEN_MM = 12.0
"""The same where the other side is its back: open cards stay open, and a back that lies over one is another card's."""
OTHER_SIDE_MM = 30.0
"""Cost in mm added to the distance where the other side shows."""
PASSING_MM = 12.0
"""Cost in mm added where the card had not come to rest, since what lies at a place is the card that rests there; and
where the sight may be a card passing over it, since a sight beside that is more likely the card."""
GHOST_MM = OTHER_SIDE_MM + ONE_CARD_MM
"""Cost in mm added where an older card rests at the track's place: what is seen there is the older one, whichever
side shows."""
FAR_MM = 1e4
"""Cost of an impossible pair: farther than any table is wide. The solver fails where too many costs are infinite."""
TURN_LOOKS = 2
"""Looks that must show the other side: one may be misread, or show a card that passes over this one."""
OUT_OF_SIGHT_S = 0.3
"""A card that was not seen for more seconds than this may have been exchanged for another."""
CLEAR_SCORE = 0.6
"""One look may show two boxes for a card under a hand; one of them scores less than this. So do backs with a picture
at most looks (a median of 0.53), and other backs at hardly any (0.7 to 0.9)."""
DROP_S = 0.35
"""A moving card that was not seen for more seconds than this is dropped: at least three looks missed it. With a
longer time the next card takes over its track; with a shorter one the track of a card that blurs while moving is
restarted. Chosen by hand."""
LAID_S = 1.2
"""Seconds to wait for a card that was seen uncovered but too briefly to be at rest, and that a hand covers now:
where looks are sparse, hands leave it uncovered too briefly."""
LOST_S, LOST_SCORE, LOST_LOOKS = 3.0, 0.6, 2
"""Seconds, least score and looks at one place: a card that was lost before it had come to rest may be the one found at
its place within this time."""
GONE_S = 0.5
"""Seconds after which a card at rest whose place is visible and empty is gone. A longer time delays the report, a
shorter one drops cards that the detector misses for some looks. Chosen by hand."""
GONE_LOOKS = 3
"""Looks at the empty place, at least, where looks come less often. Chosen by hand."""


class Motion(Enum):
    """Whether a card has come to rest."""

    MOVING = "moving"
    RESTING = "resting"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSight:
    """One card in one look."""

    corners_mm: NDArray[np.float64]
    """(4, 2) in order round the card."""
    face_up: bool
    score: float
    is_side_sure: bool = True
    """False where `face_up` is a guess, which never counts as a turn."""
    log_probs: NDArray[np.float64] | None = None
    """(n_labels,) the reader's log probabilities, where it was read."""
    is_like_cut_card: bool = False
    """Whether it was detected as a cutting card; it may be a plain back where one is missing."""
    at_mm: NDArray[np.float64] = field(init=False)
    """(2,) its centre."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_mm", np.asarray(self.corners_mm.mean(axis=0), dtype=np.float64))


@dataclass(slots=True, kw_only=True)
class CardTrack:
    """One card over time."""

    track_id: int
    sight: CardSight
    first_t: float
    still_since_t: float
    seen_t: float
    votes: Votes
    motion: Motion = Motion.MOVING
    looks: int = 1
    still_looks: int = 1
    """Looks that showed it since it lies still."""
    place_looks: int = 1
    """Looks that showed it about its place."""
    instead_looks: int = 0
    """Those of them that may have shown another card, which lies beside it in plain sight and was not seen."""
    score_sum: float = 0.0
    missing_since_t: float | None = None
    missing_looks: int = 0
    is_side_known: bool = True
    """Whether any look surely showed which side is up."""
    other_side_looks: int = 0
    turned_t: float | None = None
    """When the other side was first seen, once that is certain."""
    rested_t: float | None = None
    place_mm: NDArray[np.float64] | None = None
    place_since_t: float = 0.0
    """Since when it has been about where it is, whether or not hands shook it."""
    hidden_s: float = 0.0
    """How many seconds its place was covered, or not examined, before it was first seen, or first seen this side up."""
    back_looks: int = 0
    """Looks at its present place that surely showed its back, by the detector or the reader."""
    face_t: float | None = None
    """When its face could first have been reported."""
    was_free: bool = False
    """Whether nothing lay over it when it was last seen."""
    free_mm: NDArray[np.float64] | None = None
    """(2,) its centre when it was last seen uncovered: the visible part of a half covered card is not centred."""
    beside: Counter[int] = field(default_factory=Counter)
    """In how many looks each other card was clearly seen together with it."""

    @property
    def score(self) -> float:
        """Mean detector score, 0 to 1."""
        return self.score_sum / self.looks


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackChanges:
    """The tracks that one look changed."""

    rested: tuple[CardTrack, ...] = ()
    turned: tuple[CardTrack, ...] = ()
    left: tuple[CardTrack, ...] = ()


@dataclass(slots=True)
class Tracker:
    """All visible cards, and those that are covered."""

    new_votes: Callable[[], Votes]
    tracks: list[CardTrack] = field(default_factory=list)
    _next_id: int = 1
    _lost: list[CardTrack] = field(default_factory=list)
    """Cards that disappeared before they had come to rest, or before they were reported."""

    def update(
        self,
        sights: Sequence[CardSight],
        t: float,
        *,
        is_covered: Callable[[NDArray[np.float64]], bool],
        reported: Collection[int] | None = None,
    ) -> TrackChanges:
        """Take one look and return which cards came to rest, turned or left.

        Args:
            sights: The cards of this look.
            t: Stream time in seconds, later than that of the look before.
            is_covered: Whether something lies over a polygon, (4, 2) mm.
            reported: The tracks that were reported as cards; None: all of them.
        """
        covered = [is_covered(sight.corners_mm) for sight in sights]
        is_free = {id(sight): not hidden for sight, hidden in zip(sights, covered, strict=True)}
        pairs = self._without_others(_assign(self.tracks, sights, t, covered=covered), t, reported)
        turned = [track for track, sight in pairs if _see(track, sight, t, self.new_votes)]
        for track, sight in pairs:
            track.was_free = is_free[id(sight)]
            if track.was_free:
                track.free_mm = sight.at_mm
        self._note_instead(pairs, is_covered)
        rested = [track for track, _ in pairs if _comes_to_rest(track, t)]
        _note_beside(pairs)
        left = self._drop_gone({track.track_id for track, _ in pairs}, t, is_covered)
        used = {id(sight) for _, sight in pairs}
        for sight in sights:
            if id(sight) not in used:
                self._begin(sight, t, is_free=is_free[id(sight)])
        self._keep_lost([track for track in left if track.motion is Motion.MOVING], t)
        resting_left = tuple(track for track in left if track.motion is Motion.RESTING)
        return TrackChanges(rested=tuple(rested), turned=tuple(turned), left=resting_left)

    def adopt(self, old: CardTrack, new: CardTrack) -> None:
        """Continue the track `old` with `new`: they are the same card."""
        for track in self.tracks:
            track.beside[old.track_id] += track.beside[new.track_id]
        new.track_id, new.first_t, new.beside = old.track_id, old.first_t, new.beside + old.beside
        self.tracks = [track for track in self.tracks if track is not old]

    def forget(self, track_ids: Collection[int]) -> None:
        """Stop tracking these cards."""
        self.tracks = [track for track in self.tracks if track.track_id not in track_ids]

    def keep_lost(self, track: CardTrack, t: float) -> None:
        """Remember for a while a still card that was never reported and is not seen though its place is visible.

        A card that the detector hardly recognises, such as one with a picture on its back, appears and disappears in
        this way. If one is found at that place soon after, it may have been there all the time.
        """
        self._lost = [one for one in (*self._lost, track) if t - one.seen_t <= LOST_S]

    def is_unsettled(self, track: CardTrack) -> bool:
        """Whether further looks are needed to know what became of a card."""
        return track.motion is Motion.MOVING or track.missing_since_t is not None or track.other_side_looks > 0

    def _begin(self, sight: CardSight, t: float, *, is_free: bool) -> None:
        self.tracks.append(
            CardTrack(
                track_id=self._next_id,
                sight=sight,
                first_t=t,
                still_since_t=t,
                place_mm=sight.at_mm,
                place_since_t=t,
                seen_t=t,
                votes=self.new_votes(),
                score_sum=sight.score,
                is_side_known=sight.is_side_sure,
                was_free=is_free,
                hidden_s=self._lost_s(sight, t),
            )
        )
        self._next_id += 1

    def _without_others(
        self, pairs: list[tuple[CardTrack, CardSight]], t: float, reported: Collection[int] | None
    ) -> list[tuple[CardTrack, CardSight]]:
        """The pairs without those of a card that came to about the place of something else.

        What was never reported, left its place visibly empty and is beside it now was no card, or another: its track
        is lost, and the card begins a new one.
        """
        others = [] if reported is None else [one for one, at in pairs if _was_another(one, at, reported)]
        self.forget([track.track_id for track in others])
        self._keep_lost(others, t)
        return [(track, sight) for track, sight in pairs if not any(track is other for other in others)]

    def _note_instead(
        self, pairs: Sequence[tuple[CardTrack, CardSight]], is_covered: Callable[[NDArray[np.float64]], bool]
    ) -> None:
        """Count the looks at cards that have not come to rest, but may be misplaced sights of cards at rest.

        Such a sight is weaker than those of the resting card, and lies where that one could be tracked to.
        """
        seen = {track.track_id for track, _ in pairs}
        unseen = [each for each in self.tracks if each.motion is Motion.RESTING and each.track_id not in seen]
        for track, sight in pairs:
            near = [each for each in unseen if track.motion is Motion.MOVING and _may_be(each, sight)]
            track.instead_looks += any(not is_covered(each.sight.corners_mm) for each in near)

    def _drop_gone(
        self, seen: Collection[int], t: float, is_covered: Callable[[NDArray[np.float64]], bool]
    ) -> list[CardTrack]:
        """Remove and return the tracks that this look did not show and that are gone."""
        left = [track for track in self.tracks if track.track_id not in seen and self._is_gone(track, t, is_covered)]
        gone = {track.track_id for track in left}
        self.tracks = [track for track in self.tracks if track.track_id not in gone]
        return left

    def _keep_lost(self, moving: Sequence[CardTrack], t: float) -> None:
        """Remember for a while the tracks that had not come to rest and may have lain there."""
        lost = [track for track in moving if _may_have_lain(track) and not self._lies_on_another(track)]
        self._lost = [track for track in (*self._lost, *lost) if t - track.seen_t <= LOST_S]

    def _is_gone(self, track: CardTrack, t: float, is_covered: Callable[[NDArray[np.float64]], bool]) -> bool:
        if track.motion is Motion.MOVING:
            is_laid = track.was_free and is_covered(track.sight.corners_mm) and not self._lies_on_another(track)
            return t - track.seen_t > (LAID_S if is_laid else DROP_S)
        if is_covered(track.sight.corners_mm):
            track.missing_since_t, track.missing_looks = None, 0
            return False
        if track.missing_since_t is None:
            track.missing_since_t = t
        track.missing_looks += 1
        return track.missing_looks >= GONE_LOOKS and t - track.missing_since_t >= GONE_S

    def _lies_on_another(self, track: CardTrack) -> bool:
        """Whether another card rests where `track` was seen: then it was a misplaced sight of that card."""
        return any(
            other is not track
            and other.motion is Motion.RESTING
            and np.linalg.norm(other.sight.at_mm - track.sight.at_mm) < ONE_CARD_MM
            for other in self.tracks
        )

    def _lost_s(self, sight: CardSight, t: float) -> float:
        """Return for how many seconds a card that was lost has lain where `sight` is; 0 if there is none."""
        there = [track for track in self._lost if np.linalg.norm(track.sight.at_mm - sight.at_mm) < ONE_CARD_MM]
        return max((t - track.place_since_t for track in there), default=0.0)


def _assign(
    tracks: Sequence[CardTrack], sights: Sequence[CardSight], t: float, *, covered: Sequence[bool]
) -> list[tuple[CardTrack, CardSight]]:
    if not tracks or not sights:
        return []
    track_at = np.array([track.sight.at_mm for track in tracks])
    sight_at = np.array([sight.at_mm for sight in sights])
    distance = np.linalg.norm(track_at[:, None] - sight_at[None], axis=2)
    distance = np.minimum(distance, np.array([_from_free_mm(track, sight_at) for track in tracks]))
    turned = np.array([[_shows_other_side(track, sight) for sight in sights] for track in tracks])
    moving = np.array([[track.motion is Motion.MOVING] for track in tracks])
    resting = np.where(np.array(covered), FOLLOW_COVERED_MM, FOLLOW_RESTING_MM)
    waited = np.array([[t - track.seen_t > DROP_S] for track in tracks])
    moved = np.where(waited, SAME_PLACE_MM, FOLLOW_MOVING_MM)
    is_open = np.array([[track.sight.face_up] for track in tracks])
    turning = np.where(is_open, FOLLOW_HIDDEN_MM, FOLLOW_TURNED_MM)
    reach = np.where(moving, moved, np.where(turned, turning, resting))
    each = list(zip(sights, covered, strict=True))
    other = np.array([[_is_another(track, sight, t, is_covered=hidden) for sight, hidden in each] for track in tracks])
    passing = np.array([[_may_pass_over(track, sight) for sight in sights] for track in tracks])
    ghost = np.array([[_lies_on_an_older(track, tracks)] for track in tracks])
    strange = OTHER_SIDE_MM * turned + PASSING_MM * (moving | passing) + GHOST_MM * ghost
    cost = np.where((distance <= reach) & ~other, distance + strange, FAR_MM)
    rows, columns = linear_sum_assignment(cost)
    chosen = {int(i): int(j) for i, j in zip(rows, columns, strict=True) if cost[i, j] < FAR_MM}
    _give_back(chosen, distance, moving[:, 0])
    return [(tracks[i], sights[j]) for i, j in chosen.items()]


def _from_free_mm(track: CardTrack, sight_at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distances in mm, (N,), from sights to where a resting card was last uncovered, plus a penalty."""
    if track.free_mm is None or track.motion is Motion.MOVING:
        return np.full(len(sight_at_mm), FAR_MM)
    return np.asarray(np.linalg.norm(sight_at_mm - track.free_mm, axis=1) + STILL_MM)


def _give_back(chosen: dict[int, int], distance: NDArray[np.float64], is_moving: NDArray[np.bool_]) -> None:
    """Return to a resting card what lies at its place, if a moving card from farther away was assigned to it.

    A card that is slid past another may be too fast to be tracked, and would otherwise drag the other's track along.
    """
    for i, j in list(chosen.items()):
        if is_moving[i] or distance[i, j] <= 2 * STILL_MM:
            continue
        own = int(distance[i].argmin())
        other = next((k for k, seen in chosen.items() if seen == own), None)
        if (
            other is not None
            and is_moving[other]
            and distance[i, own] < 2 * STILL_MM < SAME_PLACE_MM < distance[other, own]
        ):
            chosen[i] = own
            del chosen[other]


def _shows_other_side(track: CardTrack, sight: CardSight) -> bool:
    return track.is_side_known and sight.is_side_sure and sight.face_up != track.sight.face_up


def _is_another(track: CardTrack, sight: CardSight, t: float, *, is_covered: bool) -> bool:
    """Whether a sight away from a card's place, or after the card was hidden, clearly shows another face.

    While an arm passes over a card its visible part lies beside where it lay in plain sight, and shows other pips.
    """
    if sight.log_probs is None or not (track.sight.face_up and sight.face_up) or track.motion is Motion.MOVING:
        return False
    away_mm = float(np.linalg.norm(track.sight.at_mm - sight.at_mm))
    is_part = is_covered and track.free_mm is not None and np.linalg.norm(track.free_mm - sight.at_mm) > STILL_MM
    may_be_another = (away_mm > 2 * STILL_MM and not is_part) or t - track.seen_t > OUT_OF_SIGHT_S
    return may_be_another and track.votes.contradicts(sight.log_probs)


def _was_another(track: CardTrack, sight: CardSight, reported: Collection[int]) -> bool:
    """Whether a track that was never reported is not of the card in `sight`, which lies beside its empty place."""
    is_empty = track.motion is Motion.RESTING and track.missing_looks >= GONE_LOOKS
    away_mm = float(np.linalg.norm(track.sight.at_mm - sight.at_mm))
    return is_empty and track.track_id not in reported and away_mm > 2 * STILL_MM


def _see(track: CardTrack, sight: CardSight, t: float, new_votes: Callable[[], Votes]) -> bool:
    """Update `track` with `sight`, and return True when it is now certain that the other side shows.

    The first look at another side changes nothing, nor does an unclear side away from a card at rest: the look may have
    shown a card that passes over this one.
    """
    if _may_pass_over(track, sight):
        return False
    is_turned = _shows_other_side(track, sight)
    if is_turned:
        track.other_side_looks += 1
        track.turned_t = t if track.other_side_looks == 1 else track.turned_t
    elif sight.is_side_sure:
        track.other_side_looks = 0
    if is_turned and track.other_side_looks < TURN_LOOKS:
        return False
    track.seen_t, track.missing_since_t, track.missing_looks = t, None, 0
    track.looks += 1
    track.score_sum += sight.score
    _move(track, sight, t)
    track.sight = replace(sight, face_up=sight.face_up if sight.is_side_sure else track.sight.face_up)
    track.is_side_known |= sight.is_side_sure
    if is_turned:
        track.other_side_looks, track.votes = 0, new_votes()
    return is_turned


def _may_pass_over(track: CardTrack, sight: CardSight) -> bool:
    if track.motion is not Motion.RESTING or sight.is_side_sure:
        return False
    from_free_mm = float(_from_free_mm(track, sight.at_mm[None])[0])
    return min(float(np.linalg.norm(track.sight.at_mm - sight.at_mm)), from_free_mm) > 2 * STILL_MM


def _move(track: CardTrack, sight: CardSight, t: float) -> None:
    """Update since when a card has been still, and since when it has been about its place."""
    track.still_looks, track.place_looks = track.still_looks + 1, track.place_looks + 1
    if np.linalg.norm(track.sight.at_mm - sight.at_mm) > STILL_MM:
        track.still_since_t, track.still_looks = t, 1
    if track.place_mm is None or np.linalg.norm(track.place_mm - sight.at_mm) > SAME_PLACE_MM:
        track.place_mm, track.place_since_t, track.back_looks = sight.at_mm, t, 0
        track.place_looks, track.instead_looks = 1, 0


def _note_beside(pairs: Sequence[tuple[CardTrack, CardSight]]) -> None:
    """Count for each card which others this look clearly showed with it."""
    clear = {track.track_id: track for track, sight in pairs if sight.score >= CLEAR_SCORE}
    for track_id, track in clear.items():
        track.beside.update(clear.keys() - {track_id})


def _comes_to_rest(track: CardTrack, t: float) -> bool:
    """Set a card to rest once it has been still, or about one place, for long enough; return whether it did."""
    if track.motion is Motion.RESTING or not _has_come_to_rest(track, t):
        return False
    track.motion, track.rested_t = Motion.RESTING, track.place_since_t
    return True


def _has_come_to_rest(track: CardTrack, t: float) -> bool:
    is_still = track.still_looks >= REST_LOOKS and t - track.still_since_t >= REST_S
    is_shaken = track.place_looks >= SHAKEN_LOOKS and t - track.place_since_t >= SHAKEN_S
    is_itself = 2 * track.instead_looks <= track.place_looks
    return (is_still or is_shaken) and is_itself and track.other_side_looks == 0


def _may_be(resting: CardTrack, sight: CardSight) -> bool:
    away_mm = float(np.linalg.norm(resting.sight.at_mm - sight.at_mm))
    return sight.score < resting.score and away_mm <= FOLLOW_RESTING_MM


def _lies_on_an_older(track: CardTrack, tracks: Sequence[CardTrack]) -> bool:
    """Whether an older card rests at the place: then `track` was a part of that card, seen under a hand."""
    return any(
        other.track_id < track.track_id
        and other.motion is Motion.RESTING
        and np.linalg.norm(other.sight.at_mm - track.sight.at_mm) < ONE_CARD_MM
        for other in tracks
    )


def _may_have_lain(track: CardTrack) -> bool:
    """Whether the card may have lain where it was last seen: a glimpse under a hand may be of one that passed."""
    return track.score >= LOST_SCORE and (track.was_free or track.place_looks >= LOST_LOOKS)
