"""Everything that the routes need, in one value that is made once."""

from __future__ import annotations

from dataclasses import dataclass

from service.footage.cuts import Cuts
from service.outside import Outside
from service.ports import Clock, LiveTables
from service.room.attempts import LoginAttempts
from service.room.feed import AlertFeed
from service.room.sharing import Sharing
from service.room.sights import Sights
from service.settings import RoomSettings
from service.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One running service."""

    settings: RoomSettings
    database: Database
    live: LiveTables
    clock: Clock
    feed: AlertFeed
    attempts: LoginAttempts
    sights: Sights
    outside: Outside | None
    """Notifications and retention; None where only the room runs."""
    cuts: Cuts
    sharing: Sharing


def build_room(
    settings: RoomSettings, database: Database, live: LiveTables, clock: Clock, outside: Outside | None
) -> Room:
    """The room around its parts; nothing runs yet."""
    sharing = Sharing(clock)
    database.after_writing.append(sharing.renew)
    return Room(
        settings=settings,
        database=database,
        live=live,
        clock=clock,
        feed=AlertFeed(database, live, poll_s=settings.poll_s, renew=sharing.renew),
        attempts=LoginAttempts(clock),
        sights=Sights(clock),
        outside=outside,
        cuts=Cuts(settings.cuts),
        sharing=sharing,
    )
