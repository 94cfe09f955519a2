"""Tell cards that were dealt face up from cards whose backs the camera does not see.

A dealer shows one card by mistake at times. Where one after the other is open when it is first seen, though all come
face down, it is their backs that do not show: plain ones on a cloth of their colour, in little light. When such a card
left the shoe, and before which other, nobody saw.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from rules.events import CardTurned, Event, RoundClosed
from rules.round import INITIAL_CARDS
from rules.rulebook_model import Phase
from rules.words import Side

logger = logging.getLogger(__name__)

OPEN_BY_MISTAKE = 1
"""No dealer shows more cards of one round by mistake."""
ENOUGH_BACKS = 3
"""A round in which so many backs were seen, and no more open cards than that, shows that backs are seen again."""
SOON_S = 4.0
"""A round's first card comes sooner after betting closed."""
_ORDER = (Side.PLAYER, Side.BANKER)


@dataclass(slots=True)
class UnseenBacks:
    """How the cards of one table came that are dealt face down there."""

    face_down: frozenset[Phase] = frozenset()
    """Which cards come face down."""
    are_unseen: bool = field(default=False, init=False)
    """Whether this camera does not see backs, as the last rounds show."""
    _are_proven: bool = field(default=False, init=False)
    """Whether a back was seen at all."""
    _are_seen_well: bool = field(default=False, init=False)
    """Whether so many of one round were seen that backs are surely seen."""
    _open: int = field(default=0, init=False)
    _backs: int = field(default=0, init=False)
    """Cards of the running round that were first seen with their faces, or their backs, up."""
    _has_turned: bool = field(default=False, init=False)
    """Whether one of them was turned up."""

    def is_missed(self, side: Side | None, dealt: int, since_call_s: float = 0.0) -> bool:
        """Whether a card that shows its face at the first look lay there before, its back unseen.

        Nobody turns a card before the first four lie on the table: one of them that is found after that was there. And
        a round's first card that is found late lay there where no back was ever seen: perhaps none can be.

        Args:
            side: In which hand it lies.
            dealt: How many cards of the round were told of before.
            since_call_s: How long ago betting closed, as far as that is known.
        """
        if not self.come_face_down(dealt):
            return False
        if dealt == 0 and not self._are_proven and since_call_s > SOON_S:
            return True
        is_out_of_order = dealt < INITIAL_CARDS and (self._has_turned or side is not _ORDER[dealt % 2])
        return self.are_unseen or self._open >= OPEN_BY_MISTAKE or is_out_of_order

    def may_have_missed_one(self, side: Side | None, dealt: int) -> bool:
        """Whether a back may lie in the other hand unseen: the round's first card, as it seems, came to the wrong one.

        Until most backs of a round were seen, that says more of the eyes than of the dealer.
        """
        return dealt == 0 and side is not _ORDER[0] and self.come_face_down(dealt) and not self._are_seen_well

    def note(self, dealt: int, *, face_up: bool) -> None:
        """Take in how a card of the round lay when it was first seen, in plain sight."""
        if not self.come_face_down(dealt):
            return
        if face_up:
            self._open += 1
        else:
            self._backs += 1
            self._are_proven = True

    def apply(self, line: Event) -> None:
        """Take a written line in."""
        self._has_turned |= isinstance(line, CardTurned) and line.face_up
        if not isinstance(line, RoundClosed):
            return
        if self._open > OPEN_BY_MISTAKE:
            if not self.are_unseen:
                logger.warning(
                    "the backs of cards are not seen: how and in what order they left the shoe is not alleged"
                )
            self.are_unseen = True
        elif self._backs >= ENOUGH_BACKS:
            self.are_unseen, self._are_seen_well = False, True
        self._open, self._backs, self._has_turned = 0, 0, False

    def come_face_down(self, dealt: int) -> bool:
        """Whether the next card comes face down, so many having been dealt in the round."""
        return (Phase.INITIAL if dealt < INITIAL_CARDS else Phase.THIRD) in self.face_down
