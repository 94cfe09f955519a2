"""Tell whether two cards left the shoe at once, by when each can have come to rest at the earliest and the latest.

Seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.events import CardDealt, Side

IN_ONE_BOX_S = 0.6
"""Two cards that came into the same box within this came at once: nobody deals them one by one so quickly."""
IN_TWO_BOXES_S = 0.3
"""The same for cards in different boxes, of which one lies farther from the shoe."""


@dataclass(slots=True)
class Together:
    """The card before, as it was dealt."""

    _before: CardDealt | None = None
    _side: Side | None = None
    _from_t: float = 0.0
    """The earliest moment at which it can have come to rest."""
    _to_t: float = 0.0

    def joined(self, dealt: CardDealt, from_t: float, to_t: float) -> CardDealt:
        """The card with the one that left the shoe with it, where there is one.

        It came to rest between the two moments. Where its place was hidden they lie far apart: then the time between
        two cards is not known, and nothing is said.
        """
        before, within_s = self._before, IN_ONE_BOX_S if self._side is dealt.hand else IN_TWO_BOXES_S
        is_pair = before is not None and max(to_t, self._to_t) - min(from_t, self._from_t) < within_s
        partner = before.card_id if before is not None and is_pair and before.together_with is None else None
        joined = dealt if partner is None else replace(dealt, together_with=partner)
        self._before, self._side, self._from_t, self._to_t = joined, dealt.hand, from_t, to_t
        return joined
