"""Who gets which notices and when: parse and check `notifications.yaml`; nothing is opened.

Each kind of channel has its own list; rules name channels and shifts of the same file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from thirdcard.rules.game.words import Severity
from thirdcard.service.config.house_file import (
    NAME_DESCRIPTION,
    VARIABLE_DESCRIPTION,
    HouseSettings,
    Name,
    Variable,
    load_house_file,
)
from thirdcard.service.config.house_time import ShiftFile
from thirdcard.service.devices.mqtt import BrokerFile
from thirdcard.service.ports.errors import TableError

NOTIFICATIONS = "notifications.yaml"
"""The file's name in the service's folder."""


class NoticeEvent(StrEnum):
    """The kinds of notices."""

    RAISED = "raised"
    OVERDUE = "overdue"
    """Nobody took the alert in time."""
    ACKNOWLEDGED = "acknowledged"
    ESCALATED = "escalated"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """Later evidence refuted the alert before anybody had taken it."""
    SERVICE = "service"
    """About the service rather than a table: for example, the disk is nearly full."""
    TEST = "test"
    """The test button was pressed; no rule asks for it."""


Hours = Annotated[float, Field(strict=False, gt=0, le=168)]
_HOURS = "hours until a message that cannot be sent is given up, over 0 to 168"


class WebhookFile(HouseSettings):
    """A program that takes messages by HTTP."""

    name: Name = Field(description=NAME_DESCRIPTION)
    url: str | None = Field(
        default=None, pattern=r"^https?://[^\s]{1,2000}$", description="an address, http:// or https://, or null"
    )
    url_env: Variable | None = Field(default=None, description=VARIABLE_DESCRIPTION)
    secret_env: Variable = Field(description=VARIABLE_DESCRIPTION)
    timeout_s: float = Field(default=10.0, gt=0, le=60, strict=False, description="seconds, over 0 to 60")
    give_up_after_h: Hours = Field(default=24.0, description=_HOURS)


class MqttFile(BrokerFile):
    """A broker that takes messages."""

    name: Name = Field(description=NAME_DESCRIPTION)
    give_up_after_h: Hours = Field(default=24.0, description=_HOURS)


class PeopleFile(HouseSettings):
    """People who are notified by e-mail or chat; the address, with its secrets, is one that Apprise knows."""

    name: Name = Field(description=NAME_DESCRIPTION)
    url_env: Variable = Field(description=VARIABLE_DESCRIPTION)
    at_most_every_s: float = Field(
        default=30.0, ge=0, le=3600, strict=False, description="seconds between two messages, 0 to 3600"
    )
    give_up_after_h: Hours = Field(default=4.0, description=_HOURS)


class RuleFile(HouseSettings):
    """Who is notified of what."""

    channels: list[Name] = Field(min_length=1, description="a list of names of channels of this file")
    events: list[Annotated[NoticeEvent, Field(strict=False)]] = Field(
        default_factory=lambda: [NoticeEvent.RAISED, NoticeEvent.WITHDRAWN],
        min_length=1,
        description=f"a list of {', '.join(event for event in NoticeEvent if event != NoticeEvent.TEST)}",
    )
    least_severity: Severity = Field(
        default=Severity.INFO, strict=False, description=f"one of {', '.join(Severity)}: that one and worse"
    )
    tables: list[str] = Field(default_factory=list, description="a list of ids of tables; empty for all")
    codes: list[str] = Field(
        default_factory=list, description="a list of codes, or of the part before the dot (late_bet); empty for all"
    )
    shifts: list[Name] = Field(default_factory=list, description="a list of names of shifts; empty for always")


class NotificationsFile(HouseSettings):
    """`notifications.yaml`."""

    webhooks: list[WebhookFile] = Field(default_factory=list, description="a list of webhooks")
    mqtt: list[MqttFile] = Field(default_factory=list, description="a list of brokers")
    people: list[PeopleFile] = Field(default_factory=list, description="a list of people told by e-mail or chat")
    shifts: list[ShiftFile] = Field(default_factory=list, description="a list of shifts")
    rules: list[RuleFile] = Field(default_factory=list, description="a list of rules")
    room_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#]+(/[^\s?#]*[^\s?#/])?$",
        max_length=500,
        description="the address at which people reach the room's pages, such as https://thirdcard.example, "
        "without a slash at its end, or null",
    )
    overdue_after_min: float = Field(
        default=2.0,
        gt=0,
        le=1440,
        strict=False,
        description="minutes until an alert that nobody took is overdue, to 1440",
    )
    keep_sent_days: float = Field(
        default=90.0,
        gt=0,
        le=36500,
        strict=False,
        description="days for which messages that were sent stay in the list, over 0 to 36500",
    )

    def channel_kinds(self) -> dict[str, str]:
        """The kind of each channel, by name."""
        kinds = (("webhook", self.webhooks), ("MQTT", self.mqtt), ("e-mail or chat", self.people))
        return {channel.name: kind for kind, channels in kinds for channel in channels}

    def channel_names(self) -> list[str]:
        """The names of all channels, in the order of the file."""
        lists = ([c.name for c in self.webhooks], [c.name for c in self.mqtt], [c.name for c in self.people])
        return [name for names in lists for name in names]


def load_notifications(folder: Path) -> NotificationsFile:
    """The settings of a service's folder; without the file nobody is notified.

    Raises:
        HouseFileError: The file is no YAML mapping.
        TableError: A value is not allowed.
    """
    path = folder / NOTIFICATIONS
    settings = load_house_file(path, NotificationsFile)
    for key, value, allowed in _complaints(settings):
        raise TableError(str(path), key, value=value, allowed=allowed)
    return settings


def _complaints(settings: NotificationsFile) -> Iterator[tuple[str, object, str]]:
    """Errors across several keys: key, value, what is allowed."""
    yield from _repeated([f"{kind}[{i}]" for kind, i in _places(settings)], settings.channel_names())
    yield from _repeated([f"shifts[{i}]" for i in range(len(settings.shifts))], [s.name for s in settings.shifts])
    for i, hook in enumerate(settings.webhooks):
        if (hook.url is None) == (hook.url_env is None):
            yield f"webhooks[{i}].url", hook.url, "must have either url or url_env"
    for i, shift in enumerate(settings.shifts):
        if shift.begins == shift.ends:
            yield f"shifts[{i}].ends", shift.ends, "must be another time than begins"
    for i, rule in enumerate(settings.rules):
        yield from _unknown(f"rules[{i}].channels", rule.channels, settings.channel_names())
        yield from _unknown(f"rules[{i}].shifts", rule.shifts, [shift.name for shift in settings.shifts])
        if NoticeEvent.TEST in rule.events:
            yield f"rules[{i}].events", "test", "a test is sent by its button, to one channel"


def _places(settings: NotificationsFile) -> Iterator[tuple[str, int]]:
    for kind in ("webhooks", "mqtt", "people"):
        for i in range(len(getattr(settings, kind))):
            yield kind, i


def _repeated(places: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, object, str]]:
    for i, name in enumerate(names):
        if name in names[:i]:
            yield f"{places[i]}.name", name, f"{places[names.index(name)]} has the same; names must differ"


def _unknown(key: str, names: Sequence[str], known: Sequence[str]) -> Iterator[tuple[str, object, str]]:
    for i, name in enumerate(names):
        if name not in known:
            yield f"{key}[{i}]", name, f"must be one of {', '.join(known) or '(there are none)'}"
