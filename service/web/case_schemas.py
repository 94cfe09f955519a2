"""Cases, users and tokens as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from thirdcard.service.alerts.alert_schemas import AlertOut
from thirdcard.service.alerts.cases import CaseStory, CaseView, NoteView
from thirdcard.service.ports.moments import Moment
from thirdcard.service.store.people import MOST_DAYS, Account
from thirdcard.service.web.requests import AlertNumber, Incoming, ListQuery, Name, Title, Words


class CaseQuery(ListQuery):
    """The filter of the list of cases."""

    state: Literal["open", "closed"] | None = None


class CaseIn(Incoming):
    """A new case."""

    title: Title
    alert: AlertNumber | None = Field(default=None, description="put into it at once")


class CaseAlertIn(Incoming):
    """An alert for a case."""

    alert: AlertNumber


class NoteIn(Incoming):
    """The text of a note."""

    text: Words


class CaseStateIn(Incoming):
    """The new state: closed, or open again."""

    state: Literal["open", "closed"]


class NoteOut(BaseModel):
    """A note on a case."""

    at: Moment
    who: str
    text: str

    @classmethod
    def of(cls, view: NoteView) -> NoteOut:
        """The JSON model of a note."""
        return cls(at=view.at, who=view.who, text=view.text)


class CaseOut(BaseModel):
    """The summary of a case."""

    id: int
    title: str
    state: str
    opened_by: str
    opened_at: Moment
    closed_at: Moment | None
    alerts: int

    @classmethod
    def of(cls, view: CaseView) -> CaseOut:
        """The JSON model of a case."""
        return cls.model_validate(view, from_attributes=True)


class CaseDetailOut(CaseOut):
    """A case with its alerts and notes."""

    alert_list: list[AlertOut]
    notes: list[NoteOut]

    @classmethod
    def telling(cls, story: CaseStory) -> CaseDetailOut:
        """The JSON model of a case with its alerts and notes."""
        return cls(
            **CaseOut.of(story.case).model_dump(),
            alert_list=[AlertOut.of(view) for view in story.alerts],
            notes=[NoteOut.of(note) for note in story.notes],
        )


class Done(BaseModel):
    """The answer to a completed action."""

    id: int | None = None


class TokenIn(Incoming):
    """A new token."""

    name: Annotated[str, StringConstraints(max_length=100)]
    role: Literal["device", "viewer", "operator", "supervisor", "admin"]
    tables: list[Name] | None = Field(default=None, max_length=500, description="the tables it may see; null: all")
    days: Annotated[int, Field(strict=True, ge=1, le=MOST_DAYS)] | None = Field(
        default=None, description="it holds for so many; null: until it is switched off"
    )


class UserIn(Incoming):
    """A new user."""

    name: Annotated[str, StringConstraints(max_length=100)]
    role: Literal["viewer", "operator", "supervisor", "admin"]
    tables: list[Name] | None = Field(default=None, max_length=500, description="the tables he may see; null: all")
    password: Annotated[str, StringConstraints(max_length=1000)]


class PasswordIn(Incoming):
    """A new password."""

    password: Annotated[str, StringConstraints(max_length=1000)]


class ActiveIn(Incoming):
    """Whether the account is active."""

    active: Annotated[bool, Field(strict=True)]


class AccountOut(BaseModel):
    """A user; passwords and tokens are never included."""

    name: str
    role: str
    tables: list[str] | None
    added_at: Moment
    active: bool

    @classmethod
    def of(cls, account: Account) -> AccountOut:
        """The JSON model of an account."""
        return cls(
            name=account.name,
            role=account.role,
            tables=None if account.tables is None else sorted(account.tables),
            added_at=account.added_at,
            active=account.is_active,
        )


class TokenOut(AccountOut):
    """A token."""

    expires_at: Moment | None = Field(description="from when on it holds no more; null: never")
    used_at: Moment | None = Field(description="when it was used last, to the minute; null: not yet")

    @classmethod
    def of(cls, account: Account) -> TokenOut:
        """The JSON model of a token."""
        common = AccountOut.of(account).model_dump()
        return cls(**common, expires_at=account.expires_at, used_at=account.used_at)


class NewToken(BaseModel):
    """A new token, shown only this once."""

    name: str
    token: str
