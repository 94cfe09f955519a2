"""Tell of cards that come to rest beside the card regions: which side shows, and which face where it can be read.

Of what becomes of them only that is told that one was hidden for a moment. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.card_reading import IsCovered, ReadFaces
from vision.card_watch import CardWatch
from vision.observations import CardBeside, CardBesideHidden, CardRested
from vision.tracker import CardSight, CardTrack, Motion

HIDDEN_S = 0.25
"""A card that was out of sight for longer may have another one on it."""


@dataclass(slots=True)
class BesideWatch:
    """The cards on the ground beside some regions."""

    cards: CardWatch
    """Over the ground alone."""
    _seen_t: dict[int, float] = field(default_factory=dict)
    """When each resting card was last seen."""

    def update(
        self, sights: Sequence[CardSight], t: float, *, is_covered: IsCovered, read_faces: ReadFaces
    ) -> list[CardBeside | CardBesideHidden]:
        """Take one look in; `sights` are those where no card belongs."""
        told = self.cards.update(sights, t, is_covered=is_covered, read_faces=read_faces)
        return [*(_beside(each) for each in told if isinstance(each, CardRested)), *self._seen_again(t)]

    def _seen_again(self, t: float) -> list[CardBesideHidden]:
        """Cards that come in sight again where they lay."""
        before = self._seen_t
        self._seen_t = {track.track_id: track.seen_t for track in self.cards.tracker.tracks if _rests(track)}
        again = [key for key, seen_t in self._seen_t.items() if seen_t == t and t - before.get(key, t) > HIDDEN_S]
        return [CardBesideHidden(t=t) for _ in again]


def _rests(track: CardTrack) -> bool:
    return track.motion is Motion.RESTING


def _beside(card: CardRested) -> CardBeside:
    return CardBeside(t=card.t, face_up=card.face_up, reading=card.reading, score=card.score)
