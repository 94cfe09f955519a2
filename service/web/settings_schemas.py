"""Channels, deliveries, retention and holds as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from thirdcard.service.notify.deliveries import DeliveryView
from thirdcard.service.ports.moments import Moment
from thirdcard.service.store.holds import HoldView
from thirdcard.service.web.requests import LARGEST_ID, AlertNumber, Incoming, ListQuery, Name, Words


class DeliveryQuery(ListQuery):
    """The filter of deliveries; a form sends empty texts for fields left empty."""

    channel: Name | Literal[""] | None = None
    state: Literal["waiting", "sent", "failed", "gathered", ""] | None = None
    alert: Annotated[int, Field(ge=1, le=LARGEST_ID)] | Literal[""] | None = None


class DeliveryOut(BaseModel):
    """A message for one channel with its result."""

    id: int
    key: str
    channel: str
    alert: int | None
    event: str
    state: str
    attempts: int
    entered_at: Moment
    due_at: Moment
    settled_at: Moment | None
    fault: str | None

    @classmethod
    def of(cls, view: DeliveryView) -> DeliveryOut:
        """The JSON model of a delivery."""
        fields = {name: getattr(view, name) for name in cls.model_fields if name != "alert"}
        return cls.model_validate({**fields, "alert": view.alert_id})


class ChannelOut(BaseModel):
    """A channel to the outside with its state."""

    name: str
    kind: str
    fault: str | None
    waiting: int
    sent: int
    failed: int
    gathered: int


class TestOut(BaseModel):
    """The result of a test message."""

    __test__ = False
    sent: bool
    fault: str | None


class ClassOut(BaseModel):
    """The space used by evidence of one class."""

    kind: str
    days: float | None
    alerts: int
    size_bytes: int


class NextOut(BaseModel):
    """Evidence that will be deleted when its retention ends."""

    alert: int
    kind: str
    until: Moment


class RetentionOut(BaseModel):
    """The retention of evidence, and the state of the disk."""

    level: str | None
    """None before the first check."""
    used_bytes: int | None
    capacity_bytes: int | None
    free_bytes: int | None
    recorded_bytes: int | None
    """The space used by recordings, which are deleted before evidence."""
    budget_bytes: int | None
    keep_free_bytes: int
    fault: str | None
    classes: list[ClassOut]
    next: list[NextOut]


class HoldQuery(Incoming):
    """The filter of holds."""

    lifted: bool = Field(default=False, description="those that were lifted too")


class HoldIn(Incoming):
    """A new hold, on an alert or on a case."""

    alert: AlertNumber | None = None
    case: AlertNumber | None = None
    reason: Words

    @model_validator(mode="after")
    def _is_on_one_thing(self) -> HoldIn:
        if (self.alert is None) == (self.case is None):
            raise ValueError("needs either alert or case")
        return self


class HoldOut(BaseModel):
    """A hold that forbids the deletion of evidence."""

    id: int
    alert: int | None
    case: int | None
    reason: str
    put_by: str
    put_at: Moment
    lifted_by: str | None
    lifted_at: Moment | None

    @classmethod
    def of(cls, hold: HoldView) -> HoldOut:
        """The JSON model of a hold."""
        fields = {name: getattr(hold, name) for name in cls.model_fields if name not in ("alert", "case")}
        return cls.model_validate({**fields, "alert": hold.alert_id, "case": hold.case_id})
