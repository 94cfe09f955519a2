"""Remember what lay where on the cloth, to be drawn onto pictures later: only what changed is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from thirdcard.service.media.overlay import Outline, card_outlines
from thirdcard.service.media.overlay_memory import Since, lie_alike
from thirdcard.vision.observations import CardInSight


@dataclass(slots=True)
class CardHistory:
    """The cards in sight over time."""

    _entries: list[tuple[float, tuple[Outline, ...]]] = field(default_factory=list)

    def note(self, t: float, cards: Sequence[CardInSight]) -> None:
        """Take in what lies there at `t`."""
        outlines = card_outlines(cards)
        if not self._entries or not lie_alike(self._entries[-1][1], outlines):
            self._entries.append((t, outlines))

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


def _told(card: Outline) -> dict[str, object]:
    return {"at": [[round(float(x), 1), round(float(y), 1)] for x, y in card.polygon_mm], "text": card.text}
