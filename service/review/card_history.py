"""Remember where cards lay over time, to draw them onto pictures later; only changes are stored."""

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
    """The visible cards over time."""

    _entries: list[tuple[float, tuple[Outline, ...]]] = field(default_factory=list)

    def note(self, t: float, cards: Sequence[CardInSight]) -> None:
        """Note the cards at time `t`."""
        outlines = card_outlines(cards)
        if not self._entries or not lie_alike(self._entries[-1][1], outlines):
            self._entries.append((t, outlines))

    def told(self, shift_s: float) -> list[dict[str, object]]:
        """All entries as JSON, with `shift_s` added to their times."""
        return [{"t": round(t + shift_s, 3), "cards": [_told(card) for card in cards]} for t, cards in self._entries]


def read_sights(entries: Iterable[Mapping[str, Any]], began_at: datetime) -> list[Since[Outline]]:
    """The entries of many segments in order of time; `t` is counted from `began_at`."""
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
