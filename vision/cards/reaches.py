"""Remember where arms came in that reached over each card, for a few seconds.

Layout millimetres, seconds of stream time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from thirdcard.vision.observations import Point

KEPT_S = 3.0
BEFORE_S = 1.2
"""A card is turned within so long before its other side is seen."""
AFTER_S = 0.2


@dataclass(slots=True)
class Reaches:
    """The arms over each card, look by look."""

    _entries: dict[int, list[tuple[float, Point | None]]] = field(default_factory=dict)

    def note(self, track_id: int, t: float, entry_mm: Point | None) -> None:
        """Something lies over a card at `t`; it came in there, or nobody can say where."""
        kept = [entry for entry in self._entries.get(track_id, []) if t - entry[0] <= KEPT_S]
        self._entries[track_id] = [*kept, (t, entry_mm)]

    def about(self, track_id: int, t: float) -> tuple[Point | None, ...]:
        """Where arms came in over a card about the time at which it was turned."""
        entries = self._entries.get(track_id, [])
        return tuple(entry for moment, entry in entries if t - BEFORE_S <= moment <= t + AFTER_S)

    def forget(self, track_id: int) -> None:
        """The card is gone."""
        self._entries.pop(track_id, None)
