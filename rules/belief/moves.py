"""Cards that were moved to the other hand and taken for new ones.

A tracker may see a card arrive in one box before it notices that one has left the other. Of such a card the log says
that it was dealt; the card that was moved is logged as gone before wagers are settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from thirdcard.rules.belief.choices import Choice
from thirdcard.rules.game.cards import Card
from thirdcard.rules.log.events import (
    UNSEEN,
    CardDealt,
    CardMoved,
    CardRemoved,
    CardTurned,
    Event,
    ResultAnnounced,
    Source,
    WagerSettled,
)
from thirdcard.rules.round.round import INITIAL_CARDS


def taken_for_new(lines: Sequence[Event]) -> Mapping[str, str]:
    """The later cards of a round that may be one of the other hand, moved: by their ids, the ids of those.

    That card vanished before the result was announced, or before a wager was settled if nobody reports results. The
    faces that were read of both, if any, have the same point value.
    """
    ended = next((line for line in lines if isinstance(line, ResultAnnounced | WagerSettled)), None)
    if ended is None or not any(_vanished(line, ended.t) for line in lines):
        return {}
    faces: dict[str, Card] = {}
    for line in lines:
        if isinstance(line, CardDealt | CardTurned) and line.card is not None:
            faces[line.card_id] = line.card
    dealt = [line for line in lines if isinstance(line, CardDealt) and line.hand is not None][INITIAL_CARDS:]
    gone = {line.card_id for line in lines if isinstance(line, CardRemoved) and _vanished(line, ended.t)}
    return {
        new.card_id: old.card_id
        for i, new in enumerate(dealt)
        for old in dealt[:i]
        if old.card_id in gone and new.card_id not in gone and new.hand is not old.hand and _may_equal(old, new, faces)
    }


def with_moved(choices: Sequence[Choice], dealt: CardDealt, moved: str) -> Sequence[Choice]:
    """The ways to read a card's line, and that it is the card `moved`; nothing speaks for either."""
    assert dealt.hand is not None
    as_moved = CardMoved(t=dealt.t, card_id=moved, hand=dealt.hand, source=dealt.source)
    new = [replace(one, probability=one.probability * (1.0 - UNSEEN)) for one in choices]
    return (*new, Choice((as_moved,), UNSEEN, moved=moved))


def _vanished(line: Event, ended_t: float) -> bool:
    """Whether the line says that a card was gone by `ended_t`, in seconds of stream time, and has not shown again."""
    return isinstance(line, CardRemoved) and line.source is Source.CAMERA and line.t <= ended_t


def _may_equal(old: CardDealt, new: CardDealt, faces: Mapping[str, Card]) -> bool:
    values = {faces[card_id].point_value for card_id in (old.card_id, new.card_id) if card_id in faces}
    return len(values) < 2
