"""The JSON models of requests and answers, as in CONTRACT.md with its optional fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
)

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.alert_schemas import AlertOut, ChangeOut
from thirdcard.service.alerts.audit_log import ActView
from thirdcard.service.alerts.lifecycle import Stepped
from thirdcard.service.alerts.views import AlertView, LineView, RoundView
from thirdcard.service.media.ring import Stretch
from thirdcard.service.ports.messages import TableStatus
from thirdcard.service.ports.moments import Moment
from thirdcard.service.store.alert_states import AlertState

Item = TypeVar("Item")


class ErrorDetail(BaseModel):
    """The description of an error."""

    code: str
    message: str
    field: str | None


class ErrorBody(BaseModel):
    """The body of every error."""

    error: ErrorDetail


class Listing(BaseModel, Generic[Item]):
    """A part of a list."""

    items: Sequence[Item]
    next: str | None


class LeftOut(BaseModel):
    """An alert that could not be acknowledged or decided."""

    alert: int
    message: str


class ComingOut(BaseModel):
    """A file that is being made."""

    state: Literal["promised"]
    message: str


class RecordedOut(BaseModel):
    """A recorded period of a table's camera, without an outage."""

    from_: Moment = Field(serialization_alias="from")
    to: Moment

    @classmethod
    def of(cls, stretch: Stretch) -> RecordedOut:
        """The JSON model of a period."""
        return cls(from_=stretch.from_at, to=stretch.to_at)


class PromisedOut(BaseModel):
    """A file that will be made, and its URL."""

    kind: str
    url: str


class TakenOut(BaseModel):
    """The result of acknowledging several alerts."""

    taken: list[int]
    left: list[LeftOut]

    @classmethod
    def of(cls, stepped: Stepped) -> TakenOut:
        """The JSON model of the result."""
        return cls(taken=list(stepped.done), left=_left(stepped))


class DecidedOut(BaseModel):
    """The result of deciding several alerts."""

    decided: list[int]
    left: list[LeftOut]

    @classmethod
    def of(cls, stepped: Stepped) -> DecidedOut:
        """The JSON model of the result."""
        return cls(decided=list(stepped.done), left=_left(stepped))


class RoundOut(BaseModel):
    """A round record with its table and times."""

    model_config = ConfigDict(extra="allow")

    id: int
    table: str
    dealer: str | None
    opened_at: Moment
    closed_at: Moment
    round: int

    @classmethod
    def of(cls, view: RoundView) -> RoundOut:
        """The JSON model of a round."""
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
    """An alert with its round, log and history."""

    round_record: RoundOut | None
    """None while the round is still open."""
    log: list[dict[str, Any]]
    """The lines from the start of its round on."""
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
    """The state of a table."""

    id: str
    at: str
    t: float
    camera: str
    fault: str | None
    disk_fault: str | None
    setup_hint: str | None
    """What to check in the table's set-up, where an error in it is likelier than one of the dealer."""
    camera_hint: str | None
    """That the camera was moved since its calibration was made, and what was done about it."""
    setup: int | None
    """The version of the set-up with which it is watched."""
    setup_waits: bool
    """Whether a new set-up takes effect after the current round."""
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
    def of(cls, state: TableStatus, last: AlertView | None, open_alerts: int) -> TableOut:
        """The JSON model of a table."""
        fields: dict[str, Any] = {name: getattr(state, name) for name in cls.model_fields if hasattr(state, name)}
        stakes = [StakeOut.model_validate(stake, from_attributes=True) for stake in state.wagers]
        fields |= {"id": state.table_id, "wagers": stakes, "open_alerts": open_alerts}
        return cls.model_validate({**fields, "last_alert": None if last is None else _last(last)})


class Accepted(BaseModel):
    """The receipt for a device's report."""

    id: int
    at: Moment


class Health(BaseModel):
    """The health of the service."""

    status: Literal["ok", "degraded"]
    version: str


class AuditOut(BaseModel):
    """An act of the audit chain."""

    seq: int
    at: Moment
    who: str
    action: str
    target: str | None
    details: dict[str, Any]

    @classmethod
    def of(cls, view: ActView) -> AuditOut:
        """The JSON model of an act."""
        return cls.model_validate(view, from_attributes=True)


CSV_TOO: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}
"""The responses of lists that are also available as CSV."""


def log_out(lines: Sequence[LineView]) -> list[dict[str, Any]]:
    """Lines of a table log with their times and numbers."""
    return [{**line.body, "at": line.at, "line": line.line} for line in lines]


def _left(stepped: Stepped) -> list[LeftOut]:
    return [LeftOut(alert=alert, message=message) for alert, message in stepped.left.items()]


def _last(view: AlertView) -> LastAlertOut:
    return LastAlertOut(
        id=view.id,
        at=view.at,
        code=view.body["code"],
        severity=view.body["severity"],
        state=AlertState(view.state),
        message=view.body["message"],
    )
