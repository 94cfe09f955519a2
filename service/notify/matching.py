"""Decide which channels get a notice: by event, severity, table, code and shift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from thirdcard.rules.game.words import Severity
from thirdcard.service.config.house_time import covers
from thirdcard.service.notify.notices import Notice
from thirdcard.service.notify.settings import NoticeEvent, NotificationsFile, RuleFile

BY_WEIGHT = tuple(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRules:
    """A house's rules, and its time zone."""

    settings: NotificationsFile
    zone: ZoneInfo

    def channels_for(self, notice: Notice) -> list[str]:
        """The channels that get the notice, each once, in the order of the rules."""
        found = [name for rule in self.settings.rules if self._fits(rule, notice) for name in rule.channels]
        return list(dict.fromkeys(found))

    @property
    def people(self) -> frozenset[str]:
        """The channels that people read."""
        return frozenset(channel.name for channel in self.settings.people)

    @property
    def wanted_events(self) -> frozenset[NoticeEvent]:
        """All events that some rule asks for."""
        return frozenset(event for rule in self.settings.rules for event in rule.events)

    def _fits(self, rule: RuleFile, notice: Notice) -> bool:
        return (
            notice.event in rule.events
            and BY_WEIGHT.index(notice.severity) >= BY_WEIGHT.index(rule.least_severity)
            and (not rule.tables or notice.table_id in rule.tables)
            and (not rule.codes or any(_has_code(notice.code, code) for code in rule.codes))
            and (not rule.shifts or self._is_within(rule.shifts, notice.at))
        )

    def _is_within(self, names: Sequence[str], at: datetime) -> bool:
        return any(covers(shift, at.astimezone(self.zone)) for shift in self.settings.shifts if shift.name in names)


def _has_code(code: str, wanted: str) -> bool:
    return code == wanted or code.startswith(f"{wanted.removesuffix('.')}.")
