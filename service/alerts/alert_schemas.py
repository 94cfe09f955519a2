"""An alert and its changes as JSON: what the API, notifications and bundles send."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from thirdcard.rules.game.words import Severity
from thirdcard.service.alerts.doubtful import DoubtfulView
from thirdcard.service.alerts.views import AlertView, ChangeView, EvidenceView
from thirdcard.service.ports.moments import Moment
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.store.alert_writer import COPY_KINDS, FIRST_KINDS


class RemedyOut(BaseModel):
    """The remedy that the rulebook orders after the fault."""

    action: str
    rule: str | None
    text: str


class FurtherOut(BaseModel):
    """An additional file of an alert's evidence."""

    kind: str
    copy_of: str | None
    """For a copy: the kind of its original, which is the evidence."""
    state: str
    url: str | None
    """None while the file is not available."""
    from_at: Moment
    to_at: Moment
    size_bytes: int | None
    sha256: str | None
    fault: str | None


class EvidenceOut(BaseModel):
    """Addresses of the alert's evidence; None where a file is not available."""

    clip: str | None
    still: str | None
    before: str | None
    after: str | None
    overlay: str | None
    """The readings to draw over the clip."""
    from_: float = Field(serialization_alias="from")
    to: float
    states: dict[str, str]
    """By kind: promised, kept, failed or deleted."""
    further: list[FurtherOut]
    """Longer clips, and copies that browsers can play, requested later."""


class AlertOut(BaseModel):
    """An alert: the contract's fields and its state."""

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
        """The API's form of an alert."""
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
    """One change of an alert's state."""

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
        """The API's form of a change."""
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


def _evidence(view: AlertView) -> EvidenceOut | None:
    if not view.evidence:
        return None
    pieces = [piece for kind, piece in view.evidence.items() if kind in FIRST_KINDS]
    address = f"/api/alerts/{view.id}"
    kept = {kind: f"{address}/{kind}" if piece.state == "kept" else None for kind, piece in view.evidence.items()}
    began = view.log_began_at
    return EvidenceOut(
        **{kind: kept.get(kind) for kind in FIRST_KINDS},
        from_=round((min(piece.from_at for piece in pieces) - began).total_seconds(), 3),
        to=round((max(piece.to_at for piece in pieces) - began).total_seconds(), 3),
        states={kind: piece.state for kind, piece in view.evidence.items()},
        further=[_further(piece, kept[kind]) for kind, piece in view.evidence.items() if kind not in FIRST_KINDS],
    )


def _further(piece: EvidenceView, url: str | None) -> FurtherOut:
    return FurtherOut(
        kind=piece.kind,
        copy_of=COPY_KINDS.get(piece.kind),
        state=piece.state,
        url=url,
        from_at=piece.from_at,
        to_at=piece.to_at,
        size_bytes=piece.size_bytes,
        sha256=piece.sha256,
        fault=piece.fault,
    )


class DoubtfulOut(BaseModel):
    """A finding that was never certain enough for an alert: the contract's fields of an alert, without a state."""

    model_config = ConfigDict(extra="allow")

    id: int
    table: str
    dealer: str | None
    at: Moment
    round_id: int | None
    t: float
    round: int
    code: str
    severity: Severity
    message: str
    confidence: float

    @classmethod
    def of(cls, view: DoubtfulView) -> DoubtfulOut:
        """The API's form of a doubtful finding."""
        fields = {"id": view.id, "table": view.table_id, "dealer": view.dealer, "at": view.at}
        return cls.model_validate({**view.body, **fields, "round_id": view.round_id})
