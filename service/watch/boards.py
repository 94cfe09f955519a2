"""The state of a watched table at one moment, as the live view draws it."""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.rules.game.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownWager:
    """What lies on one wagering area."""

    place: str
    """`Seat 3`, or the name of a standing player's place."""
    bet: str
    amount: int | None
    """None where the value was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What stands on the table, and how the watch goes."""

    t: float
    """Stream time reached, in seconds."""
    duration_s: float | None = None
    """None where the source does not tell."""
    round: int = 0
    """0 before the first."""
    phase: str = ""
    player: tuple[Card | None, ...] = ()
    banker: tuple[Card | None, ...] = ()
    wagers: tuple[ShownWager, ...] = ()
    """Areas that are not empty, by seat."""
    n_alerts: int = 0
    frames: int = 0
    wall_s: float = 0.0

    @property
    def frames_per_s(self) -> float:
        """Frames watched in a second."""
        return self.frames / self.wall_s if self.wall_s > 0 else 0.0

    @property
    def pace(self) -> float:
        """Stream seconds watched in a second."""
        return self.t / self.wall_s if self.wall_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds until the end of a recording at this pace."""
        if self.duration_s is None or not self.pace:
            return None
        return max(0.0, (self.duration_s - self.t) / self.pace)
