"""The data of the settings pages and of the page of holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from thirdcard.calibration.chips import BUILT_IN_CHIPS, load_chips
from thirdcard.calibration.layout import BUILT_IN_LAYOUTS
from thirdcard.service.alerts.holding import seen_holds
from thirdcard.service.alerts.room import Room
from thirdcard.service.config.data_folder import Home
from thirdcard.service.guide.drafts import Drafts
from thirdcard.service.guide.house_step import offered_rulebooks
from thirdcard.service.notify.deliveries import deliveries
from thirdcard.service.retention.rules import FOREVER
from thirdcard.service.store.people import PEOPLE_ROLES, Person, Role, list_tokens, list_users
from thirdcard.service.tables.setups import find_known, list_known
from thirdcard.service.tables.table_acts import BY_FILE
from thirdcard.service.tables.table_views import camera_fit_of, told_changes
from thirdcard.service.web.guide_schemas import DraftOut, chips_out
from thirdcard.service.web.operations import running_beside, tell_channels, tell_disk
from thirdcard.service.web.settings_schemas import DeliveryQuery


def people(room: Room) -> dict[str, Any]:
    """Users, tokens and the service itself."""
    with room.database.reading() as session:
        users, tokens = list_users(session), list_tokens(session)
    tables = sorted(state.table_id for state in room.live.states())
    return {"users": users, "tokens": tokens, "tables": tables, "roles": PEOPLE_ROLES, "token_roles": tuple(Role)}


def tables(room: Room, person: Person) -> dict[str, Any]:
    """Every table: the facts of its file, its state, and who changed it last."""
    facts = {one.table_id: one for one in room.settings.tables}
    states = {one.table_id: one for one in room.live.states()}
    with room.database.reading() as session:
        known = {one.table_id: one for one in list_known(session)}
    seen = sorted(name for name in states.keys() | known.keys() if person.may_see(name))
    begun = [one for one in Drafts(Home(room.settings.home)).all() if person.may_see(one.table_id)]
    told = [(name, states.get(name), facts.get(name), known.get(name)) for name in seen]
    return {"told": told, "begun": begun, "by_file": BY_FILE}


def guide(room: Room, person: Person, table_id: str) -> dict[str, Any]:
    """The draft of a table, and the choices of its steps.

    Raises:
        NoSuchDraftError: There is no such draft.
    """
    home = Home(room.settings.home)
    draft = Drafts(home).find(table_id)
    with room.database.reading() as session:
        tables = [one.table_id for one in list_known(session) if person.may_see(one.table_id)]
    return {
        "draft": draft,
        "told": DraftOut.of(draft).model_dump(mode="json"),
        "rulebooks": [asdict(one) for one in offered_rulebooks(home)],
        "cloths": [(name, name) for name in BUILT_IN_LAYOUTS] + [(f"table:{one}", f"as {one}") for one in tables],
        "chip_sets": {name: chips_out(load_chips(name, home.folder)) for name in BUILT_IN_CHIPS},
    }


def setups(room: Room, table_id: str) -> dict[str, Any]:
    """The versions of a table's set-up, each with its changes.

    Raises:
        NoSuchSetupError: There is no such table.
    """
    with room.database.reading() as session:
        known = find_known(session, table_id)
    versions = told_changes(Home(room.settings.home), room.database, table_id)
    fit = camera_fit_of(Home(room.settings.home), room.database, table_id)
    return {"known": known, "state": room.live.state(table_id), "versions": versions, "fit": fit and fit.facts}


def notifications(room: Room, query: DeliveryQuery) -> dict[str, Any]:
    """The channels, their rules, and the sent messages."""
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
    """The disk, the classes of evidence, and what will be deleted next."""
    story = None if running_beside(room) is None else tell_disk(room, now=room.clock())
    return {"story": story, "forever": FOREVER}


def holds(room: Room, person: Person) -> dict[str, Any]:
    """All holds, including lifted ones."""
    with room.database.reading() as session:
        return {"holds": seen_holds(session, person, are_lifted_shown=True)}
