"""Remember what lay where on the cloth, to be drawn onto pictures later: only what changed is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from thirdcard.service.media.overlay import Outline
from thirdcard.service.media.overlay_memory import Since
from thirdcard.vision.observations import CardInSight

SHIFT_MM = 2.5
"""A card that moved by less lies where it lay."""


@dataclass(slots=True)
class CardHistory:
    """The cards in sight over time."""

    _entries: list[tuple[float, tuple[CardInSight, ...]]] = field(default_factory=list)

    def note(self, t: float, cards: Sequence[CardInSight]) -> None:
        """Take in what lies there at `t`."""
        if not self._entries or not _are_same(self._entries[-1][1], cards):
            self._entries.append((t, tuple(cards)))

    def told(self, shift_s: float) -> list[dict[str, object]]:
        """All entries as JSON, `shift_s` later."""
        return [{"t": round(t + shift_s, 3), "cards": [_told(card) for card in cards]} for t, cards in self._entries]


def read_sights(entries: Iterable[Mapping[str, Any]], began_at: datetime) -> list[Since[Outline]]:
    """The entries of many segments in order of time, `t` counted from `began_at`."""
    found = [
        Since(
            began_at + timedelta(seconds=entry["t"]),
            tuple(Outline(polygon_mm=tuple(map(tuple, card["at"])), text=card["text"]) for card in entry["cards"]),
        )
        for entry in entries
    ]
    return sorted(found, key=lambda since: since.at)


def _told(card: CardInSight) -> dict[str, object]:
    corners = [[round(float(x), 1), round(float(y), 1)] for x, y in card.corners_mm]
    return {"at": corners, "text": (card.label or "?") if card.face_up else ""}


def _are_same(before: Sequence[CardInSight], after: Sequence[CardInSight]) -> bool:
    return len(before) == len(after) and all(
        (one.label, one.face_up) == (other.label, other.face_up)
        and float(np.abs(np.subtract(one.corners_mm, other.corners_mm)).max()) < SHIFT_MM
        for one, other in zip(before, after, strict=True)
    )
