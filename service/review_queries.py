"""What the pages for reviewers are asked for; a form sends empty texts for what nobody chose."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints

from service.incoming import Stretch, plain

Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=300), AfterValidator(plain)]
FORM_FIELDS = ("table", "dealer", "code", "hand", "card", "seat", "winner", "third", "changed", "is", "day")


class ShiftsQuery(Stretch):
    """Which shifts the page lists."""

    limit: int = Field(default=20, ge=1, le=100)
    table: Text = ""
    day: Text = Field(default="", description="when they began: a day of the house")


class WindowQuery(Stretch):
    """Which part of a shift is drawn round by round."""

    at: AwareDatetime | None = Field(default=None, description="where the window begins")
    minutes: int = Field(default=60, ge=5, le=480)


class RoundsQuery(Stretch):
    """What is searched: words, and what the form beside them adds."""

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
        """All of it as one text, as it could have been typed."""
        said = self.model_dump(by_alias=True)
        pairs = [f'{name}:"{said[name]}"' if " " in said[name] else f"{name}:{said[name]}"
                 for name in FORM_FIELDS if said[name]]  # fmt: skip
        return " ".join([self.q, *(pair for pair in pairs if pair not in self.q)]).strip()
