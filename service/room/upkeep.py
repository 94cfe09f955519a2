"""How the ways to the outside and the disk stand, for those who look after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from service.disk_budget import DiskBudget, DiskState
from service.errors import ServiceError
from service.keeping import Standing
from service.keeping_overview import ClassUse, next_to_go, use_by_class
from service.notify.deliveries import ChannelTally, tallies
from service.outside import Outside
from service.room.room import Room

MOST_NEXT = 12


class NotRunHereError(ServiceError):
    """Notifications and retention do not run in this service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelStory:
    """A channel, how it stands, and what it sent so far."""

    name: str
    kind: str
    """webhook, MQTT, or e-mail and chat."""
    fault: str | None
    tally: ChannelTally


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskStory:
    """How the disk of the evidence stands, what it holds and what goes next."""

    state: DiskState | None
    """None before the first look."""
    budget: DiskBudget
    fault: str | None
    classes: Sequence[ClassUse]
    next: Sequence[Standing]


def outside_of(room: Room) -> Outside:
    """The parts that run beside the room.

    Raises:
        NotRunHereError: They do not.
    """
    if room.outside is None:
        raise NotRunHereError("Notifications and retention do not run in this service.")
    return room.outside


def tell_channels(room: Room) -> list[ChannelStory]:
    """Every channel of the house, in the order of its file."""
    if room.outside is None:
        return []
    notifications = room.outside.notifications
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
    """The disk of the evidence.

    Raises:
        NotRunHereError: Nobody looks after it here.
    """
    retention = outside_of(room).retention
    rules = retention.settings.rules()
    with room.database.reading() as session:
        classes = use_by_class(session, rules)
        soon = next_to_go(session, rules, now=now, most=MOST_NEXT)
    return DiskStory(
        state=retention.state, budget=retention.settings.budget(), fault=retention.fault, classes=classes, next=soon
    )
