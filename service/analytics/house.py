"""What the figures of a house go by: its clock and shifts, who sees names, and the names of those who must not."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from service.analytics.house_time import HouseTime
from service.analytics.pseudonyms import KEY_BYTES, Pseudonyms, open_pseudonyms
from service.analytics.settings import AnalyticsFile, load_analytics
from service.notify.settings import load_notifications
from service.store.people import Person


def _pseudonyms_of_this_run() -> Pseudonyms:
    return Pseudonyms(secrets.token_bytes(KEY_BYTES))


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house's clock, settings and pseudonyms."""

    time: HouseTime = field(default_factory=lambda: HouseTime(zone=ZoneInfo("UTC")))
    settings: AnalyticsFile = field(default_factory=AnalyticsFile)
    pseudonyms: Pseudonyms = field(default_factory=_pseudonyms_of_this_run)

    def shows_names_to(self, person: Person) -> bool:
        """Whether a person sees dealers' names."""
        return person.role.includes(self.settings.names_for)

    def shown(self, dealer: str, *, are_names_shown: bool) -> str:
        """A dealer's name, or his pseudonym."""
        return dealer if are_names_shown else self.pseudonyms.of(dealer)

    def names_from(self, now: datetime) -> datetime | None:
        """The moment before which no dealer is known; None: there is none."""
        return self.settings.names_from(now)


def open_house(folder: Path, time_zone: str) -> House:
    """What a service's folder says; the key of its pseudonyms is made where there is none.

    Raises:
        HouseFileError: A file of settings is no YAML mapping.
        TableError: A setting is not allowed.
        KeyFileError: The key of the pseudonyms cannot be used.
    """
    shifts = tuple(load_notifications(folder).shifts)
    return House(
        time=HouseTime(zone=ZoneInfo(time_zone), shifts=shifts),
        settings=load_analytics(folder),
        pseudonyms=open_pseudonyms(folder),
    )
