"""What a table's process tells the service: how it stands, what is new in the database; and what it is asked to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStake:
    """Chips on a wagering area."""

    area: str
    place: str
    """`Seat 3`."""
    bet: str
    amount: int | None
    chips: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatus:
    """How a table stands."""

    table_id: str
    at: str
    """RFC 3339, UTC."""
    t: float
    """Of the table's log."""
    camera: str
    """connecting, playing, lost, ended, or what the picture suffers from."""
    fault: str | None = None
    """Why, in words."""
    round: int = 0
    phase: str = "idle"
    dealer: str | None = None
    player: tuple[str | None, ...] = ()
    banker: tuple[str | None, ...] = ()
    player_total: int | None = None
    banker_total: int | None = None
    wagers: tuple[ShownStake, ...] = ()
    frames: int = 0
    missed: int = 0
    """Frames that nobody looked at in time."""
    lag_s: float = 0.0
    disk_fault: str | None = None
    setup_hint: str | None = None
    """What to look at in the table's set-up, where that is likelier to be wrong than the dealer."""
    camera_hint: str | None = None
    """That the camera was moved since its calibration was made, and what was done about it."""
    setup: int | None = None
    """The version of the set-up that it is watched with."""
    setup_waits: bool = False
    """Whether a new set-up waits for the round's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The table's process has committed something."""

    table_id: str
    alerts: tuple[int, ...] = ()
    rounds: int = 0
    lines: int = 0
    """Of the log."""
    evidence: tuple[int, ...] = ()
    """Of these alerts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The table's process gives up; the service starts it again."""

    table_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strained:
    """The table gets too few looks and asks to rest; it takes a breath meanwhile."""

    table_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwatched:
    """A table's process ends again and again; told by who starts it."""

    table_id: str
    reason: str
    """Why it ended last."""
    times: int
    """So often it ended."""
    within_s: float


@dataclass(frozen=True, slots=True)
class Nudge:
    """To a table's process: signals wait in the database."""


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """To a table's process: somebody looks at its live picture."""


@dataclass(frozen=True, slots=True)
class Rest:
    """To a table's process that asked: it may look at nothing for a while."""


@dataclass(frozen=True, slots=True)
class Stop:
    """To a table's process: end what is under way, then leave."""


@dataclass(frozen=True, slots=True)
class Renew:
    """To a table's process: a new set-up waits; leave when no round is under way."""

    within_s: float
    """Leave after so long in any case."""


Message = TableStatus | Written | Failed | Strained | Unwatched
Order = Nudge | ShowPicture | Rest | Stop | Renew
