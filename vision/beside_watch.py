"""Tell of cards that come to rest beside the card regions: which side shows, and which face where it can be read.

What becomes of them is not followed. Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vision.card_reading import IsCovered, ReadFaces
from vision.card_watch import CardWatch
from vision.observations import CardBeside, CardRested
from vision.tracker import CardSight


@dataclass(slots=True)
class BesideWatch:
    """The cards on the ground beside some regions."""

    cards: CardWatch
    """Over the ground alone."""

    def update(
        self, sights: Sequence[CardSight], t: float, *, is_covered: IsCovered, read_faces: ReadFaces
    ) -> list[CardBeside]:
        """Take one look in; `sights` are those where no card belongs."""
        told = self.cards.update(sights, t, is_covered=is_covered, read_faces=read_faces)
        return [_beside(each) for each in told if isinstance(each, CardRested)]


def _beside(card: CardRested) -> CardBeside:
    return CardBeside(t=card.t, face_up=card.face_up, reading=card.reading, score=card.score)
