"""The hours, days and shifts of a house's clock, out of UTC hours.

A tally is of a whole UTC hour. Where the clock is not whole hours from UTC, or a shift begins amid an hour, the hour
counts where its middle lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from service.notify.matching import covers
from service.notify.settings import ShiftFile
from service.store.touched import HOUR

NO_SHIFT = "no shift"
ALL_DAY = "all day"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTime:
    """A house's clock and shifts."""

    zone: ZoneInfo
    shifts: Sequence[ShiftFile] = ()

    def hour(self, hour: datetime) -> str:
        """The hour of the day: `21`."""
        return f"{self._middle(hour):%H}"

    def day(self, hour: datetime) -> str:
        """The day, `2026-05-04`; the small hours of a shift belong to the day on which it began."""
        local = self._middle(hour)
        shift = self._shift(local)
        is_past_midnight = shift is not None and shift.begins > shift.ends and f"{local:%H:%M}" < shift.ends
        return f"{local - timedelta(days=1) if is_past_midnight else local:%Y-%m-%d}"

    def shift(self, hour: datetime) -> str:
        """The name of the first shift that covers the hour; `no shift` where none does, `all day` without shifts."""
        shift = self._shift(self._middle(hour))
        return (NO_SHIFT if self.shifts else ALL_DAY) if shift is None else shift.name

    def labels(self) -> dict[str, Callable[[datetime], str]]:
        """What hours can be gathered by."""
        return {"hour": self.hour, "day": self.day, "shift": self.shift}

    def _middle(self, hour: datetime) -> datetime:
        return (hour + HOUR / 2).astimezone(self.zone)

    def _shift(self, local: datetime) -> ShiftFile | None:
        return next((shift for shift in self.shifts if covers(shift, local)), None)
