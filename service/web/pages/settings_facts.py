"""Gather what the settings pages and the page of holds show."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from thirdcard.service.alerts.holding import seen_holds
from thirdcard.service.alerts.room import Room
from thirdcard.service.notify.deliveries import deliveries
from thirdcard.service.retention.rules import FOREVER
from thirdcard.service.store.people import PEOPLE_ROLES, Person, Role, list_tokens, list_users
from thirdcard.service.web.operations import running_beside, tell_channels, tell_disk
from thirdcard.service.web.settings_schemas import DeliveryQuery


def people(room: Room) -> dict[str, Any]:
    """Users, tokens and the service itself."""
    with room.database.reading() as session:
        users, tokens = list_users(session), list_tokens(session)
    tables = sorted(state.table_id for state in room.live.states())
    return {"users": users, "tokens": tokens, "tables": tables, "roles": PEOPLE_ROLES, "token_roles": tuple(Role)}


def tables(room: Room) -> dict[str, Any]:
    """Every table: what its file says and how it stands."""
    facts = {one.table_id: one for one in room.settings.tables}
    return {"told": [(state, facts.get(state.table_id)) for state in room.live.states()]}


def notifications(room: Room, query: DeliveryQuery) -> dict[str, Any]:
    """The channels, their rules, and what was sent."""
    with room.database.reading() as session:
        page = deliveries(
            session,
            limit=query.limit,
            cursor=query.cursor,
            channel=query.channel or None,
            state=query.state or None,
            alert_id=query.alert or None,
        )
    background = running_beside(room)
    said = {"channel": query.channel, "state": query.state, "alert": query.alert}
    return {
        "channels": tell_channels(room),
        "house": None if background is None else background.notifications.rules.settings,
        "fault": None if background is None else background.notifications.fault,
        "page": page,
        "query": query,
        "filters": urlencode({name: value for name, value in said.items() if value}),
    }


def retention(room: Room) -> dict[str, Any]:
    """The disk, the classes, what goes next."""
    story = None if running_beside(room) is None else tell_disk(room, now=room.clock())
    return {"story": story, "forever": FOREVER}


def holds(room: Room, person: Person) -> dict[str, Any]:
    """The holds, those that were lifted too."""
    with room.database.reading() as session:
        return {"holds": seen_holds(session, person, are_lifted_shown=True)}
