"""Shifts, the video of rounds and corrections as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.service.alerts.round_clips import RoundClip
from thirdcard.service.corrections.card_crops import CardCrop, CardLine
from thirdcard.service.ports.moments import Moment
from thirdcard.service.rounds.rounds import CorrectionView
from thirdcard.service.rounds.shift_listing import ShiftView
from thirdcard.service.web.requests import LARGEST_ID, Incoming, ListQuery, Name, Timestamp, Words
from thirdcard.service.web.schemas import RoundDetailOut

LineNumber = Annotated[int, Field(strict=True, ge=1, le=LARGEST_ID)]
CardName = Annotated[str, StringConstraints(max_length=3)]


class ShiftQuery(ListQuery):
    """The filter of shifts."""

    table: Name | None = None
    origin: Literal["live", "review"] | None = None
    from_: Timestamp | None = Field(default=None, alias="from", description="began at this moment or later")
    to: Timestamp | None = None


class CardCorrectionIn(Incoming):
    """A correction: a card was misread."""

    kind: Literal["card"]
    line: LineNumber = Field(description="the line of the log that shows it, as `line` in the round's log")
    card: CardName | None = Field(description="the card; null: it cannot be read")
    why: Words


class RemovalIn(Incoming):
    """A correction: the event of a line did not happen."""

    kind: Literal["remove"]
    line: LineNumber
    why: Words


class AdditionIn(Incoming):
    """A correction: an event is missing in the log."""

    kind: Literal["add"]
    event: dict[str, Any] = Field(description="a line of the table log, within the round", max_length=30)
    why: Words


class VerdictIn(Incoming):
    """A correction: whether an alert is right, whatever was decided before."""

    kind: Literal["verdict"]
    alert: LineNumber
    stands: bool
    why: Words


CorrectionIn = Annotated[CardCorrectionIn | RemovalIn | AdditionIn | VerdictIn, Field(discriminator="kind")]


class TakeBackIn(Incoming):
    """The request to take a correction back."""

    why: Words


class ShiftOut(BaseModel):
    """A shift."""

    id: int
    table: str
    origin: str
    rulebook: str | None
    is_counted: bool
    began_at: Moment
    ended_at: Moment
    rounds: int
    alerts: dict[str, int]
    notes: dict[str, int]

    @classmethod
    def of(cls, view: ShiftView) -> ShiftOut:
        """The JSON model of a shift."""
        fields = {name: getattr(view, name) for name in cls.model_fields if name != "table"}
        return cls(table=view.table_id, **fields)


class ClipOut(BaseModel):
    """A clip that shows a round or a part of it."""

    clip: str
    from_: Moment = Field(serialization_alias="from")
    to: Moment
    alert: int | None
    source: str

    @classmethod
    def of(cls, clip: RoundClip) -> ClipOut:
        """The JSON model of a clip."""
        return cls(clip=clip.address, from_=clip.from_at, to=clip.to_at, alert=clip.alert, source=clip.source)


class VideoOut(BaseModel):
    """The video of a round."""

    clips: list[ClipOut]
    why_none: str | None
    """Why there is no video, in words."""


class CardPictureOut(BaseModel):
    """A picture of a card."""

    url: str
    shows: Literal["card", "hand", "table"] = Field(
        description="the card; where it was not found in the frame, its hand's box, or the whole table"
    )
    size: tuple[int, int] = Field(description="width and height, in pixels of the camera")
    box: tuple[int, int, int, int] = Field(description="the part of the frame that it is: left, top, right, bottom")
    outline: list[tuple[float, float]] = Field(description="the card's corners in the picture; none if not found")
    at: Moment = Field(description="the moment of the frame")
    source: str = Field(description="what it was cut out of")
    second_s: float = Field(description="the frame's place in that")

    @classmethod
    def of(cls, sight: CardCrop, url: str) -> CardPictureOut:
        """The JSON model of a picture."""
        left, top, right, bottom = sight.box_px
        return cls(
            url=url, shows=sight.shows, size=(right - left, bottom - top), box=sight.box_px,
            outline=list(sight.outline_px), at=sight.shown_at, source=sight.source, second_s=round(sight.second_s, 3),
        )  # fmt: skip


class CardOut(BaseModel):
    """A card that a line of the log reports, and its picture."""

    line: int
    t: float
    at: Moment
    hand: str | None = Field(description="null: it lay in no hand's box")
    card: str | None = Field(description="as it was read; null: it was not read, or lay face down")
    picture: CardPictureOut | None
    why_none: str | None
    """Why there is no picture, in words."""

    @classmethod
    def of(cls, card: CardLine, picture: CardPictureOut | None, why_none: str | None) -> CardOut:
        """The JSON model of a card."""
        return cls(
            line=card.line, t=card.t, at=card.at, hand=card.hand, card=card.name, picture=picture, why_none=why_none
        )


class CorrectionOut(BaseModel):
    """A correction and its effects."""

    id: int
    table: str
    round: int
    at: Moment
    who: str
    why: str
    change: dict[str, Any]
    effects: dict[str, Any]
    taken_back_by: str | None
    taken_back_at: Moment | None
    taken_back_why: str | None
    picture: str
    """none, kept or failed."""

    @classmethod
    def of(cls, view: CorrectionView) -> CorrectionOut:
        """The JSON model of a correction."""
        return cls(
            id=view.id,
            table=view.table_id,
            round=view.round_id,
            at=view.at,
            who=view.who,
            why=view.why,
            change=dict(view.body),
            effects=dict(view.effects),
            taken_back_by=view.taken_back_by,
            taken_back_at=view.taken_back_at,
            taken_back_why=view.taken_back_why,
            picture=view.picture_state,
        )


class OpenedRoundOut(RoundDetailOut):
    """A round with its log as it was written, and its corrections."""

    corrections: list[CorrectionOut]
