"""The state of the channels and of the disk, for those who maintain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from thirdcard.service.alerts.room import Room
from thirdcard.service.notify.deliveries import ChannelTally, tallies
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.retention.disk_budget import DiskBudget, DiskState
from thirdcard.service.retention.report import ClassUse, next_to_go, use_by_class
from thirdcard.service.retention.rules import EvidenceKeeping
from thirdcard.service.web.background import BackgroundWork

MOST_NEXT = 12


class NotRunHereError(ServiceError):
    """Notifications and retention do not run in this service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStory:
    """A channel with its state and its counts of messages."""

    name: str
    kind: str
    """webhook, MQTT, or e-mail and chat."""
    fault: str | None
    tally: ChannelTally


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskStory:
    """The state of the evidence disk, its content, and what will be deleted next."""

    state: DiskState | None
    """None before the first check."""
    budget: DiskBudget
    fault: str | None
    classes: Sequence[ClassUse]
    next: Sequence[EvidenceKeeping]


def background_of(room: Room) -> BackgroundWork:
    """The background parts of the room.

    Raises:
        NotRunHereError: They do not run here.
    """
    background = running_beside(room)
    if background is None:
        raise NotRunHereError("Notifications and retention do not run in this service.")
    return background


def running_beside(room: Room) -> BackgroundWork | None:
    """The background parts of the room; None where they do not run."""
    return room.background if isinstance(room.background, BackgroundWork) else None


def tell_channels(room: Room) -> list[ChannelStory]:
    """Every channel of the house, in the order of its file."""
    background = running_beside(room)
    if background is None:
        return []
    notifications = background.notifications
    with room.database.reading() as session:
        counted = {tally.channel: tally for tally in tallies(session)}
    kinds = notifications.rules.settings.channel_kinds()
    return [
        ChannelStory(
            name=state.name,
            kind=kinds.get(state.name, "unknown"),
            fault=state.fault,
            tally=counted.get(state.name, ChannelTally(channel=state.name)),
        )
        for state in notifications.states()
    ]


def tell_disk(room: Room, *, now: datetime) -> DiskStory:
    """The state of the evidence disk.

    Raises:
        NotRunHereError: Retention does not run here.
    """
    retention = background_of(room).retention
    rules = retention.settings.rules()
    with room.database.reading() as session:
        classes = use_by_class(session, rules)
        soon = next_to_go(session, rules, now=now, most=MOST_NEXT)
    return DiskStory(
        state=retention.state, budget=retention.settings.budget(), fault=retention.fault, classes=classes, next=soon
    )
