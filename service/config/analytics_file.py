"""A house's settings for its figures: who sees dealers' names, how long names are kept, and how money is shown
(`analytics.yaml`)."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field

from thirdcard.service.config.house_file import HouseSettings, load_house_file
from thirdcard.service.store.people import Role

ANALYTICS = "analytics.yaml"
"""The file's name in the service's folder."""


class AnalyticsFile(HouseSettings):
    """`analytics.yaml`."""

    names_for: Role = Field(
        default=Role.SUPERVISOR,
        strict=False,
        description=f"one of {', '.join(Role)}: that role and higher see dealers' names, others pseudonyms",
    )
    names_days: float | None = Field(
        default=365.0,
        gt=0,
        le=36500,
        strict=False,
        description="days, over 0 to 36500, for which figures keep dealers apart, or null for ever",
    )

    currency: str | None = Field(
        default=None,
        pattern=r"^[A-Z]{3}$",
        description="three capital letters, such as CHF, that money is shown with, or null: the tables' smallest units",
    )
    minor_units: Literal[1, 10, 100, 1000] = Field(
        default=1,
        description="one of 1, 10, 100, 1000: how many of the tables' smallest units make one of the currency",
    )

    def money(self, *amounts_minor: float) -> str:
        """Amounts in minor units as text with the currency: `CHF 12.50, 0.00`."""
        digits = len(str(self.minor_units)) - 1 if self.currency else 0
        divisor = self.minor_units if self.currency else 1
        told = ", ".join(f"{amount / divisor:,.{digits}f}".replace(",", "\u202f") for amount in amounts_minor)
        return f"{self.currency} {told}" if self.currency else f"{told} units"

    def names_from(self, now: datetime) -> datetime | None:
        """The time before which figures name no dealer; None where there is no limit."""
        return None if self.names_days is None else now - timedelta(days=self.names_days)


def load_analytics(folder: Path) -> AnalyticsFile:
    """The settings in the service's folder; defaults where it has no such file.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed.
    """
    return load_house_file(folder / ANALYTICS, AnalyticsFile)
