"""The state of a watched table at one time, as displayed in the live view."""

from __future__ import annotations

from dataclasses import dataclass

from thirdcard.rules.game.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownWager:
    """The chips on one wagering area."""

    place: str
    """`Seat 3`, or the name of a standing player's place."""
    bet: str
    amount: int | None
    """None where the value was not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The state of the table, and the progress of the watch."""

    t: float
    """Stream time reached, in seconds."""
    duration_s: float | None = None
    """None where the source does not tell its length."""
    round: int = 0
    """0 before the first round."""
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
        """The number of frames processed per second."""
        return self.frames / self.wall_s if self.wall_s > 0 else 0.0

    @property
    def pace(self) -> float:
        """The stream seconds processed per second."""
        return self.t / self.wall_s if self.wall_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """The seconds until the end of a recording at this pace; None where its length or the pace is unknown."""
        if self.duration_s is None or not self.pace:
            return None
        return max(0.0, (self.duration_s - self.t) / self.pace)
