"""Who looks at figures by dealers' names stands in the audit before he sees them."""

from __future__ import annotations

from datetime import datetime

from thirdcard.service.alerts.room import Room
from thirdcard.service.analytics.asking import Asker
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.store.people import Person

SEEN = "dealers.seen"


def ask_as(room: Room, person: Person, what: str, *, has_dealers: bool) -> Asker:
    """The person as an asker; where he will see names, that is noted.

    Args:
        room: The service.
        person: Who asks.
        what: What he looks at: `analytics`, `shift report`, …
        has_dealers: Whether names may stand in the answer at all.
    """
    are_names_shown = room.settings.house.shows_names_to(person)
    if are_names_shown and has_dealers and room.sights.is_new(person.name, f"dealers/{what}"):
        note_look(room.database, person.name, what, now=room.clock())
        room.sights.remember(person.name, f"dealers/{what}")
    return Asker(person=person, are_names_shown=are_names_shown)


def note_look(database: Database, who: str, what: str, *, now: datetime) -> None:
    """Note that somebody sees dealers' names."""
    with database.writing() as session:
        audit.note(session, who, SEEN, what, at=now)
