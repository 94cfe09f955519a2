"""Hours, days and shifts by a house's clock, from UTC hours.

A tally covers a whole UTC hour. Where the clock is not whole hours from UTC, or a shift begins within an hour, the hour
belongs to the shift or day of its middle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from thirdcard.service.config.house_file import NAME_DESCRIPTION, HouseSettings, Name
from thirdcard.service.store.touched import HOUR

NO_SHIFT = "no shift"
ALL_DAY = "all day"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTime:
    """A house's clock and shifts."""

    zone: ZoneInfo
    shifts: Sequence[ShiftFile] = ()

    def hour(self, hour: datetime) -> str:
        """The hour of the day, such as `21`."""
        return f"{self._middle(hour):%H}"

    def day(self, hour: datetime) -> str:
        """The day, such as `2026-05-04`; the small hours of a shift belong to the day on which it began."""
        local = self._middle(hour)
        shift = self._shift(local)
        is_past_midnight = shift is not None and shift.begins > shift.ends and f"{local:%H:%M}" < shift.ends
        return f"{local - timedelta(days=1) if is_past_midnight else local:%Y-%m-%d}"

    def shift(self, hour: datetime) -> str:
        """The name of the first shift that covers the hour; `no shift` where none does, `all day` where the house has
        none."""
        shift = self._shift(self._middle(hour))
        return (NO_SHIFT if self.shifts else ALL_DAY) if shift is None else shift.name

    def labels(self) -> dict[str, Callable[[datetime], str]]:
        """The functions that label an hour, by grouping."""
        return {"hour": self.hour, "day": self.day, "shift": self.shift}

    def _middle(self, hour: datetime) -> datetime:
        return (hour + HOUR / 2).astimezone(self.zone)

    def _shift(self, local: datetime) -> ShiftFile | None:
        return next((shift for shift in self.shifts if covers(shift, local)), None)


def covers(shift: ShiftFile, local: datetime) -> bool:
    """Whether a time of the house's clock is in a shift; the shift's end is exclusive.

    Days are those on which the shift begins: the small hours of a Friday night belong to Friday.
    """
    begins, ends = time.fromisoformat(shift.begins), time.fromisoformat(shift.ends)
    now = local.time()
    if begins < ends:
        return begins <= now < ends and _is_day(shift, local)
    return (now >= begins and _is_day(shift, local)) or (now < ends and _is_day(shift, local - timedelta(days=1)))


def _is_day(shift: ShiftFile, local: datetime) -> bool:
    return DAYS[local.weekday()] in shift.days


DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _is_time(text: str) -> str:
    time.fromisoformat(text)
    return text


Clock = Annotated[str, Field(strict=True, pattern=r"^\d\d:\d\d$"), AfterValidator(_is_time)]


_CLOCK = 'a time of day in quotes, such as "20:00"'


class ShiftFile(HouseSettings):
    """Hours of the house's clock; one that ends before it begins goes on past midnight."""

    name: Name = Field(description=NAME_DESCRIPTION)
    begins: Clock = Field(description=_CLOCK)
    ends: Clock = Field(description=_CLOCK)
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]] = Field(
        default_factory=lambda: list(DAYS),  # type: ignore[arg-type]
        min_length=1,
        description=f"a list of the days on which it begins: {', '.join(DAYS)}",
    )
