"""What one round contributes to the figures: the duration of each phase, and when the table could not be watched.

Betting ends with the call, or the first card without one; dealing with the result, or the last card; settling with the
round. Idle is the time from the previous round's end to this round's start. Times `t` are stream time in seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_IDLE_S = 900.0
"""A longer pause means that the table was closed."""
PHASES = ("betting", "dealing", "settling", "idle")
_LOSSES = frozenset({"camera_lost", "camera_moved", "camera_obstructed"})
_CARDS = frozenset({"card_dealt", "card_turned"})

Line = Mapping[str, Any]
"""A line of the table log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TalliedRound:
    """The facts of one round."""

    phases_s: tuple[float, ...] | None
    """Durations in the order of `PHASES`, seconds; None where one is unknown, or a part of the round was not
    watched."""
    unseen: tuple[tuple[float, float], ...]
    """Stretches since the previous round's close in which the table could not be watched: (from, to) in seconds."""
    is_watched: bool
    """Whether no such stretch lies within the round."""
    ends_unseen: bool
    """Whether the table could not be watched when the round closed."""


def facts_of(
    lines: Sequence[Line], opened: float, closed: float, *, before: float | None = None, begins_unseen: bool = False
) -> TalliedRound:
    """The facts of a round; times in seconds of stream time.

    Args:
        lines: Of the log, from after the previous round to this round's end.
        opened: When the round began.
        closed: When it closed.
        before: When the previous round closed; None where there was none.
        begins_unseen: Whether the table could not be watched at that time.
    """
    begin = opened if before is None else before
    unseen, ends_unseen = _unseen(lines, min(begin, opened), closed, begins_unseen)
    is_watched = not any(from_t < closed and to_t > opened for from_t, to_t in unseen)
    phases = _phases(lines, opened, closed, before) if is_watched and not unseen else None
    return TalliedRound(phases_s=phases, unseen=unseen, is_watched=is_watched, ends_unseen=ends_unseen)


def _phases(lines: Sequence[Line], opened: float, closed: float, before: float | None) -> tuple[float, ...] | None:
    called = next(iter(_times(lines, {"no_more_bets"}) or _times(lines, {"card_dealt"})), None)
    last = next(iter(_times(lines, {"result_announced"}) or _times(lines, _CARDS)[::-1]), None)
    idle = None if before is None else opened - before
    if called is None or last is None or idle is None or not 0 <= idle <= LONGEST_IDLE_S:
        return None
    found = (called - opened, last - called, closed - last, idle)
    return found if min(found) >= 0 else None


def _unseen(
    lines: Iterable[Line], begin: float, end: float, begins_unseen: bool
) -> tuple[tuple[tuple[float, float], ...], bool]:
    found: list[tuple[float, float]] = []
    lost: set[object] = {None} if begins_unseen else set()
    since = begin
    for line in lines:
        if line["type"] in _LOSSES:
            since = since if lost else line["t"]
            lost.add(line.get("camera"))
        elif line["type"] == "camera_back" and lost:
            lost -= {line.get("camera"), None}
            if not lost:
                found.append((since, line["t"]))
    if lost:
        found.append((since, end))
    return tuple((from_t, to_t) for from_t, to_t in found if to_t > from_t), bool(lost)


def _times(lines: Iterable[Line], types: Iterable[str]) -> list[float]:
    return [line["t"] for line in lines if line["type"] in types]
