"""Backs of one colour without a rim, which the detector takes for cutting cards as often as for backs.

Whether a house's backs are such shows at its cards: what was told of as a back looks like a cutting card, look after
look. From then on what looks like one where cards belong is a back. Millimetres of the layout plane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thirdcard.vision.cards.tracker import ONE_CARD_MM, CardSight, CardTrack

PLAIN_LOOKS = 5
"""So many looks at known backs that showed cutting cards make the backs plain."""


@dataclass(slots=True)
class PlainBacks:
    """What is known of a house's backs."""

    _looks: int = 0

    @property
    def are_plain(self) -> bool:
        """Whether what looks like a cutting card may be a card."""
        return self._looks >= PLAIN_LOOKS

    def note(self, sights: Iterable[CardSight], backs: Sequence[CardTrack]) -> None:
        """Take in a look's sights beside the tracks of cards whose backs are known to be up."""
        self._looks += sum(
            sight.is_like_cut_card and any(_is_one_place(sight, track.sight) for track in backs) for sight in sights
        )

    def told_apart(self, sights: Sequence[CardSight], is_card_place: Callable[[CardSight], bool]) -> list[CardSight]:
        """The sights; where backs are plain, what looks like a cutting card where cards belong is a back."""
        if not self.are_plain:
            return list(sights)
        cards = [sight for sight in sights if not sight.is_like_cut_card]
        return [
            replace(sight, is_like_cut_card=False)
            if sight.is_like_cut_card and is_card_place(sight) and not any(_is_one_place(sight, card) for card in cards)
            else sight
            for sight in sights
        ]


def _is_one_place(one: CardSight, other: CardSight) -> bool:
    return float(np.linalg.norm(one.at_mm - other.at_mm)) < ONE_CARD_MM
