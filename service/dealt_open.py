"""Tell a card that was dealt face up under a hand from one that was turned there.

Where cards come face down nobody turns one before the first four lie on the table, and to turn a card takes its time.
One of these four whose face shows soon, whose back no look showed, and before any other face of the round, came so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vision.observations import CardRested, CardTurned

SOON_S = 1.2
"""A dealer lets go of the last card and turns the first one no sooner than this after."""
HIDDEN_S = 2.0
"""Under a cover of longer than this cards may have been dealt and turned."""
SURE = 0.75
"""How sure it is at most that the card came face up: no look showed it come."""


def as_dealt_open(card: CardRested, waiting: Iterable[object]) -> CardRested | None:
    """The same card lying open from the first, where no look showed its back and its face showed soon; else None.

    Args:
        card: One of the first four of a round in which every card comes face down and none was turned yet.
        waiting: What was seen and is not in the log yet.
    """
    if card.face_up:
        return card if card.hidden_s <= HIDDEN_S else None
    if card.is_back_seen or card.hidden_s > HIDDEN_S:
        return None
    for one in waiting:
        if isinstance(one, CardTurned) and one.track_id == card.track_id and one.face_up and one.t - card.t <= SOON_S:
            return replace(card, face_up=True, reading=one.reading)
    return None
