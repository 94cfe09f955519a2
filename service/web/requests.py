"""The models of requests and form data: known keys only, each value checked.

A form sends empty texts for fields left empty.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from thirdcard.rules.game.words import Severity
from thirdcard.service.dealers.csv_files import YEARS
from thirdcard.service.store.alert_states import AlertState

MOST_ITEMS = 500
LARGEST_ID = 2**53 - 1


MOST_WORDS_LINES = 200
"""The limit for a note, a reason or an explanation."""

_NUMBER = re.compile(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?")


def plain(text: str) -> str:
    """The text; raises ValueError where it holds unprintable characters."""
    if not all(letter.isprintable() or letter in "\n\t" for letter in text):
        raise ValueError("must have printable characters only")
    return text


def _few_lines(text: str) -> str:
    if text.count("\n") >= MOST_WORDS_LINES:
        raise ValueError(f"must have {MOST_WORDS_LINES} lines at most")
    return text


def _day(text: str) -> str:
    try:
        day = date.fromisoformat(text) if text else None
    except ValueError:
        raise ValueError("must be a date, such as 2026-11-26") from None
    if day is not None and day.year not in YEARS:
        raise ValueError(f"must be a date from {YEARS[0]} to {YEARS[-1]}")
    return "" if day is None else day.isoformat()


Name = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(plain)]
Day = Annotated[str, StringConstraints(pattern=r"^(\d{4}-\d\d-\d\d)?$"), AfterValidator(_day)]
Choice = Annotated[str, StringConstraints(max_length=200), AfterValidator(plain)]
Words = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=4000),
    AfterValidator(plain),
    AfterValidator(_few_lines),
]
"""Text written by a person; shown on pages and in reports."""
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), AfterValidator(plain)]
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(plain)]
Several = list[Name]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class Incoming(BaseModel):
    """The base class of requests; refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _no_number(value: object) -> object:
    """Refuse a number as a time, which pydantic would read as seconds since 1970."""
    if isinstance(value, int | float) or (isinstance(value, str) and _NUMBER.fullmatch(value.strip())):
        raise ValueError("must be a date and time with its offset, such as 2026-11-26T20:15:00+01:00")
    return value


Timestamp = Annotated[AwareDatetime, BeforeValidator(_no_number)]


class ListQuery(Incoming):
    """A part of a list, newest first."""

    limit: int = Field(default=50, ge=1, le=MOST_ITEMS, description="how many at most")
    cursor: Cursor | None = Field(default=None, description="`next` of the part before")


class AlertQuery(ListQuery):
    """The filter of alerts."""

    list_: Literal["alerts", "doubtful"] = Field(
        default="alerts", alias="list", description="alerts, or findings that were never sure enough to be alerts"
    )
    table: Name | None = None
    code: Name | None = Field(default=None, description="a code, or the part before its dot")
    severity: list[Severity] = Field(default_factory=list, max_length=10)
    state: list[AlertState] = Field(default_factory=list, max_length=10)
    dealer: Name | None = None
    from_: Timestamp | None = Field(default=None, alias="from")
    to: Timestamp | None = None


def _moment_or_none(value: object) -> object:
    """None for an empty time, which an address typed by a person may have."""
    return None if value == "" else value


AnyMoment = Annotated[Timestamp | None, BeforeValidator(_moment_or_none)]


class AuditQuery(ListQuery):
    """The filter of acts."""

    who: Name | None = None
    action: Name | None = Field(default=None, description="an action, or the part before its dot")
    text: Name | None = Field(default=None, description="words that all stand somewhere in the act")
    from_: Timestamp | None = Field(default=None, alias="from")
    to: Timestamp | None = None
    format: Literal["json", "csv"] = "json"


class AuditPageQuery(ListQuery):
    """The filter of acts on the page; a form sends empty texts for fields left empty."""

    who: Choice = ""
    action: Choice = ""
    text: Choice = ""
    from_: Day = Field(default="", alias="from", description="a day of the house's clock")
    to: Day = ""


class WallQuery(ListQuery):
    """The filter of alerts on the page; a form sends empty texts for fields left empty."""

    show: Literal[
        "todo", "open", "taken", "escalated", "confirmed", "dismissed", "withdrawn", "closed", "counted", "all"
    ] = "todo"
    severity: Severity | Literal[""] = ""
    table: Choice = ""
    code: Choice = Field(default="", description="a code, the part before its dot, or dealing for all errors of it")
    reason: Choice = ""
    dealer: Choice = ""
    from_: AnyMoment = Field(default=None, alias="from")
    to: AnyMoment = None


class RoundQuery(ListQuery):
    """The search for rounds; where a field has several values, all must hold."""

    q: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300), AfterValidator(plain)] | None = Field(
        default=None, description="as typed into the search box: words, or `field:value`"
    )
    table: Name | None = None
    dealer: Name | None = None
    from_: Timestamp | None = Field(default=None, alias="from")
    to: Timestamp | None = None
    rulebook: Name | None = None
    origin: Name | None = Field(default=None, description="live or review")
    winner: Name | None = Field(default=None, description="player, banker, tie or unknown")
    code: Several = Field(
        default_factory=list, max_length=10, description="an alert's code, or the part before its dot"
    )
    severity: Several = Field(default_factory=list, max_length=10)
    hand: Several = Field(default_factory=list, max_length=10, description="an alert's hand: player or banker")
    card: Several = Field(default_factory=list, max_length=10, description="a card that was seen: 7H, or a rank")
    third: Several = Field(default_factory=list, max_length=10, description="who has a third card: player or banker")
    seat: Several = Field(default_factory=list, max_length=10)
    bet: Several = Field(default_factory=list, max_length=10)
    changed: Several = Field(
        default_factory=list, max_length=10, description="a stack: increased, s3-banker, s3-banker:increased"
    )
    is_: Several = Field(
        default_factory=list, max_length=10, alias="is", description="natural, void, unread, unseen, ..."
    )


class FigureQuery(Incoming):
    """The filter of figures; an hour is included if its start is in the period."""

    table: Name | None = None
    dealer: Name | None = Field(default=None, description="a name, or the pseudonym that is shown instead")
    rulebook: Name | None = None
    code: Name | None = Field(default=None, description="a code, or the part before its dot, to count alone")
    shift: Name | None = None
    confirmed: bool = Field(default=False, description="whether only confirmed alerts count as errors")
    from_: Timestamp | None = Field(default=None, alias="from")
    to: Timestamp | None = None


class FigurePageQuery(Incoming):
    """The filter of figures on a page; a form sends empty texts for fields left empty."""

    table: Choice = ""
    dealer: Choice = ""
    rulebook: Choice = ""
    code: Choice = ""
    shift: Choice = ""
    confirmed: bool = False
    from_: Day = Field(default="", alias="from", description="a day of the house's clock")
    to: Day = ""


class RosterPageQuery(Incoming):
    """The part of the roster that a page shows."""

    table: Choice = ""
    day: Day = Field(default="", description="a day of the house's clock; today, where it is empty")


class FigureFileQuery(FigureQuery):
    """The filter of figures, and the file format."""

    format: Literal["json", "csv", "parquet"] = "json"


class StreamQuery(Incoming):
    """The place in the stream to start from."""

    after: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        default=None, description="as Last-Event-ID, for a first connection"
    )


class FrameQuery(Incoming):
    """The query of a picture; a page sends another value each time, so that no cache answers."""

    v: Annotated[str, StringConstraints(max_length=40)] | None = None


class StepIn(Incoming):
    """A decision on an alert."""

    state: Literal["acknowledged", "escalated", "confirmed", "dismissed"]
    reason: Reason | None = Field(
        default=None, description="needed to dismiss: one of the listed reasons, or words of one's own"
    )
    note: Words | None = None


AlertNumber = Annotated[int, Field(strict=True, ge=1, le=LARGEST_ID)]


class TakeIn(Incoming):
    """Several alerts to acknowledge together."""

    alerts: list[AlertNumber] = Field(min_length=1, max_length=MOST_ITEMS)


class DecideIn(TakeIn):
    """A decision on several alerts together."""

    state: Literal["confirmed", "dismissed"]
    reason: Reason | None = Field(default=None, description="as for one alert; needed to dismiss")
    note: Words | None = None


class RecordingQuery(Incoming):
    """The part of a table's recording."""

    from_: Timestamp = Field(alias="from")
    to: Timestamp


class IncidentIn(Incoming):
    """The last minutes of a table to save as an incident."""

    minutes: float = Field(gt=0, le=60, description="so much up to now, as far as it is kept")
    note: Words


class CopyIn(Incoming):
    """The clip of which to make a copy that browsers can play."""

    kind: Literal["clip", "longer", "longer-2", "longer-3"] = "clip"


class LongerIn(Incoming):
    """How much longer a clip is to be."""

    before_s: float = Field(default=0, ge=0, le=3600, description="seconds more at its beginning")
    after_s: float = Field(default=0, ge=0, le=3600, description="seconds more at its end")


class LoginQuery(Incoming):
    """The page to open after the login."""

    next: Annotated[str, StringConstraints(max_length=500)] = "/"


class LoginForm(Incoming):
    """A name and a password."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), AfterValidator(plain)]
    password: Annotated[str, StringConstraints(max_length=1000)]
    next: Annotated[str, StringConstraints(max_length=500)] = "/"


def local_address(text: str) -> str:
    """A path of this service; `/` where the text names anything else."""
    is_local = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isascii() and text.isprintable()
    return text if is_local else "/"


Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300), AfterValidator(plain)]
FORM_FIELDS = ("table", "dealer", "code", "hand", "card", "seat", "winner", "third", "changed", "is", "day")


class ShiftsQuery(ListQuery):
    """The filter of shifts on the page."""

    limit: int = Field(default=20, ge=1, le=100)
    table: Text = ""
    day: Text = Field(default="", description="when they began: a day of the house")


class WindowQuery(ListQuery):
    """The part of a shift that is drawn round by round."""

    at: Timestamp | None = Field(default=None, description="where the window begins")
    minutes: int = Field(default=60, ge=5, le=480)


class RoundsQuery(ListQuery):
    """The search for rounds on the page: typed words, and the fields of the form."""

    limit: int = Field(default=40, ge=1, le=200)
    q: Text = ""
    table: Text = ""
    dealer: Text = ""
    code: Text = ""
    hand: Text = ""
    card: Text = ""
    seat: Text = ""
    winner: Text = ""
    third: Text = ""
    changed: Text = ""
    is_: Text = Field(default="", alias="is")
    day: Text = ""

    @property
    def text(self) -> str:
        """The whole search as one text, as it could be typed."""
        said = self.model_dump(by_alias=True)
        pairs = [f'{name}:"{said[name]}"' if " " in said[name] else f"{name}:{said[name]}"
                 for name in FORM_FIELDS if said[name]]  # fmt: skip
        return " ".join([self.q, *(pair for pair in pairs if pair not in self.q)]).strip()
