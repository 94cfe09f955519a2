"""Record in the audit who views figures by dealers' names, before they see them."""

from __future__ import annotations

from datetime import datetime

from thirdcard.service.alerts.room import Room
from thirdcard.service.analytics.asking import Asker
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import Person

SEEN = "dealers.seen"


def ask_as(room: Room, person: Person, what: str, *, has_dealers: bool) -> Asker:
    """The person with their right to see names; recorded where names will be shown.

    Args:
        room: The service.
        person: Who asks.
        what: What is viewed: `analytics`, `shift report`, …
        has_dealers: Whether the answer can contain names.
    """
    are_names_shown = room.settings.house.shows_names_to(person)
    if are_names_shown and has_dealers and room.sights.is_new(person.name, f"dealers/{what}"):
        note_look(room.database, person.name, what, now=room.clock())
        room.sights.remember(person.name, f"dealers/{what}")
    return Asker(person=person, are_names_shown=are_names_shown)


def note_look(database: Database, who: str, what: str, *, now: datetime) -> None:
    """Record that somebody views dealers' names."""
    with database.writing() as session:
        audit.note(session, who, SEEN, what, at=now)
