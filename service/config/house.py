"""A house's clock, shifts and settings of its figures, and the pseudonyms of its dealers."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from thirdcard.service.config.analytics_file import AnalyticsFile
from thirdcard.service.config.house_time import HouseTime
from thirdcard.service.config.pseudonyms import KEY_BYTES, Pseudonyms
from thirdcard.service.store.people import Person


def _pseudonyms_of_this_run() -> Pseudonyms:
    return Pseudonyms(secrets.token_bytes(KEY_BYTES))


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house's clock, settings and pseudonyms."""

    time: HouseTime = field(default_factory=lambda: HouseTime(zone=ZoneInfo("UTC")))
    settings: AnalyticsFile = field(default_factory=AnalyticsFile)
    pseudonyms: Pseudonyms = field(default_factory=_pseudonyms_of_this_run)

    def shows_names_to(self, person: Person) -> bool:
        """Whether a person may see dealers' names."""
        return person.role.includes(self.settings.names_for)

    def shown(self, dealer: str, *, are_names_shown: bool) -> str:
        """A dealer's name, or their pseudonym."""
        return dealer if are_names_shown else self.pseudonyms.of(dealer)

    def names_from(self, now: datetime) -> datetime | None:
        """The time before which figures name no dealer; None where there is no limit."""
        return self.settings.names_from(now)
