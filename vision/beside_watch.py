"""Tell of cards that come to rest beside the card regions: which side shows, and which face where it can be read.

Of what becomes of them only that is told that one was hidden for a moment. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.card_reading import UNREADABLE, IsCovered, ReadFaces
from vision.card_watch import CardWatch
from vision.observations import CardBeside, CardBesideHidden, CardRested
from vision.tracker import CardSight, CardTrack, Motion

HIDDEN_S = 0.25
"""A card that was out of sight for longer may have another one on it."""
STAYS_S = 0.6


@dataclass(slots=True)
class BesideWatch:
    """The cards on the ground beside some regions."""

    cards: CardWatch
    """Over the ground alone."""
    _seen_t: dict[int, float] = field(default_factory=dict)
    """When each resting card was last seen."""
    _again_t: dict[int, float] = field(default_factory=dict)
    """Since when cards that were hidden are in sight again."""

    def update(
        self, sights: Sequence[CardSight], t: float, *, is_covered: IsCovered, read_faces: ReadFaces
    ) -> list[CardBeside | CardBesideHidden]:
        """Take one look in; `sights` are those where no card belongs."""
        told = self.cards.update(sights, t, is_covered=is_covered, read_faces=read_faces)
        cards = [_beside(each) for each in told if isinstance(each, CardRested) and _is_no_clutter(each)]
        return [*cards, *self._seen_again(t)]

    def _seen_again(self, t: float) -> list[CardBesideHidden]:
        """Cards that came in sight again where they lay, and stayed: one that is gathered soon is gone."""
        before, resting = self._seen_t, [track for track in self.cards.tracker.tracks if _rests(track)]
        self._seen_t = {track.track_id: track.seen_t for track in resting}
        again = {key: t for key, seen_t in self._seen_t.items() if seen_t - before.get(key, seen_t) > HIDDEN_S}
        self._again_t = {key: since for key, since in self._again_t.items() if self._seen_t.get(key) == t} | again
        stayed = [key for key, since in self._again_t.items() if t - since >= STAYS_S]
        for key in stayed:
            del self._again_t[key]
        return [CardBesideHidden(t=t) for _ in stayed]


def _rests(track: CardTrack) -> bool:
    return track.motion is Motion.RESTING


def _is_no_clutter(card: CardRested) -> bool:
    """Where no card belongs, what nobody can read is something else."""
    return card.reading.label is not None or card.score > UNREADABLE


def _beside(card: CardRested) -> CardBeside:
    return CardBeside(t=card.t, face_up=card.face_up, reading=card.reading, score=card.score)
