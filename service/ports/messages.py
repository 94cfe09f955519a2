"""Messages from a table's process (its state, new rows in the database) and orders to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStake:
    """Chips on a wagering area."""

    area: str
    place: str
    """Such as `Seat 3`."""
    bet: str
    amount: int | None
    chips: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatus:
    """The state of a table."""

    table_id: str
    at: str
    """RFC 3339, UTC."""
    t: float
    """Seconds of the table's log."""
    camera: str
    """connecting, playing, lost, ended, or the fault of the picture."""
    fault: str | None = None
    """The cause, in words."""
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
    """Frames that were dropped unexamined."""
    lag_s: float = 0.0
    disk_fault: str | None = None
    setup_hint: str | None = None
    """What to check in the table's set-up, when that is likelier to be wrong than the dealer."""
    camera_hint: str | None = None
    """That the camera was moved since its calibration, and how that was handled."""
    setup: int | None = None
    """The version of the set-up in use."""
    setup_waits: bool = False
    """Whether a new set-up waits for the round's end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The table's process has committed something."""

    table_id: str
    alerts: tuple[int, ...] = ()
    rounds: int = 0
    lines: int = 0
    """The number of log lines."""
    evidence: tuple[int, ...] = ()
    """The alerts with new evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The table's process gives up; the service restarts it."""

    table_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Strained:
    """The table gets too few looks and asks to rest; it pauses meanwhile."""

    table_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unwatched:
    """A table's process keeps ending; reported by its supervisor."""

    table_id: str
    reason: str
    """The cause of the last end."""
    times: int
    """The number of ends."""
    within_s: float


@dataclass(frozen=True, slots=True)
class Nudge:
    """Order to a table's process: reports wait in the database."""


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """Order to a table's process: somebody views its live picture."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Permission for a table's process that asked to rest for a while."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Order to a table's process: finish, then end."""


@dataclass(frozen=True, slots=True)
class Renew:
    """Order to a table's process: a new set-up waits; end between rounds."""

    within_s: float
    """The latest time to end, in seconds."""


Message = TableStatus | Written | Failed | Strained | Unwatched
Order = Nudge | ShowPicture | Rest | Stop | Renew
