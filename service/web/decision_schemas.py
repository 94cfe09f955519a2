"""Figures of decisions as JSON and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.service.alerts.decisions import Decisions, Grouping
from thirdcard.service.alerts.reasons import DISMISSAL_REASONS
from thirdcard.service.store.alert_states import AlertState
from thirdcard.service.web.requests import AnyMoment, Incoming, Name, Timestamp


class DecisionQuery(Incoming):
    """The filter and grouping of figures."""

    by: Grouping = Field(default=Grouping.CODE, description="code or table")
    table: Name | None = None
    code: Name | None = Field(default=None, description="a code, or the part before its dot")
    from_: Timestamp | None = Field(default=None, alias="from")
    to: Timestamp | None = None
    format: Literal["json", "csv"] = "json"


class DecisionPageQuery(Incoming):
    """The filter of the page; a form sends empty texts for fields left empty."""

    by: Grouping = Grouping.CODE
    table: Annotated[str, StringConstraints(max_length=200)] = ""
    code: Annotated[str, StringConstraints(max_length=80)] = ""
    from_: AnyMoment | Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")] = Field(
        default=None, alias="from"
    )
    to: AnyMoment | Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")] = None


class DecisionsOut(BaseModel):
    """The decisions on the alerts of a code or a table."""

    name: str
    raised: int
    open: int
    acknowledged: int
    escalated: int
    confirmed: int
    dismissed: int
    withdrawn: int
    reasons: dict[str, int]
    false: int
    false_share: float | None
    false_low: float | None
    false_high: float | None
    expected_false: float | None = Field(
        description="as the confidences of the decided alerts say; null where none has one"
    )
    is_borne_out: bool = Field(description="whether no more are false than may be by chance if the confidences hold")
    taken_after_s: float | None
    decided_after_s: float | None

    @classmethod
    def of(cls, figures: Decisions) -> DecisionsOut:
        """The JSON model of the figures."""
        low, high = figures.false_interval or (None, None)
        return cls.model_validate(
            {
                "name": figures.name,
                "raised": figures.raised,
                **{str(state): figures.states.get(state, 0) for state in AlertState},
                "reasons": {reason: count for reason in DISMISSAL_REASONS if (count := figures.reasons.get(reason, 0))},
                "false": figures.false,
                "false_share": figures.false_share,
                "false_low": low,
                "false_high": high,
                "expected_false": figures.borne_out.expected_false,
                "is_borne_out": figures.borne_out.is_kept,
                "taken_after_s": figures.taken_after_s,
                "decided_after_s": figures.decided_after_s,
            }
        )


def decisions_csv(found: Sequence[DecisionsOut]) -> str:
    """The figures as CSV for spreadsheets, with a column for each reason."""
    plain = [name for name in DecisionsOut.model_fields if name != "reasons"]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*plain, *(f"dismissed_{reason}" for reason in DISMISSAL_REASONS)])
    for one in found:
        row = one.model_dump()
        reasons = [one.reasons.get(reason, 0) for reason in DISMISSAL_REASONS]
        writer.writerow([*("" if row[name] is None else row[name] for name in plain), *reasons])
    return text.getvalue()
