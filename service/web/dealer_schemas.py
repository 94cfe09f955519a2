"""Dealers and the roster as JSON."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.service.dealers.csv_files import read_moment
from thirdcard.service.dealers.names import LONGEST_NAME
from thirdcard.service.dealers.register import LONGEST_BADGE, LONGEST_STAFF_ID, DealerFields, DealerView
from thirdcard.service.dealers.roster import Stint, StintFields
from thirdcard.service.ports.moments import Moment
from thirdcard.service.rounds.dealer_lists import Imported
from thirdcard.service.web.requests import MOST_ITEMS, AlertNumber, Incoming, Name, Timestamp

LONGEST_LIST = 900_000
"""The limit in characters: about 20,000 lines."""
HouseMoment = Annotated[str, StringConstraints(min_length=1, max_length=40)]
StaffId = Annotated[str, StringConstraints(max_length=LONGEST_STAFF_ID)]
Badge = Annotated[str, StringConstraints(max_length=LONGEST_BADGE)]


class DealerIn(Incoming):
    """A dealer to enter."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME)]
    staff_id: StaffId | None = Field(default=None, description="what the house's own lists call the person")
    badge: Badge | None = Field(default=None, description="what a reader at the table reports of a badge or a key")
    active: bool = True

    def fields(self) -> DealerFields:
        """The fields in the form of the register."""
        return DealerFields(name=self.name, staff_id=self.staff_id, badge=self.badge, is_active=self.active)


class JoinIn(Incoming):
    """Two entries that are the same person."""

    gone: AlertNumber = Field(description="the number of the one who is no person of their own")


class ListIn(Incoming):
    """A list as CSV."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_LIST)]


class RosterListIn(ListIn):
    """A roster as CSV."""

    replaces: bool = Field(
        default=False, description="whether older lines at the same table and time are removed; else they stay"
    )


class StintIn(Incoming):
    """A line of the roster."""

    table: Name
    from_: HouseMoment = Field(alias="from", description="a date and time; without an offset by the house's clock")
    to: HouseMoment
    dealer: Name | None = Field(default=None, description="a name, a number or a badge; null for a break")
    ruling: bool = Field(default=False, description="whether it holds against the table's log: what really was")

    def fields(self, zone: ZoneInfo) -> StintFields:
        """The fields in the form of the roster.

        Raises:
            DealerError: A time is not valid.
        """
        return StintFields(
            table_id=self.table,
            from_at=read_moment("from", self.from_, zone),
            to_at=read_moment("to", self.to, zone),
            dealer=self.dealer,
            is_ruling=self.ruling,
        )


class RosterQuery(Incoming):
    """The filter of the roster."""

    table: Name | None = None
    from_: Timestamp | None = Field(default=None, alias="from", description="a day ago, where it is left out")
    to: Timestamp | None = Field(default=None, description="in a week, where it is left out")
    limit: int = Field(default=MOST_ITEMS, ge=1, le=MOST_ITEMS)
    cursor: Annotated[str, StringConstraints(pattern=r"^\d{1,9}$")] | None = Field(
        default=None, description="`next` of the part before"
    )


class DealerOut(BaseModel):
    """A dealer of the register."""

    id: int
    name: str
    staff_id: str | None
    badge: str | None
    pseudonym: str
    active: bool
    confirmed: bool
    """False for a name that came from a log and that nobody has confirmed."""
    other_names: list[str]
    looks_like: str | None

    @classmethod
    def of(cls, view: DealerView, pseudonym: str) -> DealerOut:
        """The JSON model of a dealer."""
        return cls(
            id=view.id,
            name=view.name,
            staff_id=view.staff_id,
            badge=view.badge,
            pseudonym=pseudonym,
            active=view.is_active,
            confirmed=view.is_confirmed,
            other_names=list(view.other_names),
            looks_like=view.looks_like,
        )


class StintOut(BaseModel):
    """A line of the roster."""

    id: int
    table: str
    from_: Moment = Field(serialization_alias="from")
    to: Moment
    dealer: str | None
    ruling: bool
    entered_by: str

    @classmethod
    def of(cls, stint: Stint) -> StintOut:
        """The JSON model of a line."""
        return cls(
            id=stint.id,
            table=stint.table_id,
            from_=stint.from_at,
            to=stint.to_at,
            dealer=stint.dealer,
            ruling=stint.is_ruling,
            entered_by=stint.entered_by,
        )


class FaultOut(BaseModel):
    """The fault of a line in a list."""

    line: int
    field: str
    message: str


class RenamedOut(BaseModel):
    """A dealer whom a list gives another name."""

    line: int
    was: str = Field(description="the name before")
    name: str


class ImportedOut(BaseModel):
    """The result of importing a list."""

    taken: int
    refused: list[FaultOut]
    renamed: list[RenamedOut]

    @classmethod
    def of(cls, imported: Imported) -> ImportedOut:
        """The JSON model of the result."""
        refused = [FaultOut(line=one.line, field=one.field, message=one.message) for one in imported.faults]
        renamed = [RenamedOut(line=one.line, was=one.was, name=one.name) for one in imported.renamed]
        return cls(taken=imported.taken, refused=refused, renamed=renamed)
