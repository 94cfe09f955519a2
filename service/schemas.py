"""What comes in and goes out as JSON, as CONTRACT has it and its optional fields grow."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    WithJsonSchema,
)

from rules.alerts import Severity
from service.live.messages import TableState
from service.room.life import AlertState
from service.room.storms import Taken
from service.room.trail import ActView
from service.room.views import AlertView, ChangeView, LineView, RoundView

Item = TypeVar("Item")


def format_moment(at: datetime) -> str:
    """RFC 3339, UTC, milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(format_moment), WithJsonSchema({"type": "string", "format": "date-time"})]


class ErrorDetail(BaseModel):
    """What went wrong."""

    code: str
    message: str
    field: str | None


class ErrorBody(BaseModel):
    """Every error."""

    error: ErrorDetail


class Listing(BaseModel, Generic[Item]):
    """A part of a list."""

    items: Sequence[Item]
    next: str | None


class RemedyOut(BaseModel):
    """What the rulebook orders now."""

    action: str
    rule: str | None
    text: str


class EvidenceOut(BaseModel):
    """Where the pictures are: an address where there is one."""

    clip: str | None
    still: str | None
    before: str | None
    after: str | None
    overlay: str | None
    """What was read, to be drawn over the clip."""
    from_: float = Field(serialization_alias="from")
    to: float
    states: dict[str, str]
    """Of each kind: promised, kept, failed or deleted."""


class AlertOut(BaseModel):
    """An alert: CONTRACT's fields, and how it stands."""

    model_config = ConfigDict(extra="allow")

    id: int
    table: str
    state: AlertState
    owner: str | None
    dealer: str | None
    repeats: int
    at: Moment
    raised_at: Moment
    t: float
    round: int
    code: str
    severity: Severity
    rulebook: str
    rule: str | None
    seat: int | None
    bet: str | None
    area: str | None
    hand: str | None
    cards: list[str]
    amount: int | None
    message: str
    remedy: RemedyOut
    confidence: float
    evidence: EvidenceOut | None

    @classmethod
    def of(cls, view: AlertView) -> AlertOut:
        """What is sent of an alert."""
        fields: dict[str, Any] = {
            **view.body,
            "id": view.id,
            "table": view.table_id,
            "state": view.state,
            "owner": view.owner,
            "dealer": view.dealer,
            "repeats": view.repeats,
            "at": view.at,
            "raised_at": view.raised_at,
            "evidence": _evidence(view),
        }
        return cls.model_validate(fields)


class ChangeOut(BaseModel):
    """One step in an alert's life."""

    id: int
    alert: int
    at: Moment
    who: str
    before: str
    after: str
    reason: str | None
    note: str | None

    @classmethod
    def of(cls, view: ChangeView) -> ChangeOut:
        """What is sent of a step."""
        return cls(
            id=view.id,
            alert=view.alert_id,
            at=view.at,
            who=view.who,
            before=view.before,
            after=view.after,
            reason=view.reason,
            note=view.note,
        )


class LeftOut(BaseModel):
    """An alert that could not be taken."""

    alert: int
    message: str


class TakenOut(BaseModel):
    """What became of the wish to take several alerts."""

    taken: list[int]
    left: list[LeftOut]

    @classmethod
    def of(cls, taken: Taken) -> TakenOut:
        """What is sent of it."""
        left = [LeftOut(alert=alert, message=message) for alert, message in taken.left.items()]
        return cls(taken=list(taken.taken), left=left)


class RoundOut(BaseModel):
    """A round record, and where it was."""

    model_config = ConfigDict(extra="allow")

    id: int
    table: str
    dealer: str | None
    opened_at: Moment
    closed_at: Moment
    round: int

    @classmethod
    def of(cls, view: RoundView) -> RoundOut:
        """What is sent of a round."""
        fields: dict[str, Any] = {
            **view.body,
            "id": view.id,
            "table": view.table_id,
            "dealer": view.dealer,
            "opened_at": view.opened_at,
            "closed_at": view.closed_at,
        }
        return cls.model_validate(fields)


class RoundDetailOut(RoundOut):
    """A round with its log, as lines of the table log."""

    log: list[dict[str, Any]]


class AlertDetailOut(AlertOut):
    """An alert with all that belongs to it."""

    round_record: RoundOut | None
    """None while the round is still running."""
    log: list[dict[str, Any]]
    """From the beginning of its round on."""
    changes: list[ChangeOut]


class StakeOut(BaseModel):
    """Chips on a wagering area."""

    area: str
    place: str
    bet: str
    amount: int | None
    chips: int | None


class LastAlertOut(BaseModel):
    """The newest alert of a table."""

    id: int
    at: Moment
    code: str
    severity: Severity
    state: AlertState
    message: str


class TableOut(BaseModel):
    """How a table stands."""

    id: str
    at: str
    t: float
    camera: str
    fault: str | None
    disk_fault: str | None
    round: int
    phase: str
    dealer: str | None
    player: list[str | None]
    banker: list[str | None]
    player_total: int | None
    banker_total: int | None
    wagers: list[StakeOut]
    frames: int
    missed: int
    lag_s: float
    open_alerts: int
    last_alert: LastAlertOut | None

    @classmethod
    def of(cls, state: TableState, last: AlertView | None, open_alerts: int) -> TableOut:
        """What is sent of a table."""
        fields: dict[str, Any] = {name: getattr(state, name) for name in cls.model_fields if hasattr(state, name)}
        stakes = [StakeOut.model_validate(stake, from_attributes=True) for stake in state.wagers]
        fields |= {"id": state.table_id, "wagers": stakes, "open_alerts": open_alerts}
        return cls.model_validate({**fields, "last_alert": None if last is None else _last(last)})


class Accepted(BaseModel):
    """A device's report was taken."""

    id: int
    at: Moment


class Health(BaseModel):
    """Whether all is well."""

    status: Literal["ok", "degraded"]
    version: str


class AuditOut(BaseModel):
    """Who did what."""

    seq: int
    at: Moment
    who: str
    action: str
    target: str | None
    details: dict[str, Any]

    @classmethod
    def of(cls, view: ActView) -> AuditOut:
        """What is sent of an act."""
        return cls.model_validate(view, from_attributes=True)


def log_out(lines: Sequence[LineView]) -> list[dict[str, Any]]:
    """Lines of a table log with their moments and numbers."""
    return [{**line.body, "at": line.at, "line": line.line} for line in lines]


def _last(view: AlertView) -> LastAlertOut:
    return LastAlertOut(
        id=view.id,
        at=view.at,
        code=view.body["code"],
        severity=view.body["severity"],
        state=AlertState(view.state),
        message=view.body["message"],
    )


def _evidence(view: AlertView) -> EvidenceOut | None:
    if not view.evidence:
        return None
    pieces = list(view.evidence.values())
    address = f"/api/alerts/{view.id}"
    kept = {kind: f"{address}/{kind}" if piece.state == "kept" else None for kind, piece in view.evidence.items()}
    began = view.log_began_at
    return EvidenceOut(
        **{kind: kept.get(kind) for kind in ("clip", "still", "before", "after", "overlay")},
        from_=round((min(piece.from_at for piece in pieces) - began).total_seconds(), 3),
        to=round((max(piece.to_at for piece in pieces) - began).total_seconds(), 3),
        states={kind: piece.state for kind, piece in view.evidence.items()},
    )
