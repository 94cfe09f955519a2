"""Divide a round into betting, dealing and settling, by its log lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelinePhase:
    """A phase of a round, in stream time."""

    name: str
    """betting, dealing or settling."""
    from_t: float
    to_t: float

    @property
    def lasts_s(self) -> float:
        """Its length in seconds."""
        return self.to_t - self.from_t


def phases_of(lines: Sequence[Body], opened_t: float, closed_t: float) -> list[TimelinePhase]:
    """Betting until the call or the first card, dealing until the result or the last card, settling until the close."""
    call_t = _first(lines, ("no_more_bets", "card_dealt"), closed_t)
    dealt = [line["t"] for line in lines if line["type"] == "card_dealt"]
    result_t = max(call_t, _first(lines, ("result_announced",), dealt[-1] if dealt else closed_t))
    cuts = (("betting", opened_t, call_t), ("dealing", call_t, result_t), ("settling", result_t, closed_t))
    return [TimelinePhase(name=name, from_t=from_t, to_t=to_t) for name, from_t, to_t in cuts if to_t > from_t]


def _first(lines: Sequence[Body], kinds: tuple[str, ...], default: float) -> float:
    return next((float(line["t"]) for line in lines if line["type"] in kinds), default)
